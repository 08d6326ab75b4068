package humble_test

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"testing"

	"github.com/pinion-ros/pinion/cdr"
	"github.com/pinion-ros/pinion/msgs/humble/control_msgs"
	old "github.com/pinion-ros/pinion/msgs/humble/sensor_msgs"
	"github.com/pinion-ros/pinion/msgs/sensor_msgs"
	"github.com/pinion-ros/pinion/msgs/std_msgs"
	"github.com/pinion-ros/pinion/msgs/trajectory_msgs"
)

// Later distributions have put a field behind those of Humble.
func TestRange(t *testing.T) {
	header := std_msgs.Header{FrameId: "sonar"}
	m := &old.Range{Header: header, RadiationType: old.Range_INFRARED, FieldOfView: 0.5, MinRange: 0.1, MaxRange: 4, Range: 1.5}
	now := &sensor_msgs.Range{Header: header, RadiationType: m.RadiationType, FieldOfView: 0.5, MinRange: 0.1, MaxRange: 4, Range: 1.5}
	data, later := marshal(t, m), marshal(t, now)
	if !bytes.Equal(append(data, 0, 0, 0, 0), later) {
		t.Errorf("%x, later %x", data, later)
	}
	if err := cdr.Unmarshal(data, now); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a message of Humble is taken for one of Jazzy: %v", err)
	}
	for _, d := range [][]byte{data, later} {
		var got old.Range
		if err := cdr.Unmarshal(d, &got); err != nil || !reflect.DeepEqual(&got, m) {
			t.Errorf("%x: %+v, %v", d, got, err)
		}
	}
}

func TestJointTrajectoryControllerState(t *testing.T) {
	m := control_msgs.NewJointTrajectoryControllerState()
	m.JointNames = []string{"elbow"}
	m.Desired = trajectory_msgs.JointTrajectoryPoint{Positions: []float64{1}}
	m.MultiDofActual = trajectory_msgs.MultiDOFJointTrajectoryPoint{}
	got := control_msgs.NewJointTrajectoryControllerState()
	if err := cdr.Unmarshal(marshal(t, m), got); err != nil || !got.Equal(m) {
		t.Errorf("%+v, %v", got, err)
	}
}

func marshal(t *testing.T, m cdr.Message) []byte {
	t.Helper()
	data, err := cdr.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
