package bench

import "embed"

// Definitions holds the definition files of the benches' own messages, for msggen.
//
//go:embed gamepad_msgs/msg/*.msg bench_msgs/msg/*.msg
var Definitions embed.FS
