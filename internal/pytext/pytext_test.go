package pytext

import (
	"math"
	"testing"

	"github.com/pinion-ros/pinion/cdr/dynamic"
	"github.com/pinion-ros/pinion/internal/interfaces"
	"github.com/pinion-ros/pinion/internal/yaml"
)

// message returns a message of one of the standard types.
func message(t *testing.T, typeName, values string) *dynamic.Message {
	t.Helper()
	f, err := interfaces.NewFinder(nil, func(string) string { return "" })
	if err != nil {
		t.Fatal(err)
	}
	typ, err := f.Message(typeName)
	if err != nil {
		t.Fatal(err)
	}
	n, err := yaml.Parse([]byte(values))
	if err != nil {
		t.Fatal(err)
	}
	m, err := typ.FromNode(n)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestRepr(t *testing.T) {
	for _, c := range []struct{ typ, values, want string }{
		{"std_msgs/msg/String", "data: foo", "std_msgs.msg.String(data='foo')"},
		{"std_msgs/msg/String", `data: "it's \"\\ \n \u0001 ü \u2028 \U0010ffff"`, `std_msgs.msg.String(data='it\'s "\\ \n \x01 ü \u2028 \U0010ffff')`},
		{"std_msgs/msg/String", `data: "it's"`, `std_msgs.msg.String(data="it's")`},
		{"std_msgs/msg/Empty", "{}", "std_msgs.msg.Empty()"},
		{"std_msgs/msg/Bool", "data: true", "std_msgs.msg.Bool(data=True)"},
		{"std_msgs/msg/Byte", "data: 50", "std_msgs.msg.Byte(data=b'2')"},
		{"std_msgs/msg/Float32", "data: 0.1", "std_msgs.msg.Float32(data=0.10000000149011612)"},
		{"std_msgs/msg/Float64", "data: 1e16", "std_msgs.msg.Float64(data=1e+16)"},
		{"std_msgs/msg/Float64", "data: 1e-5", "std_msgs.msg.Float64(data=1e-05)"},
		{"std_msgs/msg/Float64", "data: .nan", "std_msgs.msg.Float64(data=nan)"},
		{"std_msgs/msg/Float64", "data: -.inf", "std_msgs.msg.Float64(data=-inf)"},
		{"example_interfaces/srv/AddTwoInts_Request", "{a: 1, b: -2}", "example_interfaces.srv.AddTwoInts_Request(a=1, b=-2)"},
		{"geometry_msgs/msg/PointStamped", "{point: {x: 1}}",
			"geometry_msgs.msg.PointStamped(header=std_msgs.msg.Header(stamp=builtin_interfaces.msg.Time(sec=0, nanosec=0), frame_id=''), point=geometry_msgs.msg.Point(x=1.0, y=0.0, z=0.0))"},
		{"rcl_interfaces/msg/ParameterValue", "{bool_array_value: [true, false], byte_array_value: [1, 65], integer_array_value: [1, 2], string_array_value: [a, b]}",
			`rcl_interfaces.msg.ParameterValue(type=0, bool_value=False, integer_value=0, double_value=0.0, string_value='', byte_array_value=[b'\x01', b'A'], bool_array_value=[True, False], integer_array_value=[1, 2], double_array_value=[], string_array_value=['a', 'b'])`},
		{"unique_identifier_msgs/msg/UUID", "{uuid: [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16]}",
			"unique_identifier_msgs.msg.UUID(uuid=array([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16], dtype=uint8))"},
		{"geometry_msgs/msg/Polygon", "{points: [{x: 1}]}", "geometry_msgs.msg.Polygon(points=[geometry_msgs.msg.Point32(x=1.0, y=0.0, z=0.0)])"},
	} {
		if got := Repr(message(t, c.typ, c.values)); got != c.want {
			t.Errorf("%s %s:\ngot  %s\nwant %s", c.typ, c.values, got, c.want)
		}
	}
}

func TestStr(t *testing.T) {
	m := message(t, "rcl_interfaces/msg/ParameterValue", "{string_value: \"it's\", bool_value: true, byte_array_value: [65], integer_array_value: [1], string_array_value: [a]}")
	fields := m.Type().Schema().Fields
	want := []string{"0", "True", "0", "0.0", "it's", "[b'A']", "[]", "array('q', [1])", "array('d')", "['a']"}
	for i := range fields {
		if got := Str(value(m, &fields[i]), &fields[i], false); got != want[i] {
			t.Errorf("%s: got %s, want %s", fields[i].Name, got, want[i])
		}
	}
	if got := Str(int64(7), &fields[7], true); got != "7" {
		t.Errorf("an element: %s", got)
	}
	uuid := message(t, "unique_identifier_msgs/msg/UUID", "{}")
	f := &uuid.Type().Schema().Fields[0]
	if got := Str(value(uuid, f), f, false); got != "[0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0]" {
		t.Errorf("an array: %s", got)
	}
}

func TestCSV(t *testing.T) {
	all := CSV{Truncate: math.MaxInt}
	for _, c := range []struct {
		csv               CSV
		typ, values, want string
	}{
		{all, "test_msgs/msg/Defaults", "{}", "True,b'2',100,1.125,1.125,-50,200,-1000,2000,-30000,60000,-40000000,50000000"},
		{all, "std_msgs/msg/Header", "{stamp: {sec: 1}, frame_id: a}", "1,0,a"},
		{all, "std_msgs/msg/String", "{data: ''}", ""},
		{CSV{NoStrings: true, Truncate: 1}, "std_msgs/msg/Header", "{frame_id: üb}", "0,0,<string length: <2>>"},
		{CSV{Truncate: 1}, "std_msgs/msg/Header", "{frame_id: üb}", "0,0,ü..."},
		{CSV{Truncate: 2}, "sensor_msgs/msg/JointState", "{name: [a, b, abc], position: [1, 2], velocity: [1,2,3]}", "0,0,,a,b,...,1.0,2.0,1.0,2.0,...,"},
		{CSV{NoArrays: true, Truncate: 2}, "sensor_msgs/msg/JointState", "{name: [a], position: [1, 2]}",
			"0,0,,<sequence type: string, length: 1>,<sequence type: double, length: 2>,<sequence type: double, length: 0>,<sequence type: double, length: 0>"},
	} {
		if got := string(c.csv.Append(nil, message(t, c.typ, c.values))); got != c.want {
			t.Errorf("%s %s:\ngot  %s\nwant %s", c.typ, c.values, got, c.want)
		}
	}
}

func TestCSVFloat32(t *testing.T) {
	for _, c := range []struct{ values, want string }{
		{"[0.1, 1e15, 1e16]", "0.1,1000000000000000.0,1e+16"},
		{"[0.0001, 0.00010001, 1.5e-5]", "1e-04,0.00010001,1.5e-05"},
		{"[.nan, -.inf, -0.0]", "nan,-inf,-0.0"},
	} {
		m := message(t, "test_msgs/msg/Arrays", "{float32_values: "+c.values+"}")
		for i := range m.Type().Schema().Fields {
			f := &m.Type().Schema().Fields[i]
			if got := string(CSV{Truncate: 3}.AppendValue(nil, value(m, f), f)); f.Name == "float32_values" && got != c.want {
				t.Errorf("%s: got %s, want %s", c.values, got, c.want)
			}
		}
	}
}

func TestBytes(t *testing.T) {
	for in, want := range map[string]string{
		"a\x00\n\t\r\\\xff": `b'a\x00\n\t\r\\\xff'`,
		"'":                 `b"'"`,
		`'"`:                `b'\'"'`,
	} {
		if got := string(AppendBytes(nil, []byte(in))); got != want {
			t.Errorf("%q: got %s, want %s", in, got, want)
		}
	}
}
