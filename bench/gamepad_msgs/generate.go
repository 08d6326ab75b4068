package gamepad_msgs

//go:generate go run github.com/pinion-ros/pinion/cmd/msggen gen .
