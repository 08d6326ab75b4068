// The contender rclgo: one JSON configuration in a line on standard input, one JSON result on standard
// output. A subscriber and a pong end when standard input does.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"

	"github.com/pinion-ros/pinion/bench/contender"
	"github.com/pinion-ros/pinion/bench/contender/role"
	"github.com/tiiuae/rclgo/pkg/rclgo"
)

func main() {
	if err := role.Serve(context.Background(), os.Stdin, os.Stdout, play); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func play(ctx context.Context, c contender.Config) (*contender.Result, error) {
	if c.Type != contender.Bytes && c.Type != contender.Gamepad {
		return nil, fmt.Errorf("this contender does not know the type %q", c.Type)
	}
	if c.Batching {
		return nil, errors.New("ROS 2 does not batch writes")
	}
	roles := map[contender.Role]func(context.Context, contender.Config, role.Node) (*contender.Result, error){
		contender.Publisher: role.Publish, contender.Subscriber: role.Subscribe, contender.Ping: role.Ping, contender.Pong: role.Pong,
	}
	run := roles[c.Role]
	if run == nil {
		return nil, fmt.Errorf("this contender has no role %q", c.Role)
	}
	// rclgo reads the domain where rcl does.
	if err := os.Setenv("ROS_DOMAIN_ID", strconv.Itoa(int(c.Domain))); err != nil {
		return nil, err
	}
	if err := rclgo.Init(nil); err != nil {
		return nil, fmt.Errorf("initialize rclgo: %w", err)
	}
	defer rclgo.Uninit()
	n, err := rclgo.NewNode("bench_"+string(c.Role), "")
	if err != nil {
		return nil, fmt.Errorf("create node: %w", err)
	}
	return run(ctx, c, &node{n, c})
}

func qos(c contender.Config) rclgo.QosProfile {
	q := rclgo.NewDefaultQosProfile()
	q.Depth = c.Depth
	if c.Depth == 0 {
		q.History = rclgo.HistoryKeepAll
	}
	if c.Reliability == "best_effort" {
		q.Reliability = rclgo.ReliabilityBestEffort
	}
	if c.Durability == "transient_local" {
		q.Durability = rclgo.DurabilityTransientLocal
	}
	return q
}
