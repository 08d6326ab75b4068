package bench

//go:generate go run github.com/pinion-ros/pinion/cmd/msggen gen gamepad_msgs bench_msgs
