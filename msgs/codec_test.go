package msgs_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/pinion-ros/pinion/cdr"
	"github.com/pinion-ros/pinion/msgs/builtin_interfaces"
	"github.com/pinion-ros/pinion/msgs/geometry_msgs"
	"github.com/pinion-ros/pinion/msgs/rmw_dds_common"
	"github.com/pinion-ros/pinion/msgs/sensor_msgs"
	"github.com/pinion-ros/pinion/msgs/std_msgs"
	"github.com/pinion-ros/pinion/msgs/test_msgs"
)

// TestAllRegistered checks that the tests below reach every package.
func TestAllRegistered(t *testing.T) {
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	types := strings.Join(cdr.Types(), "\n")
	for _, e := range entries {
		if e.IsDir() && e.Name() != "testdata" && e.Name() != "humble" && !strings.Contains(types, e.Name()+"/") {
			t.Errorf("no type of %s is registered; does all_test.go import it?", e.Name())
		}
	}
}

// TestRandom checks for every type that random messages survive encoding and decoding.
func TestRandom(t *testing.T) {
	for _, name := range cdr.Types() {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			reused, _ := newMessage(t, name)
			for range 20 {
				checkRandom(t, r, name, reused)
			}
		})
	}
}

func checkRandom(t *testing.T, r *rand.Rand, name string, reused message) {
	want, schema := newMessage(t, name)
	fill(r, reflect.ValueOf(want).Elem(), schema)
	buf := bytes.Repeat([]byte{0xff}, cdr.Size(want))
	n, err := cdr.MarshalTo(buf, want)
	if err != nil || n != len(buf) {
		t.Fatalf("encoded %d of %d bytes: %v", n, len(buf), err)
	}
	again, err := cdr.Append([]byte("before"), want)
	if err != nil || !bytes.Equal(again[6:], buf) {
		t.Fatalf("%v: padding is not zero:\n%x\n%x", err, again[6:], buf)
	}
	for i, data := range [][]byte{buf, bigEndian(buf, schema)} {
		for mode, unmarshal := range modes {
			fresh, _ := newMessage(t, name)
			for _, got := range []message{fresh, reused} {
				if err := unmarshal(bytes.Clone(data), got); err != nil || !equal(got, want) {
					t.Fatalf("%s %d: %v\n got %v\nwant %v", mode, i, err, got, want)
				}
				if back, err := cdr.Marshal(got); err != nil || !bytes.Equal(back, buf) {
					t.Fatalf("%s %d: encoded again: %v\n got %x\nwant %x", mode, i, err, back, buf)
				}
			}
		}
	}
	checkMethods(t, want, buf)
}

// checkMethods checks the methods of a message whose encoding is payload.
func checkMethods(t *testing.T, m message, payload []byte) {
	c := clone(m)
	if !equal(c, m) {
		t.Fatalf("clone %v of %v", c, m)
	}
	if _, err := cdr.MarshalTo(make([]byte, len(payload)-1), m); !errors.Is(err, io.ErrShortBuffer) {
		t.Errorf("buffer short of one byte: %v", err)
	}
	m.Reset()
	if back, err := cdr.Marshal(c); err != nil || !bytes.Equal(back, payload) {
		t.Fatalf("the clone changed with the message: %v", err)
	}
	if v := reflect.ValueOf(m).Elem(); !v.IsZero() {
		t.Errorf("after Reset: %v", m)
	}
	m.SetDefaults()
	if !equal(m, m.CDRType().New()) {
		t.Errorf("after SetDefaults: %v", m)
	}
}

// TestHugeCounts gives sequences and strings lengths that the data does not have.
func TestHugeCounts(t *testing.T) {
	for _, v := range vectors(t) {
		for at := cdr.HeaderSize; at+4 <= len(v.payload); at += 4 {
			for _, n := range []uint32{1 << 31, 1<<32 - 1, 1 << 20} {
				data := bytes.Clone(v.payload)
				binary.LittleEndian.PutUint32(data[at:], n)
				for _, unmarshal := range modes {
					m, _ := newMessage(t, v.typ)
					checkBounded(t, v.typ, func() { _ = unmarshal(data, m) }, len(data))
				}
			}
		}
	}
}

