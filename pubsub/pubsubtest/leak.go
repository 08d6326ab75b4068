package pubsubtest

import (
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"time"

	"github.com/pinion-ros/pinion/internal/cyclone"
)

// Run runs the tests, *testing.M as a rule, and returns their exit code, or 1 if goroutines or
// entities of DDS are left when all have ended.
func Run(m interface{ Run() int }) int {
	startSignals()
	before := runtime.NumGoroutine()
	code := m.Run()
	if err := left(before, 0); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

// CheckLeaks fails the test if it ends with more goroutines or entities of DDS than there are now. It
// is of use where no other tests run in parallel. Call it first.
func CheckLeaks(t interface {
	Cleanup(func())
	Error(...any)
}) {
	startSignals()
	goroutines, entities := runtime.NumGoroutine(), cyclone.Entities()
	t.Cleanup(func() {
		if err := left(goroutines, entities); err != nil {
			t.Error(err)
		}
	})
}

// startSignals has os/signal start its goroutine, which stays once it is there: no test is to blame for
// it, and fuzzing starts it as well.
func startSignals() {
	c := make(chan os.Signal, 1)
	signal.Notify(c, os.Interrupt)
	signal.Stop(c)
}

// left gives what is about to end some time.
func left(goroutines, entities int) error {
	for end := time.Now().Add(2 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		g, e := runtime.NumGoroutine()-goroutines, cyclone.Entities()-entities
		if g <= 0 && e <= 0 {
			return nil
		}
		if time.Now().After(end) {
			buf := make([]byte, 1<<20)
			return fmt.Errorf("%d goroutines and %d entities of DDS are left behind\n%s", max(g, 0), max(e, 0), buf[:runtime.Stack(buf, true)])
		}
	}
}
