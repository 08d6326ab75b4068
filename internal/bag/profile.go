package bag

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/pinion-ros/pinion/pubsub"
	"go.yaml.in/yaml/v4"
)

// Profile is the quality of service that a publisher offered. HistoryUnknown marks that discovery,
// which does not carry the history, is where it comes from.
type Profile struct {
	QoS            pubsub.QoS
	HistoryUnknown bool
}

// profilesYAML is the list of a topic's profiles, in the form of a version of the metadata: until 8
// a string with YAML in it and numbers for the policies, from 9 on a list with names.
type profilesYAML struct {
	profiles []Profile
	version  int
}

type profileYAML struct {
	History     yaml.Node `yaml:"history"`
	Depth       int64     `yaml:"depth"`
	Reliability yaml.Node `yaml:"reliability"`
	Durability  yaml.Node `yaml:"durability"`
	Deadline    timeYAML  `yaml:"deadline"`
	Lifespan    timeYAML  `yaml:"lifespan"`
	Liveliness  yaml.Node `yaml:"liveliness"`
	Lease       timeYAML  `yaml:"liveliness_lease_duration"`
	Avoid       bool      `yaml:"avoid_ros_namespace_conventions"`
}

// timeYAML is an rmw_time_t.
type timeYAML struct {
	Sec  uint64 `yaml:"sec"`
	NSec uint64 `yaml:"nsec"`
}

// A policy has names for its values, by their numbers in rmw (rmw/types.h).
type policy []string

var (
	history     = policy{"system_default", "keep_last", "keep_all", "unknown"}
	reliability = policy{"system_default", "reliable", "best_effort", "unknown", "best_available"}
	durability  = policy{"system_default", "transient_local", "volatile", "unknown", "best_available"}
	liveliness  = policy{"system_default", "automatic", "manual_by_node", "manual_by_topic", "unknown", "best_available"}
)

const historyUnknown = 3

// node writes a value as number or name.
func (p policy) node(value, version int) yaml.Node {
	if version < 9 {
		return yaml.Node{Kind: yaml.ScalarNode, Value: strconv.Itoa(value)}
	}
	return yaml.Node{Kind: yaml.ScalarNode, Value: p[value]}
}

// value reads a number or a name. What is not known is the system default.
func (p policy) value(n yaml.Node) int {
	if i, err := strconv.Atoi(n.Value); err == nil {
		if i >= 0 && i < len(p) {
			return i
		}
		return 0
	}
	for i, name := range p {
		if name == n.Value {
			return i
		}
	}
	return 0
}

// known is value for a policy of which discovery tells all.
func (p policy) known(n yaml.Node) int {
	if v := p.value(n); p[v] != "unknown" && p[v] != "best_available" {
		return v
	}
	return 0
}

// newTime returns the form of a duration, of which zero stands for without end (rmw/time.h:
// RMW_DURATION_INFINITE is the longest that fits into nanoseconds).
func newTime(d time.Duration) timeYAML {
	if d <= 0 {
		d = math.MaxInt64
	}
	return timeYAML{uint64(d / time.Second), uint64(d % time.Second)}
}

// duration is 0 for what is unspecified, endless, or longer than that. Some old bags have numbers of
// their own for it, all beyond 68 years.
func (t timeYAML) duration() time.Duration {
	const longest = math.MaxInt32 // seconds
	if t.Sec >= longest || t.NSec >= 1<<62 {
		return 0
	}
	return time.Duration(t.Sec)*time.Second + time.Duration(t.NSec)
}

func (p Profile) yaml(version int) profileYAML {
	h, depth := int(p.QoS.History), p.QoS.Depth
	if p.HistoryUnknown {
		h, depth = historyUnknown, 0
	}
	return profileYAML{
		History: history.node(h, version), Depth: int64(depth),
		Reliability: reliability.node(int(p.QoS.Reliability), version),
		Durability:  durability.node(int(p.QoS.Durability), version),
		Deadline:    newTime(p.QoS.Deadline),
		Lifespan:    newTime(p.QoS.Lifespan),
		Liveliness:  liveliness.node(int(p.QoS.Liveliness), version),
		Lease:       newTime(p.QoS.Lease),
	}
}

func (y *profileYAML) profile() Profile {
	h := history.value(y.History)
	p := Profile{HistoryUnknown: h == historyUnknown || h == 0}
	if !p.HistoryUnknown {
		p.QoS.History, p.QoS.Depth = pubsub.History(h), int(min(max(y.Depth, 0), math.MaxInt32))
	}
	p.QoS.Reliability = pubsub.Reliability(reliability.known(y.Reliability))
	p.QoS.Durability = pubsub.Durability(durability.known(y.Durability))
	p.QoS.Liveliness = pubsub.Liveliness(liveliness.known(y.Liveliness))
	p.QoS.Deadline, p.QoS.Lifespan, p.QoS.Lease = y.Deadline.duration(), y.Lifespan.duration(), y.Lease.duration()
	return p
}

func (p profilesYAML) list() []profileYAML {
	list := []profileYAML{}
	for _, profile := range p.profiles {
		list = append(list, profile.yaml(p.version))
	}
	return list
}

// text returns the list as a string, as the table of topics has it in all versions.
func (p profilesYAML) text() (string, error) {
	if len(p.profiles) == 0 && p.version < 9 {
		return "", nil
	}
	text, err := yaml.Marshal(p.list())
	return string(text), err
}

// MarshalYAML implements yaml.Marshaler.
func (p profilesYAML) MarshalYAML() (any, error) {
	if p.version < 9 {
		return p.text()
	}
	return p.list(), nil
}

// UnmarshalYAML implements yaml.Unmarshaler.
func (p *profilesYAML) UnmarshalYAML(n *yaml.Node) error {
	var list []profileYAML
	switch {
	case n.Kind == yaml.ScalarNode:
		profiles, err := parseProfiles(n.Value)
		p.profiles = profiles
		return err
	default:
		if err := n.Decode(&list); err != nil {
			return err
		}
	}
	p.profiles = profiles(list)
	return nil
}

// parseProfiles reads what text returns.
func parseProfiles(text string) ([]Profile, error) {
	var list []profileYAML
	if err := yaml.Unmarshal([]byte(text), &list); err != nil {
		return nil, fmt.Errorf("offered_qos_profiles: %w", err)
	}
	return profiles(list), nil
}

func profiles(list []profileYAML) []Profile {
	var all []Profile
	for i := range list {
		all = append(all, list[i].profile())
	}
	return all
}