// checkBounded fails if decoding allocates more than the size of the data warrants.
func checkBounded(t *testing.T, name string, decode func(), size int) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	decode()
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > uint64(200*size+1<<14) {
		t.Fatalf("%s: %d bytes allocated for %d bytes of data", name, n, size)
	}
}

// FuzzDecode decodes arbitrary data as the type that its first two bytes choose. What is accepted
// must encode to something that decodes to the same.
func FuzzDecode(f *testing.F) {
	names := cdr.Types()
	for _, v := range vectors(f) {
		for i, name := range names {
			if name == v.typ {
				f.Add(append([]byte{byte(i), byte(i >> 8)}, v.payload...))
			}
		}
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		if len(input) < 2 {
			return
		}
		name := names[int(binary.LittleEndian.Uint16(input))%len(names)]
		for _, unmarshal := range modes {
			m, _ := newMessage(t, name)
			if unmarshal(input[2:], m) != nil {
				continue
			}
			payload, err := cdr.Marshal(m)
			if err != nil {
				t.Fatalf("%s: decoded, but not encoded: %v", name, err)
			}
			again, _ := newMessage(t, name)
			if err := cdr.Unmarshal(payload, again); err != nil || !equal(again, m) {
				t.Fatalf("%s: %v\n got %v\nwant %v", name, err, again, m)
			}
		}
	})
}

// TestFieldPaths checks that errors lead to the field.
func TestFieldPaths(t *testing.T) {
	bounded := func(change func(*test_msgs.BoundedSequences)) cdr.Message {
		m := test_msgs.NewBoundedSequences()
		change(m)
		return m
	}
	encode := []struct {
		m     cdr.Message
		field string
	}{
		{bounded(func(m *test_msgs.BoundedSequences) { m.Int16Values = make([]int16, 4) }), "int16_values"},
		{bounded(func(m *test_msgs.BoundedSequences) { m.BasicTypesValues = make([]test_msgs.BasicTypes, 4) }), "basic_types_values"},
		{&test_msgs.Strings{BoundedStringValue: strings.Repeat("é", 23)}, "bounded_string_value"},
		{&test_msgs.MultiNested{UnboundedSequenceOfBoundedSequences: []test_msgs.BoundedSequences{{}, {BoolValues: make([]bool, 4)}}},
			"unbounded_sequence_of_bounded_sequences[1].bool_values"},
		{&test_msgs.WStrings{WstringValue: "a\xff"}, "wstring_value"},
		{&test_msgs.WStrings{ArrayOfWstrings: [3]string{2: "\xff"}}, "array_of_wstrings[2]"},
	}
	for _, c := range encode {
		_, err := cdr.Marshal(c.m)
		checkField(t, err, c.m.CDRType().Name, c.field)
	}

	// What exceeds bounds comes from types with the same members without them.
	decode := []struct {
		from, to cdr.Message
		field    string
	}{
		{&test_msgs.UnboundedSequences{BoolValues: make([]bool, 4)}, new(test_msgs.BoundedSequences), "bool_values"},
		{&test_msgs.UnboundedSequences{StringValues: make([]string, 4)}, new(test_msgs.BoundedSequences), "string_values"},
		{&test_msgs.UnboundedSequences{BasicTypesValues: make([]test_msgs.BasicTypes, 4)}, new(test_msgs.BoundedSequences), "basic_types_values"},
		{&std_msgs.String{Data: strings.Repeat("é", 257)}, new(rmw_dds_common.NodeEntitiesInfo), "node_namespace"},
	}
	for _, c := range decode {
		data, err := cdr.Marshal(c.from)
		if err != nil {
			t.Fatal(err)
		}
		err = cdr.Unmarshal(data, c.to)
		checkField(t, err, c.to.CDRType().Name, c.field)
		if !errors.Is(err, cdr.ErrBound) {
			t.Errorf("%v does not match ErrBound", err)
		}
	}

	joints, err := cdr.Marshal(&sensor_msgs.JointState{Name: []string{"a", "b", "c"}})
	if err != nil {
		t.Fatal(err)
	}
	bad := bytes.Clone(joints)
	bad[len(bad)-3*4-4+1] = 'x' // the NUL behind "c"
	checkField(t, cdr.Unmarshal(bad, new(sensor_msgs.JointState)), "sensor_msgs/msg/JointState", "name[2]")
	polygon := make([]byte, cdr.HeaderSize+4+30)
	polygon[1], polygon[4] = 1, 3
	checkField(t, cdr.Unmarshal(polygon, new(geometry_msgs.Polygon)), "geometry_msgs/msg/Polygon", "points")
}

