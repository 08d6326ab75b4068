package role

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"time"

	"github.com/pinion-ros/pinion/bench/contender"
	"github.com/pinion-ros/pinion/bench/measure"
)

// Publish sends the critical topic from one thread and the background topics from another.
func Publish(ctx context.Context, c contender.Config, n Node) (*contender.Result, error) {
	streams, err := openStreams(ctx, c, n)
	if err != nil {
		return nil, err
	}
	runtime.GOMAXPROCS(max(4, runtime.GOMAXPROCS(0))) // neither thread must wait for the other
	start := measure.Now() + int64(20*time.Millisecond)
	errs := make([]error, len(streams))
	var wg sync.WaitGroup
	for i, s := range streams {
		wg.Go(func() { errs[i] = s.run(ctx, c, start, i) })
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	critical := streams[0]
	r := &contender.Result{
		Sent: critical.sent, Failed: critical.failed, Late: critical.late, SendLag: critical.lag,
		Seconds: float64(critical.last-critical.first) / 1e9,
	}
	if len(streams) > 1 {
		r.BackgroundSent = streams[1].sent
	}
	settle(ctx, streams)
	return r, nil
}

// settle waits for what has to be sent again, and a moment for what nobody acknowledges.
func settle(ctx context.Context, streams []*stream) {
	ctx, cancel := context.WithTimeout(ctx, acknowledging)
	defer cancel()
	for _, s := range streams {
		for _, o := range s.outlets {
			_ = o.WaitForAcknowledgements(ctx) // what has not arrived by then counts as lost
		}
	}
	time.Sleep(100 * time.Millisecond)
}

// A stream is what one thread sends: messages in turn on its topics.
type stream struct {
	outlets []Outlet
	rate    float64 // of each topic
	aligned bool
	warmup  int // messages of each topic
	count   int

	schedule           measure.Schedule
	sent, failed, late uint64
	lag                *measure.Histogram
	first, last        int64 // when the first measured message was sent and the last one was out
}

func openStreams(ctx context.Context, c contender.Config, n Node) ([]*stream, error) {
	var outlets []Outlet
	for i := range c.Topics {
		size := c.Size
		if i > 0 {
			size = c.BackgroundSize
		}
		o, err := n.Outlet(Topic(i), size, "")
		if err != nil {
			return nil, err
		}
		outlets = append(outlets, o)
	}
	if !c.Unmatched {
		ctx, cancel := context.WithTimeout(ctx, matching)
		defer cancel()
		for _, o := range outlets {
			if err := o.WaitForSubscribers(ctx, 1); err != nil {
				return nil, err
			}
		}
	}
	time.Sleep(settling)
	streams := []*stream{{outlets: outlets[:1], rate: c.Rate, aligned: true, warmup: c.Warmup, count: c.Count}}
	if c.Topics > 1 {
		streams = append(streams, &stream{outlets: outlets[1:], rate: c.BackgroundRate,
			aligned: c.Phase == "aligned", warmup: c.Background(c.Warmup), count: c.Background(c.Count)})
	}
	return streams, nil
}

// run sends; below is how much lower than the critical one the thread's priority is.
func (s *stream) run(ctx context.Context, c contender.Config, start int64, below int) error {
	runtime.LockOSThread() // for good: the thread ends with its scheduling
	contender.ScheduleThread(c, below, true)
	s.schedule = measure.Schedule{Start: start, Rate: s.rate}
	s.lag = measure.NewHistogram()
	if c.Limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Duration(start-measure.Now())+time.Duration(c.Limit*1e9))
		defer cancel()
	}
	if s.rate == 0 {
		for i := 0; i < s.warmup+s.count && ctx.Err() == nil; i++ {
			s.send(s.outlets[0], i, measure.Now())
		}
		return s.outlets[0].Flush()
	}
	spread := s.schedule.Period() / int64(len(s.outlets))
	if s.aligned {
		spread = 0
	}
	_, err := s.schedule.Run(ctx, s.warmup+s.count, func(i int, intended int64) error {
		for t, o := range s.outlets {
			s.send(o, i, intended+int64(t)*spread)
		}
		return nil
	})
	return err
}

func (s *stream) send(o Outlet, i int, intended int64) {
	if measure.Now() < intended {
		measure.SleepUntil(intended)
	}
	stamp := contender.Stamp{Number: uint64(i), Intended: intended, Sent: measure.Now()}
	err := o.Send(stamp)
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
	if s.rate > 0 && s.schedule.Late(intended, stamp.Sent) {
		s.late++
	}
	s.lag.Record(stamp.Sent - intended)
}
