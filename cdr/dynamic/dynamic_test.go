package dynamic_test

import (
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/pinion-ros/pinion/cdr"
	"github.com/pinion-ros/pinion/cdr/dynamic"
	"github.com/pinion-ros/pinion/msggen"
)

// compile returns the type of p/msg/Main, given as texts of .msg files by name.
func compile(t testing.TB, files map[string]string) *dynamic.Type {
	t.Helper()
	loader := msggen.NewLoader()
	for name, text := range files {
		if loader.Add("p/msg/"+name+".msg", []byte(text), "p") == nil {
			t.Fatalf("%s: %v", name, loader.Check())
		}
	}
	d, err := loader.Describe(msggen.TypeName{Package: "p", Kind: msggen.Msg, Name: "Main"})
	if err != nil {
		t.Fatal(err)
	}
	typ, err := dynamic.NewType(d)
	if err != nil {
		t.Fatal(err)
	}
	return typ
}

// allKinds has a field of every kind.
func allKinds(t testing.TB) *dynamic.Type {
	return compile(t, map[string]string{
		"Point": "float64 x\nfloat64 y 0.5\nstring<=3 tag \"ab\"\n",
		"Empty": "",
		"Main": `bool flag true
byte raw 7
char letter 65
int8 i8 -8
uint8 u8 8
int16 i16 -16
uint16 u16 16
int32 i32 -32
uint32 u32 32
int64 i64 -64
uint64 u64 18446744073709551615
float32 f32 0.1
float64 f64 -2.5e-7
string text "it's\t\"quoted\""
wstring wide "hé"
int16[3] fixed [1, 2, 3]
int32[<=4] bounded [5]
float32[] floats
bool[] flags [true, false]
string<=4[] names ["a, b", 'c"d']
wstring[2] wides ["x", "y"]
byte[2] raws [0, 255]
Point point
Point[2] pair
Point[<=3] few
Point[] many
Empty nothing
Empty[] voids
`})
}

func TestDefaults(t *testing.T) {
	m := allKinds(t).New()
	want := map[string]any{
		"flag": true, "raw": uint8(7), "letter": uint8(65), "i8": int8(-8), "u8": uint8(8), "i16": int16(-16),
		"u16": uint16(16), "i32": int32(-32), "u32": uint32(32), "i64": int64(-64), "u64": uint64(math.MaxUint64),
		"f32": float32(0.1), "f64": -2.5e-7, "text": "it's\t\"quoted\"", "wide": "hé", "fixed": []int16{1, 2, 3},
		"bounded": []int32{5}, "floats": []float32(nil), "flags": []bool{true, false}, "names": []string{"a, b", `c"d`},
		"wides": []string{"x", "y"}, "raws": []uint8{0, 255}, "point.x": 0.0, "point.y": 0.5, "pair[1].y": 0.5,
		"pair[0].tag": "ab", "few": []*dynamic.Message(nil), "fixed[2]": int16(3),
	}
	for path, value := range want {
		if got, err := m.Get(path); err != nil || !reflect.DeepEqual(got, value) {
			t.Errorf("%s: got %#v, %v, want %#v", path, got, err, value)
		}
	}
}

