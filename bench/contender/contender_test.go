package contender_test

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/pinion-ros/pinion/bench/contender"
	"github.com/pinion-ros/pinion/bench/contender/self"
	"github.com/pinion-ros/pinion/pubsub/pubsubtest"
)

const asContender = "PINION_TEST_CONTENDER"

// TestMain lets the test program be the contender pinion.
func TestMain(m *testing.M) {
	if os.Getenv(asContender) == "" {
		os.Exit(pubsubtest.Run(m))
	}
	if err := self.Run(context.Background(), os.Stdin, os.Stdout); err != nil {
		os.Stderr.WriteString(err.Error() + "\n")
		os.Exit(1)
	}
}

var environment = []string{asContender + "=1", "CYCLONEDDS_URI=" + `<Domain Id="any"><General><Interfaces>` +
	`<NetworkInterface address="127.0.0.1"/></Interfaces><AllowMulticast>false</AllowMulticast></General><Discovery>` +
	`<ParticipantIndex>auto</ParticipantIndex><MaxAutoParticipantIndex>63</MaxAutoParticipantIndex>` +
	`<Peers><Peer Address="127.0.0.1"/></Peers></Discovery></Domain>`}

func start(t *testing.T, program []string, c contender.Config) *contender.Process {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	p, err := contender.Start(ctx, program, c, contender.Host{Env: environment})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Kill(); cancel() })
	return p
}

