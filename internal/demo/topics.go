package demo

import (
	"fmt"
	"time"

	"github.com/pinion-ros/pinion/pubsub"
)

// What the robot sends, and what it gets.
const (
	jointTopic   = "joint_states"
	gamepadTopic = "gamepad"
	commandTopic = "joint_command"

	jointPeriod      = time.Millisecond
	gamepadPeriod    = 4 * time.Millisecond
	backgroundTopics = 31
	backgroundPeriod = time.Second / 300

	joints = 6
)

func backgroundTopic(i int) string { return fmt.Sprintf("background_%02d", i) }

// discovery keeps the demo on this machine and in a domain where nobody expects robots.
func discovery(domain uint32) pubsub.Option {
	return pubsub.WithDiscovery(pubsub.Discovery{Domain: domain, Loopback: true, Range: pubsub.RangeLocalhost})
}
