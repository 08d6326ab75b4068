package dynamic_test

import (
	"bytes"
	"testing"

	"github.com/pinion-ros/pinion/cdr"
	"github.com/pinion-ros/pinion/cdr/dynamic"
	_ "github.com/pinion-ros/pinion/msgs/action_msgs"
	_ "github.com/pinion-ros/pinion/msgs/actionlib_msgs"
	_ "github.com/pinion-ros/pinion/msgs/builtin_interfaces"
	_ "github.com/pinion-ros/pinion/msgs/composition_interfaces"
	_ "github.com/pinion-ros/pinion/msgs/control_msgs"
	_ "github.com/pinion-ros/pinion/msgs/diagnostic_msgs"
	_ "github.com/pinion-ros/pinion/msgs/example_interfaces"
	_ "github.com/pinion-ros/pinion/msgs/geometry_msgs"
	_ "github.com/pinion-ros/pinion/msgs/lifecycle_msgs"
	_ "github.com/pinion-ros/pinion/msgs/nav_msgs"
	_ "github.com/pinion-ros/pinion/msgs/rcl_interfaces"
	_ "github.com/pinion-ros/pinion/msgs/rmw_dds_common"
	_ "github.com/pinion-ros/pinion/msgs/rosgraph_msgs"
	_ "github.com/pinion-ros/pinion/msgs/sensor_msgs"
	_ "github.com/pinion-ros/pinion/msgs/service_msgs"
	_ "github.com/pinion-ros/pinion/msgs/shape_msgs"
	_ "github.com/pinion-ros/pinion/msgs/statistics_msgs"
	_ "github.com/pinion-ros/pinion/msgs/std_msgs"
	_ "github.com/pinion-ros/pinion/msgs/std_srvs"
	_ "github.com/pinion-ros/pinion/msgs/stereo_msgs"
	_ "github.com/pinion-ros/pinion/msgs/test_msgs"
	_ "github.com/pinion-ros/pinion/msgs/tf2_msgs"
	_ "github.com/pinion-ros/pinion/msgs/trajectory_msgs"
	_ "github.com/pinion-ros/pinion/msgs/type_description_interfaces"
	_ "github.com/pinion-ros/pinion/msgs/unique_identifier_msgs"
	_ "github.com/pinion-ros/pinion/msgs/visualization_msgs"
)

// Every generated type against its dynamic form: defaults, hash, and random values there and back.
func TestGenerated(t *testing.T) {
	g := newGenerator(2)
	names := cdr.Types()
	if len(names) < 400 {
		t.Fatalf("only %d types are registered", len(names))
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			static := cdr.Lookup(name)
			typ, err := dynamic.TypeOf(static)
			if err != nil {
				t.Fatal(err)
			}
			if typ.CDR().Hash != static.Hash || typ.String() != name {
				t.Errorf("got %s %s, want %s %s", typ, typ.CDR().Hash, name, static.Hash)
			}
			same(t, static.New(), typ.New())
			for range 3 {
				compare(t, static, g.message(typ))
			}
		})
	}
}

// same checks that both messages encode and print alike.
func same(t *testing.T, a, b cdr.Message) {
	t.Helper()
	p, errA := cdr.Marshal(a)
	q, errB := cdr.Marshal(b)
	if errA != nil || errB != nil || !bytes.Equal(p, q) {
		t.Fatalf("%v %v\n%x\n%x\n%s\n%s", errA, errB, p, q, cdr.Text(a), cdr.Text(b))
	}
	if cdr.Text(a) != cdr.Text(b) {
		t.Fatalf("%s\n%s", cdr.Text(a), cdr.Text(b))
	}
}

// compare gives a generated message the values of m in two ways, and back.
func compare(t *testing.T, static *cdr.Type, m *dynamic.Message) {
	t.Helper()
	s := static.New()
	if err := dynamic.Convert(s, m); err != nil {
		t.Fatalf("%v\n%s", err, m)
	}
	same(t, s, m)
	back := m.Type().New()
	if err := dynamic.Convert(back, s); err != nil || !back.Equal(m) {
		t.Fatalf("%v\n%s, want\n%s", err, back, m)
	}
	text, err := cdr.AppendJSON(nil, s)
	if err != nil {
		t.Fatal(err)
	}
	read := static.New()
	if err := dynamic.UnmarshalJSON(text, read); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	same(t, read, m)
}
