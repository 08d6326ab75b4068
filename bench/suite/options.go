package suite

import (
	"io"
	"time"

	"github.com/pinion-ros/pinion/bench/hosts/link"
)

// Options say how a scenario runs. The zero value of each is the scenario's default.
type Options struct {
	Quick         bool
	Dir           string // for result.json and the reports
	Rounds        int
	Duration      time.Duration // measured in each run
	Topics        []int
	Sizes         []int
	Rates         []float64 // Hz
	Reliabilities []string
	Work          []float64 // microseconds
	Phases        []string
	Variants      []string
	Instances     []int    // 0 for messages without a key
	Batching      []string // on, off
	Placement     string
	Network       string            // Loopback or Hosts
	Link          link.Settings     // what joins the hosts
	Contenders    []string          // "name/mode" or "name"
	Sender        string            // who sends in one-way scenarios
	Peers         map[string]string // programs of contenders by name
	Domain        uint32
	Seed          uint64 // of the order of the contenders

	Program []string  // runs this library's contender: its arguments follow the contract
	Out     io.Writer // for progress
}
