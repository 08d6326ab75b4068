package contender

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"

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
	for _, name := range []string{"CMakeLists.txt", "package.xml", "contender.cpp"} {
		text, err := fs.ReadFile(peers.Rclcpp, "rclcpp/"+name)
		if err != nil {
			return "", err
		}
		sources[name] = text
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	dir := filepath.Join(cache, "pinion-bench", "rclcpp-"+sources.key(prefix+os.Getenv("CMAKE_PREFIX_PATH")))
	program := filepath.Join(dir, "build", "contender")
	if _, err := os.Stat(program); err == nil {
		return program, nil
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", err
	}
	for name, text := range sources {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o666); err != nil {
			return "", err
		}
	}
	for _, args := range [][]string{{"-S", dir, "-B", filepath.Join(dir, "build")}, {"--build", filepath.Join(dir, "build")}} {
		if _, err := run(ctx, dir, "cmake", args...); err != nil {
			return "", fmt.Errorf("ROS 2 is sourced, but the contender rclcpp cannot be built: %w", err)
		}
	}
	return program, nil
}
