package cyclone

import (
	"encoding/binary"
	"errors"
	"strings"
	"testing"
	"time"
)

// A text, then a number that is the key.
var textAndKey = []KeyStep{{Kind: KeyStrings, Count: 1}, {Kind: KeyNumbers, Key: 1, Width: 4, Count: 1}}

func keyed(text string, key uint32) []byte {
	b := binary.LittleEndian.AppendUint32([]byte{0, 1, 0, 0}, uint32(len(text)+1))
	b = append(append(b, text...), 0)
	for len(b)%4 != 0 {
		b = append(b, 0)
	}
	return binary.LittleEndian.AppendUint32(b, key)
}

func TestKeyed(t *testing.T) {
	d := newDomain(t, 31)
	p, err := d.NewParticipant("", nil)
	if err != nil {
		t.Fatal(err)
	}
	topic, err := p.NewTopic("rt/keyed", "pinion::test::dds_::Keyed_", textAndKey...)
	if err != nil {
		t.Fatal(err)
	}
	r, err := topic.NewReader(ReaderConfig{QoS: QoS{Reliability: Reliable, History: KeepLast, Depth: 1}})
	if err != nil {
		t.Fatal(err)
	}
	w, err := topic.NewWriter(WriterConfig{QoS: reliable})
	if err != nil {
		t.Fatal(err)
	}
	write := func(payload []byte, how func(Loan) error) error {
		loan, err := w.Reserve(len(payload))
		if err != nil {
			t.Fatal(err)
		}
		copy(loan.Payload(), payload)
		return how(loan)
	}
	data := func(l Loan) error { return l.Write(time.Time{}, true) }
	dispose := func(l Loan) error { return l.Dispose(time.Time{}, true) }
	unregister := func(l Loan) error { return l.Unregister(time.Time{}, true) }
	for _, text := range []string{"a", "bb", "ccccc"} {
		for key := range uint32(3) {
			if err := write(keyed(text, key), data); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := errors.Join(write(keyed("", 0), dispose), write(keyed("x", 1), unregister)); err != nil {
		t.Fatal(err)
	}
	samples := make([]Sample, MaxBatch)
	n, err := r.Take(samples)
	if err != nil {
		t.Fatal(err)
	}
	var messages, keys []byte
	for i := range samples[:n] {
		s := &samples[i]
		if payload := s.Payload(); payload != nil {
			if string(payload) != string(keyed("ccccc", uint32(len(messages)))) {
				t.Errorf("message % x", payload)
			}
			messages = append(messages, byte(s.State))
		} else {
			keys = append(keys, s.Key()...)
		}
		s.Release()
	}
	if string(messages) != string([]byte{Disposed, NoWriters, Alive}) {
		t.Errorf("instance states %v", messages)
	}
	if len(keys) != 0 { // the messages had not been taken, and tell the state
		t.Errorf("keys % x", keys)
	}
	if err := write(keyed("", 2), dispose); err != nil {
		t.Fatal(err)
	}
	if n, err := r.Take(samples[:1]); n != 1 || err != nil || samples[0].Payload() != nil || string(samples[0].Key()) != "\x00\x00\x00\x00\x00\x00\x00\x02"+strings.Repeat("\x00", 12) {
		t.Errorf("after the end of an instance: %d, %v, % x", n, err, samples[0].Key())
	}
	samples[0].Release()
	short := keyed("text", 1)
	for _, how := range []func(Loan) error{data, dispose, unregister} {
		if err := write(short[:len(short)-1], how); !errors.Is(err, ErrBadParameter) {
			t.Errorf("a message that ends before its key does: %v", err)
		}
	}
}
