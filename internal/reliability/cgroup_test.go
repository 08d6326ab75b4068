//go:build long

package reliability

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// groupVariable has a worker join a group before it does anything else.
const groupVariable = "PINION_RELIABILITY_GROUP"

// A group is the directory of a memory cgroup, of version 1 or 2.
type group string

// newGroup makes a group of processes that may have so many bytes together, and no swap. It returns
// "" where that is not permitted, and fails where root may not either.
func newGroup(t *testing.T, bytes int) group {
	t.Helper()
	root, err := memoryGroups()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(root, fmt.Sprintf("pinion_%d_%s", os.Getpid(), strings.Map(plain, t.Name())))
	if err := os.Mkdir(dir, 0o755); err != nil {
		if os.Geteuid() == 0 {
			t.Fatal(err)
		}
		t.Logf("nothing is tested: to make a memory cgroup needs root: %v", err)
		return ""
	}
	t.Cleanup(func() {
		// Its processes have been waited for, which the kernel may learn of a moment later.
		err := os.Remove(dir)
		for end := time.Now().Add(time.Minute); errors.Is(err, unix.EBUSY) && time.Now().Before(end); err = os.Remove(dir) {
			time.Sleep(10 * time.Millisecond)
		}
		if err != nil {
			t.Error(err)
		}
	})
	g := group(dir)
	text := strconv.Itoa(bytes)
	if g.second() {
		err = errors.Join(g.write("memory.max", text), g.write("memory.swap.max", "0"))
	} else {
		err = errors.Join(g.write("memory.limit_in_bytes", text), g.write("memory.swappiness", "0"))
	}
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func plain(r rune) rune {
	if r == '/' || r == ' ' || r == ',' {
		return '_'
	}
	return r
}

// memoryGroups returns where memory cgroups are made.
func memoryGroups() (string, error) {
	mounts, err := os.Open("/proc/self/mounts")
	if err != nil {
		return "", err
	}
	defer mounts.Close()
	for lines := bufio.NewScanner(mounts); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		if len(fields) < 4 {
			continue
		}
		controllers := fields[3]
		if fields[2] == "cgroup2" {
			text, err := os.ReadFile(filepath.Join(fields[1], "cgroup.subtree_control"))
			if err != nil {
				return "", err
			}
			controllers = strings.Join(strings.Fields(string(text)), ",")
		} else if fields[2] != "cgroup" {
			continue
		}
		for c := range strings.SplitSeq(controllers, ",") {
			if c == "memory" {
				return fields[1], nil
			}
		}
	}
	return "", errors.New("no memory controller of cgroups is mounted")
}

// second tells whether the group is one of version 2.
func (g group) second() bool {
	_, err := os.Stat(filepath.Join(string(g), "memory.max"))
	return err == nil
}

func (g group) write(name, text string) error {
	return os.WriteFile(filepath.Join(string(g), name), []byte(text), 0o644)
}

// join moves the calling process into the group.
func (g group) join() error { return g.write("cgroup.procs", "0") }

func (g group) env() string { return groupVariable + "=" + string(g) }

// peak is the most that the group has had, what the kernel keeps for it included.
func (g group) peak(t *testing.T) int {
	t.Helper()
	name := "memory.max_usage_in_bytes"
	if g.second() {
		name = "memory.peak"
	}
	text, err := os.ReadFile(filepath.Join(string(g), name))
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// kills is how many of its processes the kernel has killed because the memory was used up.
func (g group) kills(t *testing.T) int {
	t.Helper()
	name := "memory.oom_control"
	if g.second() {
		name = "memory.events"
	}
	text, err := os.ReadFile(filepath.Join(string(g), name))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(strings.TrimSpace(line), "oom_kill "); ok {
			n, err := strconv.Atoi(value)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
	}
	t.Fatalf("%s does not tell of kills: %q", name, text)
	return 0
}
