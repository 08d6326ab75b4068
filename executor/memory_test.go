package executor

import (
	"errors"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// unlimited is the kernel under a limit of locked memory that is infinite.
type unlimited struct{ linux }

func (unlimited) lockLimit() (uint64, error) { return unix.RLIM_INFINITY, nil }

// Memory is really locked, or the error says what to set.
func TestLockAll(t *testing.T) {
	limit, err := linux{}.lockLimit()
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range []kernel{linux{}, unlimited{}} {
		before := locked(t)
		err := system{k}.lockAll()
		now := locked(t)
		if err := unix.Munlockall(); err != nil {
			t.Fatal(err)
		}
		asked, _ := k.lockLimit()
		switch {
		case asked != unix.RLIM_INFINITY:
			if err == nil || !strings.Contains(err.Error(), strconv.FormatUint(limit, 10)) || !strings.Contains(err.Error(), "RLIMIT_MEMLOCK") {
				t.Errorf("under a limit of %d: %v", limit, err)
			}
		case errors.Is(err, unix.EPERM):
			if !strings.Contains(err.Error(), "CAP_IPC_LOCK") {
				t.Error(err)
			}
		case errors.Is(err, unix.ENOMEM): // the real limit, which the test has denied
		case err != nil:
			t.Error(err)
		}
		if (err == nil) != (now > before) {
			t.Errorf("%d kB locked before, %d kB after; %v", before, now, err)
		}
	}
}

var lockedLine = regexp.MustCompile(`VmLck:\s+(\d+) kB`)

// locked returns how many kB the process has locked.
func locked(t *testing.T) int {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	m := lockedLine.FindSubmatch(status)
	if m == nil {
		t.Fatal("no VmLck in /proc/self/status")
	}
	n, err := strconv.Atoi(string(m[1]))
	if err != nil {
		t.Fatal(err)
	}
	return n
}
