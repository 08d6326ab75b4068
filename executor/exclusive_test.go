package executor

import (
	"errors"
	"maps"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"
	"golang.org/x/sys/unix"
)

func TestSweep(t *testing.T) {
	k := &fakeKernel{affinities: map[int][]int{
		1: {0, 1, 2, 3}, // of the rest
		2: {3},          // of the rest, on the lane's CPU only
		3: {3},          // the lane's
		4: {0, 1},       // out of the way
	}}
	before := maps.Clone(k.affinities)
	x := newExclusiveCPUs(system{k}, []int{3}, []int{0, 1, 2})
	x.claim(3)
	if err := x.sweep(); err != nil {
		t.Fatal(err)
	}
	want := map[int][]int{1: {0, 1, 2}, 2: {0, 1, 2}, 3: {3}, 4: {0, 1}}
	if !reflect.DeepEqual(k.affinities, want) || x.moves() != 2 {
		t.Errorf("after a sweep: %v, %d moves", k.affinities, x.moves())
	}

	k.affinities[5] = []int{2, 3} // a new one
	x.disclaim(3)                 // its lane is gone
	if err := x.sweep(); err != nil {
		t.Fatal(err)
	}
	want[3], want[5] = []int{0, 1, 2}, []int{2}
	if !reflect.DeepEqual(k.affinities, want) {
		t.Errorf("after the second sweep: %v", k.affinities)
	}

	k.affinities[4] = []int{0} // by somebody else
	k.affinities[5] = []int{0} // likewise, after it was moved
	delete(k.affinities, 1)    // ended
	x.release()
	if !reflect.DeepEqual(k.affinities, map[int][]int{2: before[2], 3: before[3], 4: {0}, 5: {0}}) {
		t.Errorf("after release: %v", k.affinities)
	}

	k.setAffinityErr = unix.EINVAL
	if err := x.sweep(); err == nil || !strings.Contains(err.Error(), "/proc/self/cpuset") {
		t.Errorf("a thread that cannot be moved: %v", err)
	}
}

// What fails four times a second is not told as often.
func TestSweepFails(t *testing.T) {
	core, logs := observer.New(zap.ErrorLevel)
	k := &fakeKernel{affinities: map[int][]int{1: {0, 3}}, setAffinityErr: unix.EINVAL}
	w := &watch{e: &Executor{exclusive: newExclusiveCPUs(system{k}, []int{3}, []int{0}), log: zap.New(core)}}
	for range 10 {
		w.sweep()
	}
	if logs.Len() != 1 {
		t.Errorf("told %d times", logs.Len())
	}
}

// laneSpec is a lane in the tables below.
func laneSpec(name string, policy Policy, cpus ...int) Lane {
	l := Lane{Name: name, Topics: []string{"/" + name}, Policy: policy, CPUs: cpus}
	switch policy {
	case FIFO, RR:
		l.Priority = 10
	case Deadline:
		l.Runtime, l.Within = time.Millisecond, 10*time.Millisecond
	}
	return l
}

