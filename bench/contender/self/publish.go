package self

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"time"

	"github.com/pinion-ros/pinion/bench/contender"
	"github.com/pinion-ros/pinion/bench/measure"
	"github.com/pinion-ros/pinion/executor"
	"github.com/pinion-ros/pinion/msgs/std_msgs"
	"github.com/pinion-ros/pinion/pubsub"
	"golang.org/x/sys/unix"
)

// publish sends the critical topic from one thread and the background topics from another.
func publish(ctx context.Context, c contender.Config, node *pubsub.Node) (*contender.Result, error) {
	streams, err := openStreams(ctx, c, node)
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
		Seconds: float64(critical.end-critical.schedule.At(c.Warmup)) / 1e9,
	}
	if len(streams) > 1 {
		r.BackgroundSent = streams[1].sent
	}
	time.Sleep(100 * time.Millisecond) // for what has to be sent again
	return r, nil
}

// A stream is what one thread sends: messages in turn on its topics.
type stream struct {
	publishers []*pubsub.Publisher[std_msgs.UInt8MultiArray]
	size       int
	rate       float64 // of each topic
	aligned    bool
	warmup     int // messages of each topic
	count      int

	schedule           measure.Schedule
	sent, failed, late uint64
	lag                *measure.Histogram
	end                int64
}

func openStreams(ctx context.Context, c contender.Config, node *pubsub.Node) ([]*stream, error) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	var publishers []*pubsub.Publisher[std_msgs.UInt8MultiArray]
	for i := range c.Topics {
		p, err := pubsub.NewPublisher[std_msgs.UInt8MultiArray](node, topic(i), qos(c))
		if err != nil {
			return nil, err
		}
		publishers = append(publishers, p)
	}
	for _, p := range publishers {
		if err := p.WaitForSubscribers(ctx, 1); err != nil {
			return nil, err
		}
	}
	time.Sleep(50 * time.Millisecond) // for the other side to know as well
	streams := []*stream{{publishers: publishers[:1], size: c.Size, rate: c.Rate, aligned: true, warmup: c.Warmup, count: c.Count}}
	if c.Topics > 1 {
		streams = append(streams, &stream{publishers: publishers[1:], size: c.BackgroundSize, rate: c.BackgroundRate,
			aligned: c.Phase == "aligned", warmup: c.Background(c.Warmup), count: c.Background(c.Count)})
	}
	return streams, nil
}

// run sends; below is how much lower than the critical one the thread's priority is.
func (s *stream) run(ctx context.Context, c contender.Config, start int64, below int) error {
	runtime.LockOSThread() // for good: the thread ends with its scheduling
	if err := scheduleSelf(c, below); err != nil {
		return err
	}
	n := len(s.publishers)
	s.schedule = measure.Schedule{Start: start, Rate: s.rate}
	s.lag = measure.NewHistogram()
	spread := s.schedule.Period() / int64(n)
	if s.aligned {
		spread = 0
	}
	m := std_msgs.NewUInt8MultiArray()
	m.Data = make([]byte, s.size)
	_, err := s.schedule.Run(ctx, s.warmup+s.count, func(i int, intended int64) error {
		for t, p := range s.publishers {
			s.send(p, m, i, intended+int64(t)*spread)
		}
		return nil
	})
	s.end = measure.Now()
	return err
}

func (s *stream) send(p *pubsub.Publisher[std_msgs.UInt8MultiArray], m *std_msgs.UInt8MultiArray, i int, intended int64) {
	if measure.Now() < intended {
		measure.SleepUntil(intended)
	}
	stamp := contender.Stamp{Number: uint64(i), Intended: intended, Sent: measure.Now()}
	stamp.Put(m.Data)
	err := p.Publish(m)
	if i < s.warmup {
		return
	}
	if err != nil {
		s.failed++
	} else {
		s.sent++
	}
	if s.schedule.Late(intended, stamp.Sent) {
		s.late++
	}
	s.lag.Record(stamp.Sent - intended)
}

// scheduleSelf gives the calling thread the scheduling of the configuration as far as that is permitted.
func scheduleSelf(c contender.Config, below int) error {
	cpus, err := cpuList(c.CPUs)
	if err != nil {
		return err
	}
	var set unix.CPUSet
	for _, cpu := range cpus {
		set.Set(cpu)
	}
	// Both fail only without the permission; the harness reads back from the kernel what is in force.
	if len(cpus) > 0 {
		_ = unix.SchedSetaffinity(0, &set)
	}
	if executor.Policy(c.Policy) == executor.FIFO {
		_ = unix.SchedSetAttr(0, &unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_FIFO,
			Priority: uint32(c.Priority - below), Flags: unix.SCHED_FLAG_RESET_ON_FORK}, 0)
	}
	return nil
}
