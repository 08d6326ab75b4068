package executor

import (
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"testing"
	"time"
)

func TestAllParts(t *testing.T) {
	p, err := ParsePlan("p.yaml", []byte(`
lanes:
  left: {isolate: process, part: arms, topics: [/left/**]}
  other: {topics: [/other]}
  alone: {isolate: process, mode: woken, topics: [/alone], timers: [tick]}
  right: {isolate: process, part: arms, topics: [/right/**]}
parts:
  alone: {restart: always, backoff: 1s}
`))
	if err != nil {
		t.Fatal(err)
	}
	want := []PartPlan{{"arms", Never, 100 * time.Millisecond, 10 * time.Second}, {"alone", Always, time.Second, 10 * time.Second}}
	if got := p.AllParts(); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if arms, first := p.LanesIn("arms"), p.LanesIn(""); !reflect.DeepEqual(arms, []string{"left", "right"}) || !reflect.DeepEqual(first, []string{"other"}) {
		t.Errorf("lanes %v in arms, %v in the first process", arms, first)
	}
	for topic, want := range map[string]string{"/left/x": "arms", "/right/x/y": "arms", "/alone": "alone", "/other": "", "/none": ""} {
		if got := p.PartOf(topic); got != want {
			t.Errorf("%s is in part %q, want %q", topic, got, want)
		}
	}
	if tick, tock := p.PartOfTimer("tick"), p.PartOfTimer("tock"); tick != "alone" || tock != "" {
		t.Errorf("timers are in the parts %q and %q", tick, tock)
	}
}

func TestExitCode(t *testing.T) {
	for _, tt := range []struct {
		err  error
		want int
	}{
		{nil, 0},
		{errors.New("x"), 1},
		{fmt.Errorf("run: %w", errors.Join(nil, &PartError{"a", 7, "exit status 7"})), 7},
	} {
		if got := ExitCode(tt.err); got != tt.want {
			t.Errorf("%v: exit code %d, want %d", tt.err, got, tt.want)
		}
	}
}

// Two executors cannot both keep a part of one name, because each part is in both of them.
func TestPartTwice(t *testing.T) {
	running.parts = []string{"control"}
	defer func() { running.parts = nil }()
	e, err := New(WithPlan(Plan{Lanes: []Lane{{Name: "control", Isolate: Process, Topics: []string{"/x"}}}}))
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if err := e.Run(t.Context()); err == nil || err.Error() != "run executor: part control is one of another executor, too; give it another name in one of their plans" {
		t.Errorf("got %v", err)
	}
}

// The first process leaves the CPUs of isolated lanes alone, as long as it has others.
func TestOthersCPUs(t *testing.T) {
	runtime.LockOSThread() // others may have inherited what an executor left to the rest
	defer runtime.UnlockOSThread()
	cpus, err := AllowedCPUs()
	if err != nil {
		t.Fatal(err)
	}
	all := Plan{Lanes: []Lane{{Name: "a", Isolate: Process, Topics: []string{"/a"}, CPUs: cpus}}}
	e, err := New(WithPlan(all))
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if e.exclusive != nil {
		t.Errorf("it may use none of %v", cpus)
	}
	if len(cpus) == 1 {
		return
	}
	all.Lanes[0].CPUs = cpus[:1]
	if e, err = New(WithPlan(all)); err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if e.exclusive == nil || !reflect.DeepEqual(e.exclusive.rest, cpus[1:]) {
		t.Errorf("it uses other CPUs than %v: %+v", cpus[1:], e.exclusive)
	}
}
