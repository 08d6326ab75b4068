//go:build long

package reliability

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pinion-ros/pinion/bench/hosts"
)

// roleVariable makes a worker of the test binary.
const roleVariable = "PINION_RELIABILITY_ROLE"

// A line is what a test and its worker tell each other.
type line struct {
	Word string          `json:"word"`
	Data json.RawMessage `json:"data,omitempty"`
}

// A console is a worker's end of the conversation. say may be called from any goroutine.
type console struct {
	mu  sync.Mutex
	out *json.Encoder
	in  *json.Decoder
}

// work plays a role and returns the exit code.
func work(name string) int {
	role := roles[name]
	if role == nil {
		fmt.Fprintf(os.Stderr, "there is no role %q\n", name)
		return 2
	}
	if dir := os.Getenv(groupVariable); dir != "" {
		if err := (group(dir)).join(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	c := &console{out: json.NewEncoder(os.Stdout), in: json.NewDecoder(bufio.NewReader(os.Stdin))}
	if err := role(c); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// say sends a word to the test; data may be nil.
func (c *console) say(word string, data any) error {
	text, err := json.Marshal(data)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.out.Encode(line{word, text})
}

// hear waits for a word from the test and stores what comes with it in data, unless that is nil. When the
// test has nothing more to say the error is io.EOF.
func (c *console) hear(word string, data any) error {
	var l line
	if err := c.in.Decode(&l); err != nil {
		return err
	}
	if l.Word != word {
		return fmt.Errorf("the test says %q instead of %q", l.Word, word)
	}
	if data == nil {
		return nil
	}
	return json.Unmarshal(l.Data, data)
}

// A worker is a process that plays a role.
type worker struct {
	role   string
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    chan line
	exited chan error
	stderr *strings.Builder // complete when exited has told
}

// start starts a worker in a network namespace, nil for that of the test, and tells it its configuration
// as "config". It is killed when the test ends.
func start(t *testing.T, ns *os.File, role string, config any, env ...string) *worker {
	t.Helper()
	w := &worker{role: role, out: make(chan line, 64), stderr: new(strings.Builder)}
	w.cmd = exec.Command("/proc/self/exe")
	w.cmd.Env = append(append(os.Environ(), roleVariable+"="+role), env...)
	w.cmd.Stderr = w.stderr
	w.cmd.WaitDelay = time.Second
	var err error
	if w.in, err = w.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	reader, writer := io.Pipe()
	w.cmd.Stdout = writer
	if w.exited, err = hosts.Start(w.cmd, ns); err != nil {
		t.Fatalf("start %s: %v", role, err)
	}
	go func() {
		defer close(w.out)
		for d := json.NewDecoder(reader); ; {
			var l line
			if d.Decode(&l) != nil { // closed when the worker has ended
				return
			}
			w.out <- l
		}
	}()
	go func() {
		err := <-w.exited
		w.exited <- err
		writer.Close()
	}()
	t.Cleanup(func() {
		w.kill()
		for range w.out { // nobody wants it
		}
	})
	w.say(t, "config", config)
	return w
}

// say sends a word to the worker. That one has ended already shows when an answer is expected.
func (w *worker) say(t *testing.T, word string, data any) {
	t.Helper()
	text, err := json.Marshal(data)
	if err != nil {
		t.Fatal(err)
	}
	text, err = json.Marshal(line{word, text})
	if err != nil {
		t.Fatal(err)
	}
	_, _ = w.in.Write(append(text, '\n'))
}

// hear waits for a word from the worker and stores what comes with it in data, unless that is nil.
func (w *worker) hear(t *testing.T, limit time.Duration, word string, data any) {
	t.Helper()
	select {
	case l, open := <-w.out:
		switch {
		case !open:
			t.Fatalf("%s ended instead of saying %q: %v", w.role, word, w.wait())
		case l.Word != word:
			t.Fatalf("%s says %q instead of %q", w.role, l.Word, word)
		case data != nil:
			if err := json.Unmarshal(l.Data, data); err != nil {
				t.Fatalf("%s: %q: %v", w.role, word, err)
			}
		}
	case <-time.After(limit):
		t.Fatalf("%s did not say %q within %v", w.role, word, limit)
	}
}

// wait returns how the worker ended.
func (w *worker) wait() error {
	err := <-w.exited
	w.exited <- err
	if text := strings.TrimSpace(w.stderr.String()); text != "" {
		err = errors.Join(err, errors.New(text))
	}
	return err
}

// kill ends the worker and waits for it.
func (w *worker) kill() {
	_ = w.cmd.Process.Kill() // fails only when it has ended
	_ = w.wait()             // that it was killed is known
}

// echo says what it hears.
func echo(c *console) error {
	for _, word := range []string{"config", "again"} {
		var data string
		if err := c.hear(word, &data); err != nil {
			return err
		}
		if err := c.say(word, data); err != nil {
			return err
		}
	}
	return c.hear("never said", nil)
}

func TestWorker(t *testing.T) {
	w := start(t, nil, "echo", "first")
	var heard string
	if w.hear(t, time.Minute, "config", &heard); heard != "first" {
		t.Errorf("heard %q", heard)
	}
	w.say(t, "again", "second")
	if w.hear(t, time.Minute, "again", &heard); heard != "second" {
		t.Errorf("heard %q", heard)
	}
	w.in.Close()
	if err := w.wait(); err == nil || !strings.Contains(err.Error(), "EOF") {
		t.Errorf("ended with %v, want EOF", err)
	}
}
