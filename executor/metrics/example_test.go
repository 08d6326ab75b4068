package metrics_test

import (
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"

	"github.com/pinion-ros/pinion/executor"
	"github.com/pinion-ros/pinion/executor/metrics"
)

// Prometheus reads the statistics at an address that the program chooses.
func ExampleHandler() {
	ex, err := executor.New()
	if err != nil {
		log.Fatal(err)
	}
	defer ex.Close()
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", metrics.Handler(ex))

	server := httptest.NewServer(mux) // http.ListenAndServe in a program
	defer server.Close()
	answer, err := http.Get(server.URL + "/metrics")
	if err != nil {
		log.Fatal(err)
	}
	defer answer.Body.Close()
	fmt.Println(answer.StatusCode, answer.Header.Get("Content-Type"))
	// Output: 200 text/plain; version=0.0.4; charset=utf-8
}
