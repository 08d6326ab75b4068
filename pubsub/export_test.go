package pubsub

import (
	"time"

	"github.com/pinion-ros/pinion/internal/cyclone"
)

// WriteDiscovery publishes data as the list of nodes of n's participant.
func WriteDiscovery(n *Node, data []byte) error {
	loan, err := n.session.announcer.lister.writer.Reserve(len(data))
	if err != nil {
		return err
	}
	copy(loan.Payload(), data)
	return loan.Write(time.Time{}, true)
}

// NewDDSWriter creates a writer with DDS names in n's participant, which no node lists.
func NewDDSWriter(n *Node, topic, typeName, userData string) (*cyclone.Writer, error) {
	t, err := n.session.participant.NewTopic(topic, typeName)
	if err != nil {
		return nil, err
	}
	return t.NewWriter(cyclone.WriterConfig{QoS: cyclone.QoS{Depth: 1, UserData: userData}})
}

// Written returns how many messages of a publisher with WithPublisherIntraProcess went to DDS.
func Written[T any](p *Publisher[T]) uint64 {
	p.s.intra.mu.Lock()
	defer p.s.intra.mu.Unlock()
	return p.s.intra.written
}

// IntraOnly tells whether all that p is matched with gets its messages without DDS.
func IntraOnly[T any](p *Publisher[T]) bool {
	i := p.s.intra
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.covered == i.matches.Load() && len(i.links) > 0
}

// KeyHash returns a function that finds the key hashes of messages of the type.
func KeyHash(n *Node, typeName string) (func([]byte) ([16]byte, bool), error) {
	t, err := n.session.participant.NewTopic("rt/"+typeName, MangleType(typeName), keyOf(typeName)...)
	if err != nil {
		return nil, err
	}
	return t.KeyHash, nil
}
