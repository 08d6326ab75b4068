package contender

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/pinion-ros/pinion/bench"
	"github.com/pinion-ros/pinion/bench/peers"
)

// BuildRclcpp compiles the rclcpp contender where a ROS 2 environment is sourced, and returns the path
// of the program, which is kept until the sources or the environment change. Without ROS 2 the error
// is a *MissingError; with it, whatever keeps the program from being built is an error.
func BuildRclcpp(ctx context.Context) (string, error) {
	prefix := os.Getenv("AMENT_PREFIX_PATH")
	if prefix == "" {
		return "", &MissingError{"rclcpp", "source the setup.bash of a ROS 2 installation with rclcpp, std_msgs and rmw_cyclonedds_cpp"}
	}
	for _, tool := range []string{"cmake", "c++"} {
		if _, err := exec.LookPath(tool); err != nil {
			return "", fmt.Errorf("ROS 2 is sourced, but the contender rclcpp cannot be built: %w; apt install cmake g++", err)
		}
	}
	sources := files{}
	for _, from := range []fs.FS{peers.Rclcpp, bench.Definitions} {
		if err := sources.add(from, "rclcpp", "gamepad_msgs"); err != nil {
			return "", err
		}
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	dir := filepath.Join(cache, "pinion-bench", "rclcpp-"+sources.key(prefix+os.Getenv("CMAKE_PREFIX_PATH")))
	program := filepath.Join(dir, "contender")
	if _, err := os.Stat(program); err == nil {
		return program, nil
	}
	if err := sources.buildRclcpp(ctx, dir, program); err != nil {
		return "", fmt.Errorf("ROS 2 is sourced, but the contender rclcpp cannot be built: %w", err)
	}
	return program, nil
}

// add takes over what is in the folders, as far as they are there.
func (f files) add(from fs.FS, folders ...string) error {
	for _, folder := range folders {
		err := fs.WalkDir(from, folder, func(path string, d fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) && path == folder {
				return nil
			}
			if err != nil || d.IsDir() {
				return err
			}
			f[path], err = fs.ReadFile(from, path)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// buildRclcpp builds the messages, then the program with them, and last the script that runs it. It begins
// anew: what cmake found in an attempt that failed would fail this one, too.
func (f files) buildRclcpp(ctx context.Context, dir, program string) error {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	for _, name := range f.names() {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(path, f[name], 0o666); err != nil {
			return err
		}
	}
	in := func(name ...string) string { return filepath.Join(append([]string{dir}, name...)...) }
	for _, args := range [][]string{
		{"-S", in("gamepad_msgs"), "-B", in("build", "gamepad_msgs"), "-DCMAKE_INSTALL_PREFIX=" + in("install"), "-DBUILD_TESTING=OFF"},
		{"--build", in("build", "gamepad_msgs"), "--target", "install"},
		{"-S", in("rclcpp"), "-B", in("build", "rclcpp"), "-Dgamepad_msgs_DIR=" + in("install", "share", "gamepad_msgs", "cmake")},
		{"--build", in("build", "rclcpp")},
	} {
		if _, err := run(ctx, dir, "cmake", args...); err != nil {
			return err
		}
	}
	// ROS 2 opens the libraries of message types by their names.
	script := fmt.Sprintf("#!/bin/sh\nexport LD_LIBRARY_PATH='%s':\"$LD_LIBRARY_PATH\"\nexec '%s' \"$@\"\n",
		in("install", "lib"), in("build", "rclcpp", "contender"))
	return os.WriteFile(program, []byte(script), 0o777)
}