// A description may come from a program that writes defaults in a way of its own.
func TestForeignDefault(t *testing.T) {
	d := &cdr.TypeDescription{Type: cdr.StructDescription{Name: "p/msg/T", Fields: []cdr.FieldDescription{
		{Name: "a", Type: cdr.FieldType{ID: cdr.Int8Type}, Default: "many"},
		{Name: "b", Type: cdr.FieldType{ID: cdr.Int8Type + cdr.ArrayStep, Capacity: 2}, Default: "(1,"},
		{Name: "c", Type: cdr.FieldType{ID: cdr.StringType + cdr.UnboundedSequenceStep}, Default: `("a\`},
		{Name: "d", Type: cdr.FieldType{ID: cdr.Int8Type}, Default: "4"},
	}}}
	typ, err := dynamic.NewType(d)
	if err != nil {
		t.Fatal(err)
	}
	got, err := cdr.AppendJSON(nil, typ.New())
	if want := `{"a":0,"b":[0,0],"c":[],"d":4}`; err != nil || string(got) != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
}

func TestSet(t *testing.T) {
	typ := allKinds(t)
	point := typ.Nested("point")
	if point == nil || typ.Nested("flag") != nil || typ.Nested("none") != nil {
		t.Fatalf("Nested: %v", point)
	}
	tests := []struct {
		path  string
		value any
		want  any // after Set, the same as value where nil
	}{
		{"flag", false, nil},
		{"i8", int8(-128), nil},
		{"i8", 127, int8(127)},
		{"u64", uint64(math.MaxUint64), nil},
		{"u64", 5, uint64(5)},
		{"f32", 0.1, float32(0.1)},
		{"f64", 7, 7.0},
		{"f64", math.NaN(), nil},
		{"raw", 255, uint8(255)},
		{"text", "x", nil},
		{"fixed", []int16{7, 8, 9}, nil},
		{"fixed[1]", 5, int16(5)},
		{"names", []string{"p", "q"}, nil},
		{"names[1]", "r", nil},
		{"point.x", 2.5, nil},
		{"pair[1].tag", "abc", nil},
		{"many", []*dynamic.Message{point.New(), point.New()}, nil},
		{"many[1].x", 3.5, nil},
	}
	m := typ.New()
	for _, test := range tests {
		if err := m.Set(test.path, test.value); err != nil {
			t.Errorf("Set(%s, %v): %v", test.path, test.value, err)
			continue
		}
		want := test.want
		if want == nil {
			want = test.value
		}
		got, err := m.Get(test.path)
		if f, ok := got.(float64); ok && f != f {
			continue
		}
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %#v, %v, want %#v", test.path, got, err, want)
		}
	}
}

func TestSetFaults(t *testing.T) {
	typ := allKinds(t)
	point := typ.Nested("point")
	tests := []struct {
		path  string
		value any
		want  string // the error
	}{
		{"none", 1, `none: p/msg/Main has no field "none", its fields: flag, raw`},
		{"nothing.x", 1, `nothing.x: p/msg/Empty has no field "x", its fields: none`},
		{"i8", 128, "i8: 128 is outside the range of int8"},
		{"u8", -1, "u8: -1 is outside the range of uint8"},
		{"i8", 1.5, "i8: 1.5 is not an integer"},
		{"i8", true, "i8: a boolean is not int8"},
		{"i8", "1", "i8: a string is not int8"},
		{"i8", nil, "i8: null is not int8"},
		{"f32", 1e39, "f32: 1e+39 is outside the range of float32"},
		{"flag", 1, "flag: 1 is not true or false"},
		{"text", 1, "text: 1 is not a string"},
		{"text[0]", "x", "text[0]: not an array or sequence"},
		{"text.x", 1, "text.x: a string has no fields"},
		{"fixed", []int16{1}, "fixed: bound exceeded: 1 elements where the type has 3"},
		{"fixed", []int{1, 2, 3}, "fixed: a []int is not a []int16"},
		{"fixed[3]", 1, "fixed[3]: there is no element 3 of 3"},
		{"fixed[-1]", 1, `fixed[-1]: "[-1]" is no index`},
		{"fixed[1", 1, `fixed[1: "[1" is no index`},
		{"fixed[1][1]", 1, `is no index`},
		{"", 1, `p/msg/Main has no field ""`},
		{"bounded", make([]int32, 5), "bounded: bound exceeded: 5 elements, at most 4"},
		{"point.tag", "abcd", "point.tag: bound exceeded: string of 4 code points, at most 3"},
		{"many[0].x", 1, "many[0].x: there is no element 0 of 0"},
		{"many", []*dynamic.Message{nil}, "many[0]: invalid: nil where a message of p/msg/Point is wanted"},
		{"many", []*dynamic.Message{typ.New()}, "many[0]: invalid: a message of p/msg/Main where one of p/msg/Point is wanted"},
		{"point", typ.New(), "point: invalid: a message of p/msg/Main"},
		{"point", (*dynamic.Message)(nil), "point: invalid: nil"},
		{"point", point, "is not a message of p/msg/Point"},
	}
	m := typ.New()
	before := m.Clone()
	for _, test := range tests {
		err := m.Set(test.path, test.value)
		if !errors.As(err, new(*dynamic.FieldError)) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("Set(%q, %v): got error %v, want %q", test.path, test.value, err, test.want)
		}
	}
	if !m.Equal(before) {
		t.Error("a Set that failed changed the message")
	}
	for _, path := range []string{"none", "text.x", "many[0]", "flag[0]"} {
		if v, err := m.Get(path); !errors.As(err, new(*dynamic.FieldError)) {
			t.Errorf("Get(%s): got %v, %v", path, v, err)
		}
	}
}

func TestClone(t *testing.T) {
	typ := allKinds(t)
	m := typ.New()
	if err := m.Set("many", []*dynamic.Message{typ.Nested("many").New()}); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"i8", "fixed[0]", "bounded[0]", "point.x", "pair[0].x", "many[0].x"} {
		c := m.Clone()
		if !c.Equal(m) {
			t.Fatalf("the clone differs:\n%s\n%s", c, m)
		}
		if err := c.Set(path, 77); err != nil {
			t.Fatal(err)
		}
		if c.Equal(m) {
			t.Errorf("%s: equal after a change of the clone", path)
		}
	}
	m.SetDefaults()
	if !m.Equal(typ.New()) {
		t.Error("SetDefaults does not restore the defaults")
	}
}

func TestEqualFloats(t *testing.T) {
	typ := allKinds(t)
	a, b := typ.New(), typ.New()
	set := func(m *dynamic.Message, v float64) {
		if err := m.Set("f64", v); err != nil {
			t.Fatal(err)
		}
	}
	if set(a, math.NaN()); !a.Equal(a.Clone()) {
		t.Error("NaN differs from itself")
	}
	set(a, 0)
	if set(b, math.Copysign(0, -1)); a.Equal(b) {
		t.Error("0 equals -0")
	}
	if a.Equal(nil) || !(*dynamic.Message)(nil).Equal(nil) {
		t.Error("nil equals a message, or not itself")
	}
}

// What Get returns can be changed without Set, so encoding checks again.
func TestEncodeFaults(t *testing.T) {
	typ := allKinds(t)
	point := typ.Nested("many")
	slice := func(m *dynamic.Message, path string) []*dynamic.Message {
		v, err := m.Get(path)
		if err != nil {
			t.Fatal(err)
		}
		return v.([]*dynamic.Message)
	}
	tests := []struct {
		name string
		harm func(m *dynamic.Message)
		want string
	}{
		{"nil", func(m *dynamic.Message) { slice(m, "many")[1] = nil }, "p/msg/Main: many[1]: invalid: nil"},
		{"other type", func(m *dynamic.Message) { slice(m, "many")[0] = typ.New() }, "p/msg/Main: many[0]: invalid: a message of p/msg/Main"},
		{"long string", func(m *dynamic.Message) {
			v, err := m.Get("names")
			if err != nil {
				t.Fatal(err)
			}
			v.([]string)[1] = "\xff"
			if err := m.Set("wide", "\xff"); err != nil {
				t.Fatal(err)
			}
		}, "p/msg/Main: wide: invalid"},
	}
	for _, test := range tests {
		m := typ.New()
		if err := m.Set("many", []*dynamic.Message{point.New(), point.New()}); err != nil {
			t.Fatal(err)
		}
		test.harm(m)
		m = m.Clone()
		_, err := cdr.Marshal(m)
		if err == nil || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %q", test.name, err, test.want)
		}
		if text := m.String(); text != "<"+err.Error()+">" {
			t.Errorf("%s: String is %s", test.name, text)
		}
	}
}

func TestNewTypeWeight(t *testing.T) {
	d := &cdr.TypeDescription{
		Type: cdr.StructDescription{Name: "p/msg/T", Fields: []cdr.FieldDescription{
			{Name: "a", Type: cdr.FieldType{ID: cdr.NestedType + cdr.ArrayStep, Capacity: 1 << 24, Nested: "p/msg/U"}}}},
		Referenced: []cdr.StructDescription{{Name: "p/msg/U", Fields: []cdr.FieldDescription{
			{Name: "b", Type: cdr.FieldType{ID: cdr.BoolType}}}}},
	}
	if _, err := dynamic.NewType(d); !errors.Is(err, cdr.ErrInvalid) || !strings.Contains(err.Error(), "of memory") {
		t.Errorf("got %v", err)
	}
}

func TestTypeOf(t *testing.T) {
	typ := allKinds(t)
	again, err := dynamic.TypeOf(typ.CDR())
	if err != nil || again.String() != "p/msg/Main" || again.CDR().Hash != typ.CDR().Hash {
		t.Errorf("got %v, %v", again, err)
	}
	if typ.Nested("point").CDR().Hash == typ.CDR().Hash {
		t.Error("the nested type has the hash of the whole")
	}
	if _, err := dynamic.TypeOf(&cdr.Type{Name: "p/msg/T"}); !errors.Is(err, cdr.ErrInvalid) {
		t.Errorf("without description: %v", err)
	}
}
