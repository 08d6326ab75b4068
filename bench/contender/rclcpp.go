package contender

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/pinion-ros/pinion/bench"
	"github.com/pinion-ros/pinion/bench/peers"
	"github.com/pinion-ros/pinion/internal/peerbuild"
)

// BuildRclcpp compiles the rclcpp contender where a ROS 2 environment is sourced, and returns the path
// of the program, which is kept until the sources or the environment change. Without ROS 2 the error
// is a *peerbuild.MissingError; with it, whatever keeps the program from being built is an error.
func BuildRclcpp(ctx context.Context) (string, error) {
	prefix := os.Getenv("AMENT_PREFIX_PATH")
	if prefix == "" {
		return "", &peerbuild.MissingError{What: "rclcpp", Install: "source the setup.bash of a ROS 2 installation with rclcpp, std_msgs and rmw_cyclonedds_cpp"}
	}
	for _, tool := range []string{"cmake", "c++"} {
		if _, err := exec.LookPath(tool); err != nil {
			return "", fmt.Errorf("ROS 2 is sourced, but the contender rclcpp cannot be built: %w; apt install cmake g++", err)
		}
	}
	sources := peerbuild.Files{}
	if err := sources.Add(peers.Rclcpp, "rclcpp"); err != nil {
		return "", err
	}
	if err := sources.Add(bench.Definitions, "gamepad_msgs"); err != nil {
		return "", err
	}
	dir, err := sources.Build("rclcpp", prefix+os.Getenv("CMAKE_PREFIX_PATH"), func(dir string) error { return compileRclcpp(ctx, dir) })
	if err != nil {
		return "", fmt.Errorf("ROS 2 is sourced, but the contender rclcpp cannot be built: %w", err)
	}
	return filepath.Join(dir, "contender"), nil
}

// rclcppScript runs the program: ROS 2 opens the libraries of message types by their names.
const rclcppScript = `#!/bin/sh
dir=$(dirname "$0")
export LD_LIBRARY_PATH="$dir/install/lib:$LD_LIBRARY_PATH"
exec "$dir/build/rclcpp/contender" "$@"
`

// compileRclcpp builds the messages, then the program with them.
func compileRclcpp(ctx context.Context, dir string) error {
	in := func(name ...string) string { return filepath.Join(append([]string{dir}, name...)...) }
	for _, args := range [][]string{
		{"-S", in("gamepad_msgs"), "-B", in("build", "gamepad_msgs"), "-DCMAKE_INSTALL_PREFIX=" + in("install"), "-DBUILD_TESTING=OFF"},
		{"--build", in("build", "gamepad_msgs"), "--target", "install"},
		{"-S", in("rclcpp"), "-B", in("build", "rclcpp"), "-Dgamepad_msgs_DIR=" + in("install", "share", "gamepad_msgs", "cmake")},
		{"--build", in("build", "rclcpp")},
	} {
		if _, err := peerbuild.Run(ctx, dir, nil, "cmake", args...); err != nil {
			return err
		}
	}
	return os.WriteFile(in("contender"), []byte(rclcppScript), 0o777)
}
