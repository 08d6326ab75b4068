package dynamic_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/pinion-ros/pinion/cdr"
	"github.com/pinion-ros/pinion/cdr/dynamic"
	"github.com/pinion-ros/pinion/msgs/sensor_msgs"
	"github.com/pinion-ros/pinion/msgs/std_msgs"
)

func TestFromJSON(t *testing.T) {
	typ := allKinds(t)
	tests := []struct{ text, field, want string }{
		{`{"i64": 9223372036854775807}`, "i64", `"9223372036854775807"`},
		{`{"i64": "-9223372036854775808"}`, "i64", `"-9223372036854775808"`},
		{`{"u64": 18446744073709551615}`, "u64", `"18446744073709551615"`},
		{`{"u64": "0"}`, "u64", `"0"`},
		{`{"f64": "NaN"}`, "f64", `"NaN"`},
		{`{"f64": "-Infinity"}`, "f64", `"-Infinity"`},
		{`{"f64": "-0"}`, "f64", `"-0"`},
		{`{"f64": -0}`, "f64", `"-0"`},
		{`{"f64": -0.0e5}`, "f64", `"-0"`},
		{`{"f64": 1e21}`, "f64", `1e+21`},
		{`{"f64": 123456789012345680000}`, "f64", `123456789012345680000`},
		{`{"f64": 1e-7}`, "f64", `1e-7`},
		{`{"f64": 0.000001}`, "f64", `0.000001`},
		{`{"f64": 5e-324}`, "f64", `5e-324`},
		{`{"f64": -2e306}`, "f64", `-2e+306`},
		{`{"f64": 0.1}`, "f64", `0.1`},
		{`{"f32": 0.1}`, "f32", `0.1`},
		{`{"f32": 16777217}`, "f32", `16777216`},
		{`{"f32": 3.4028235e38}`, "f32", `3.4028235e+38`},
		{`{"text": "h\u00e9\n\ud83c\udf0d\u0001/\\\""}`, "text", `"h\u00e9\n\ud83c\udf0d\u0001/\\\""`},
		{`{"wide": "\u007f🌍"}`, "wide", `"\u007f\ud83c\udf0d"`},
		{`{"wide": "\ud83ca"}`, "wide", `"\ud83ca"`},
		{`{"wide": "\udf0d\ufffd"}`, "wide", `"\udf0d\ufffd"`},
		{`{"text": "\\ud83c\ud83c\ud83c\udf0d\uDF0D\"\ufffd"}`, "text", `"\\ud83c\ud83c\ud83c\udf0d\udf0d\"\ufffd"`},
		{` { "names" : [ "xy" , "" ] } `, "names", `["xy",""]`},
		{`{"names": []}`, "names", `[]`},
		{`{"raws": [1, 2]}`, "raws", `[1,2]`},
		{`{}`, "i8", `-8`},
		{`{"point": {}}`, "point", `{"x":0,"y":0.5,"tag":"ab"}`},
		{`{"many": [{"x": 1}]}`, "many", `[{"x":1,"y":0.5,"tag":"ab"}]`},
		{`{"nothing": {}}`, "nothing", `{}`},
		{`{"voids": [{}, {}]}`, "voids", `[{},{}]`},
	}
	for _, test := range tests {
		m, err := typ.FromJSON([]byte(test.text))
		if err != nil {
			t.Errorf("%s: %v", test.text, err)
			continue
		}
		got, err := cdr.AppendJSON(nil, m)
		if want := `"` + test.field + `":` + test.want; err != nil || !strings.Contains(string(got), want) {
			t.Errorf("%s: got %s, %v, want %s", test.text, got, err, want)
		}
		back, err := typ.FromJSON(got)
		if err != nil || !back.Equal(m) {
			t.Errorf("%s: %v\n%s, want\n%s", got, err, back, m)
		}
	}
}

