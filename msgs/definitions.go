// Package msgs holds the definitions of the standard ROS 2 interfaces. The Go code generated from
// them lies in the packages below, one per ROS package.
package msgs

import "embed"

// Definitions holds every definition file of the standard interfaces, those of ROS 2 Jazzy, under
// the path package/kind/Name.kind: "geometry_msgs/msg/Twist.msg", "std_srvs/srv/SetBool.srv".
// Programs that compile definitions use it as the last place to look for a type.
//
//go:embed */msg/*.msg */srv/*.srv */action/*.action
var Definitions embed.FS
