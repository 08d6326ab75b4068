//go:build long

package pubsub_test

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pinion-ros/pinion/pubsub"
)

// As many processes as the ports of a domain allow see each other, and go on doing so. One more is
// refused.
func TestManyProcesses(t *testing.T) {
	const (
		count = 120
		limit = 15 * time.Minute
		hold  = time.Minute
	)
	// Nobody else's, and below those domains of which some ports are among those that Linux gives to clients.
	d := pubsub.Discovery{Domain: 37, Loopback: true, Range: pubsub.RangeLocalhost}
	d.MaxParticipants = count
	var mu sync.Mutex
	seen := make([]int, count)
	complete := func() int {
		mu.Lock()
		defer mu.Unlock()
		n := 0
		for _, s := range seen {
			if s == count {
				n++
			}
		}
		return n
	}
	begin := time.Now()
	for i := range count {
		cmd := peerCommand(t, peerConfig{Discovery: d, Census: fmt.Sprint("census", i)})
		stdin := must[io.WriteCloser](t)(cmd.StdinPipe())
		stdout := must[io.ReadCloser](t)(cmd.StdoutPipe())
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { stdin.Close() })
		done := make(chan error, 1)
		go func() {
			for lines := bufio.NewScanner(stdout); lines.Scan(); {
				n, _ := strconv.Atoi(lines.Text())
				mu.Lock()
				seen[i] = n
				mu.Unlock()
			}
			done <- cmd.Wait()
		}()
		t.Cleanup(func() {
			stdin.Close()
			if err := <-done; err != nil {
				t.Errorf("process %d: %v", i, err)
			}
		})
	}
	for last := -1; last < count; time.Sleep(100 * time.Millisecond) {
		if n := complete(); n != last {
			last = n
			t.Logf("%v: %d processes see all", time.Since(begin).Round(time.Second), n)
		}
		if time.Since(begin) > limit {
			t.Fatalf("%d processes see all after %v; all see %v", last, limit, seen)
		}
	}
	for end := time.Now().Add(hold); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		if n := complete(); n < count {
			t.Fatalf("only %d processes still see all: %v", n, seen)
		}
	}
	cmd := peerCommand(t, peerConfig{Discovery: d, Census: "one_more"})
	cmd.Stderr = nil
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "Discovery.MaxParticipants") || !strings.Contains(string(out), fmt.Sprintf("at most %d", count)) {
		t.Errorf("one process more: %v, %s", err, out)
	}
}
