package pubsub

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/pinion-ros/pinion/internal/cyclone"
)

// NodeInfo is a node of the domain.
type NodeInfo struct {
	Name        string
	Namespace   string
	Enclave     string
	Participant GUID
}

// FullName returns namespace and name, "/left/arm_controller".
func (n NodeInfo) FullName() string { return joinName(n.Namespace, n.Name) }

// Hidden tells whether ROS 2 tools leave the node out unless asked: its name begins with an
// underscore, as do those that stand for a receive path.
func (n NodeInfo) Hidden() bool { return strings.HasPrefix(n.Name, "_") }

// TopicInfo is a topic or service with its types, of which there should be one.
type TopicInfo struct {
	Name  string
	Types []string
}

// EndpointInfo is a publisher or subscription, or one of those that a service consists of.
type EndpointInfo struct {
	// Name is that of the topic or service; a topic that is not of ROS 2 has its DDS name.
	Name string
	Role EndpointRole
	// Type is the ROS name of the message type, or the DDS name where it has no other.
	Type string
	// TypeHash is the type's RIHS01 hash, empty where the endpoint announces none, as in Humble.
	TypeHash  string
	Publisher bool // false for a subscription
	// Node and Namespace are empty where no node lists the endpoint.
	Node, Namespace string
	QoS             QoS
	GUID            GUID
	Participant     GUID
}

// FullNodeName returns the full name of the endpoint's node, or "" where it is unknown.
func (e EndpointInfo) FullNodeName() string {
	if e.Node == "" {
		return ""
	}
	return joinName(e.Namespace, e.Node)
}

// view runs f over the graph as it is now.
func (n *Node) view(f func(*graph)) error {
	if inDelivery() {
		return fmt.Errorf("look at the graph: %w", ErrInDelivery)
	}
	n.creating.RLock() // the graph stays in between
	defer n.creating.RUnlock()
	n.mu.Lock()
	closed := n.closed
	n.mu.Unlock()
	if closed {
		return fmt.Errorf("look at the graph of node %s: %w", n.FullName(), ErrClosed)
	}
	g := n.session.graph
	g.mu.Lock()
	defer g.mu.Unlock()
	g.update()
	f(g)
	return nil
}

// Nodes returns the nodes of the domain, hidden ones too, in the order of their full names. A name
// that several participants announce comes as often.
func (n *Node) Nodes() ([]NodeInfo, error) {
	var nodes []NodeInfo
	err := n.view(func(g *graph) {
		for id, p := range g.participants {
			for _, e := range p.nodes {
				nodes = append(nodes, NodeInfo{e.name, e.namespace, p.enclave, id})
			}
		}
	})
	slices.SortFunc(nodes, func(a, b NodeInfo) int {
		return cmp.Or(cmp.Compare(a.FullName(), b.FullName()), a.Participant.compare(b.Participant))
	})
	return nodes, err
}

// Topics returns the topics of the domain that have a publisher or subscription, in the order of
// their names. Names that are not valid in ROS 2, which others may announce, are left out, as nobody
// here can use them; of all else that comes from others, characters that are not printable are "?".
func (n *Node) Topics() ([]TopicInfo, error) {
	return n.topics(func(role EndpointRole) bool { return role == RoleTopic }, func(dds string) (string, bool) {
		name, _ := DemangleType(dds) // a foreign type keeps its name
		return name, true
	})
}

// Services returns the services of the domain, those that have only clients too, in the order of
// their names, see Topics.
func (n *Node) Services() ([]TopicInfo, error) {
	return n.topics(func(role EndpointRole) bool { return role == RoleRequest || role == RoleReply }, DemangleServiceType)
}

func (n *Node) topics(want func(EndpointRole) bool, demangle func(string) (string, bool)) ([]TopicInfo, error) {
	types := map[string]map[string]bool{}
	err := n.view(func(g *graph) {
		for _, e := range g.endpoints {
			name, role := Demangle(e.Topic)
			if !want(role) || ValidateFullTopicName(name) != nil {
				continue
			}
			typeName, ok := demangle(e.Type)
			if !ok {
				continue
			}
			if types[name] == nil {
				types[name] = map[string]bool{}
			}
			types[name][typeName] = true
		}
	})
	var topics []TopicInfo
	for _, name := range slices.Sorted(maps.Keys(types)) {
		topics = append(topics, TopicInfo{name, slices.Sorted(maps.Keys(types[name]))})
	}
	return topics, err
}

// Endpoints returns the publishers and subscriptions of a topic, whose name is expanded and remapped
// as ROS 2 does, of all processes: publishers first, in the order of their nodes' names.
func (n *Node) Endpoints(topic string) ([]EndpointInfo, error) {
	_, dds, err := n.resolve(topic)
	if err != nil {
		return nil, err
	}
	var endpoints []EndpointInfo
	err = n.view(func(g *graph) { endpoints = g.endpointsOf(dds) })
	return endpoints, err
}

// endpointsOf returns the endpoints of a DDS topic.
func (g *graph) endpointsOf(dds string) []EndpointInfo {
	owners := g.owners()
	var endpoints []EndpointInfo
	for _, e := range g.endpoints {
		if e.Topic == dds {
			endpoints = append(endpoints, e.info(owners))
		}
	}
	sortEndpoints(endpoints)
	return endpoints
}