func TestReserveCPUs(t *testing.T) {
	const none = "none is left for the rest"
	for _, tt := range []struct {
		name       string
		available  []int
		isolated   []int
		plan       Plan
		options    []Option
		err        string
		warning    string
		cpus       []int // kept for lanes
		background []int
	}{
		{name: "no lanes", available: []int{0}},
		{name: "one lane", available: []int{0, 1}, plan: Plan{Lanes: []Lane{laneSpec("a", FIFO, 1)}}, cpus: []int{1}},
		{name: "isolated", available: []int{0}, isolated: []int{1}, plan: Plan{Lanes: []Lane{laneSpec("a", FIFO, 1)}}, cpus: []int{1}},
		{name: "isolated, no CPU for another lane", available: []int{0}, isolated: []int{1}, plan: Plan{Lanes: []Lane{laneSpec("a", FIFO, 1), laneSpec("b", FIFO)}}, err: none},
		{name: "isolated, for the background", available: []int{0}, isolated: []int{1, 2}, plan: Plan{Lanes: []Lane{laneSpec("a", FIFO, 1)}, Background: Background{CPUs: []int{1, 2}}},
			cpus: []int{1}, background: []int{2}},
		{name: "not there", available: []int{0}, isolated: []int{1}, plan: Plan{Lanes: []Lane{laneSpec("a", FIFO, 2)}}, err: "CPU 2"},
		{name: "not there, best effort", available: []int{0, 1}, plan: Plan{Lanes: []Lane{laneSpec("a", FIFO, 1, 7)}, Background: Background{CPUs: []int{0, 7}}},
			options: []Option{WithBestEffort()}, warning: "not there", cpus: []int{1}, background: []int{0}},
		{name: "none of them there, best effort", available: []int{0, 1}, plan: Plan{Lanes: []Lane{laneSpec("a", FIFO, 7)}, Background: Background{CPUs: []int{8}}},
			options: []Option{WithBestEffort()}, warning: "not there"},
		{name: "no CPU at all, best effort", available: []int{0, 1}, plan: Plan{Lanes: []Lane{laneSpec("a", FIFO, -1)}}, options: []Option{WithBestEffort()}, err: "CPU -1"},
		{name: "shared", available: []int{0, 1}, plan: Plan{Lanes: []Lane{laneSpec("a", FIFO, 1)}}, options: []Option{WithSharedCPUs()}},
		{name: "all CPUs", available: []int{0, 1}, plan: Plan{Lanes: []Lane{laneSpec("a", FIFO, 0, 1)}}, err: none},
		{name: "one CPU", available: []int{2}, plan: Plan{Lanes: []Lane{laneSpec("a", RR)}}, err: none},
		{name: "one CPU, deadline", available: []int{2}, plan: Plan{Lanes: []Lane{laneSpec("a", Deadline)}}, err: none},
		{name: "one CPU, shared", available: []int{2}, plan: Plan{Lanes: []Lane{laneSpec("a", RR)}}, options: []Option{WithSharedCPUs()}},
		{name: "one CPU, best effort", available: []int{2}, plan: Plan{Lanes: []Lane{laneSpec("a", RR)}}, options: []Option{WithBestEffort()}, warning: "policy other"},
		{name: "two lanes take all", available: []int{0, 1}, plan: Plan{Lanes: []Lane{laneSpec("a", FIFO, 0), laneSpec("b", FIFO)}}, err: none},
		{name: "two lanes on one", available: []int{0, 1}, plan: Plan{Lanes: []Lane{laneSpec("a", FIFO, 0), laneSpec("b", FIFO, 0)}}, cpus: []int{0, 0}},
		{name: "normal policy on all", available: []int{0, 1}, plan: Plan{Lanes: []Lane{laneSpec("a", Other, 0, 1)}}, warning: "share them"},
		{name: "background beside", available: []int{0, 1, 2}, plan: Plan{Lanes: []Lane{laneSpec("a", FIFO, 0)}, Background: Background{CPUs: []int{0, 1}}},
			cpus: []int{0}, background: []int{1}},
		{name: "background on the lane's only", available: []int{0, 1, 2}, plan: Plan{Lanes: []Lane{laneSpec("a", Other, 0)}, Background: Background{CPUs: []int{0}}},
			err: "all lanes' own"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if err := tt.plan.ValidateShares(tt.available); len(tt.options) == 0 && tt.name != "not there" &&
				(err != nil) != (tt.err != "") || err != nil && !errors.Is(err, ErrPlan) {
				t.Errorf("the plan alone: %v, want %q", err, tt.err)
			}
			k := &fakeKernel{affinities: map[int][]int{0: tt.available}, permitted: append(tt.isolated, tt.available...)}
			core, logs := observer.New(zap.WarnLevel)
			e, err := New(append(tt.options, withKernel(k), WithPlan(tt.plan), WithLogger(zap.New(core)))...)
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Errorf("got %v, want %q", err, tt.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			defer e.Close()
			if messages := logs.All(); tt.warning == "" && len(messages) > 0 ||
				tt.warning != "" && (len(messages) != 1 || !strings.Contains(messages[0].Message, tt.warning)) {
				t.Errorf("logged %v, want %q", messages, tt.warning)
			}
			var cpus []int
			if e.exclusive != nil {
				cpus = e.exclusive.cpus
			}
			if !slices.Equal(cpus, tt.cpus) || !slices.Equal(e.plan.Background.CPUs, tt.background) {
				t.Errorf("kept %v for lanes, %v for the background", cpus, e.plan.Background.CPUs)
			}
			if got := k.affinities[0]; !slices.Equal(got, tt.available) {
				t.Errorf("the process is left on CPUs %v", got)
			}
			if policy := lanePolicy(e); strings.Contains(tt.warning, "policy other") && policy != Other {
				t.Errorf("the lane has policy %s", policy)
			}
		})
	}
}

