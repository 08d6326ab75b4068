// Package contender defines and runs the programs that the benches compare.
//
// A contender takes one configuration, a flat JSON object in one line on standard input, prints one
// JSON result on standard output and exits. A publisher and a ping end by themselves; a subscriber
// and a pong end when their standard input does. The environment (CYCLONEDDS_URI) tells where on the
// network they meet.
package contender

import (
	"time"

	"github.com/pinion-ros/pinion/bench/measure"
)

// Role is what a contender's process does.
type Role string

// The roles. Publisher and Subscriber measure one way, Ping and Pong round trips. Probe exchanges
// datagrams between two threads of one process, without DDS.
const (
	Publisher  Role = "publisher"
	Subscriber Role = "subscriber"
	Ping       Role = "ping"
	Pong       Role = "pong"
	Probe      Role = "probe"
	// Within is a publisher and a subscriber in one process.
	Within Role = "within"
	// Timer wakes up Rate times a second and measures by how much late. Stalls does so until its
	// standard input ends, to see what keeps a thread of that policy from that CPU at all.
	Timer  Role = "timer"
	Stalls Role = "stalls"
)

// Stall is a late wake-up.
type Stall struct {
	At          int64 `json:"at"` // when it was due, CLOCK_MONOTONIC in ns
	Nanoseconds int64 `json:"ns"` // by how much it was late
}

// ShortestStall is the lateness from which on wake-ups are stalls, MaxStalls how many of a run are told.
const (
	ShortestStall = time.Millisecond
	MaxStalls     = 10_000
)

// Message types. The topic of a Bytes is of std_msgs/msg/UInt8MultiArray, whose data begin with a
// Stamp, as much of it as has room.
const (
	Bytes   = "bytes"
	Gamepad = "gamepad" // gamepad_msgs/msg/GamepadState, which carries the number alone, in its sequence
	Keyed   = "keyed"   // bench_msgs/msg/KeyedBytes, whose data are as those of Bytes
)

// Config is what a contender has to do. All contenders of a scenario get the same, but for the mode.
type Config struct {
	Role        Role   `json:"role"`
	Mode        string `json:"mode"` // how messages get to callbacks; the contender's own names
	Domain      uint32 `json:"domain"`
	Type        string `json:"type"`
	Reliability string `json:"reliability"` // reliable or best_effort
	Durability  string `json:"durability,omitempty"`
	Depth       int    `json:"depth"`               // KEEP_LAST, 0 for KEEP_ALL
	Instances   int    `json:"instances,omitempty"` // of a Keyed; message i belongs to i modulo that many
	Batching    bool   `json:"batching,omitempty"`  // the publisher batches writes, and flushes at the end

	// Topics are /bench/critical and from 1 on /bench/background_1, ...; the critical one counts. Ping
	// and pong use /bench/ping and /bench/pong.
	Topics           int     `json:"topics"`
	Size             int     `json:"size"`               // bytes of data of a critical message
	BackgroundSize   int     `json:"background_size"`    // and of a background message
	Rate             float64 `json:"rate_hz"`            // 0 for as fast as possible
	BackgroundRate   float64 `json:"background_rate_hz"` // of each background topic
	Phase            string  `json:"phase"`              // spread or aligned: where in their period background topics send
	WorkMicroseconds float64 `json:"work_us"`            // how long a background callback keeps the processor busy
	DelayMicrosec    float64 `json:"delay_us,omitempty"` // how long a pong sleeps before it answers

	// Load beside the executor, in the subscriber.
	AllocateBytes int     `json:"allocate_bytes,omitempty"` // that each background callback allocates
	BusyThreads   int     `json:"busy_threads,omitempty"`   // goroutines or threads that compute
	GarbageMBs    float64 `json:"garbage_mb_s,omitempty"`   // allocated per second beside the callbacks

	// Warmup messages precede Count that are measured, on the critical topic; background topics send
	// as many as their rate makes of that, rounded down.
	Warmup int `json:"warmup"`
	Count  int `json:"count"`
	// Limit ends the publisher earlier, in seconds from its begin, if it is not 0.
	Limit float64 `json:"limit_s,omitempty"`

	// Unmatched has the publisher begin without waiting for subscribers.
	Unmatched bool `json:"unmatched,omitempty"`

	// How the critical thread is scheduled: the publisher's, and the one on which a critical callback
	// runs. CPUs are numbers with commas between. What is not permitted is left out.
	CPUs           string `json:"cpus"`
	BackgroundCPUs string `json:"background_cpus"`
	Policy         string `json:"policy"` // other or fifo
	Priority       int    `json:"priority"`
}

// Background converts a number of critical messages into messages of one background topic.
func (c *Config) Background(n int) int {
	if c.Rate == 0 {
		return 0
	}
	return int(float64(n) * (c.BackgroundRate / c.Rate))
}

// Result is what a contender reports. Numbers and histograms leave the warm-up out; what a role does
// not measure it leaves out as well.
type Result struct {
	Sent           uint64  `json:"sent,omitempty"`
	Failed         uint64  `json:"failed,omitempty"` // the middleware refused them
	Late           uint64  `json:"late,omitempty"`   // sent more than a tenth of the period after their time
	BackgroundSent uint64  `json:"background_sent,omitempty"`
	Seconds        float64 `json:"seconds,omitempty"` // from the first measured message until the last was sent

	Received           uint64 `json:"received,omitempty"`
	Duplicates         uint64 `json:"duplicates,omitempty"`
	OutOfOrder         uint64 `json:"out_of_order,omitempty"`
	BackgroundReceived uint64 `json:"background_received,omitempty"`
	FirstNumber        uint64 `json:"first_number,omitempty"` // of the measured messages, the first that came
	FirstTime          int64  `json:"first_time,omitempty"`   // when the first message came, CLOCK_MONOTONIC in ns

	SendLag    *measure.Histogram `json:"send_lag,omitempty"`   // from the intended time to sending
	Latency    *measure.Histogram `json:"latency,omitempty"`    // from sending to the callback; for ping the round trip, for a timer the lateness
	Intended   *measure.Histogram `json:"intended,omitempty"`   // from the intended time to the callback
	Background *measure.Histogram `json:"background,omitempty"` // Intended of the background topics
	Forth      *measure.Histogram `json:"forth,omitempty"`      // from ping to pong, one way
	Back       *measure.Histogram `json:"back,omitempty"`

	Stalls []Stall `json:"stalls,omitempty"` // of a timer

	Go *GoRuntime `json:"go,omitempty"`
}

// GoRuntime is how the Go runtime of a contender was set and what its collector did.
type GoRuntime struct {
	Version     string   `json:"version"`
	MaxProcs    int      `json:"gomaxprocs"`
	GOGC        int      `json:"gogc"` // -1 for off
	Collections uint32   `json:"collections"`
	PauseMax    float64  `json:"pause_max_us"`
	Notes       []string `json:"notes,omitempty"` // what the executor could not do
}
