package pubsub

import (
	"fmt"
	"time"

	"github.com/pinion-ros/pinion/cdr"
	"github.com/pinion-ros/pinion/internal/cyclone"
	"github.com/pinion-ros/pinion/msgs/rmw_dds_common"
)

// discoveryTopic is the DDS name of the topic on which each participant of ROS 2 lists its nodes
// with their endpoints (rmw_dds_common).
const discoveryTopic = "ros_discovery_info"

var discoveryType = (*rmw_dds_common.ParticipantEntitiesInfo)(nil).CDRType()

// A graphForm is how a ROS distribution writes GUIDs in its lists. It changed between Humble and
// Iron under one type name.
type graphForm int

const (
	newerForm  graphForm = 16 // a GUID
	humbleForm graphForm = 24 // a GUID and zeros
)

// formOf returns the form that a ROS distribution speaks.
func formOf(distro string) graphForm {
	switch distro {
	case "foxy", "galactic", "humble":
		return humbleForm
	}
	return newerForm
}

// detectForm tells the form of a list. The two cannot be confused: where Humble has the zeros behind
// the participant's GUID, a newer list has the number of nodes, and behind zero nodes it ends.
func detectForm(payload []byte) graphForm {
	const nodes, end = cdr.HeaderSize + 16, cdr.HeaderSize + 24
	if len(payload) < end+4 || [8]byte(payload[nodes:end]) != [8]byte{} {
		return newerForm
	}
	return humbleForm
}

// String names the option that selects the form.
func (f graphForm) String() string {
	if f == humbleForm {
		return `pubsub.WithDistro("humble") or ROS_DISTRO=humble`
	}
	return `pubsub.WithDistro("jazzy") or ROS_DISTRO=jazzy`
}

// entities is rmw_dds_common/msg/ParticipantEntitiesInfo in either form.
type entities struct {
	form        graphForm
	participant GUID
	nodes       []nodeEntities
}

// nodeEntities is rmw_dds_common/msg/NodeEntitiesInfo.
type nodeEntities struct {
	namespace, name  string
	readers, writers []GUID
}

// maxNodeText is the bound of a node's name and namespace in the definition.
const maxNodeText = 256

func (*entities) CDRType() *cdr.Type { return discoveryType }

func (m *entities) SizeCDR(off int) int {
	n := cdr.Align(off+int(m.form), 4) + 4
	for _, node := range m.nodes {
		n = cdr.Align(n, 4) + 5 + len(node.namespace)
		n = cdr.Align(n, 4) + 5 + len(node.name)
		for _, gids := range [][]GUID{node.readers, node.writers} {
			n = cdr.Align(n, 4) + 4 + len(gids)*int(m.form)
		}
	}
	return n - off
}

func (m *entities) EncodeCDR(e *cdr.Encoder) {
	m.putGID(e, m.participant)
	e.Count(len(m.nodes))
	for _, node := range m.nodes {
		if !e.CheckString("node_namespace", node.namespace, maxNodeText) || !e.CheckString("node_name", node.name, maxNodeText) {
			return
		}
		e.String(node.namespace)
		e.String(node.name)
		for _, gids := range [][]GUID{node.readers, node.writers} {
			e.Count(len(gids))
			for _, g := range gids {
				m.putGID(e, g)
			}
		}
	}
}

func (m *entities) putGID(e *cdr.Encoder, g GUID) {
	b := e.Fixed1(int(m.form))
	clear(b[copy(b, g[:]):])
}

func (m *entities) DecodeCDR(d *cdr.Decoder) {
	m.participant = m.gid(d, "gid")
	m.nodes = make([]nodeEntities, d.Count("node_entities_info_seq", cdr.Unbounded, 16))
	for i := range m.nodes {
		if m.nodes[i].decode(d, m); d.Failed() {
			d.InElement("node_entities_info_seq", i)
			return
		}
	}
}

func (n *nodeEntities) decode(d *cdr.Decoder, m *entities) {
	d.String("node_namespace", &n.namespace, maxNodeText)
	d.String("node_name", &n.name, maxNodeText)
	n.readers = m.gids(d, "reader_gid_seq")
	n.writers = m.gids(d, "writer_gid_seq")
}

func (m *entities) gids(d *cdr.Decoder, field string) []GUID {
	gids := make([]GUID, d.Count(field, cdr.Unbounded, int(m.form)))
	for i := range gids {
		gids[i] = m.gid(d, field)
	}
	return gids
}

func (m *entities) gid(d *cdr.Decoder, field string) (g GUID) {
	copy(g[:], d.Fixed1(field, int(m.form), ""))
	return g
}

// discoveryQoS is the QoS of the topic's writers; readers keep all.
func discoveryQoS(userData string) cyclone.QoS {
	return cyclone.QoS{
		Reliability: cyclone.Reliable,
		MaxBlocking: DefaultMaxBlocking,
		Durability:  cyclone.TransientLocal,
		History:     cyclone.KeepLast,
		Depth:       1,
		UserData:    userData,
	}
}

// A lister publishes the list of one participant.
type lister struct {
	form        graphForm
	participant GUID
	topic       *cyclone.Topic
	writer      *cyclone.Writer
}

// newLister starts with an empty list, so that the participant is known as one of ROS 2.
func newLister(p *cyclone.Participant, form graphForm) (*lister, error) {
	topic, err := p.NewTopic(discoveryTopic, MangleType(discoveryType.Name))
	if err != nil {
		return nil, err
	}
	writer, err := topic.NewWriter(cyclone.WriterConfig{QoS: discoveryQoS(typeHash(form, discoveryType.Name))})
	if err != nil {
		topic.Close()
		return nil, err
	}
	l := &lister{form, GUID(p.GUID()), topic, writer}
	if err := l.publish(nil); err != nil {
		l.close()
		return nil, err
	}
	return l, nil
}

func (l *lister) close() {
	l.writer.Close()
	l.topic.Close()
}

func (l *lister) publish(nodes []nodeEntities) error {
	m := &entities{l.form, l.participant, nodes}
	loan, err := l.writer.Reserve(cdr.Size(m))
	if err != nil {
		return fmt.Errorf("announce nodes: %w", err)
	}
	if _, err := cdr.MarshalTo(loan.Payload(), m); err != nil {
		loan.Discard()
		return fmt.Errorf("announce nodes: %w", err)
	}
	if err := loan.Write(time.Time{}, true); err != nil {
		return fmt.Errorf("announce nodes: %w", err)
	}
	return nil
}
