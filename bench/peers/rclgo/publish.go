package main

import (
	"errors"
	"io"
	"runtime"
	"sync"
	"time"

	"github.com/pinion-ros/pinion/bench/contender"
	"github.com/pinion-ros/pinion/bench/measure"
	"github.com/tiiuae/rclgo/pkg/rclgo"
)

// publish sends the critical topic from one thread and the background topics from another.
func publish(c contender.Config, node *rclgo.Node, _ io.Reader) (*contender.Result, error) {
	var outlets []*outlet
	for i := range c.Topics {
		size := c.Size
		if i > 0 {
			size = c.BackgroundSize
		}
		o, err := openOutlet(c, node, topicName(i), size)
		if err != nil {
			return nil, err
		}
		defer o.close()
		outlets = append(outlets, o)
	}
	if !c.Unmatched {
		if err := waitSubscribers(outlets); err != nil {
			return nil, err
		}
	}
	time.Sleep(50 * time.Millisecond)            // for the other side to know as well
	runtime.GOMAXPROCS(max(4, runtime.NumCPU())) // neither thread must wait for the other
	start := measure.Now() + int64(20*time.Millisecond)
	critical := &stream{outlets: outlets[:1], rate: c.Rate, aligned: true, warmup: c.Warmup, count: c.Count, lag: measure.NewHistogram()}
	background := &stream{outlets: outlets[1:], rate: c.BackgroundRate, aligned: c.Phase == "aligned",
		warmup: c.Background(c.Warmup), count: c.Background(c.Count), lag: measure.NewHistogram()}
	if c.Limit > 0 {
		critical.limit = start + int64(c.Limit*1e9)
	}
	var senders sync.WaitGroup
	senders.Go(func() { critical.run(c, start, 0) })
	senders.Go(func() { background.run(c, start, 1) })
	senders.Wait()
	time.Sleep(100 * time.Millisecond) // for what has to be sent again
	return &contender.Result{
		Sent: critical.sent, Failed: critical.failed, Late: critical.late, SendLag: critical.lag,
		Seconds: float64(critical.last-critical.first) / 1e9, BackgroundSent: background.sent,
	}, nil
}

func waitSubscribers(outlets []*outlet) error {
	deadline := time.Now().Add(30 * time.Second)
	for _, o := range outlets {
		for {
			n, err := o.subscribers()
			if err != nil {
				return err
			}
			if n > 0 {
				break
			}
			if time.Now().After(deadline) {
				return errors.New("no subscriber within 30 s")
			}
			time.Sleep(time.Millisecond)
		}
	}
	return nil
}

// A stream is what one thread sends: messages in turn on its topics.
type stream struct {
	outlets []*outlet
	rate    float64 // of each topic, 0 for as fast as possible
	aligned bool
	warmup  int // messages of each topic
	count   int
	limit   int64 // when it ends at the latest, 0 for not

	sent, failed, late uint64
	lag                *measure.Histogram
	first, last        int64 // when the first measured message was sent and the last one was out
}

// run sends; below is how much lower than the critical one the thread's priority is.
func (s *stream) run(c contender.Config, start int64, below int) {
	if len(s.outlets) == 0 {
		return
	}
	runtime.LockOSThread() // for good: the thread ends with its scheduling
	contender.ScheduleThread(c, below, true)
	schedule := measure.Schedule{Start: start, Rate: s.rate}
	spread := int64(0)
	if !s.aligned {
		spread = schedule.Period() / int64(len(s.outlets))
	}
	for i := 0; i < s.warmup+s.count && (s.limit == 0 || measure.Now() < s.limit); i++ {
		for t, o := range s.outlets {
			intended := measure.Now()
			if s.rate > 0 {
				intended = schedule.At(i) + int64(t)*spread
			}
			s.send(o, &schedule, i, intended)
		}
	}
}

func (s *stream) send(o *outlet, schedule *measure.Schedule, i int, intended int64) {
	if measure.Now() < intended {
		measure.SleepUntil(intended)
	}
	stamp := contender.Stamp{Number: uint64(i), Intended: intended, Sent: measure.Now()}
	err := o.send(stamp)
	if i < s.warmup {
		return
	}
	if s.first == 0 {
		s.first = stamp.Sent
	}
	s.last = measure.Now()
	if err != nil {
		s.failed++
	} else {
		s.sent++
	}
	if s.rate > 0 && schedule.Late(intended, stamp.Sent) {
		s.late++
	}
	s.lag.Record(stamp.Sent - intended)
}
