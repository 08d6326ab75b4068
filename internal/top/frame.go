// Package top is a live view of the topics of a domain and of the lanes of its executors: the command
// pinion top.
package top

import (
	"fmt"
	"strings"
	"time"
)

// Frame is what there is to see at one moment.
type Frame struct {
	Time    time.Time `json:"time"`
	Domain  uint32    `json:"domain"`
	Topics  []Topic   `json:"topics"`
	Metrics []Metric  `json:"metrics"`

	patterns []string // that topics had to match, none for all
}

// empty says what a frame without topics means.
func (f *Frame) empty() string {
	text := fmt.Sprintf("domain %d has no topics", f.Domain)
	if len(f.patterns) > 0 {
		text += " that match " + strings.Join(f.patterns, " or ")
	}
	return text
}

// Topic is a topic with what was measured since the frame before.
type Topic struct {
	Name          string   `json:"name"`
	Type          string   `json:"type"`
	Publishers    int      `json:"publishers"`
	Subscriptions int      `json:"subscriptions"` // without that of top
	Rate          float64  `json:"rate"`          // messages per second
	Bandwidth     float64  `json:"bandwidth"`     // bytes of messages per second
	Latency       *Latency `json:"latency,omitempty"`
	Lost          uint64   `json:"lost"` // since top knows the topic
	Warnings      []string `json:"warnings"`

	trend []float64 // rates, the newest last
}

// Latency is from the publisher's time stamp to the arrival at this machine, over the last 1024
// messages. Between machines it is as good as their clocks agree.
type Latency struct {
	P50 time.Duration `json:"p50_ns"`
	P99 time.Duration `json:"p99_ns"`
}

// Metric is one measurement that a node publishes about itself as a
// statistics_msgs/msg/MetricsMessage, as executors and ROS 2's topic statistics do. What the node did
// not tell is nil.
type Metric struct {
	Source string   `json:"source"`
	Name   string   `json:"name"`
	Unit   string   `json:"unit"`
	Mean   *float64 `json:"mean"`
	Min    *float64 `json:"min"`
	Max    *float64 `json:"max"`
	StdDev *float64 `json:"std_dev"`
	Count  *float64 `json:"count"`

	total float64   // counts since top knows the metric
	trend []float64 // means
}