// NodeEndpoints returns the publishers, subscriptions and parts of services of the node with the
// given full name, in the order of the names of their topics.
func (n *Node) NodeEndpoints(node string) ([]EndpointInfo, error) {
	var endpoints []EndpointInfo
	found := false
	err := n.view(func(g *graph) {
		owners := g.owners()
		for _, p := range g.participants {
			for _, e := range p.nodes {
				if joinName(e.namespace, e.name) == node {
					found = true
					for _, id := range slices.Concat(e.writers, e.readers) {
						if e := g.endpoints[id]; e != nil {
							endpoints = append(endpoints, e.info(owners))
						}
					}
				}
			}
		}
	})
	if err == nil && !found {
		err = fmt.Errorf("node %s: %w", node, ErrUnknownNode)
	}
	sortEndpoints(endpoints)
	return endpoints, err
}

func sortEndpoints(endpoints []EndpointInfo) {
	slices.SortFunc(endpoints, func(a, b EndpointInfo) int {
		publishers := 0
		if a.Publisher != b.Publisher {
			publishers = 1
			if a.Publisher {
				publishers = -1
			}
		}
		return cmp.Or(publishers, cmp.Compare(a.Name, b.Name), cmp.Compare(a.FullNodeName(), b.FullNodeName()), a.GUID.compare(b.GUID))
	})
}

// owners maps endpoints to the nodes that list them. The endpoint's own participant knows best,
// unless it calls the node by the hidden name of a receive path.
func (g *graph) owners() map[GUID]*nodeEntities {
	owners := map[GUID]*nodeEntities{}
	for id, p := range g.participants {
		for i := range p.nodes {
			n := &p.nodes[i]
			for _, e := range slices.Concat(n.readers, n.writers) {
				old := owners[e]
				visible := !strings.HasPrefix(n.name, "_")
				if old == nil || visible && (id == e.participant() || strings.HasPrefix(old.name, "_")) {
					owners[e] = n
				}
			}
		}
	}
	return owners
}

func (e *endpoint) info(owners map[GUID]*nodeEntities) EndpointInfo {
	info := EndpointInfo{
		TypeHash:    printable(parseUserData(e.QoS.UserData)["typehash"]),
		Publisher:   e.writer,
		QoS:         foundQoS(e.QoS),
		GUID:        GUID(e.GUID),
		Participant: GUID(e.Participant),
	}
	info.Name, info.Role = Demangle(e.Topic)
	info.Type, _ = DemangleType(e.Type)
	if n := owners[info.GUID]; n != nil {
		info.Node, info.Namespace = n.name, n.namespace
	}
	return info
}

// foundQoS translates what discovery tells.
func foundQoS(c cyclone.QoS) QoS {
	q := QoS{
		History: KeepLast, Depth: c.Depth, Reliability: Reliable, Durability: Volatile,
		Deadline: c.Deadline, Lifespan: c.Lifespan, Liveliness: Automatic, Lease: c.Lease,
	}
	if c.History == cyclone.KeepAll {
		q.History, q.Depth = KeepAll, 0
	}
	if c.Reliability == cyclone.BestEffort {
		q.Reliability = BestEffort
	}
	if c.Durability != cyclone.Volatile {
		q.Durability = TransientLocal
	}
	switch c.Liveliness {
	case cyclone.ManualByParticipant:
		q.Liveliness = ManualByNode
	case cyclone.ManualByTopic:
		q.Liveliness = ManualByTopic
	}
	return q
}

// ErrUnknownNode is returned where no participant announces a node of that name.
var ErrUnknownNode = errors.New("no such node in the domain")

// GraphChanged returns a channel that is closed with the next change of the graph. Get it before
// looking at the graph, so that no change is missed in between.
func (n *Node) GraphChanged() <-chan struct{} { return n.session.graph.nextChange() }

func (g *graph) nextChange() <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.changed == nil {
		g.changed = make(chan struct{})
	}
	changed := g.changed
	if g.closed {
		g.notify()
	}
	return changed
}

// settle looks at the graph until everything is there, but for a moment only. The list that names an
// endpoint's node comes after the endpoint itself.
func (g *graph) settle(look func() bool) {
	timeout := time.After(200 * time.Millisecond)
	for changed := g.nextChange(); !look(); changed = g.nextChange() {
		select {
		case <-changed:
		case <-timeout:
			return
		}
		if g.isClosed() {
			return
		}
	}
}

func (g *graph) isClosed() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.closed
}

// WaitForGraph blocks until ok, which is called after each change of the graph, returns true. It
// returns the error of ok or of ctx.
func (n *Node) WaitForGraph(ctx context.Context, ok func() (bool, error)) error {
	if inDelivery() {
		return fmt.Errorf("wait for the graph: %w", ErrInDelivery)
	}
	for {
		changed := n.GraphChanged()
		if done, err := ok(); done || err != nil {
			return err
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// WaitForNode blocks until a node with the full name is in the graph or ctx ends.
func (n *Node) WaitForNode(ctx context.Context, node string) error {
	if err := validatePath(FullNodeName, node, maxNamespace+1+maxNodeName); err != nil {
		return fmt.Errorf("wait for node %s: %w", node, err)
	}
	err := n.WaitForGraph(ctx, func() (bool, error) {
		nodes, err := n.Nodes()
		return slices.ContainsFunc(nodes, func(i NodeInfo) bool { return i.FullName() == node }), err
	})
	if err != nil {
		return fmt.Errorf("wait for node %s: %w", node, err)
	}
	return nil
}

// WaitForTopic blocks until the topic, whose name is expanded and remapped, has a publisher or
// subscription or ctx ends.
func (n *Node) WaitForTopic(ctx context.Context, topic string) error {
	err := n.WaitForGraph(ctx, func() (bool, error) {
		endpoints, err := n.Endpoints(topic)
		return len(endpoints) > 0, err
	})
	if err != nil {
		return fmt.Errorf("wait for topic %s: %w", topic, err)
	}
	return nil
}
