package executor_test

import (
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/pinion-ros/pinion/executor"
	"github.com/pinion-ros/pinion/msgs/std_msgs"
	"github.com/pinion-ros/pinion/pubsub"
	"github.com/pinion-ros/pinion/pubsub/pubsubtest"
)

// What comes while a callback stands still: an inline lane has not read it, so it gets all of it
// afterwards, whatever the history, and counts from then on. The thread that reads for a woken lane has
// put it into the history, which keeps the last messages.
func TestStalledCallback(t *testing.T) {
	const first, stalls = -2, -1 // messages before the count ones
	const count, depth, hold = 50, 5, 20 * time.Millisecond
	for _, tt := range []struct {
		mode executor.Mode
		late []int32 // of the count messages, those that the callback gets
	}{
		{executor.Inline, numbers(0, count)},
		{executor.Woken, numbers(count-depth, count)},
	} {
		t.Run(string(tt.mode), func(t *testing.T) {
			e := newExecutor(t, executor.WithPlan(executor.Plan{
				Lanes:  []executor.Lane{{Name: "l", Mode: tt.mode, Topics: []string{"/joints"}}},
				Topics: []executor.Topic{{Name: "/joints", Budget: hold}},
			}))
			n, sender := newNode(t, "stalled", pubsub.WithScheduler(e)), newNode(t, "sender")
			type message struct {
				data    int32
				arrival int64
			}
			got := make(chan message, count+2)
			released := make(chan struct{})
			qos := pubsub.DefaultQoS().KeepLast(depth)
			_, err := pubsub.NewSubscription(n, "joints", qos, func(m *std_msgs.Int32, info *pubsub.MessageInfo) {
				got <- message{m.Data, info.Arrival}
				if m.Data == stalls {
					<-released
				}
			})
			if err != nil {
				t.Fatal(err)
			}
			run(t, e)
			release := sync.OnceFunc(func() { close(released) })
			t.Cleanup(release) // before Run has to return
			p := publisher(t, sender, "joints", qos)
			acknowledged := func() {
				if err := p.WaitForAcknowledgements(pubsubtest.Context(t)); err != nil {
					t.Fatal(err)
				}
			}
			// The first message may come on another thread than the lane's, see Load.Strays.
			send(t, p, first)
			receive(t, got)
			acknowledged()
			send(t, p, stalls)
			receive(t, got)
			send(t, p, numbers(0, count)...)
			published := time.Now()
			if tt.mode == executor.Woken { // all are in the history; an inline lane acknowledges nothing meanwhile
				acknowledged()
			}
			time.Sleep(hold)
			end, held := pubsub.Monotonic(), time.Since(published)
			release()
			var data []int32
			for range tt.late {
				m := receive(t, got)
				data = append(data, m.data)
				if inline := tt.mode == executor.Inline; inline != (m.arrival >= end) {
					t.Errorf("message %d arrived %v after the release", m.data, time.Duration(m.arrival-end))
				}
			}
			if !slices.Equal(data, tt.late) {
				t.Errorf("got %d, want %d", data, tt.late)
			}
			want := uint64(2 + len(tt.late))
			eventually(t, func() bool { return e.Stats().Topics[0].Latency.TotalCount() == int64(want) })
			s, dropped := e.Stats().Topics[0], uint64(count-len(tt.late))
			if s.Received != want || s.Overwritten != dropped || s.Lost != 0 || s.Overruns == 0 {
				t.Errorf("%d received, %d overwritten, %d lost, %d overruns", s.Received, s.Overwritten, s.Lost, s.Overruns)
			}
			// The histogram is exact to 1 %.
			if oldest := time.Duration(s.Latency.Max()); oldest < held*98/100 {
				t.Errorf("the oldest message took %v, less than the %v that it was held up", oldest, held)
			}
		})
	}
}

func numbers(from, to int32) []int32 {
	var n []int32
	for i := from; i < to; i++ {
		n = append(n, i)
	}
	return n
}