func result(t *testing.T, f func() (*contender.Result, error)) *contender.Result {
	t.Helper()
	r, err := f()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

type program struct {
	name  string
	path  []string
	modes []string
}

func programs(t *testing.T) []program {
	t.Helper()
	c, err := contender.BuildC(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	own := program{"pinion", []string{os.Args[0]}, nil}
	for _, m := range self.Modes() {
		own.modes = append(own.modes, m.Name)
	}
	return []program{{"c", []string{c}, []string{"listener", "waitset"}}, own}
}

var config = contender.Config{Type: contender.Bytes, Reliability: "reliable", Depth: 1000, Topics: 3, Size: 64, BackgroundSize: 64,
	Rate: 500, BackgroundRate: 250, Phase: "spread", WorkMicroseconds: 1, Warmup: 10, Count: 100, Policy: "other"}

// rounding is for means, which histograms know to three digits.
const rounding = 1.002

// Every sender reaches every subscriber, and both count the same.
func TestOneWay(t *testing.T) {
	all := programs(t)
	for i, p := range all {
		for _, mode := range p.modes {
			t.Run(p.name+" "+mode, func(t *testing.T) {
				receiving := config
				receiving.Domain = pubsubtest.NewDomain(t).Discovery().Domain
				sending := receiving
				receiving.Role, receiving.Mode, sending.Role = contender.Subscriber, mode, contender.Publisher
				subscriber := start(t, p.path, receiving)
				sent := result(t, start(t, all[1-i].path, sending).Result)
				received := result(t, subscriber.End)
				if sent.Sent != 100 || sent.BackgroundSent != 100 || sent.Failed != 0 || sent.SendLag.Count() != 100 {
					t.Errorf("sent %d and %d in the background, %d refused, %d times; want 100, 100, 0, 100",
						sent.Sent, sent.BackgroundSent, sent.Failed, sent.SendLag.Count())
				}
				if sent.Seconds <= 0 {
					t.Errorf("100 messages took %g s", sent.Seconds)
				}
				if received.Received != 100 || received.BackgroundReceived != 100 || received.Duplicates != 0 || received.OutOfOrder != 0 {
					t.Errorf("received %d and %d in the background, %d twice, %d out of order; want 100, 100, 0, 0",
						received.Received, received.BackgroundReceived, received.Duplicates, received.OutOfOrder)
				}
				latency, intended := received.Latency.Figures(), received.Intended.Figures()
				if received.Latency.Count() != 100 || received.Background.Count() != 100 || *latency.Min <= 0 || *intended.Mean*rounding < *latency.Mean {
					t.Errorf("latencies %+v, from the intended time %+v", latency, intended)
				}
			})
		}
	}
}

func TestPingPong(t *testing.T) {
	for _, p := range programs(t) {
		for _, mode := range p.modes {
			for _, typ := range []string{contender.Bytes, contender.Gamepad} {
				t.Run(p.name+" "+mode+" "+typ, func(t *testing.T) {
					pinging := config
					pinging.Domain = pubsubtest.NewDomain(t).Discovery().Domain
					pinging.Type, pinging.Mode, pinging.Topics, pinging.DelayMicrosec = typ, mode, 1, 300
					ponging := pinging
					pinging.Role, ponging.Role = contender.Ping, contender.Pong
					pong := start(t, p.path, ponging)
					r := result(t, start(t, p.path, pinging).Result)
					if _, err := pong.End(); err != nil {
						t.Error(err)
					}
					f := r.Latency.Figures()
					// On a busy machine an answer may take as long as one that is lost.
					if r.Sent != 100 || r.Received < 90 || r.Latency.Count() != int64(r.Received) || *f.Min < 300 {
						t.Fatalf("%d of %d answered, figures %+v; the pong waits 300 µs", r.Received, r.Sent, f)
					}
					if typ == contender.Bytes && *r.Forth.Figures().Mean+*r.Back.Figures().Mean > *f.Mean*rounding-299 {
						t.Errorf("both ways take %g and %g µs, the round trip with 300 µs of waiting %g µs",
							*r.Forth.Figures().Mean, *r.Back.Figures().Mean, *f.Mean)
					}
				})
			}
		}
	}
}

// Each wake-up is counted once, and none comes early.
func TestTimer(t *testing.T) {
	for _, p := range programs(t) {
		c := config
		c.Domain = pubsubtest.NewDomain(t).Discovery().Domain
		c.Role, c.Mode, c.Rate, c.Warmup, c.Count = contender.Timer, "critical:woken", 500, 5, 50
		r := result(t, start(t, p.path, c).Result)
		if r.Sent != 50 || r.Latency.Count() != 50 || *r.Latency.Figures().Min < 0 {
			t.Errorf("%s: %d of %d wake-ups, figures %+v", p.name, r.Latency.Count(), r.Sent, r.Latency.Figures())
		}
		for _, s := range r.Stalls {
			if s.Nanoseconds <= int64(contender.ShortestStall) || s.At <= 0 {
				t.Errorf("%s: stall %+v", p.name, s)
			}
		}
	}
}

func TestStalls(t *testing.T) {
	path := programs(t)[0].path
	p := start(t, path, contender.Config{Role: contender.Stalls, Rate: 1000})
	if r := result(t, p.End); r.Latency.Count() == 0 {
		t.Error("the probe has not woken up")
	}
}

func TestProbe(t *testing.T) {
	c := contender.Config{Role: contender.Probe, Size: 64, Warmup: 5, Count: 50}
	r := result(t, start(t, []string{os.Args[0]}, c).Result)
	if r.Received != 50 || *r.Latency.Figures().Min <= 0 {
		t.Errorf("%d answers, %+v", r.Received, r.Latency.Figures())
	}
}

// Contenders that do not keep to the contract end a run with an error that says what they did.
func TestBadContender(t *testing.T) {
	for _, tt := range []struct{ script, want string }{
		{"echo ROS is not sourced >&2; exit 3", "ROS is not sourced"},
		{"echo hello", "not as the contract says"},
		{`echo '{"latency":[[1,-1]]}'`, "-1 durations"},
		{"cat >/dev/null", "not as the contract says"},
	} {
		p := start(t, []string{"/bin/sh", "-c", "read line; " + tt.script}, config)
		if _, err := p.End(); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.script, err, tt.want)
		}
	}
	if _, err := contender.Start(context.Background(), []string{"/no/such/program"}, config, contender.Host{}); err == nil {
		t.Error("a program that does not exist was started")
	}
	for name, c := range map[string]contender.Config{"role": {Role: "referee", Mode: "shared"}, "mode": {Role: contender.Ping, Mode: "best"}} {
		if _, err := start(t, []string{os.Args[0]}, c).Result(); err == nil || !strings.Contains(err.Error(), "unknown "+name) {
			t.Errorf("unknown %s: %v", name, err)
		}
	}
}

func TestReadUsage(t *testing.T) {
	u, err := contender.ReadUsage(os.Getpid())
	if err != nil || len(u.Threads) == 0 || u.RSS < 1<<20 || u.Threads[0].Policy == "" || u.Threads[0].CPUs == "" {
		t.Errorf("%+v, %v", u, err)
	}
}

func TestStamp(t *testing.T) {
	want := contender.Stamp{Number: 1<<63 + 5, Intended: -1, Sent: 2, Arrived: 3, Replied: 4}
	data := make([]byte, 50)
	want.Put(data)
	if got := contender.ReadStamp(data); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	short := make([]byte, 20)
	want.Put(short)
	if got := contender.ReadStamp(short); got.Number != want.Number || got.Intended != want.Intended || got.Replied != 0 {
		t.Errorf("from 20 bytes %+v", got)
	}
}