// What the processes of isolated lanes would refuse shows in the plan, with the line.
func TestValidateShares(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"lanes:\n  a: {topics: [/a], isolate: process,\n    policy: fifo, priority: 1,\n    cpus: [0, 1]}", "p.yaml:4: lanes with real-time policies can take all of the CPUs [0 1]"},
		{"lanes:\n  a: {topics: [/a], isolate: process, policy: fifo, priority: 1, cpus: [0]}\n  b: {topics: [/b], policy: rr, priority: 1, cpus: [1]}", ""},
		{"lanes:\n  a: {topics: [/a], policy: fifo, priority: 1}\n  b: {topics: [/b], policy: rr, priority: 1, cpus: [1]}", "p.yaml:2: lanes with real-time policies"},
		{"lanes:\n  a: {topics: [/a], cpus: [1], isolate: process}\nbackground:\n  cpus: [1]", "p.yaml:4: the CPUs [1] of the background"},
		{"lanes:\n  a: {topics: [/a], cpus: [0, 1]}", ""},
	} {
		p, err := ParsePlan("p.yaml", []byte(tt.text))
		if err != nil {
			t.Fatal(err)
		}
		err = p.ValidateShares([]int{0, 1})
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.HasPrefix(err.Error(), tt.want) || strings.Contains(err.Error(), "\n")) {
			t.Errorf("%s\ngives %v, want %q", tt.text, err, tt.want)
		}
	}
}

func lanePolicy(e *Executor) Policy {
	for _, l := range e.lanes {
		return l.plan.Policy
	}
	return ""
}

// All threads leave the CPU of a lane while the executor runs, those that come later too, and may come
// back.
func TestExclusiveCPUs(t *testing.T) {
	runtime.LockOSThread() // others may have inherited what an executor left to the rest
	defer runtime.UnlockOSThread()
	available, err := affinity(0)
	if err != nil {
		t.Fatal(err)
	}
	cpu := available[len(available)-1]
	plan := Plan{Lanes: []Lane{{Name: "l", Mode: Woken, Timers: []string{"t"}, CPUs: []int{cpu}}}}
	e, err := New(WithPlan(plan), WithNoisyRuntime())
	stop := startExecutor(t, e, err)
	called := make(chan int, 1000)
	timer, err := e.NewTimer("t", time.Millisecond, func(*TimerInfo) { offer(called, unix.Gettid()) })
	if err != nil {
		t.Fatal(err)
	}
	lane := <-called
	if got, err := affinity(lane); err != nil || !slices.Equal(got, []int{cpu}) {
		t.Errorf("the lane may run on %v, %v", got, err)
	}
	if e.exclusive == nil {
		if available[0] != cpu {
			t.Error("no CPU is kept for the lane")
		}
	} else {
		others(t, lane, cpu, false)
	}
	timer.Close()
	stop()
	if e.exclusive != nil {
		others(t, lane, cpu, true)
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}

// others checks that the first thread may, or may not, run on a CPU, and that no other thread but the
// lane's may where it may not.
func others(t *testing.T, lane, cpu int, allowed bool) {
	t.Helper()
	var bad map[int][]int
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		bad = map[int][]int{}
		tids, err := linux{}.threads(nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, tid := range tids {
			cpus, err := affinity(tid)
			if err == nil && tid != lane && slices.Contains(cpus, cpu) != allowed && (!allowed || tid == unix.Getpid()) {
				bad[tid] = cpus
			}
		}
		if len(bad) == 0 {
			return
		}
	}
	t.Errorf("on CPU %d allowed: %v, but there is %v", cpu, allowed, bad)
}
