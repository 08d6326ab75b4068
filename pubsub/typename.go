package pubsub

import (
	"fmt"
	"regexp"
)

var rosType = regexp.MustCompile(`^[a-z][a-z0-9_]*/(msg|srv|action)/[A-Za-z][A-Za-z0-9_]*$`)

// ValidateTypeName checks the name of a message type, "std_msgs/msg/String". Types of other DDS
// applications, which are in the graph, too, have other names.
func ValidateTypeName(typeName string) error {
	if !rosType.MatchString(typeName) {
		return fmt.Errorf("%.300q is not the name of a message type; one looks like std_msgs/msg/String", typeName)
	}
	return nil
}

// ddsTypeName returns the DDS name of a ROS type.
func ddsTypeName(typeName string) (string, error) {
	if err := ValidateTypeName(typeName); err != nil {
		return "", err
	}
	return MangleType(typeName), nil
}
