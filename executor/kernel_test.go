package executor

import (
	"errors"
	"os"
	"runtime"
	"slices"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// fakeKernel is the kernel of a process whose permissions the test chooses: what it has no answer for
// fails with errs, everything else is done by the kernel below.
type fakeKernel struct {
	kernel
	setAffinityErr, setAttrErr, setSlackErr, lockErr error
	limit                                            uint64
	attrs                                            []unix.SchedAttr // set, instead of really
	locked                                           int              // flags
	affinities                                       map[int][]int    // if not nil: of all threads
	permitted                                        []int            // if not nil: in the cpuset and online
	slacks                                           map[int]uint64   // likewise
	counts                                           map[int]uint64   // wake-ups
}

func (k *fakeKernel) setAffinity(tid int, set *unix.CPUSet) error {
	if k.setAffinityErr != nil {
		return k.setAffinityErr
	}
	if k.affinities == nil {
		return k.kernel.setAffinity(tid, set)
	}
	if _, ok := k.affinities[tid]; !ok {
		return unix.ESRCH
	}
	var cpus []int
	for c := range 1024 {
		if set.IsSet(c) && (k.permitted == nil || slices.Contains(k.permitted, c)) {
			cpus = append(cpus, c)
		}
	}
	if len(cpus) == 0 {
		return unix.EINVAL
	}
	k.affinities[tid] = cpus
	return nil
}

func (k *fakeKernel) getAffinity(tid int, set *unix.CPUSet) error {
	if k.affinities == nil {
		return k.kernel.getAffinity(tid, set)
	}
	cpus, ok := k.affinities[tid]
	if !ok {
		return unix.ESRCH
	}
	*set = *cpuSet(cpus)
	return nil
}

func (k *fakeKernel) threads(tids []int) ([]int, error) {
	if k.affinities == nil && k.slacks == nil {
		return k.kernel.threads(tids)
	}
	tids = tids[:0]
	for tid := range k.affinities {
		tids = append(tids, tid)
	}
	for tid := range k.slacks {
		tids = append(tids, tid)
	}
	return tids, nil
}

func (k *fakeKernel) setAttr(tid int, attr *unix.SchedAttr) error {
	k.attrs = append(k.attrs, *attr)
	return k.setAttrErr
}

func (k *fakeKernel) lockLimit() (uint64, error) { return k.limit, nil }

func (k *fakeKernel) lockMemory(flags int) error {
	if k.lockErr == nil {
		k.locked = flags
	}
	return k.lockErr
}

func (k *fakeKernel) timerSlack(tid int) (uint64, error) {
	if k.slacks == nil {
		return k.kernel.timerSlack(tid)
	}
	return k.slacks[tid], nil
}

func (k *fakeKernel) setTimerSlack(tid int, ns uint64) error {
	if k.setSlackErr != nil || k.slacks == nil {
		return k.setSlackErr
	}
	k.slacks[tid] = ns
	return nil
}

func (k *fakeKernel) switches(tid int) (uint64, error) {
	if k.counts == nil {
		return k.kernel.switches(tid)
	}
	return k.counts[tid], nil
}

// withKernel is an option of tests.
func withKernel(k kernel) Option {
	return func(e *Executor) error {
		e.sys = system{k}
		return nil
	}
}

func TestKernelReads(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	k, self := linux{}, unix.Gettid()
	tids, err := k.threads(nil)
	if err != nil || !slices.Contains(tids, self) || !slices.Contains(tids, os.Getpid()) || slices.Contains(tids, 0) {
		t.Errorf("threads %v, %v; want %d and %d among them", tids, err, self, os.Getpid())
	}
	before, err := k.switches(self)
	if err != nil {
		t.Fatal(err)
	}
	pause := unix.NsecToTimespec(1000)
	for range 10 {
		if err := unix.Nanosleep(&pause, nil); err != nil && !errors.Is(err, unix.EINTR) { // a signal of the runtime's
			t.Fatal(err)
		}
	}
	if after, err := k.switches(self); err != nil || after < before+5 || after > before+1000 {
		t.Errorf("it slept 10 times, and %d times by the count, %v", after-before, err)
	}
	if err := unix.Prctl(unix.PR_SET_TIMERSLACK, 12345, 0, 0, 0); err != nil {
		t.Fatal(err)
	}
	defer unix.Prctl(unix.PR_SET_TIMERSLACK, 0, 0, 0, 0)
	if ns, err := k.timerSlack(self); err != nil || ns != 12345 {
		t.Errorf("timer slack %d, %v", ns, err)
	}
	const none = 1 << 22 // above the kernel's limit of thread ids
	if _, err := k.switches(none); !errors.Is(err, unix.ENOENT) {
		t.Errorf("wake-ups of a thread that does not exist: %v", err)
	}
}

func TestKernelMemory(t *testing.T) {
	k := linux{}
	page := uintptr(unix.Getpagesize())
	area, err := unix.Mmap(-1, 0, int(4*page), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err != nil {
		t.Fatal(err)
	}
	begin := uintptr(unsafe.Pointer(&area[0]))
	if low, err := k.mappingStart(begin + page + 5); err != nil || low > begin {
		t.Errorf("the mapping of %#x starts at %#x, %v", begin, low, err)
	}
	if err := k.populate(begin, begin+2*page); err != nil && !errors.Is(err, unix.EINVAL) {
		t.Error(err)
	}
	copy(area[page:], "text")
	var buf [4]byte
	if n, err := k.peek(begin+page, buf[:]); err != nil || string(buf[:n]) != "text" {
		t.Errorf("read %q, %v", buf[:n], err)
	}
	if err := unix.Munmap(area); err != nil {
		t.Fatal(err)
	}
	if _, err := k.peek(begin, buf[:]); err == nil {
		t.Error("read memory that is not there")
	}
}

func TestLeadingNumber(t *testing.T) {
	for text, want := range map[string]int{"": 0, ".": 0, "17": 17, "42 x": 42, "x1": 0} {
		if got := leadingNumber([]byte(text)); got != want {
			t.Errorf("%q: %d", text, got)
		}
	}
}
