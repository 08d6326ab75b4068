package executor

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Restart says when a part that has ended is started again.
type Restart string

// The words of PartPlan.Restart.
const (
	// Never is the default. Run ends with a *PartError when the part fails, as it would if the lane had
	// failed in the same process; a part that ends with exit code 0 has done its work.
	Never     Restart = "never"
	OnFailure Restart = "on-failure" // unless it ends with exit code 0
	Always    Restart = "always"
)

// PartPlan says how a process of isolated lanes is kept.
type PartPlan struct {
	Name    string
	Restart Restart // "" is Never
	// Backoff is how long the first restart waits, 0 for 100 ms. The wait doubles with each further
	// one, up to 30 s, until the part has run for that long.
	Backoff time.Duration
	// Stop is how long the part may take to end when it is told to, beyond WithDrain, 0 for 10 s. After
	// half of that it gets SIGTERM, at the end SIGKILL.
	Stop time.Duration
}

const (
	defaultBackoff = 100 * time.Millisecond
	maxBackoff     = 30 * time.Second
	defaultStop    = 10 * time.Second
)

// part returns the process of a lane, "" for the first.
func (l *Lane) part() string {
	switch {
	case l.Isolate != Process:
		return ""
	case l.Part != "":
		return l.Part
	}
	return l.Name
}

// PartOf returns the process in which the topic is subscribed to, "" for the first, see Part.
func (p *Plan) PartOf(topic string) string { return partOf(p.LaneOf(topic)) }

// PartOfTimer returns the process of a timer, as PartOf does.
func (p *Plan) PartOfTimer(timer string) string { return partOf(p.LaneOfTimer(timer)) }

func partOf(l *Lane) string {
	if l == nil {
		return ""
	}
	return l.part()
}

// join undoes the isolation of lanes.
func (p *Plan) join() {
	p.Lanes, p.Parts = slices.Clone(p.Lanes), nil
	for i := range p.Lanes {
		p.Lanes[i].Isolate, p.Lanes[i].Part = "", ""
	}
}

// LanesIn returns the names of the lanes that are in a part, "" for the first process.
func (p *Plan) LanesIn(part string) []string {
	var names []string
	for i := range p.Lanes {
		if l := &p.Lanes[i]; l.part() == part {
			names = append(names, l.Name)
		}
	}
	return names
}

// AllParts returns the processes beside the first, in the order of their lanes, with what applies where
// Parts says nothing.
func (p *Plan) AllParts() []PartPlan {
	var all []PartPlan
	for i := range p.Lanes {
		name := p.Lanes[i].part()
		if name == "" || slices.ContainsFunc(all, func(a PartPlan) bool { return a.Name == name }) {
			continue
		}
		part := PartPlan{Name: name}
		if i := slices.IndexFunc(p.Parts, func(a PartPlan) bool { return a.Name == name }); i >= 0 {
			part = p.Parts[i]
		}
		all = append(all, part.withDefaults())
	}
	return all
}

func (p PartPlan) withDefaults() PartPlan {
	if p.Restart == "" {
		p.Restart = Never
	}
	if p.Backoff == 0 {
		p.Backoff = defaultBackoff
	}
	if p.Stop == 0 {
		p.Stop = defaultStop
	}
	return p
}

func checkPart(name string) error {
	if strings.ContainsFunc(name, func(c rune) bool { return c <= ' ' }) {
		return fmt.Errorf("part %q: a name without spaces is wanted", name)
	}
	return nil
}

func (v *validator) parts() {
	names, isolated := map[string]bool{}, map[string]bool{}
	lanesSure := len(v.plan.Parts) > 0 && v.allSure("lanes", "isolate", "part")
	for i := range v.plan.Lanes {
		l := &v.plan.Lanes[i]
		isolated[l.part()] = true
		if l.Isolate != "" && l.Isolate != Process {
			lanesSure = false
		}
	}
	for _, p := range v.plan.Parts {
		fault := func(key, format string, args ...any) {
			v.fault("part "+p.Name+": "+fmt.Sprintf(format, args...), "parts", p.Name, key)
		}
		if names[p.Name] {
			fault("", "it is there twice")
		}
		names[p.Name] = true
		if (!isolated[p.Name] || p.Name == "") && lanesSure {
			fault("", "no lane is isolated in it")
		}
		switch p.Restart {
		case "", Never:
			if p.Backoff != 0 && v.sure("parts", p.Name, "restart") {
				fault("backoff", "backoff needs restart %s or %s", OnFailure, Always)
			}
		case OnFailure, Always:
		default:
			fault("restart", "restart %q is unknown; there are %s, %s and %s", p.Restart, Never, OnFailure, Always)
		}
		if p.Backoff > maxBackoff {
			fault("backoff", "backoff %v is more than %v", p.Backoff, maxBackoff)
		}
		v.times(fault, map[string]time.Duration{"backoff": p.Backoff, "stop": p.Stop})
	}
}

// PartError tells how a part ended that was not to, or that failed when it was told to end.
type PartError struct {
	Part string
	// Code is the exit code of the process; for one that a signal ended, 128 and the number of the
	// signal, as shells have it.
	Code int
	How  string // "exit status 3", "signal: killed"
}

func (e *PartError) Error() string { return fmt.Sprintf("part %s: %s", e.Part, e.How) }

// ExitCode returns the code for os.Exit that passes on how the program ended: that of the part which
// made Run return err, 1 for another error, 0 for none.
func ExitCode(err error) int {
	var p *PartError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &p):
		return p.Code
	}
	return 1
}
