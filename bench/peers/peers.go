// Package peers holds the contenders that need a ROS 2 installation. The rclcpp one travels with the
// program, which builds it where ROS 2 is sourced; the rclgo one is a module of its own.
package peers

import "embed"

// Rclcpp holds the ament package in the folder rclcpp.
//
//go:embed rclcpp/CMakeLists.txt rclcpp/package.xml rclcpp/contender.cpp
var Rclcpp embed.FS
