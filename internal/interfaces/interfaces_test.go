package interfaces

import "testing"

// Where ROS_DISTRO is humble its types come first, and all others are still there.
func TestHumble(t *testing.T) {
	for distro, want := range map[string]int{"": 7, "jazzy": 7, "humble": 6} {
		f, err := NewFinder(nil, func(name string) string {
			if name == "ROS_DISTRO" {
				return distro
			}
			return ""
		})
		if err != nil {
			t.Fatal(err)
		}
		for name, fields := range map[string]int{"sensor_msgs/msg/Range": want, "sensor_msgs/msg/Imu": 7, "std_msgs/msg/Header": 2} {
			d, err := f.Describe(name)
			if err != nil || len(d.Type.Fields) != fields {
				t.Errorf("%s of %q: %+v, %v", name, distro, d, err)
			}
		}
	}
}
