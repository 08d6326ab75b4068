package yaml_test

import (
	"testing"

	"github.com/pinion-ros/pinion/cdr"
	"github.com/pinion-ros/pinion/cdr/dynamic"
	"github.com/pinion-ros/pinion/internal/yaml"
	"github.com/pinion-ros/pinion/msgs/sensor_msgs"
	"github.com/pinion-ros/pinion/msgs/test_msgs"
)

// FuzzParse reads any text as a message of several types.
func FuzzParse(f *testing.F) {
	var types []*dynamic.Type
	for _, m := range []cdr.Message{&test_msgs.BasicTypes{}, &test_msgs.UnboundedSequences{}, &sensor_msgs.JointState{}} {
		typ, err := dynamic.TypeOf(m.CDRType())
		if err != nil {
			f.Fatal(err)
		}
		types = append(types, typ)
		f.Add([]byte(cdr.Text(m)))
	}
	f.Add([]byte("name: [a, 'b', \"c\\t\"]\nheader: {stamp: {sec: 0x10}}\nposition: [.inf, -1.5e3]\n"))
	f.Add([]byte("byte_value: A\nfloat32_value: .nan\nbool_value: off\nint64_value: '-1'\n"))
	f.Add([]byte("basic_types_values: [&a {int8_value: 1}, *a]\nstring_values: [|\n  text\n, !!str 5]\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		n, err := yaml.Parse(text)
		if err != nil {
			return
		}
		for _, typ := range types {
			m, err := typ.FromNode(n)
			if err != nil {
				continue
			}
			payload, err := cdr.Marshal(m)
			if err != nil {
				t.Fatal(err)
			}
			back := typ.New()
			if err := cdr.Unmarshal(payload, back); err != nil || !back.Equal(m) {
				t.Errorf("%v\n%s, want\n%s", err, back, m)
			}
		}
	})
}
