package cyclone

import (
	"encoding/binary"
	"testing"
	"time"
)

// What comes out of packets is counted, and what of it is no sample of the type.
func TestSamplesAreCounted(t *testing.T) {
	here, there := newDomain(t, 1000), newDomain(t, 1001)
	numberAlone := []KeyStep{{Kind: KeyNumbers, Key: 1, Width: 4, Count: 1}}
	topic := func(d *Domain, steps []KeyStep) *Topic {
		p, err := d.NewParticipant("", nil)
		if err != nil {
			t.Fatal(err)
		}
		topic, err := p.NewTopic("rt/counted", "pinion::test::dds_::Counted_", steps...)
		if err != nil {
			t.Fatal(err)
		}
		return topic
	}
	r, err := topic(here, textAndKey).NewReader(ReaderConfig{QoS: reliable})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	config, wait := matched(t, reliable)
	w, err := topic(there, numberAlone).NewWriter(config)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	wait()
	reached, refused := Samples()
	const bad = 7
	for range bad {
		send(t, w, binary.LittleEndian.AppendUint32(nil, 0xffffffff)) // the length of a text that is not there
	}
	send(t, w, keyed("text", 1)[4:])
	for end := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		nowReached, nowRefused := Samples()
		nowReached, nowRefused = nowReached-reached, nowRefused-refused
		if nowReached == bad+1 && nowRefused == bad {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%d samples reached the type, which refused %d; want %d and %d", nowReached, nowRefused, bad+1, bad)
		}
	}
}
