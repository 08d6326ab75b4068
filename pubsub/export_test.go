package pubsub

import "time"

// WriteDiscovery publishes data as the list of nodes of n's participant.
func WriteDiscovery(n *Node, data []byte) error {
	loan, err := n.session.announcer.lister.writer.Reserve(len(data))
	if err != nil {
		return err
	}
	copy(loan.Payload(), data)
	return loan.Write(time.Time{})
}
