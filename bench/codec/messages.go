package codec

import (
	"fmt"

	"github.com/pinion-ros/pinion/cdr"
	"github.com/pinion-ros/pinion/msgs/builtin_interfaces"
	"github.com/pinion-ros/pinion/msgs/diagnostic_msgs"
	"github.com/pinion-ros/pinion/msgs/geometry_msgs"
	"github.com/pinion-ros/pinion/msgs/sensor_msgs"
	"github.com/pinion-ros/pinion/msgs/std_msgs"
	"github.com/pinion-ros/pinion/msgs/tf2_msgs"
	"github.com/pinion-ros/pinion/msgs/visualization_msgs"
)

// subject is a message whose codec is measured.
type subject struct {
	name    string
	message cdr.Message
	// read reads every element of the large sequences and returns something that depends on all of
	// them. It is nil where there are none.
	read func(cdr.Message) float64
}

// subjects returns the messages that are measured, small ones first.
func subjects() []subject {
	return []subject{
		{"Twist", &geometry_msgs.Twist{Linear: geometry_msgs.Vector3{X: 0.5}, Angular: geometry_msgs.Vector3{Z: 0.25}}, nil},
		{"Imu", imu(), nil},
		{"JointState", jointState(7), func(m cdr.Message) float64 {
			s := m.(*sensor_msgs.JointState)
			return sum(s.Position) + sum(s.Velocity) + sum(s.Effort)
		}},
		{"LaserScan", laserScan(1080), func(m cdr.Message) float64 {
			s := m.(*sensor_msgs.LaserScan)
			return sum(s.Ranges) + sum(s.Intensities)
		}},
		{"Image", image(1024, 1024), func(m cdr.Message) float64 { return sumBytes(m.(*sensor_msgs.Image).Data) }},
		{"PointCloud2", pointCloud(1 << 16), func(m cdr.Message) float64 { return sumBytes(m.(*sensor_msgs.PointCloud2).Data) }},
		{"DiagnosticArray", diagnostics(10, 10), nil},
		{"TFMessage", transforms(20), nil},
		{"InteractiveMarkerInit", interactiveMarkers(2, 3, 2), nil},
	}
}

func sum[T float32 | float64](values []T) float64 {
	total := 0.0
	for _, v := range values {
		total += float64(v)
	}
	return total
}

// sumBytes reads eight elements a turn, because the speed of a shorter loop depends on where in
// memory the compiler happens to place it.
func sumBytes(b []byte) float64 {
	total := uint64(0)
	for ; len(b) >= 8; b = b[8:] {
		total += uint64(b[0]) + uint64(b[1]) + uint64(b[2]) + uint64(b[3]) +
			uint64(b[4]) + uint64(b[5]) + uint64(b[6]) + uint64(b[7])
	}
	for _, v := range b {
		total += uint64(v)
	}
	return float64(total)
}

func header(frame string) std_msgs.Header {
	return std_msgs.Header{Stamp: builtin_interfaces.Time{Sec: 1700000000, Nanosec: 123456789}, FrameId: frame}
}

func ramp[T float32 | float64](n int) []T {
	values := make([]T, n)
	for i := range values {
		values[i] = T(i) / 4
	}
	return values
}

func counting(n int) []byte {
	values := make([]byte, n)
	for i := range values {
		values[i] = byte(i)
	}
	return values
}

func imu() *sensor_msgs.Imu {
	m := sensor_msgs.NewImu()
	m.Header = header("imu_link")
	m.LinearAcceleration.Z = 9.81
	copy(m.OrientationCovariance[:], ramp[float64](9))
	return m
}

func jointState(n int) *sensor_msgs.JointState {
	m := &sensor_msgs.JointState{Header: header("base_link"), Position: ramp[float64](n), Velocity: ramp[float64](n), Effort: ramp[float64](n)}
	for i := range n {
		m.Name = append(m.Name, fmt.Sprintf("panda_joint%d", i+1))
	}
	return m
}

func laserScan(n int) *sensor_msgs.LaserScan {
	return &sensor_msgs.LaserScan{Header: header("laser"), RangeMax: 30, Ranges: ramp[float32](n), Intensities: ramp[float32](n)}
}

func image(width, height int) *sensor_msgs.Image {
	return &sensor_msgs.Image{Header: header("camera"), Width: uint32(width), Height: uint32(height), Encoding: "mono8",
		Step: uint32(width), Data: counting(width * height)}
}

func pointCloud(points int) *sensor_msgs.PointCloud2 {
	m := &sensor_msgs.PointCloud2{Header: header("lidar"), Height: 1, Width: uint32(points), PointStep: 16, RowStep: uint32(16 * points),
		IsDense: true, Data: counting(16 * points)}
	for i, name := range []string{"x", "y", "z", "intensity"} {
		m.Fields = append(m.Fields, sensor_msgs.PointField{Name: name, Offset: uint32(4 * i), Datatype: sensor_msgs.PointField_FLOAT32, Count: 1})
	}
	return m
}

func diagnostics(statuses, values int) *diagnostic_msgs.DiagnosticArray {
	m := &diagnostic_msgs.DiagnosticArray{Header: header("")}
	for i := range statuses {
		s := diagnostic_msgs.DiagnosticStatus{Name: fmt.Sprintf("arm: motor controller %d", i), Message: "everything works", HardwareId: fmt.Sprintf("0000-%04d", i)}
		for j := range values {
			s.Values = append(s.Values, diagnostic_msgs.KeyValue{Key: fmt.Sprintf("temperature of sensor %d", j), Value: "42.25"})
		}
		m.Status = append(m.Status, s)
	}
	return m
}

func transforms(n int) *tf2_msgs.TFMessage {
	m := new(tf2_msgs.TFMessage)
	for i := range n {
		t := geometry_msgs.NewTransformStamped()
		t.Header = header(fmt.Sprintf("panda_link%d", i))
		t.ChildFrameId = fmt.Sprintf("panda_link%d", i+1)
		m.Transforms = append(m.Transforms, *t)
	}
	return m
}

// interactiveMarkers is a tree of messages six levels deep.
func interactiveMarkers(markers, controls, shapes int) *visualization_msgs.InteractiveMarkerInit {
	m := &visualization_msgs.InteractiveMarkerInit{ServerId: "/basic_controls", SeqNum: 1}
	for i := range markers {
		im := visualization_msgs.InteractiveMarker{Header: header("base_link"), Name: fmt.Sprintf("handle %d", i), Scale: 0.25,
			MenuEntries: []visualization_msgs.MenuEntry{{Id: 1, Title: "reset", Command: "reset"}}}
		for j := range controls {
			c := visualization_msgs.InteractiveMarkerControl{Name: fmt.Sprintf("move %d", j), AlwaysVisible: true}
			for range shapes {
				c.Markers = append(c.Markers, visualization_msgs.Marker{Header: header("base_link"), Ns: "handles",
					Points: make([]geometry_msgs.Point, 8), Colors: make([]std_msgs.ColorRGBA, 8)})
			}
			im.Controls = append(im.Controls, c)
		}
		m.Markers = append(m.Markers, im)
	}
	return m
}
