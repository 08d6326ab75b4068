// Package doctor looks for what makes latency and loss bad on a machine, and knows the command that
// mends it.
package doctor

import (
	"errors"
	"io/fs"
	"strconv"
	"strings"
)

// Status is the outcome of a check.
type Status string

// The outcomes. Only Bad makes the doctor's exit status other than 0.
const (
	Good    Status = "good"
	Warning Status = "warning" // costs latency or robustness
	Bad     Status = "bad"     // something will not work
	Unknown Status = "unknown" // the machine does not tell
)

// Result is what a check found.
type Result struct {
	Check  string   `json:"check"`
	Status Status   `json:"status"`
	Found  string   `json:"found"`
	Why    string   `json:"why,omitempty"` // what it costs
	Fix    []string `json:"fix,omitempty"` // shell commands, or comments where it takes more than a command
}

// System is the machine as the checks see it.
type System struct {
	// Root is the root directory, of which /proc and /sys are read.
	Root fs.FS
	// Interfaces are the network interfaces for DDS, by name, "" for the one that Cyclone DDS determines.
	// Without any it determines one.
	Interfaces []string
	// Local tells that nothing is to leave the machine.
	Local bool
	// Domain is the ROS domain id.
	Domain int
	// Cyclone is the version of Cyclone DDS.
	Cyclone string
	// CPUs are the CPUs meant for real-time threads, none for the isolated ones.
	CPUs []int
}

// A check looks at one thing. Where the machine does not tell it returns the error of the read.
type check struct {
	name string
	run  func(*System) (Result, error)
}

// Run runs all checks that only read.
func Run(s *System) []Result {
	var results []Result
	for _, c := range checks {
		results = append(results, c.result(s))
	}
	return results
}

func (c check) result(s *System) Result {
	r, err := c.run(s)
	if err != nil {
		r = Result{Status: Unknown, Found: reason(err)}
	}
	r.Check = c.name
	return r
}

// reason shortens what a missing file says.
func reason(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		return "/" + p.Path + ": " + p.Err.Error()
	}
	return err.Error()
}

// checks in the order in which they are shown.
var checks = []check{
	{"real-time priority", realtimePriority},
	{"real-time throttling", realtimeThrottling},
	{"locked memory", lockedMemory},
	{"swap", swap},
	{"preemption", preemption},
	{"frequency governor", governor},
	{"idle states", idleStates},
	{"isolated CPUs", isolatedCPUs},
	{"interrupts on lanes' CPUs", interrupts},
	{"clock source", clockSource},
	{"virtual machine", virtualMachine},
	{"receive buffer", receiveBuffer},
	{"send buffer", sendBuffer},
	{"IP fragments", fragments},
	{"busy polling", busyPolling},
	{"multicast", multicast},
	{"MTU", mtu},
	{"domain and ports", ports},
	{"Cyclone DDS", cycloneVersion},
}

// text reads a file without surrounding white space.
func (s *System) text(name string) (string, error) {
	b, err := fs.ReadFile(s.Root, name)
	return strings.TrimSpace(string(b)), err
}

// number reads a file that holds an integer.
func (s *System) number(name string) (int64, error) {
	t, err := s.text(name)
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(t, 10, 64)
}

// field returns what follows a key at the start of a line.
func (s *System) field(name, key string) (string, error) {
	t, err := s.text(name)
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(t) {
		if rest, ok := strings.CutPrefix(line, key); ok {
			return strings.TrimSpace(rest), nil
		}
	}
	return "", errors.New("/" + name + " has no line " + key)
}
