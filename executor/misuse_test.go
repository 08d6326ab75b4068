package executor_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/pinion-ros/pinion/executor"
	"github.com/pinion-ros/pinion/msgs/std_msgs"
	"github.com/pinion-ros/pinion/pubsub"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"
)

// What uses a closed executor gets an error and does not touch the memory that is gone.
func TestUseAfterClose(t *testing.T) {
	for _, kind := range kinds {
		t.Run(kind.name, func(t *testing.T) {
			e, err := kind.make()
			if err != nil {
				t.Fatal(err)
			}
			n := newNode(t, "late", pubsub.WithScheduler(e))
			for range 2 {
				if err := e.Close(); err != nil {
					t.Fatal(err)
				}
			}
			for i := range 2 {
				_, err = pubsub.NewSubscription(n, topicName(i), pubsub.DefaultQoS(), func(*std_msgs.String, *pubsub.MessageInfo) {})
				if !errors.Is(err, pubsub.ErrClosed) {
					t.Errorf("subscription %d: %v", i, err)
				}
			}
			if _, err := e.NewTimer("late", time.Second, func(*executor.TimerInfo) {}); err == nil {
				t.Error("there is a timer")
			}
			if err := e.Run(context.Background()); !errors.Is(err, pubsub.ErrClosed) {
				t.Errorf("run: %v", err)
			}
		})
	}
}

func TestNilArguments(t *testing.T) {
	if _, err := executor.New(nil); err == nil || !strings.Contains(err.Error(), "option 0 is nil") {
		t.Error(err)
	}
	e := newExecutor(t, executor.WithLogger(nil))
	if _, err := e.NewTimer("nil", time.Second, nil); err == nil || !strings.Contains(err.Error(), "callback is nil") {
		t.Error(err)
	}
	if _, err := e.NewTimer("nil", time.Second, func(*executor.TimerInfo) {}, nil); err == nil || !strings.Contains(err.Error(), "option 0 is nil") {
		t.Error(err)
	}
	if _, err := executor.New(executor.WithSpareProcs(math.MaxInt)); err == nil || !strings.Contains(err.Error(), "1024") {
		t.Error(err)
	}
}

// Who wonders why the program does not end is told where to look.
func TestStuckCallbackIsNamed(t *testing.T) {
	for _, tt := range []struct {
		topic string
		where string
	}{{"stuck/lane", "lane control"}, {"stuck/pool", "background"}} {
		core, logged := observer.New(zap.WarnLevel)
		plan := executor.Plan{Lanes: []executor.Lane{{Name: "control", Topics: []string{"/stuck/lane"}, Mode: executor.Woken}}}
		e := newExecutor(t, executor.WithPlan(plan), executor.WithLogger(zap.New(core)))
		executor.SetPatience(e, time.Millisecond)
		n := newNode(t, "stuck", pubsub.WithScheduler(e))
		called, release := make(chan struct{}), make(chan struct{})
		subscribe(t, n, tt.topic, keepAll, func(*std_msgs.Int32) { close(called); <-release })
		p := publisher(t, n, tt.topic, keepAll)
		if err := p.WaitForSubscribers(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- e.Run(ctx) }()
		send(t, p, 1)
		<-called
		cancel()
		complaints := func() int { return logged.FilterField(zap.String("where", tt.where)).Len() }
		for end := time.Now().Add(30 * time.Second); complaints() == 0 && time.Now().Before(end); {
			time.Sleep(time.Millisecond)
		}
		close(release)
		if err := <-done; err != nil || complaints() != 1 {
			t.Errorf("%s: %v, %v", tt.topic, err, logged.All())
		}
	}
}

// A period that stands for never does not overflow into at once.
func TestEndlessPeriod(t *testing.T) {
	e := newExecutor(t, executor.WithPlan(executor.Plan{Lanes: []executor.Lane{{Name: "control", Timers: []string{"woken"}}}}))
	for _, name := range []string{"woken", "pooled"} {
		timer, err := e.NewTimer(name, math.MaxInt64, func(*executor.TimerInfo) { t.Errorf("timer %s called back", name) })
		if err != nil {
			t.Fatal(err)
		}
		defer timer.Close()
	}
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if err := e.Run(ctx); err != nil {
		t.Error(err)
	}
}
