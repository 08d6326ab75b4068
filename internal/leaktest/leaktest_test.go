package leaktest_test

import (
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pinion-ros/pinion/internal/leaktest"
)

func TestMain(m *testing.M) { os.Exit(leaktest.Run(m)) }

// tests takes the place of a testing.M.
type tests func() int

func (t tests) Run() int { return t() }

// leave leaves goroutines: more than those of an earlier test that may end meanwhile.
func leave(stop <-chan struct{}) {
	for range 20 {
		go func() { <-stop }()
	}
}

// The clock of synctest spares the wait for what never ends.
func TestRun(t *testing.T) {
	for _, test := range []struct {
		name  string
		tests func(things *int, stop <-chan struct{}) int
		want  int
	}{
		{"nothing", func(*int, <-chan struct{}) int { return 0 }, 0},
		{"failure", func(*int, <-chan struct{}) int { return 2 }, 2},
		{"thing", func(things *int, _ <-chan struct{}) int { *things++; return 0 }, 1},
		{"fewer things", func(things *int, _ <-chan struct{}) int { *things--; return 0 }, 0},
		{"goroutines", func(_ *int, stop <-chan struct{}) int { leave(stop); return 0 }, 1},
		{"goroutine that ends", func(*int, <-chan struct{}) int { go time.Sleep(time.Second); return 0 }, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				things, stop := 0, make(chan struct{})
				defer close(stop)
				count := leaktest.Count{Of: "things", Now: func() int { return things }}
				if got := leaktest.Run(tests(func() int { return test.tests(&things, stop) }), count); got != test.want {
					t.Errorf("exit code %d, want %d", got, test.want)
				}
			})
		})
	}
}

// fake takes the place of a testing.T.
type fake struct {
	cleanup func()
	errors  []any
}

func (f *fake) Cleanup(c func()) { f.cleanup = c }
func (f *fake) Error(a ...any)   { f.errors = append(f.errors, a...) }

func TestCheck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, things := &fake{}, 1
		leaktest.Check(f, leaktest.Count{Of: "things", Now: func() int { return things }})
		f.cleanup()
		if len(f.errors) != 0 {
			t.Errorf("nothing is reported as %v", f.errors)
		}
		things = 3
		stop := make(chan struct{})
		leave(stop)
		f.cleanup()
		close(stop)
		if len(f.errors) != 1 {
			t.Fatalf("got errors %v, want one", f.errors)
		}
		text := f.errors[0].(error).Error()
		for _, want := range []string{"left behind: ", " goroutines, 2 things\n", "leaktest_test.TestCheck"} {
			if !strings.Contains(text, want) {
				t.Errorf("%q lacks %q", text, want)
			}
		}
	})
}
