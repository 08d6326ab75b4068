// The contender rclgo: one JSON configuration in a line on standard input, one JSON result on standard
// output. A subscriber and a pong end when standard input does.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/pinion-ros/pinion/bench/contender"
	"github.com/tiiuae/rclgo/pkg/rclgo"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	in := bufio.NewReader(os.Stdin)
	line, err := in.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("read the configuration: %w", err)
	}
	var c contender.Config
	if err := json.Unmarshal(line, &c); err != nil {
		return fmt.Errorf("read the configuration: %w", err)
	}
	if c.Type != contender.Bytes && c.Type != contender.Gamepad {
		return fmt.Errorf("this contender does not know the type %q", c.Type)
	}
	if c.Batching {
		return errors.New("ROS 2 does not batch writes")
	}
	// rclgo reads the domain where rcl does.
	if err := os.Setenv("ROS_DOMAIN_ID", strconv.Itoa(int(c.Domain))); err != nil {
		return err
	}
	if err := rclgo.Init(nil); err != nil {
		return fmt.Errorf("initialize rclgo: %w", err)
	}
	defer rclgo.Uninit()
	node, err := rclgo.NewNode("bench_"+string(c.Role), "")
	if err != nil {
		return fmt.Errorf("create node: %w", err)
	}
	defer node.Close()
	roles := map[contender.Role]func(contender.Config, *rclgo.Node, io.Reader) (*contender.Result, error){
		contender.Publisher: publish, contender.Subscriber: subscribe, contender.Ping: ping, contender.Pong: pong,
	}
	role := roles[c.Role]
	if role == nil {
		return fmt.Errorf("this contender has no role %q", c.Role)
	}
	result, err := role(c, node, in)
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(result)
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

// spin runs callbacks until in ends or ctx does.
func spin(ctx context.Context, node *rclgo.Node, in io.Reader) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if in != nil {
		go func() {
			_, _ = io.Copy(io.Discard, in) // however it ends, nobody is there any more
			cancel()
		}()
	}
	if err := node.Spin(ctx); err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}
