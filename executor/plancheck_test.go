package executor

import (
	"errors"
	"strings"
	"testing"
	"time"
)

const checked = `
lanes:
  fast: {cpus: [1], policy: fifo, priority: 90, topics: [/imu]}
  control:
    cpus: [1]
    policy: fifo
    priority: 80
    topics: [/state, /odom]
  vision: {cpus: [1], policy: fifo, priority: 70, mode: woken, topics: [/image, /cloud], timers: [tick]}
  free: {policy: fifo, priority: 10, topics: [/free]}
  soft: {cpus: [1], topics: [/soft]}
  unknown: {cpus: [0], policy: fifo, priority: 50, topics: [/unknown]}
  below: {cpus: [0], policy: fifo, priority: 40, topics: [/below]}
topics:
  /imu: {rate: 100, budget: 1ms, deadline: 2ms}
  /state: {rate: 100, budget: 2ms, deadline: 5ms}
  /odom: {rate: 50, budget: 3ms, deadline: 4ms}
  /image: {rate: 20, budget: 4ms, priority: 5}
  /cloud: {rate: 10, budget: 5ms}
  /free: {rate: 1, budget: 1ms, deadline: 1s}
  /soft: {rate: 1, budget: 1ms, deadline: 1s}
  /unknown: {rate: 1}
  /below: {rate: 1, budget: 1ms}
  /back: {deadline: 1s}
timers:
  tick: {rate: 20, budget: 1ms}
chains:
  good: {deadline: 20ms, hop: 1ms, topics: [/imu, /state, /command]}
  late: {deadline: 5ms, topics: [/imu, /odom]}
  lost: {topics: [/imu, /back, /state]}
`

func TestCheck(t *testing.T) {
	p, err := ParsePlan("p.yaml", []byte(checked))
	if err != nil {
		t.Fatal(err)
	}
	a, err := p.Check()
	for _, want := range []string{
		"p.yaml:4: /state on lane control: it may take 6ms, the deadline is 5ms: 2ms for its own callback, 1ms for 1 of /imu (lane fast has priority 90 on CPU 1), 3ms for 1 of /odom (an inline lane goes by arrival)",
		"p.yaml:4: /odom on lane control: it may take 6ms, the deadline is 4ms",
		"p.yaml:29: chain late: it may take 7ms, the deadline is 5ms: /imu is done after 1ms, /odom is done after 7ms",
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in\n%v", want, err)
		}
	}
	if faults := err.(interface{ Unwrap() []error }).Unwrap(); len(faults) != 3 || !errors.Is(err, ErrPlan) {
		t.Errorf("%d faults", len(faults))
	}
	bounds := map[string]time.Duration{
		"/imu": 1 * ms, "/state": 6 * ms, "/odom": 6 * ms, "tick": 15 * ms, "/image": 25 * ms, "/cloud": 25 * ms,
	}
	unknown := map[string]string{
		"/free": "not pinned to one CPU", "/soft": "policy other is no guarantee", "/unknown": "no budget",
		"/below": "/unknown can delay it", "/back": "the background gives no guarantee",
	}
	for _, r := range a.Responses {
		if bound, ok := bounds[r.Name]; ok && r.Bound != bound {
			t.Errorf("%+v, want bound %v", r, bound)
		}
		if why, ok := unknown[r.Name]; ok && (r.Bound != 0 || !strings.Contains(r.Unknown, why)) {
			t.Errorf("%+v, want %q", r, why)
		}
	}
	if len(a.Responses) != len(bounds)+len(unknown) {
		t.Errorf("%d responses", len(a.Responses))
	}
	for _, c := range a.Chains {
		if c.Name == "lost" && !strings.Contains(c.Unknown, "/back is in the background") {
			t.Errorf("%+v", c)
		}
	}
}
