package executor

import (
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestSetPolicy(t *testing.T) {
	fifo := Lane{Policy: FIFO, Priority: 7}
	deadline := Lane{Policy: Deadline, Runtime: time.Millisecond, Within: 5 * time.Millisecond, Period: 10 * time.Millisecond}
	for _, tt := range []struct {
		name string
		lane Lane
		err  error // of the kernel
		want unix.SchedAttr
		hint string
	}{
		{name: "fifo", lane: fifo, want: unix.SchedAttr{Policy: unix.SCHED_FIFO, Priority: 7}},
		{name: "rr", lane: Lane{Policy: RR, Priority: 99}, want: unix.SchedAttr{Policy: unix.SCHED_RR, Priority: 99}},
		{name: "deadline", lane: deadline, want: unix.SchedAttr{Policy: unix.SCHED_DEADLINE, Runtime: 1e6, Deadline: 5e6, Period: 10e6}},
		{name: "fifo without permission", lane: fifo, err: unix.EPERM, hint: "CAP_SYS_NICE (setcap cap_sys_nice+ep FILE) or raise RLIMIT_RTPRIO to 7"},
		{name: "deadline without permission", lane: deadline, err: unix.EPERM, hint: "outside of a cpuset"},
		{name: "too much", lane: deadline, err: unix.EBUSY, hint: "lower runtime"},
		{name: "something else", lane: fifo, err: unix.ENOSYS, hint: "priority 7"},
	} {
		k := &fakeKernel{setAttrErr: tt.err, affinities: map[int][]int{1: {0}}, permitted: []int{0, 1}}
		err := system{k}.setPolicy(1, &tt.lane)
		if cpus := k.affinities[1]; !slices.Equal(cpus, []int{0}) {
			t.Errorf("%s: it is left on CPUs %v", tt.name, cpus)
		}
		if tt.err != nil {
			if !errors.Is(err, tt.err) || !strings.Contains(err.Error(), tt.hint) {
				t.Errorf("%s: %v, want %q", tt.name, err, tt.hint)
			}
			continue
		}
		tt.want.Size, tt.want.Flags = unix.SizeofSchedAttr, unix.SCHED_FLAG_RESET_ON_FORK
		if err != nil || len(k.attrs) != 1 || k.attrs[0] != tt.want {
			t.Errorf("%s: %v, set %+v, want %+v", tt.name, err, k.attrs, tt.want)
		}
	}
	k := &fakeKernel{}
	if err := (system{k}).setPolicy(1, &Lane{Policy: Other}); err != nil || k.attrs != nil {
		t.Errorf("the normal policy needs nothing: %v, %+v", err, k.attrs)
	}
}

// wholeKernel wants threads to be allowed on all CPUs, as Linux does for policy Deadline.
type wholeKernel struct{ *fakeKernel }

func (k wholeKernel) setAttr(tid int, attr *unix.SchedAttr) error {
	if !slices.Equal(k.affinities[tid], k.permitted) {
		return unix.EPERM
	}
	return k.fakeKernel.setAttr(tid, attr)
}

// A thread that has inherited fewer CPUs than there are can have policy Deadline all the same.
func TestSetPolicyOnAllCPUs(t *testing.T) {
	k := &fakeKernel{affinities: map[int][]int{1: {0}}, permitted: []int{0, 1}}
	lane := Lane{Policy: Deadline, Runtime: time.Millisecond, Within: 5 * time.Millisecond, Period: 10 * time.Millisecond}
	if err := (system{wholeKernel{k}}).setPolicy(1, &lane); err != nil || len(k.attrs) != 1 {
		t.Errorf("%v, set %+v", err, k.attrs)
	}
}

// attrKernel has threads of a policy.
type attrKernel struct {
	kernel
	attr unix.SchedAttr
}

func (k attrKernel) getAttr(int) (*unix.SchedAttr, error) { return &k.attr, nil }

func TestScheduling(t *testing.T) {
	reset := uint64(unix.SCHED_FLAG_RESET_ON_FORK)
	for _, tt := range []struct {
		attr  unix.SchedAttr
		text  string
		reset bool
	}{
		{unix.SchedAttr{Policy: unix.SCHED_NORMAL}, "other on CPUs 1,3", false},
		{unix.SchedAttr{Policy: unix.SCHED_FIFO, Priority: 80, Flags: reset}, "fifo 80 on CPUs 1,3", true},
		{unix.SchedAttr{Policy: unix.SCHED_RR, Priority: 2}, "rr 2 on CPUs 1,3", false},
		{unix.SchedAttr{Policy: unix.SCHED_DEADLINE, Runtime: 1e6, Deadline: 2e6, Period: 4e6, Flags: reset}, "deadline 1ms within 2ms of 4ms on CPUs 1,3", true},
		{unix.SchedAttr{Policy: unix.SCHED_BATCH}, "policy 3 on CPUs 1,3", false},
	} {
		k := attrKernel{&fakeKernel{affinities: map[int][]int{5: {1, 3}}}, tt.attr}
		s, err := system{k}.scheduling(5)
		if err != nil || s.String() != tt.text || s.ResetOnFork != tt.reset {
			t.Errorf("%q, reset %v, %v; want %q", s, s.ResetOnFork, err, tt.text)
		}
	}
	if got := (Scheduling{Policy: FIFO, Priority: 80, CPUs: []int{3}}).String(); got != "fifo 80 on CPU 3" {
		t.Errorf("one CPU: %s", got)
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if s, err := (system{linux{}}).scheduling(unix.Gettid()); err != nil || s.Policy == "" || len(s.CPUs) == 0 {
		t.Errorf("this thread is %+v, %v", s, err)
	}
}

func TestReceiving(t *testing.T) {
	for _, tt := range []struct {
		lane     Lane
		policy   Policy
		priority int
	}{
		{Lane{}, "", 0},
		{Lane{Policy: Other}, Other, 0},
		{Lane{Policy: FIFO, Priority: 10}, FIFO, 11},
		{Lane{Policy: RR, Priority: 99}, RR, 99},
		{Lane{Policy: Deadline, Runtime: time.Millisecond, Within: time.Second}, FIFO, 1},
	} {
		if r := tt.lane.receiving(); r.Policy != tt.policy || r.Priority != tt.priority || r.Runtime != 0 {
			t.Errorf("%+v is woken by %+v", tt.lane, r)
		}
	}
}

func TestLockMemory(t *testing.T) {
	for _, tt := range []struct {
		name  string
		limit uint64
		err   error
		want  string
	}{
		{"unlimited", unix.RLIM_INFINITY, nil, ""},
		{"limited", 8 << 20, nil, "RLIMIT_MEMLOCK"},
		{"not permitted", unix.RLIM_INFINITY, unix.EPERM, "CAP_IPC_LOCK"},
		{"no memory", unix.RLIM_INFINITY, unix.ENOMEM, "lock memory"},
	} {
		k := &fakeKernel{kernel: linux{}, limit: tt.limit, lockErr: tt.err}
		e, err := New(withKernel(k), WithLockedMemory(), WithNoisyRuntime(), wokenPlan("x"))
		if err != nil {
			t.Fatal(err)
		}
		called := make(chan struct{}, 1000)
		timer, err := e.NewTimer("x", time.Millisecond, func(*TimerInfo) { offer(called, struct{}{}) })
		if err != nil {
			t.Fatal(err)
		}
		if tt.want == "" {
			stop := startExecutor(t, e, nil)
			<-called
			stop()
			if want := unix.MCL_CURRENT | unix.MCL_FUTURE | unix.MCL_ONFAULT; k.locked != want {
				t.Errorf("%s: locked with flags %#x, want %#x", tt.name, k.locked, want)
			}
		} else if err := e.Run(t.Context()); err == nil || !strings.Contains(err.Error(), tt.want) || k.locked != 0 {
			t.Errorf("%s: %v, want %q; locked with flags %#x", tt.name, err, tt.want, k.locked)
		}
		timer.Close()
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestPrefaultStack(t *testing.T) {
	tid := make(chan int)
	wake := make(chan struct{})
	var pipe [2]int
	if err := unix.Pipe(pipe[:]); err != nil {
		t.Fatal(err)
	}
	defer unix.Close(pipe[0])
	go func() {
		defer close(wake)
		runtime.LockOSThread()
		tid <- unix.Gettid()
		growStack()
		var buf [1]byte
		unix.Read(pipe[0], buf[:])
	}()
	id := <-tid
	k := &populated{kernel: linux{}}
	for deadline := time.Now().Add(time.Minute); k.end == 0 && time.Now().Before(deadline); {
		if err := (system{k}).prefaultStack(id); err != nil {
			t.Error(err)
			break
		}
	}
	if k.end == 0 || k.begin%uintptr(unix.Getpagesize()) != 0 || k.end <= k.begin || k.end-k.begin > stackNeed+uintptr(unix.Getpagesize()) {
		t.Errorf("made %#x to %#x present", k.begin, k.end)
	}
	unix.Close(pipe[1])
	<-wake
}

// populated notes what was asked for; the stack at hand is in memory of the Go runtime.
type populated struct {
	kernel
	begin, end uintptr
}

func (k *populated) populate(begin, end uintptr) error {
	k.begin, k.end = begin, end
	return nil
}

// What may be used does not depend on what the thread uses now, which stays as it was.
func TestPermitted(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before, err := affinity(0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := setAffinity(0, before); err != nil {
			t.Error(err)
		}
	}()
	for _, cpus := range [][]int{before, before[:1]} {
		if err := setAffinity(0, cpus); err != nil {
			t.Fatal(err)
		}
		got, err := PermittedCPUs()
		if err != nil || len(without(before, got)) > 0 {
			t.Errorf("on %v: %v, %v", cpus, got, err)
		}
		if now, err := affinity(0); err != nil || !slices.Equal(now, cpus) {
			t.Errorf("left on %v, %v, want %v", now, err, cpus)
		}
	}
}
