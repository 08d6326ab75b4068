package msgs_test

import (
	"fmt"
	"testing"

	"github.com/pinion-ros/pinion/cdr"
	"github.com/pinion-ros/pinion/msgs/diagnostic_msgs"
	"github.com/pinion-ros/pinion/msgs/geometry_msgs"
	"github.com/pinion-ros/pinion/msgs/sensor_msgs"
	"github.com/pinion-ros/pinion/msgs/std_msgs"
	"github.com/pinion-ros/pinion/msgs/test_msgs"
)

// benchmarkMessages returns the messages whose codecs are measured.
func benchmarkMessages() map[string]cdr.Message {
	header := std_msgs.Header{FrameId: "base_link"}
	joints := &sensor_msgs.JointState{Header: header, Position: make([]float64, 7), Velocity: make([]float64, 7), Effort: make([]float64, 7)}
	for i := range 7 {
		joints.Name = append(joints.Name, fmt.Sprintf("panda_joint%d", i+1))
	}
	cloud := &sensor_msgs.PointCloud2{Header: header, Height: 1, Width: 65536, PointStep: 16, RowStep: 1 << 20, Data: make([]byte, 1<<20)}
	for i, name := range []string{"x", "y", "z", "intensity"} {
		cloud.Fields = append(cloud.Fields, sensor_msgs.PointField{Name: name, Offset: uint32(4 * i), Datatype: sensor_msgs.PointField_FLOAT32, Count: 1})
	}
	status := &diagnostic_msgs.DiagnosticArray{Header: header}
	for i := range 10 {
		s := diagnostic_msgs.DiagnosticStatus{Name: fmt.Sprintf("controller %d", i), Message: "everything works", HardwareId: "0000-1111"}
		for j := range 10 {
			s.Values = append(s.Values, diagnostic_msgs.KeyValue{Key: fmt.Sprintf("temperature of motor %d", j), Value: "42.25"})
		}
		status.Status = append(status.Status, s)
	}
	nested := test_msgs.NewMultiNested()
	for range 4 {
		nested.UnboundedSequenceOfArrays = append(nested.UnboundedSequenceOfArrays, *test_msgs.NewArrays())
		nested.UnboundedSequenceOfUnboundedSequences = append(nested.UnboundedSequenceOfUnboundedSequences, *test_msgs.NewUnboundedSequences())
	}
	return map[string]cdr.Message{
		"Twist":       new(geometry_msgs.Twist),
		"Imu":         &sensor_msgs.Imu{Header: header},
		"JointState":  joints,
		"LaserScan":   &sensor_msgs.LaserScan{Header: header, Ranges: make([]float32, 1080), Intensities: make([]float32, 1080)},
		"Image":       &sensor_msgs.Image{Header: header, Encoding: "mono8", Height: 1024, Width: 1024, Step: 1024, Data: make([]byte, 1<<20)},
		"PointCloud2": cloud,
		"Strings":     status,
		"Nested":      nested,
	}
}

var benchmarkOrder = []string{"Twist", "Imu", "JointState", "LaserScan", "Image", "PointCloud2", "Strings", "Nested"}

// aligned returns the payload of m in memory that all of it can be viewed in.
func aligned(b *testing.B, m cdr.Message) []byte {
	data := make([]byte, cdr.Size(m)+4)[4:]
	if _, err := cdr.MarshalTo(data, m); err != nil {
		b.Fatal(err)
	}
	return data
}

func forEach(b *testing.B, run func(b *testing.B, m cdr.Message, data []byte)) {
	messages := benchmarkMessages()
	for _, name := range benchmarkOrder {
		b.Run(name, func(b *testing.B) {
			data := aligned(b, messages[name])
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			b.ResetTimer()
			run(b, messages[name], data)
		})
	}
}

// BenchmarkCopy copies the bytes of each message, to compare with.
func BenchmarkCopy(b *testing.B) {
	forEach(b, func(b *testing.B, _ cdr.Message, data []byte) {
		buf := make([]byte, len(data))
		for b.Loop() {
			copy(buf, data)
		}
	})
}

func BenchmarkMarshalTo(b *testing.B) {
	forEach(b, func(b *testing.B, m cdr.Message, data []byte) {
		buf := make([]byte, len(data))
		for b.Loop() {
			if _, err := cdr.MarshalTo(buf, m); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkSize(b *testing.B) {
	forEach(b, func(b *testing.B, m cdr.Message, _ []byte) {
		for b.Loop() {
			cdr.Size(m)
		}
	})
}

// BenchmarkUnmarshal decodes into the same message again and again.
func BenchmarkUnmarshal(b *testing.B) {
	forEach(b, func(b *testing.B, m cdr.Message, data []byte) {
		got := m.CDRType().New()
		for b.Loop() {
			if err := cdr.Unmarshal(data, got); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkUnmarshalView(b *testing.B) {
	forEach(b, func(b *testing.B, m cdr.Message, data []byte) {
		got := m.CDRType().New()
		for b.Loop() {
			if err := cdr.UnmarshalView(data, got); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkUnmarshalNew decodes each time into a new message.
func BenchmarkUnmarshalNew(b *testing.B) {
	forEach(b, func(b *testing.B, m cdr.Message, data []byte) {
		for b.Loop() {
			if err := cdr.Unmarshal(data, m.CDRType().New()); err != nil {
				b.Fatal(err)
			}
		}
	})
}
