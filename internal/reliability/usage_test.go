//go:build long

package reliability

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
)

// usage is what a process takes.
type usage struct {
	Memory    int // resident, bytes
	Addresses int // bytes
	Threads   int
	Files     int // descriptors
}

// usageOf asks the kernel.
func usageOf(t *testing.T, pid int) (u usage) {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(status)) {
		name, value, _ := strings.Cut(line, ":")
		fields := strings.Fields(value)
		if len(fields) == 0 {
			continue
		}
		n, _ := strconv.Atoi(fields[0]) // of most lines there is none
		switch name {
		case "VmRSS":
			u.Memory = n << 10
		case "VmSize":
			u.Addresses = n << 10
		case "Threads":
			u.Threads = n
		}
	}
	files, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	if err != nil {
		t.Fatal(err)
	}
	u.Files = len(files)
	return u
}

// megabytes prints a number of bytes.
func megabytes(n int) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }
