package self

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/pinion-ros/pinion/bench/contender"
	"github.com/pinion-ros/pinion/bench/contender/role"
	"github.com/pinion-ros/pinion/executor"
	"github.com/pinion-ros/pinion/internal/warnings"
	"github.com/pinion-ros/pinion/pubsub"
	"go.uber.org/zap"
)

// Run plays the role that the configuration in the first line of in asks for, and writes the result to
// out. A subscriber and a pong end when in does.
func Run(ctx context.Context, in io.Reader, out io.Writer) error {
	if executor.Part() != "" {
		return runPart(ctx)
	}
	return role.Serve(ctx, in, out, play)
}

func play(ctx context.Context, c contender.Config) (*contender.Result, error) {
	if c.Role == contender.Probe {
		return probe(c)
	}
	if beside(c) {
		return divide(ctx, c, playRole)
	}
	return playRole(ctx, c)
}

func playRole(ctx context.Context, c contender.Config) (*contender.Result, error) {
	notes := &warnings.List{}
	s, err := newScheduler(c, zap.New(notes))
	if err != nil {
		return nil, err
	}
	result, err := playWith(ctx, c, s)
	if err := errors.Join(err, s.close()); err != nil {
		return nil, err
	}
	result.Go = goRuntime()
	result.Go.Notes = notes.Texts()
	return result, nil
}

func playWith(ctx context.Context, c contender.Config, s *scheduler) (*contender.Result, error) {
	n, err := newNode("bench_"+string(c.Role), c, s)
	if err != nil {
		return nil, err
	}
	defer n.Close()
	if beside(c) && c.Role != contender.Subscriber {
		return &contender.Result{}, s.run(ctx)
	}
	switch c.Role {
	case contender.Publisher:
		return role.Publish(ctx, c, n)
	case contender.Subscriber:
		if executor.Part() == "" {
			loadBeside(ctx, c)
		}
		return role.Subscribe(ctx, c, n)
	case contender.Within:
		sender, err := newNode("bench_sender", c, &scheduler{})
		if err != nil {
			return nil, err
		}
		return role.Within(ctx, c, sender, n)
	case contender.Ping:
		return role.Ping(ctx, c, n)
	case contender.Pong:
		return role.Pong(ctx, c, n)
	case contender.Timer:
		return timer(ctx, c, s)
	}
	return nil, fmt.Errorf("unknown role %q", c.Role)
}

// discovery leaves it to the environment where on the network others are.
func discovery(c contender.Config) pubsub.Option {
	return pubsub.WithDiscovery(pubsub.Discovery{
		Domain: c.Domain, Range: pubsub.RangeLocalhost, MaxParticipants: 64, Config: os.Getenv("CYCLONEDDS_URI"),
	})
}

func qos(c contender.Config) pubsub.QoS {
	q := pubsub.DefaultQoS().KeepLast(c.Depth)
	if c.Depth == 0 {
		q = q.KeepAll()
	}
	if c.Reliability == "best_effort" {
		q.Reliability = pubsub.BestEffort
	}
	if c.Durability == "transient_local" {
		q.Durability = pubsub.TransientLocal
	}
	return q
}

// maxBlocking has a publisher that keeps all wait for its subscribers.
func maxBlocking(c contender.Config) pubsub.PublisherOption {
	if c.Depth == 0 {
		return pubsub.WithMaxBlocking(10 * time.Second)
	}
	return pubsub.WithMaxBlocking(pubsub.DefaultMaxBlocking)
}

func goRuntime() *contender.GoRuntime {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	gogc := debug.SetGCPercent(100) // the only way to read it; the process is about to end
	r := &contender.GoRuntime{Version: runtime.Version(), MaxProcs: runtime.GOMAXPROCS(0), GOGC: gogc, Collections: m.NumGC}
	for _, pause := range m.PauseNs[:min(int(m.NumGC), len(m.PauseNs))] {
		r.PauseMax = max(r.PauseMax, float64(pause)/1000)
	}
	return r
}
