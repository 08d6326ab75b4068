package plancmd

import (
	"context"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pinion-ros/pinion/executor"
	"github.com/pinion-ros/pinion/msgs/std_msgs"
	"github.com/pinion-ros/pinion/pubsub"
	"github.com/pinion-ros/pinion/pubsub/pubsubtest"
)

func TestInit(t *testing.T) {
	n := pubsubtest.NewDomain(t).NewNode("init", pubsub.WithRosout(true))
	fast, err := pubsub.NewPublisher[std_msgs.Int32](n, "fast", pubsub.DefaultQoS())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := pubsub.NewPublisher[std_msgs.String](n, "silent", pubsub.DefaultQoS()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			_ = fast.Publish(&std_msgs.Int32{}) // what is lost lowers the rate that the test looks at
			time.Sleep(20 * time.Millisecond)
		}
	}()
	var b strings.Builder
	if err := Init(ctx, n, 2*time.Second, &b); err != nil {
		t.Fatal(err)
	}
	cancel()
	<-done
	plan, err := executor.ParsePlan("init.yaml", []byte(b.String()))
	if err != nil {
		t.Fatalf("%v\n%s", err, b.String())
	}
	if len(plan.Topics) != 2 || plan.Topics[0].Name != "/fast" || plan.Topics[1].Name != "/silent" {
		t.Fatalf("topics %+v", plan.Topics)
	}
	m := regexp.MustCompile(`/fast: \{rate: ([0-9.]+)\} # std_msgs/msg/Int32, 1 publisher\n`).FindStringSubmatch(b.String())
	if m == nil {
		t.Fatalf("no rate in\n%s", b.String())
	}
	// A busy machine sends less often, never more.
	if rate, err := strconv.ParseFloat(m[1], 64); err != nil || rate <= 0 || rate > 60 {
		t.Errorf("rate %v, %v", rate, err)
	}
}

func TestInitNothing(t *testing.T) {
	n := pubsubtest.NewDomain(t).NewNode("init", pubsub.WithRosout(true))
	var b strings.Builder
	if err := Init(t.Context(), n, 100*time.Millisecond, &b); err != nil {
		t.Fatal(err)
	}
	if _, err := executor.ParsePlan("init.yaml", []byte(b.String())); err != nil || !strings.Contains(b.String(), "No topic") {
		t.Errorf("%v\n%s", err, b.String())
	}
}

// Rates are written as people write them, and read back as numbers.
func TestRateText(t *testing.T) {
	for rate, want := range map[float64]string{
		1000: "1000", 999.96: "1000", 1234.5: "1234", 99.96: "100", 100: "100", 30.02: "30", 12.34: "12.3",
		9.996: "10", 1: "1", 0.5: "0.5", 0.0123: "0.0123", 0.00001: "0.00001", 2e6: "2000000",
	} {
		if got := rateText(rate); got != want {
			t.Errorf("%v is written %s, want %s", rate, got, want)
		}
	}
}
