package main

//go:generate go run github.com/tiiuae/rclgo/cmd/rclgo-gen generate -d msgs --message-module-prefix github.com/pinion-ros/pinion/bench/peers/rclgo/msgs --include-package-deps std_msgs --include-package-deps gamepad_msgs
