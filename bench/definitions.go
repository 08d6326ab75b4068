package bench

import "embed"

// Definitions holds the definition files of the benches' own messages, for msggen, and what makes
// gamepad_msgs a package of ROS 2.
//
//go:embed gamepad_msgs/CMakeLists.txt gamepad_msgs/package.xml
//go:embed gamepad_msgs/msg/*.msg bench_msgs/msg/*.msg
var Definitions embed.FS