func checkField(t *testing.T, err error, typ, field string) {
	t.Helper()
	var fault *cdr.Error
	if !errors.As(err, &fault) || fault.Type != typ || fault.Field != field {
		t.Errorf("%v; want a fault of %s in %s", err, field, typ)
	}
}

// TestViewThenCopy checks that copying never writes into what a view has aliased.
func TestViewThenCopy(t *testing.T) {
	payload := func(values ...float64) []byte {
		b, err := cdr.Marshal(&std_msgs.Float64MultiArray{Data: values})
		if err != nil {
			t.Fatal(err)
		}
		aligned := make([]byte, len(b)+4)[4:] // the body starts at a multiple of 8
		return aligned[:copy(aligned, b)]
	}
	var m std_msgs.Float64MultiArray
	for _, values := range [][]float64{{1, 2, 3}, {}, {4}, {5, 6, 7}, {8, 9}} {
		data := payload(10, 11, 12, 13)
		before := bytes.Clone(data)
		if err := cdr.UnmarshalView(data, &m); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := cdr.Unmarshal(payload(values...), &m); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(data, before) {
			t.Fatalf("decoding %v changed the data of the view", values)
		}
	}
}

// TestAllocations checks that what promises not to allocate does not.
func TestAllocations(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	joints := &sensor_msgs.JointState{
		Header: std_msgs.Header{FrameId: "base"}, Name: []string{"shoulder", "elbow"}, Position: []float64{1, 2},
	}
	messages := []cdr.Message{
		new(geometry_msgs.Twist), new(sensor_msgs.Imu), new(builtin_interfaces.Time), new(test_msgs.BasicTypes), joints,
	}
	for _, name := range cdr.Types() {
		m, schema := newMessage(t, name)
		if fixed(schema) {
			fill(r, reflect.ValueOf(m).Elem(), schema)
			messages = append(messages, m)
		}
	}
	for _, m := range messages {
		buf := make([]byte, cdr.Size(m))
		got := m.CDRType().New()
		run := map[string]func(){
			"Size":      func() { cdr.Size(m) },
			"MarshalTo": func() { _, _ = cdr.MarshalTo(buf, m) },
			"Unmarshal": func() { _ = cdr.Unmarshal(buf, got) },
			"View":      func() { _ = cdr.UnmarshalView(buf, got) },
		}
		for _, name := range []string{"Size", "MarshalTo", "Unmarshal", "View"} {
			if n := testing.AllocsPerRun(100, run[name]); n != 0 {
				t.Errorf("%s of %s: %v allocations", name, m.CDRType().Name, n)
			}
		}
	}
}

// fixed tells whether all messages of a type have the same size.
func fixed(s *cdr.Schema) bool {
	for i := range s.Fields {
		f := &s.Fields[i]
		if f.Form != 0 && f.Form != cdr.ArrayStep || f.Element == cdr.StringType || f.Element == cdr.WStringType ||
			f.Element == cdr.NestedType && !fixed(f.Nested) {
			return false
		}
	}
	return true
}
