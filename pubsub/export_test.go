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
	return loan.Write(time.Time{})
}

// NewDDSWriter creates a writer with DDS names in n's participant, which no node lists.
func NewDDSWriter(n *Node, topic, typeName, userData string) (*cyclone.Writer, error) {
	t, err := n.session.participant.NewTopic(topic, typeName)
	if err != nil {
		return nil, err
	}
	return t.NewWriter(cyclone.WriterConfig{QoS: cyclone.QoS{Depth: 1, UserData: userData}})
}
