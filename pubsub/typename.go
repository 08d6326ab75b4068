package pubsub

import (
	"fmt"
	"regexp"
)

var rosType = regexp.MustCompile(`^[a-z][a-z0-9_]*/(msg|srv|action)/[A-Za-z][A-Za-z0-9_]*$`)

// ddsTypeName returns the DDS name of a ROS type.
func ddsTypeName(typeName string) (string, error) {
	if !rosType.MatchString(typeName) {
		return "", fmt.Errorf("%q is not the name of a message type; one looks like std_msgs/msg/String", typeName)
	}
	return MangleType(typeName), nil
}
