package topic

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pinion-ros/pinion/pubsub"
)

// QoSChoice is a profile as the user of a command gives it: the name of a preset and what differs
// from it. Empty strings and zeros keep what the preset says.
type QoSChoice struct {
	Profile     string
	Depth       int
	History     string
	Reliability string
	Durability  string
	Liveliness  string
	Lease       time.Duration
}

// The words of the policies that a choice can name.
var (
	Histories     = words[pubsub.History](3)
	Reliabilities = words[pubsub.Reliability](5)
	Durabilities  = words[pubsub.Durability](5)
	Livelinesses  = words[pubsub.Liveliness](6)
)

// words returns the names of a policy's kinds below n, those left out that the tools do not offer.
func words[K interface {
	~uint8
	String() string
}](n int) []string {
	var all []string
	for k := range n {
		if w := strings.ToLower(word(K(k))); w != "" && w != "manual_by_node" {
			all = append(all, w)
		}
	}
	return all
}

// kindOf returns the kind that a word names.
func kindOf[K interface {
	~uint8
	String() string
}](policy, name string, all []string) (K, error) {
	for k := range K(8) {
		if strings.EqualFold(word(k), name) && slices.Contains(all, strings.ToLower(name)) {
			return k, nil
		}
	}
	return 0, fmt.Errorf("--qos-%s: %q is none of %s", policy, name, strings.Join(all, ", "))
}

// Adapts tells whether the choice leaves the policies to what the publishers offer, as it does in
// ROS 2 unless one is given besides the preset.
func (c QoSChoice) Adapts() bool {
	c.Profile = ""
	return c == QoSChoice{}
}

// Resolve returns the profile.
func (c QoSChoice) Resolve() (pubsub.QoS, error) {
	q, err := pubsub.ProfileByName(c.Profile)
	if err != nil {
		return q, fmt.Errorf("--qos-profile: %w", err)
	}
	if c.Depth < 0 || c.Lease < 0 {
		return q, fmt.Errorf("--qos-depth %d and the lease duration %v must not be negative", c.Depth, c.Lease)
	}
	if c.History != "" {
		if q.History, err = kindOf[pubsub.History]("history", c.History, Histories); err != nil {
			return q, err
		}
	}
	if c.Reliability != "" {
		if q.Reliability, err = kindOf[pubsub.Reliability]("reliability", c.Reliability, Reliabilities); err != nil {
			return q, err
		}
	}
	if c.Durability != "" {
		if q.Durability, err = kindOf[pubsub.Durability]("durability", c.Durability, Durabilities); err != nil {
			return q, err
		}
	}
	if c.Liveliness != "" {
		if q.Liveliness, err = kindOf[pubsub.Liveliness]("liveliness", c.Liveliness, Livelinesses); err != nil {
			return q, err
		}
	}
	if c.Lease != 0 {
		q.Lease = c.Lease
	}
	if c.Depth != 0 {
		q.Depth = c.Depth
	}
	return q, nil
}

// Match returns the profile with the reliability and durability that suit all publishers among the
// endpoints, as `ros2 topic echo` does: the higher level where all offer it. notes tell where they
// differ. Without publishers the profile stays as it is.
func Match(q pubsub.QoS, endpoints []pubsub.EndpointInfo) (matched pubsub.QoS, notes []string) {
	publishers, reliable, transient := 0, 0, 0
	for _, e := range endpoints {
		if !e.Publisher {
			continue
		}
		publishers++
		if e.QoS.Reliability == pubsub.Reliable {
			reliable++
		}
		if e.QoS.Durability == pubsub.TransientLocal {
			transient++
		}
	}
	if publishers == 0 {
		return q, nil
	}
	note := func(n int, high, low fmt.Stringer) {
		if n > 0 {
			notes = append(notes, fmt.Sprintf("%d of %d publishers are %s: subscribing as %s, which all of them suit", n, publishers, high, low))
		}
	}
	if q.Reliability = pubsub.Reliable; reliable < publishers {
		q.Reliability = pubsub.BestEffort
		note(reliable, pubsub.Reliable, pubsub.BestEffort)
	}
	if q.Durability = pubsub.TransientLocal; transient < publishers {
		q.Durability = pubsub.Volatile
		note(transient, pubsub.TransientLocal, pubsub.Volatile)
	}
	return q, notes
}
