package pubsub

import (
	"fmt"
	"regexp"

	"github.com/pinion-ros/pinion/cdr"
)

var rosType = regexp.MustCompile(`^[a-z][a-z0-9_]*/(msg|srv|action)/[A-Za-z][A-Za-z0-9_]*$`)

// ddsTypeName returns the DDS name of a ROS type.
func ddsTypeName(typeName string) (string, error) {
	if !rosType.MatchString(typeName) {
		return "", fmt.Errorf("%q is not the name of a message type; one looks like std_msgs/msg/String", typeName)
	}
	return MangleType(typeName), nil
}

// userData is what an endpoint announces: from Iron on the hash of its type (REP-2016), where it is
// known.
func (n *Node) userData(typeName string) string {
	t := cdr.Lookup(typeName)
	if n.humble || t == nil || t.Hash == "" {
		return ""
	}
	return "typehash=" + t.Hash + ";"
}
