package machine

import (
	"encoding/json"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// What other programs say about the machine, or the runtime about itself.
func TestDescribe(t *testing.T) {
	m := Describe()
	uname, err := exec.Command("uname", "-r").Output()
	if err != nil {
		t.Fatal(err)
	}
	if release := strings.TrimSpace(string(uname)); !strings.HasPrefix(m.Kernel, release+" ") {
		t.Errorf("kernel %q, want %q", m.Kernel, release)
	}
	for name, value := range map[string]string{"CPU": m.CPU, "clock source": m.Clock, "allowed CPUs": m.AllowedCPUs,
		"limit": m.RTLimit, "policy": m.Policy, "governor": m.Governor, "virtualised": m.Virtualised, "time": m.Time} {
		if value == "" {
			t.Errorf("no %s", name)
		}
	}
	if m.Go != runtime.Version() || m.MaxProcs != runtime.GOMAXPROCS(0) || m.MemoryBytes < 1<<26 || m.Before.Average[2] < 0 {
		t.Errorf("%+v", m)
	}
	if _, err := json.Marshal(m); err != nil {
		t.Error(err)
	}
}

func TestReadsBack(t *testing.T) {
	old := debug.SetGCPercent(37)
	defer debug.SetGCPercent(old)
	var l unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_MEMLOCK, &l); err != nil {
		t.Fatal(err)
	}
	lowered := unix.Rlimit{Cur: min(l.Cur, 65536), Max: l.Max}
	if err := unix.Setrlimit(unix.RLIMIT_MEMLOCK, &lowered); err != nil {
		t.Fatal(err)
	}
	defer unix.Setrlimit(unix.RLIMIT_MEMLOCK, &l)
	m := Describe()
	if m.GOGC != 37 || m.MemoryLock != "65536" || m.Root != (os.Geteuid() == 0) {
		t.Errorf("GOGC %d, memlock %s, root %v", m.GOGC, m.MemoryLock, m.Root)
	}
	if debug.SetGCPercent(37) != 37 {
		t.Error("describing changed GOGC")
	}
}

func TestStealShare(t *testing.T) {
	m := Machine{Cores: 2, Before: Load{Steal: 10}}
	if m.StealShare(5) != 0 {
		t.Error("a share without an end")
	}
	m.After = &Load{Steal: 11}
	if got := m.StealShare(5); got != 0.1 {
		t.Errorf("got %g, want 0.1", got)
	}
}
