package dynamic_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/pinion-ros/pinion/cdr"
	"github.com/pinion-ros/pinion/cdr/dynamic"
)

// FuzzDecode decodes any bytes as a message of a type that the seed picks.
func FuzzDecode(f *testing.F) {
	for seed := range uint64(20) {
		g := newGenerator(seed)
		typ, err := dynamic.NewType(g.description())
		if err != nil {
			f.Fatal(err)
		}
		payload, err := cdr.Marshal(g.message(typ))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(seed, payload)
		payload[1] = 0 // big endian
		f.Add(seed, payload)
	}
	f.Fuzz(func(t *testing.T, seed uint64, payload []byte) {
		typ, err := dynamic.NewType(newGenerator(seed).description())
		if err != nil {
			t.Fatal(err)
		}
		m := typ.New()
		if cdr.Unmarshal(payload, m) != nil {
			return
		}
		roundTrip(t, m, typ.New())
		if text, err := cdr.AppendJSON(nil, m); err != nil || !json.Valid(text) {
			t.Errorf("%v\n%s", err, text)
		}
		if text, err := cdr.AppendText(nil, m, cdr.FlowStyle(), cdr.TruncateLength(1)); err != nil {
			t.Errorf("%v\n%s", err, text)
		}
	})
}

// FuzzJSON reads any text as a message with all kinds of fields.
func FuzzJSON(f *testing.F) {
	typ := allKinds(f)
	g := newGenerator(3)
	f.Add([]byte(`{"flag":true,"i64":"-1","many":[{"x":1e3}],"nothing":{},"names":["\ud83c\udf0d"]}`))
	f.Add([]byte(`{"flag":null,"i8":1,"i8":2,"none":[{}]}`))
	for range 5 {
		text, err := cdr.AppendJSON(nil, g.message(typ))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := typ.FromJSON(text)
		if err != nil {
			return
		}
		roundTrip(t, m, typ.New())
		printed, err := cdr.AppendJSON(nil, m)
		if err != nil {
			t.Fatal(err)
		}
		if back, err := typ.FromJSON(printed); err != nil || !back.Equal(m) {
			t.Errorf("%v\n%s\n%s", err, printed, back)
		}
	})
}

// FuzzNewType builds types of any description.
func FuzzNewType(f *testing.F) {
	f.Add([]byte{3, 1, 0, 0, 11 + 48, 0, 3, 17, 0, 0, 0, 0, 0, 21 + 96, 0, 200})
	f.Add([]byte{2, 1, 1, 0, 0, 0, 0, 1, 0, 0})
	f.Add([]byte{1, 49, 1, 250, 49, 1, 250, 49, 2, 250, 49, 3, 250})
	f.Fuzz(func(t *testing.T, data []byte) {
		typ, err := dynamic.NewType(describe(data))
		if err != nil || typ.Schema().MinSize > 1<<20 {
			return // the large ones only take time
		}
		payload, err := cdr.Marshal(typ.New())
		if err != nil || len(payload) < cdr.HeaderSize+typ.Schema().MinSize {
			t.Errorf("%v: %x, at least %d bytes expected", err, payload, typ.Schema().MinSize)
		}
		back := typ.New()
		if err := cdr.Unmarshal(payload, back); err != nil || !back.Equal(typ.New()) {
			t.Errorf("%v\n%s", err, back)
		}
	})
}

// describe makes a description of bytes: the number of fields of the first struct, then three bytes
// a field, and so on.
func describe(data []byte) *cdr.TypeDescription {
	var all []cdr.StructDescription
	for len(data) > 0 && len(all) < 8 {
		s := cdr.StructDescription{Name: fmt.Sprintf("p/msg/T%d", len(all))}
		n := int(data[0] % 8)
		for data = data[1:]; n > 0 && len(data) >= 3; n, data = n-1, data[3:] {
			capacity := uint64(data[2])
			if capacity > 240 {
				capacity = 1 << (capacity - 240 + 20)
			}
			f := cdr.FieldDescription{Name: fmt.Sprintf("f%d", n), Default: fmt.Sprint(data[1])}
			f.Type = cdr.FieldType{ID: cdr.TypeID(data[0]), Capacity: capacity, StringCapacity: capacity}
			if f.Type.ID.Element() == cdr.NestedType {
				f.Type.Nested = fmt.Sprintf("p/msg/T%d", data[1]%8)
			}
			s.Fields = append(s.Fields, f)
		}
		all = append(all, s)
	}
	if len(all) == 0 {
		all = make([]cdr.StructDescription, 1)
	}
	return &cdr.TypeDescription{Type: all[0], Referenced: all[1:]}
}
