// Package humble holds the definitions of those standard interfaces whose messages ROS 2 Humble
// encodes in another way than later distributions. The packages below have the Go types of them, for
// programs that exchange these messages with Humble:
//
//	import "github.com/pinion-ros/pinion/msgs/humble/sensor_msgs" // Range without a variance
//
// All other types come from the packages of msgs. What else differs does not show on the wire, except
// for rmw_dds_common/msg/Gid, which pubsub sends in the form that pubsub.WithDistro asks for.
package humble

import "embed"

//go:generate go run github.com/pinion-ros/pinion/cmd/msggen gen .

// Definitions holds the definition files, under paths like those of msgs.Definitions.
//
//go:embed */msg/*.msg
var Definitions embed.FS
