package dynamic_test

import (
	"bytes"
	"encoding/binary"
	"runtime"
	"testing"

	"github.com/pinion-ros/pinion/cdr"
	"github.com/pinion-ros/pinion/cdr/dynamic"
)

// roundTrip encodes m, decodes it in both ways into used and new messages, and encodes again.
func roundTrip(t *testing.T, m, used *dynamic.Message) []byte {
	t.Helper()
	payload, err := cdr.Marshal(m)
	if err != nil {
		t.Fatalf("%v\n%s", err, m)
	}
	for _, unmarshal := range []func([]byte, cdr.Message) error{cdr.Unmarshal, cdr.UnmarshalView} {
		for _, back := range []*dynamic.Message{m.Type().New(), used} {
			if err := unmarshal(payload, back); err != nil || !back.Equal(m) {
				t.Fatalf("decoded: %v\n%s, want\n%s", err, back, m)
			}
			again, err := cdr.Marshal(back)
			if err != nil || !bytes.Equal(again, payload) {
				t.Fatalf("encoded again: %v\n%x, want\n%x", err, again, payload)
			}
		}
	}
	return payload
}

func TestRoundTrip(t *testing.T) {
	g := newGenerator(1)
	for range 500 {
		typ, err := dynamic.NewType(g.description())
		if err != nil {
			t.Fatal(err)
		}
		used := typ.New()
		for range 5 {
			m := g.message(typ)
			payload := roundTrip(t, m, used)
			truncated(t, typ, payload)
			if !m.Clone().Equal(m) {
				t.Fatalf("the clone differs from\n%s", m)
			}
			text, err := cdr.AppendJSON(nil, m)
			if err != nil {
				t.Fatal(err)
			}
			back, err := typ.FromJSON(text)
			if err != nil || !back.Equal(m) {
				t.Fatalf("%v\n%s\n%s, want\n%s", err, text, back, m)
			}
		}
	}
}

// truncated checks that no shorter payload decodes.
func truncated(t *testing.T, typ *dynamic.Type, payload []byte) {
	t.Helper()
	for n := range payload {
		if err := cdr.Unmarshal(payload[:n], typ.New()); err == nil {
			t.Fatalf("%d of %d bytes decode:\n%x", n, len(payload), payload)
		}
	}
}

// A count is checked against the data that is left before memory is taken for the elements.
func TestDecodeLimits(t *testing.T) {
	typ := allKinds(t)
	for _, f := range typ.Schema().Fields {
		if f.Form == 0 || f.Form == cdr.ArrayStep {
			continue
		}
		only := cdr.StructDescription{Name: "p/msg/Only"}
		for _, d := range typ.CDR().Describe().Type.Fields {
			if d.Name == f.Name {
				only.Fields = append(only.Fields, d)
			}
		}
		single, err := dynamic.NewType(&cdr.TypeDescription{Type: only, Referenced: typ.CDR().Describe().Referenced})
		if err != nil {
			t.Fatal(err)
		}
		for _, count := range []uint32{100, 1 << 28, 1<<32 - 1} {
			payload := binary.LittleEndian.AppendUint32([]byte{0, 1, 0, 0}, count)
			payload = append(payload, make([]byte, 64)...)
			m := single.New()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			if err := cdr.Unmarshal(payload, m); err == nil {
				t.Errorf("%s: %d elements in 64 bytes decode", f.Name, count)
			}
			runtime.ReadMemStats(&after)
			if n := after.TotalAlloc - before.TotalAlloc; n > 64<<10 {
				t.Errorf("%s: %d elements in 64 bytes take %d bytes of memory", f.Name, count, n)
			}
		}
	}
}
