package topic

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/pinion-ros/pinion/pubsub"
)

// Info is a topic with its endpoints.
type Info struct {
	Name          string     `json:"name"`
	Types         []string   `json:"types"`
	Publishers    []Endpoint `json:"publishers"`
	Subscriptions []Endpoint `json:"subscriptions"`
}

// Endpoint is a publisher or subscription. Node is empty where no node lists it.
type Endpoint struct {
	Node      string `json:"node"`
	Namespace string `json:"namespace"`
	Type      string `json:"type"`
	TypeHash  string `json:"type_hash"`
	GID       string `json:"gid"`
	QoS       QoS    `json:"qos"`

	publisher bool
}

// QoS is a profile in the words of ROS 2. Durations are in nanoseconds, 0 is without end.
type QoS struct {
	Reliability string        `json:"reliability"`
	History     string        `json:"history"`
	Depth       int           `json:"depth"`
	Durability  string        `json:"durability"`
	Lifespan    time.Duration `json:"lifespan_ns"`
	Deadline    time.Duration `json:"deadline_ns"`
	Liveliness  string        `json:"liveliness"`
	Lease       time.Duration `json:"liveliness_lease_duration_ns"`
}

// NewInfo sums the endpoints of a topic up. Without endpoints the error matches ErrUnknown.
func NewInfo(topic string, endpoints []pubsub.EndpointInfo) (*Info, error) {
	if len(endpoints) == 0 {
		return nil, fmt.Errorf("topic %s: %w", topic, ErrUnknown)
	}
	i := &Info{Name: topic, Types: TypesOf(endpoints), Publishers: []Endpoint{}, Subscriptions: []Endpoint{}}
	for _, e := range endpoints {
		to := &i.Subscriptions
		if e.Publisher {
			to = &i.Publishers
		}
		*to = append(*to, newEndpoint(&e))
	}
	return i, nil
}

func newEndpoint(e *pubsub.EndpointInfo) Endpoint {
	return Endpoint{
		Node: e.Node, Namespace: e.Namespace, Type: e.Type, TypeHash: e.TypeHash, GID: gid(e.GUID),
		QoS: newQoS(e.QoS), publisher: e.Publisher,
	}
}

// newQoS returns a profile in the words of ROS 2.
func newQoS(q pubsub.QoS) QoS {
	return QoS{
		Reliability: word(q.Reliability), History: word(q.History), Depth: q.Depth, Durability: word(q.Durability),
		Lifespan: q.Lifespan, Deadline: q.Deadline, Liveliness: word(q.Liveliness), Lease: q.Lease,
	}
}

// word returns the name that ROS 2 has for a kind of a policy: "BEST_EFFORT".
func word(kind fmt.Stringer) string {
	return strings.ToUpper(strings.ReplaceAll(kind.String(), " ", "_"))
}

// gid returns a GUID as ROS 2 prints it: "01.0f.5c...".
func gid(g pubsub.GUID) string {
	var b strings.Builder
	for i, x := range g {
		if i > 0 {
			b.WriteByte('.')
		}
		fmt.Fprintf(&b, "%02x", x)
	}
	return b.String()
}

// Print writes the information as `ros2 topic info` does, with the endpoints if verbose.
func (i *Info) Print(w io.Writer, verbose bool) error {
	end := "\n"
	if verbose {
		end = "\n\n"
	}
	var b strings.Builder
	fmt.Fprint(&b, "Type: ", typeList(i.Types), end)
	for _, side := range [...]struct {
		name      string
		endpoints []Endpoint
	}{{"Publisher", i.Publishers}, {"Subscription", i.Subscriptions}} {
		fmt.Fprintf(&b, "%s count: %d%s", side.name, len(side.endpoints), end)
		if !verbose {
			continue
		}
		for _, e := range side.endpoints {
			e.print(&b)
			b.WriteString(end)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// typeList prints several types as a list of Python, which is what ROS 2 does.
func typeList(types []string) string {
	if len(types) == 1 {
		return types[0]
	}
	return "['" + strings.Join(types, "', '") + "']"
}

func (e *Endpoint) print(b *strings.Builder) {
	role := "SUBSCRIPTION"
	if e.publisher {
		role = "PUBLISHER"
	}
	fmt.Fprintf(b, "Node name: %s\nNode namespace: %s\n", known(e.Node, "_CREATED_BY_BARE_DDS_APP_"), known(e.Namespace, "_CREATED_BY_BARE_DDS_APP_"))
	fmt.Fprintf(b, "Topic type: %s\nTopic type hash: %s\n", e.Type, known(e.TypeHash, "INVALID"))
	fmt.Fprintf(b, "Endpoint type: %s\nGID: %s\nQoS profile:\n", role, e.GID)
	fmt.Fprintf(b, "  Reliability: %s\n  History (Depth): %s\n", e.QoS.Reliability, e.QoS.history())
	fmt.Fprintf(b, "  Durability: %s\n  Lifespan: %s\n", e.QoS.Durability, duration(e.QoS.Lifespan))
	fmt.Fprintf(b, "  Deadline: %s\n  Liveliness: %s\n", duration(e.QoS.Deadline), e.QoS.Liveliness)
	fmt.Fprintf(b, "  Liveliness lease duration: %s", duration(e.QoS.Lease))
}

func known(s, unknown string) string {
	if s == "" {
		return unknown
	}
	return s
}

func (q *QoS) history() string {
	if q.History == word(pubsub.KeepLast) {
		return fmt.Sprintf("%s (%d)", q.History, q.Depth)
	}
	return q.History
}

func duration(d time.Duration) string {
	if d == 0 {
		return "Infinite"
	}
	return fmt.Sprintf("%d nanoseconds", d)
}
