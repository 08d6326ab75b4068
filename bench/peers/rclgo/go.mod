module github.com/pinion-ros/pinion/bench/peers/rclgo

go 1.26.0

require (
	github.com/pinion-ros/pinion v0.0.0
	github.com/tiiuae/rclgo v0.0.0-20240131135202-56b24e11219b
)

replace github.com/pinion-ros/pinion => ../../..
