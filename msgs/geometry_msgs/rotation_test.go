package geometry_msgs_test

import (
	"math"
	"testing"

	"github.com/pinion-ros/pinion/msgs/geometry_msgs"
)

const eps = 1e-9

func TestRPYRoundTrip(t *testing.T) {
	for roll := -3.0; roll <= 3; roll += 0.5 {
		for pitch := -1.5; pitch <= 1.5; pitch += 0.25 {
			for yaw := -3.0; yaw <= 3; yaw += 0.5 {
				q := geometry_msgs.QuaternionFromRPY(roll, pitch, yaw)
				q.X, q.Y, q.Z, q.W = 3*q.X, 3*q.Y, 3*q.Z, 3*q.W
				r, p, y := q.RPY()
				if math.Abs(r-roll) > eps || math.Abs(p-pitch) > eps || math.Abs(y-yaw) > eps {
					t.Fatalf("%v %v %v came back as %v %v %v", roll, pitch, yaw, r, p, y)
				}
			}
		}
	}
}

// A quarter turn to the left maps x to y.
func TestYaw(t *testing.T) {
	q, h := geometry_msgs.QuaternionFromRPY(0, 0, math.Pi/2), math.Sqrt2/2
	if math.Abs(q.Z-h) > eps || math.Abs(q.W-h) > eps || q.X != 0 || q.Y != 0 {
		t.Errorf("quarter turn: %+v", q)
	}
}

// With the nose straight up or down another pair of roll and yaw may come back, for the same rotation.
func TestGimbalLock(t *testing.T) {
	for _, pitch := range []float64{math.Pi / 2, -math.Pi / 2} {
		q := geometry_msgs.QuaternionFromRPY(0.3, pitch, 0.8)
		p := geometry_msgs.QuaternionFromRPY(q.RPY())
		if dot := q.X*p.X + q.Y*p.Y + q.Z*p.Z + q.W*p.W; math.Abs(math.Abs(dot)-1) > 1e-7 {
			t.Errorf("pitch %v: %+v came back as %+v", pitch, q, p)
		}
	}
	if r, _, _ := (geometry_msgs.Quaternion{}).RPY(); !math.IsNaN(r) {
		t.Errorf("the zero quaternion has roll %v", r)
	}
}
