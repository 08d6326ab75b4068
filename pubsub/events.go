package pubsub

import (
	"cmp"
	"slices"

	"github.com/pinion-ros/pinion/internal/cyclone"
	"go.uber.org/zap"
)

// PublisherEvents are functions to be called when something happens to a publisher; nil ones are
// left out. They run one at a time on a goroutine that serves all nodes of the domain, in the order
// of the events, of which those of one kind that happen meanwhile are told as one. They may do
// everything, closing included, and should be quick.
type PublisherEvents struct {
	Matched          func(MatchedEvent)          // a subscription came or went
	IncompatibleQoS  func(IncompatibleQoSEvent)  // a subscription asks for more than is offered
	IncompatibleType func(IncompatibleTypeEvent) // a subscription of the topic has another type
	DeadlineMissed   func(CountEvent)            // the publisher did not keep its deadline
	LivelinessLost   func(CountEvent)            // the publisher did not show that it is alive
}

// SubscriptionEvents are functions to be called when something happens to a subscription, see
// PublisherEvents.
type SubscriptionEvents struct {
	Matched           func(MatchedEvent)           // a publisher came or went
	IncompatibleQoS   func(IncompatibleQoSEvent)   // a publisher offers less than is asked for
	IncompatibleType  func(IncompatibleTypeEvent)  // a publisher of the topic has another type
	DeadlineMissed    func(CountEvent)             // no message came within the deadline
	LivelinessChanged func(LivelinessChangedEvent) // a publisher is not alive any more, or again
	MessageLost       func(MessageLostEvent)       // messages were lost, or overwritten before they were taken
}

// MatchedEvent tells that peers came or went.
type MatchedEvent struct {
	Total, Current             int  // since creation, and now
	TotalChange, CurrentChange int  // since the last event
	Peer                       GUID // of the last one, zero if it is gone
}

// IncompatibleQoSEvent tells that peers were found whose QoS does not fit.
type IncompatibleQoSEvent struct {
	Total, Change int    // since creation, and since the last event
	Policy        string // that the last one failed for: "RELIABILITY", "DURABILITY", ...
}

// IncompatibleTypeEvent tells that endpoints at the other end of the topic have another type, or the
// same type by another definition.
type IncompatibleTypeEvent struct {
	Total, Change int // since creation, and since the last event
	// Peer is the last one, zero if it is gone. Its node is empty where the graph does not tell yet.
	Peer EndpointInfo
}

// CountEvent tells that something happened.
type CountEvent struct {
	Total, Change int // since creation, and since the last event
}

// LivelinessChangedEvent tells how many publishers are alive, and how many are not but still known.
type LivelinessChangedEvent struct {
	Alive, NotAlive             int
	AliveChange, NotAliveChange int // since the last event
}

// MessageLostEvent tells that messages will not be seen, see ReceiverStats.
type MessageLostEvent struct {
	Lost, Overwritten uint64 // since creation
	Change            int    // of both together since the last event
}

// EventCounts tells what has happened to a publisher or subscription since it was created.
type EventCounts struct {
	Matched          int // peers that came
	MatchedNow       int
	IncompatibleQoS  int
	Policy           string // of the last case of IncompatibleQoS
	IncompatibleType int
	DeadlineMissed   int
	LivelinessLost   int // of publishers
	Alive, NotAlive  int // of subscriptions: publishers now
}

func (b *eventBox) counts() EventCounts {
	c := EventCounts{
		Matched:          int(b.status(cyclone.Matched).Total),
		MatchedNow:       int(b.status(cyclone.Matched).Current),
		IncompatibleQoS:  int(b.status(cyclone.IncompatibleQoS).Total),
		IncompatibleType: int(b.status(incompatibleType).Total),
		DeadlineMissed:   int(b.status(cyclone.DeadlineMissed).Total),
		LivelinessLost:   int(b.status(cyclone.LivelinessLost).Total),
		Alive:            int(b.status(cyclone.LivelinessChanged).Total),
		NotAlive:         int(b.status(cyclone.LivelinessChanged).Current),
	}
	if c.IncompatibleQoS > 0 {
		c.Policy = cyclone.PolicyName(b.status(cyclone.IncompatibleQoS).Policy)
	}
	return c
}

