package interop

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"github.com/pinion-ros/pinion/cdr"
	"github.com/pinion-ros/pinion/internal/keyed_msgs"
	"github.com/pinion-ros/pinion/msgs/std_msgs"
	"github.com/pinion-ros/pinion/pubsub"
)

// Kinds of entities (RTPS 2.2, 9.3.1.2).
const (
	keyedWriter, keylessWriter = 0x02, 0x03
	keyedReader, keylessReader = 0x07, 0x04
)

// Parts of messages (RTPS 2.2, 9.4.5).
const (
	dataSubmessage  = 0x15
	littleEndian    = 1
	hasQoS          = 2
	hasData, hasKey = 4, 8

	keyHash, statusInfo, sentinel = 0x70, 0x71, 1
)

// Endpoints with and without a key, messages and the ends of instances look on the wire as the
// protocol wants them.
func TestKeysOnTheWire(t *testing.T) {
	program, _ := cyclonePeer(t)
	peer := start(t, program)
	file := filepath.Join(t.TempDir(), "packets")
	d := domain
	d.Config = "<Tracing><PacketCaptureFile>" + file + "</PacketCaptureFile></Tracing>"
	node := get[*pubsub.Node](t)(pubsub.NewNode("wire", pubsub.WithDiscovery(d), pubsub.WithRosout(false)))
	keyed := get[*pubsub.Publisher[keyed_msgs.Sensor]](t)(pubsub.NewPublisher[keyed_msgs.Sensor](node, "keyed", keepAll))
	long := get[*pubsub.Publisher[keyed_msgs.Shelf]](t)(pubsub.NewPublisher[keyed_msgs.Shelf](node, "long", keepAll))
	keyless := get[*pubsub.Publisher[std_msgs.String]](t)(pubsub.NewPublisher[std_msgs.String](node, "keyless", keepAll))
	for guid, kind := range map[pubsub.GUID]byte{
		keyed.GUID(): keyedWriter, long.GUID(): keyedWriter, keyless.GUID(): keylessWriter,
		get[*pubsub.Subscription[keyed_msgs.Sensor]](t)(pubsub.NewSubscription[keyed_msgs.Sensor](node, "a", keepAll, nil)).GUID(): keyedReader,
		get[*pubsub.Subscription[std_msgs.String]](t)(pubsub.NewSubscription[std_msgs.String](node, "b", keepAll, nil)).GUID():     keylessReader,
	} {
		if guid[15] != kind {
			t.Errorf("%v is of the kind %#x, want %#x", guid, guid[15], kind)
		}
	}

	sensor := &keyed_msgs.Sensor{Room: 3, Number: -2, Value: 1}
	shelf := &keyed_msgs.Shelf{Ids: [2]uint64{1, 2}, Slot: keyed_msgs.Slot{Floor: 3, Number: 4}, Level: 5}
	text := &std_msgs.String{Data: "x"}
	for topic, m := range map[string]cdr.Message{"/keyed": sensor, "/long": shelf, "/keyless": text} {
		get[*Endpoint](t)(peer.Subscription(topic, m.CDRType(), keepAll))
	}
	ctx := timeout(t)
	check(t, keyed.WaitForSubscribers(ctx, 1))
	check(t, long.WaitForSubscribers(ctx, 1))
	check(t, keyless.WaitForSubscribers(ctx, 1))
	for _, err := range []error{
		keyed.Publish(sensor), keyed.Dispose(sensor), keyed.Unregister(sensor),
		long.Publish(shelf), long.Dispose(shelf), long.Unregister(shelf),
		keyless.Publish(text),
		keyed.WaitForAcknowledgements(ctx), long.WaitForAcknowledgements(ctx), keyless.WaitForAcknowledgements(ctx),
		node.Close(), // which completes the file
	} {
		check(t, err)
	}

	packets := get[[]byte](t)(os.ReadFile(file))
	for _, tt := range []struct {
		name  string
		guid  pubsub.GUID
		m     cdr.Message
		count int
	}{{"keyed", keyed.GUID(), sensor, 3}, {"long", long.GUID(), shelf, 3}, {"keyless", keyless.GUID(), text, 1}} {
		sent := dataOf(packets, tt.guid)
		if len(sent) != tt.count {
			t.Errorf("%s: %d Data submessages of %v, want %d", tt.name, len(sent), tt.guid, tt.count)
			continue
		}
		payload := get[[]byte](t)(cdr.Marshal(tt.m))
		if !bytes.HasPrefix(sent[0].payload, payload) || sent[0].flags&(hasData|hasKey) != hasData {
			t.Errorf("%s: message %+v, want % x", tt.name, sent[0], payload)
		}
		layout := tt.m.CDRType().Key
		if layout == nil {
			if hash := sent[0].qos[keyHash]; hash != nil {
				t.Errorf("%s: a message without a key has the hash % x", tt.name, hash)
			}
			continue
		}
		hash := get[[16]byte](t)(layout.Hash(payload))
		key := get[[]byte](t)(layout.AppendKey([]byte{0, 0, 0, 0}, payload, true))
		for n, s := range sent {
			if !bytes.Equal(s.qos[keyHash], hash[:]) {
				t.Errorf("%s: message %d has the key hash % x, want % x", tt.name, n, s.qos[keyHash], hash)
			}
			if n == 0 {
				continue
			}
			// Disposed, then unregistered (9.6.3.9).
			if status := []byte{0, 0, 0, byte(n)}; !bytes.Equal(s.qos[statusInfo], status) || s.flags&(hasData|hasKey) != hasKey {
				t.Errorf("%s: end of an instance %+v, want status % x", tt.name, s, status)
			}
			// Fast DDS takes what is not longer than a hash for one.
			if !bytes.HasPrefix(s.payload, key) || len(s.payload) <= len(hash) {
				t.Errorf("%s: serialized key % x, want % x", tt.name, s.payload, key)
			}
		}
	}
}

// A data is a Data submessage.
type data struct {
	flags   byte
	qos     map[uint16][]byte
	payload []byte
}

// dataOf finds the Data submessages of a publisher in captured packets, each once.
func dataOf(packets []byte, publisher pubsub.GUID) []data {
	var found []data
	for {
		_, packet, ok := bytes.Cut(packets, []byte("RTPS"))
		if !ok {
			return found
		}
		packets = packet
		if !bytes.HasPrefix(packet[4:], publisher[:12]) {
			continue
		}
		for b := packet[16:]; len(b) >= 4 && b[1]&littleEndian != 0; {
			n := int(binary.LittleEndian.Uint16(b[2:]))
			if 4+n > len(b) || n == 0 {
				break
			}
			if b[0] == dataSubmessage && bytes.Equal(b[12:16], publisher[12:]) {
				if s := b[20:24]; int(binary.LittleEndian.Uint32(s)) == len(found)+1 {
					found = append(found, newData(b[1], b[24:4+n]))
				}
			}
			b = b[4+n:]
		}
	}
}

func newData(flags byte, b []byte) data {
	d := data{flags: flags, qos: map[uint16][]byte{}}
	for flags&hasQoS != 0 {
		id, n := binary.LittleEndian.Uint16(b), binary.LittleEndian.Uint16(b[2:])
		if b = b[4:]; id == sentinel {
			break
		}
		d.qos[id], b = b[:n], b[n:]
	}
	d.payload = b
	return d
}
