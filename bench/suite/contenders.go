package suite

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os/exec"
	"slices"
	"strings"

	"github.com/pinion-ros/pinion/bench/contender"
	"github.com/pinion-ros/pinion/bench/contender/self"
	"github.com/pinion-ros/pinion/internal/peerbuild"
)

// A competitor is a contender in one of its modes.
type competitor struct {
	ContenderEntry
	program []string
}

func (c competitor) id() string { return c.Name + "/" + c.Mode }

// roster lists who can take part, and who could.
type roster struct {
	own     []string // the program of this library's contender
	c       []string
	all     []competitor
	senders map[string][]string
	named   []string // contenders whose program the user has named
}

// peers are contenders that need a ROS 2 installation.
var peers = []ContenderEntry{
	{Name: "rclcpp", Mode: "single", What: "the single-threaded executor of ROS 2's C++ library"},
	{Name: "rclcpp", Mode: "multi", What: "its multi-threaded executor with two threads"},
	{Name: "rclcpp", Mode: "events", What: "its events executor"},
	{Name: "rclcpp", Mode: "critical", What: "the critical topic's callback group on an executor and a thread of its own, the rest single-threaded"},
	{Name: "rclgo", Mode: "loop", What: "the Go binding to ROS 2's rcl"},
}

// newRoster builds what has to be built. programs are those of peers by contender name.
func newRoster(ctx context.Context, own []string, programs map[string]string) (*roster, error) {
	r := &roster{own: own, senders: map[string][]string{"pinion": own}}
	for _, mode := range self.Modes() {
		r.add(ContenderEntry{Name: "pinion", Mode: mode.Name, What: mode.What}, own)
	}
	missing := ""
	program, err := contender.BuildC(ctx)
	var m *peerbuild.MissingError
	switch {
	case errors.As(err, &m):
		missing = m.Error()
	case err != nil:
		return nil, err
	default:
		r.c = []string{program}
		r.senders["c"] = r.c
	}
	r.add(ContenderEntry{Name: "c", Mode: "listener", What: "plain C on Cyclone DDS, on its receive thread", Missing: missing}, r.c)
	r.add(ContenderEntry{Name: "c", Mode: "waitset", What: "plain C on Cyclone DDS, on a thread that a wait set wakes", Missing: missing}, r.c)
	missing = ""
	if _, err := exec.LookPath("ddsperf"); err != nil {
		missing = (&peerbuild.MissingError{What: "ddsperf", Install: "apt install cyclonedds-tools"}).Error()
	}
	for _, e := range ddsperfEntries {
		e.Missing = missing
		r.add(e, nil)
	}
	return r, r.addPeers(ctx, programs)
}

// addPeers adds the contenders that need ROS 2, with the programs that were given for them. rclcpp is
// built where there is none.
func (r *roster) addPeers(ctx context.Context, programs map[string]string) error {
	missing := map[string]string{
		"rclgo": "not installed: build bench/peers/rclgo as its README says and pass --peer rclgo=PROGRAM",
	}
	rclcpp := programs["rclcpp"]
	if rclcpp == "" {
		var err error
		rclcpp, err = contender.BuildRclcpp(ctx)
		var m *peerbuild.MissingError
		switch {
		case errors.As(err, &m):
			missing["rclcpp"] = m.Error()
		case err != nil:
			return err
		}
	}
	for _, p := range peers {
		program := programs[p.Name]
		if p.Name == "rclcpp" {
			program = rclcpp
		}
		if program == "" {
			p.Missing = missing[p.Name]
		}
		r.add(p, []string{program})
	}
	r.named = slices.Sorted(maps.Keys(programs))
	for _, name := range r.named {
		program := programs[name]
		if !slices.ContainsFunc(peers, func(p ContenderEntry) bool { return p.Name == name }) {
			r.add(ContenderEntry{Name: name, Mode: "default", What: program}, []string{program})
		}
	}
	return nil
}

func (r *roster) add(e ContenderEntry, program []string) {
	r.all = append(r.all, competitor{e, program})
}

// choose returns the competitors that wanted names, each "name/mode" or "name" for all modes; without
// any, those of the default. Whose program was named takes part in any case.
func (r *roster) choose(wanted, otherwise []string) ([]competitor, error) {
	if len(wanted) == 0 {
		wanted = otherwise
	}
	for _, name := range r.named {
		if !slices.ContainsFunc(wanted, func(w string) bool { return w == name || strings.HasPrefix(w, name+"/") }) {
			wanted = append(slices.Clip(wanted), name)
		}
	}
	var chosen []competitor
	for _, w := range wanted {
		found := false
		for _, c := range r.all {
			if w == c.Name || w == c.id() {
				found = true
				if !slices.ContainsFunc(chosen, func(o competitor) bool { return o.id() == c.id() }) {
					chosen = append(chosen, c)
				}
			}
		}
		if !found {
			return nil, fmt.Errorf("there is no contender %q; there are %s", w, r.names())
		}
	}
	return chosen, nil
}

func (r *roster) names() string {
	var names []string
	for _, c := range r.all {
		names = append(names, c.id())
	}
	return strings.Join(names, ", ")
}

// sender returns who sends in one-way scenarios: the C program unless somebody else is asked for or
// there is none.
func (r *roster) sender(wanted string) (string, []string, error) {
	name := cmp.Or(wanted, "c")
	if wanted == "" && r.senders[name] == nil {
		name = "pinion"
	}
	if r.senders[name] == nil {
		return "", nil, fmt.Errorf("%q cannot send; c and pinion can, where they are installed", name)
	}
	return name, r.senders[name], nil
}
