// Package leaktest holds tests to leaving nothing behind. Every package of the module runs its tests
// through it, those with DDS by way of pubsubtest.
package leaktest

import (
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"time"
)

// A Count says how much there is of something that whoever makes it has to end.
type Count struct {
	Of  string // in the plural
	Now func() int
}

var goroutines = Count{"goroutines", runtime.NumGoroutine}

// patience is what is about to end may take, on a machine with much else to do.
const patience = 30 * time.Second

// Run runs the tests, *testing.M as a rule, and returns their exit code, or 1 if there are more goroutines,
// or more of what else is counted, when all have ended than before.
func Run(m interface{ Run() int }, others ...Count) int {
	left := watch(others)
	code := m.Run()
	if fuzzing() {
		return code
	}
	if err := left(patience); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

// Check fails the test if it ends with more goroutines, or more of what else is counted, than there are
// now. It is of use where no other tests run in parallel. Call it first.
func Check(t interface {
	Cleanup(func())
	Error(...any)
}, others ...Count) {
	left := watch(others)
	t.Cleanup(func() {
		if err := left(patience); err != nil {
			t.Error(err)
		}
	})
}

// watch counts, and returns what counts again until there is no more of anything or the time is over.
func watch(others []Count) (left func(time.Duration) error) {
	startSignals()
	counts := append([]Count{goroutines}, others...)
	before := make([]int, len(counts))
	for i, c := range counts {
		before[i] = c.Now()
	}
	return func(patience time.Duration) error {
		for end := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
			var more []string
			for i, c := range counts {
				if n := c.Now() - before[i]; n > 0 {
					more = append(more, fmt.Sprintf("%d %s", n, c.Of))
				}
			}
			if more == nil {
				return nil
			}
			if time.Now().After(end) {
				buf := make([]byte, 1<<20)
				return fmt.Errorf("left behind: %s\n%s", strings.Join(more, ", "), buf[:runtime.Stack(buf, true)])
			}
		}
	}
}

// startSignals has os/signal start its goroutine, which stays once it is there: no test is to blame for
// it.
func startSignals() {
	c := make(chan os.Signal, 1)
	signal.Notify(c, os.Interrupt)
	signal.Stop(c)
}

// fuzzing tells whether the tests end with fuzzing, whose engine leaves goroutines.
func fuzzing() bool {
	f := flag.Lookup("test.fuzz")
	return f != nil && f.Value.String() != ""
}