func TestFromJSONFaults(t *testing.T) {
	typ := allKinds(t)
	tests := []struct{ text, want string }{
		{``, "line 1: unexpected EOF"},
		{`{"i8":`, "unexpected EOF"},
		{`{"i8": 1}}`, "more text"},
		{"{}\n {}", "line 2: more text"},
		{`{"i8": 1,}`, "invalid character"},
		{`{"i8" 1}`, "invalid character"},
		{`{i8: 1}`, "invalid character"},
		{`{"i8": 01}`, "invalid character"},
		{`{"i8": NaN}`, "invalid character"},
		{`[]`, "line 1: a list is not a mapping of the fields of p/msg/Main"},
		{`null`, "null is not a mapping"},
		{`"auto"`, `"auto" is not a mapping`},
		{"{\n\"none\": 1}", `line 2: p/msg/Main has no field "none", its fields: flag, raw`},
		{`{"point": {"z": 1}}`, `point: p/msg/Point has no field "z", its fields: x, y, tag`},
		{"{\"i8\": 1,\n\"i8\": 2}", "line 2: i8: the field occurs twice"},
		{`{"many": [{}, {"x": 1, "x": 1}]}`, "many[1].x: the field occurs twice"},
		{`{"i8": 128}`, "i8: 128 is outside the range of int8"},
		{`{"i8": -129}`, "i8: -129 is outside the range of int8"},
		{`{"raw": 256}`, "raw: 256 is outside the range of uint8"},
		{`{"raw": -1}`, "raw: -1 is outside the range of uint8"},
		{`{"raw": "A"}`, `raw: "A" is not uint8`},
		{`{"letter": "A"}`, `letter: "A" is not uint8`},
		{`{"u32": 4294967296}`, "outside the range of uint32"},
		{`{"i64": "9223372036854775808"}`, "outside the range of int64"},
		{`{"u64": "-1"}`, "outside the range of uint64"},
		{`{"u64": "0x10"}`, "is not an integer"},
		{`{"u64": ""}`, "is not an integer"},
		{`{"i8": 1.5}`, "i8: 1.5 is not an integer"},
		{`{"i8": 1.0}`, "i8: 1.0 is not an integer"},
		{`{"i8": 1e2}`, "i8: 1e2 is not an integer"},
		{`{"i8": "1"}`, `i8: "1" is not int8`},
		{`{"i8": null}`, "i8: null is not int8"},
		{`{"i8": [1]}`, "i8: a list is not int8"},
		{`{"i8": true}`, "i8: a boolean is not int8"},
		{`{"flag": 1}`, "flag: 1 is not true or false"},
		{`{"flag": "true"}`, `flag: "true" is not true or false`},
		{`{"f64": 1e400}`, "outside the range of float64"},
		{`{"f32": 3.5e38}`, "outside the range of float32"},
		{`{"f64": "1.5"}`, `f64: "1.5" is not float64`},
		{`{"f64": "nan"}`, `f64: "nan" is not float64`},
		{`{"f64": "Infinit"}`, "is not float64"},
		{`{"f64": false}`, "f64: a boolean is not float64"},
		{`{"text": 1}`, "text: 1 is not a string"},
		{`{"text": null}`, "text: null is not a string"},
		{`{"names": ["abcé", "abcéx"]}`, "names[1]: bound exceeded: string of 5 code points, at most 4"},
		{`{"names": "ab"}`, `names: "ab" is not a list`},
		{`{"names": {}}`, "names: a mapping is not a list"},
		{`{"fixed": [1, 2]}`, "fixed: bound exceeded: 2 elements where the type has 3"},
		{`{"fixed": [1, 2, 3, 4]}`, "fixed: bound exceeded"},
		{`{"fixed": [1, 2, "3"]}`, `fixed[2]: "3" is not int16`},
		{`{"bounded": [1, 2, 3, 4, 5]}`, "bounded: bound exceeded: 5 elements, at most 4"},
		{`{"few": [{}, {}, {}, {}]}`, "few: bound exceeded"},
		{"{\"many\": [{},\n{\"tag\": \"abcd\"}]}", "line 2: many[1].tag: bound exceeded"},
		{`{"point": null}`, "point: null is not a mapping of the fields of p/msg/Point"},
		{`{"point": "auto"}`, "is not a mapping"},
		{`{"nothing": {"structure_needs_at_least_one_member": 0}}`, "p/msg/Empty has no field"},
		{strings.Repeat(`[`, 1000), "nested more than"},
		{`{"point": ` + strings.Repeat(`{"x":`, 1000), "nested more than"},
	}
	for _, test := range tests {
		m, err := typ.FromJSON([]byte(test.text))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%.100s: got %v, %v, want %q", test.text, m, err, test.want)
		}
	}
}

func TestNow(t *testing.T) {
	typ, err := dynamic.TypeOf((&sensor_msgs.Imu{}).CDRType())
	if err != nil {
		t.Fatal(err)
	}
	word := func(field, text string) *dynamic.Node {
		return &dynamic.Node{Kind: dynamic.Map, Keys: []string{field}, Items: []dynamic.Node{{Kind: dynamic.Plain, Text: text}}}
	}
	now := dynamic.Now(time.Unix(1700000000, 999999999))
	header := func(n *dynamic.Node) *dynamic.Node {
		return &dynamic.Node{Kind: dynamic.Map, Keys: []string{"header"}, Items: []dynamic.Node{*n}}
	}
	for _, n := range []*dynamic.Node{word("header", "auto"), header(word("stamp", "now"))} {
		m, err := typ.FromNode(n, now)
		if err != nil {
			t.Errorf("%v: %v", n, err)
			continue
		}
		sec, _ := m.Get("header.stamp.sec")
		nanosec, _ := m.Get("header.stamp.nanosec")
		if sec != int32(1700000000) || nanosec != uint32(999999999) {
			t.Errorf("%v: got %v, %v", n, sec, nanosec)
		}
	}
	for _, n := range []*dynamic.Node{word("header", "now"), header(word("stamp", "auto")), word("orientation", "auto")} {
		if m, err := typ.FromNode(n, now); err == nil {
			t.Errorf("%v: got %v", n, m)
		}
	}
	if m, err := typ.FromNode(word("header", "auto")); err == nil {
		t.Errorf("auto without a time: got %v", m)
	}
}

func TestUnmarshalJSON(t *testing.T) {
	var h std_msgs.Header
	if err := dynamic.UnmarshalJSON([]byte(`{"frame_id": "map", "stamp": {"sec": 3}}`), &h); err != nil {
		t.Fatal(err)
	}
	if h.FrameId != "map" || h.Stamp.Sec != 3 {
		t.Errorf("got %+v", h)
	}
	if err := dynamic.UnmarshalJSON([]byte(`{"frame": "map"}`), &h); err == nil {
		t.Error("no error for an unknown field")
	}
	if err := dynamic.Convert(&h, &std_msgs.String{}); err == nil {
		t.Error("a String converts to a Header")
	}
}

// The bound of a wstring counts a surrogate without a partner as one code point, in text as in a payload.
func TestBoundOfWideText(t *testing.T) {
	typ := compile(t, map[string]string{"Main": "wstring<=2 wide"})
	for _, text := range []string{`"\ud83c!"`, `"\udf0d\ud83c"`, `"\ud83c\udf0d!"`} {
		m, err := typ.FromJSON([]byte(`{"wide": ` + text + `}`))
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		roundTrip(t, m, typ.New())
	}
	if m, err := typ.FromJSON([]byte(`{"wide": "\ud83c!!"}`)); !errors.Is(err, cdr.ErrBound) {
		t.Errorf("three code points: %v, %v", m, err)
	}
}