// endpointEvents is what publishers and subscriptions have in common when something happens to them.
type endpointEvents struct {
	node     *Node
	topic    string
	typeName string
	ddsTopic string
	writer   bool
	qos      QoS

	matched          func(MatchedEvent)
	incompatibleQoS  func(IncompatibleQoSEvent)
	incompatibleType func(IncompatibleTypeEvent)
	deadlineMissed   func(CountEvent)

	qosSuspects, typeSuspects suspects
}

// handle deals with an event; peer finds the GUID of a matched peer.
func (e *endpointEvents) handle(ev cyclone.Event, peer func(uint64) cyclone.GUID) {
	switch ev.Kind {
	case cyclone.Matched:
		call(e.matched, MatchedEvent{int(ev.Total), int(ev.Current), int(ev.Change), int(ev.CurrentChange), GUID(peer(ev.Peer))})
	case cyclone.IncompatibleQoS:
		policy := cyclone.PolicyName(ev.Policy)
		call(e.incompatibleQoS, IncompatibleQoSEvent{int(ev.Total), int(ev.Change), policy})
		e.warnQoS(policy, ev)
	case incompatibleType:
		call(e.incompatibleType, IncompatibleTypeEvent{int(ev.Total), int(ev.Change), e.node.session.graph.endpoint(ev.Peer)})
		e.warnType(ev)
	case cyclone.DeadlineMissed:
		call(e.deadlineMissed, CountEvent{int(ev.Total), int(ev.Change)})
	}
}

func call[E any](f func(E), e E) {
	if f != nil {
		f(e)
	}
}

// warnQoS names the peers, as the event does not.
func (e *endpointEvents) warnQoS(policy string, ev cyclone.Event) {
	var nodes []string
	g := e.node.session.graph
	g.settle(func() bool {
		nodes = nodes[:0]
		named := true
		for _, p := range g.peers(e.ddsTopic, !e.writer) {
			offered, requested := e.qos, p.QoS
			if !e.writer {
				offered, requested = requested, offered
			}
			if len(incompatible(offered, requested)) > 0 {
				nodes = append(nodes, p.owner())
				named = named && p.Node != ""
			}
		}
		return named
	})
	if !e.qosSuspects.tell(uint64(ev.Total), uint64(ev.Change), nodes...) {
		return
	}
	text := "a publisher's QoS does not satisfy the subscription: no messages from it"
	if e.writer {
		text = "a subscription's QoS asks for more than the publisher offers: no messages for it"
	}
	e.node.log.Warn(text, zap.String("topic", e.topic), zap.String("policy", policy), zap.Strings("nodes", nodes), zap.Uint32("total", ev.Total))
}

// warnType tells of each process of such peers once.
func (e *endpointEvents) warnType(ev cyclone.Event) {
	g := e.node.session.graph
	peer := g.endpoint(ev.Peer)
	source := peer.GUID.participant()
	if peer.GUID == (GUID{}) || !e.typeSuspects.tell(uint64(ev.Total), uint64(ev.Change), string(source[:])) {
		return // gone, or nothing new
	}
	g.settle(func() bool {
		if now := g.endpoint(ev.Peer); now.GUID != (GUID{}) {
			peer = now
			return peer.Node != ""
		}
		return true
	})
	text := "a publisher of the topic has another type: no messages from it"
	switch {
	case peer.Type == e.typeName && e.writer:
		text = "a subscription of the topic defines the type differently: it may misread messages"
	case peer.Type == e.typeName:
		text = "a publisher of the topic defines the type differently: its messages may be malformed, or misread"
	case e.writer:
		text = "a subscription of the topic has another type: no messages for it"
	}
	e.node.log.Warn(text, zap.String("topic", e.topic), zap.String("type", peer.Type), zap.String("hash", peer.TypeHash),
		zap.String("node", peer.owner()), zap.Uint32("total", ev.Total))
}

// owner returns the name of the endpoint's node or, where no node lists it, the endpoint's GUID.
func (e EndpointInfo) owner() string { return cmp.Or(e.FullNodeName(), e.GUID.String()) }

// endpoint returns the endpoint that an event names.
func (g *graph) endpoint(handle uint64) EndpointInfo {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.refresh()
	if e := g.endpoints[g.handles[handle]]; e != nil {
		return e.info(g.owners())
	}
	return EndpointInfo{}
}

// peers returns the publishers or the subscriptions of a DDS topic.
func (g *graph) peers(dds string, publishers bool) []EndpointInfo {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.refresh()
	return slices.DeleteFunc(g.endpointsOf(dds), func(e EndpointInfo) bool { return e.Publisher != publishers })
}
