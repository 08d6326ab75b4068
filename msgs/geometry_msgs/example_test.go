package geometry_msgs_test

import (
	"fmt"
	"math"

	"github.com/pinion-ros/pinion/msgs/geometry_msgs"
)

func ExampleQuaternionFromRPY() {
	q := geometry_msgs.QuaternionFromRPY(0, 0, math.Pi/2) // a quarter turn to the left
	_, _, yaw := q.RPY()
	fmt.Printf("z %.3f, w %.3f, yaw %.0f degrees\n", q.Z, q.W, yaw*180/math.Pi)
	// Output: z 0.707, w 0.707, yaw 90 degrees
}
