package topic

import (
	"strings"
	"testing"

	"github.com/pinion-ros/pinion/cdr"
	"github.com/pinion-ros/pinion/internal/interfaces"
)

func TestField(t *testing.T) {
	finder, err := interfaces.NewFinder(nil, func(string) string { return "" })
	if err != nil {
		t.Fatal(err)
	}
	typ, err := finder.Message("trajectory_msgs/msg/JointTrajectory")
	if err != nil {
		t.Fatal(err)
	}
	m, err := typ.FromJSON([]byte(`{"header":{"frame_id":"a"},"joint_names":["x","y"],"points":[{"positions":[1,2.5]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	text, err := cdr.AppendJSON(nil, m)
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"header.frame_id":        `"a"`,
		"header.stamp":           `{"sec":0,"nanosec":0}`,
		"joint_names":            `["x","y"]`,
		"joint_names[1]":         `"y"`,
		"points[0].positions":    `[1,2.5]`,
		"points[0].positions[1]": `2.5`,
	} {
		f, err := findField(typ.Schema(), path)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		if got, err := f.json(text); err != nil || string(got) != want {
			t.Errorf("%s: %s, %v, want %s", path, got, err, want)
		}
	}
	for path, want := range map[string]string{
		"":                   "no field",
		"header.":            "no field",
		"points.positions":   "points holds no fields",
		"joint_names[1].x":   "joint_names holds no fields",
		"joint_names[x]":     "no element",
		"joint_names[-1]":    "no element",
		"joint_names[1":      "no element",
		"joint_names[1][2]":  "no element",
		"header[0]":          "no element",
		"header.frame_id.xx": "frame_id holds no fields",
	} {
		if _, err := findField(typ.Schema(), path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q in it", path, err, want)
		}
	}
	f, err := findField(typ.Schema(), "points[3]")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.json(text); err == nil {
		t.Error("points[3] is found")
	}
}
