package top

import (
	"slices"
	"sync"
	"time"

	"github.com/pinion-ros/pinion/pubsub"
)

// kept is how many latencies of a topic the percentiles are computed from.
const kept = 1024

// A meter counts the messages of a topic as they arrive.
type meter struct {
	mu        sync.Mutex
	messages  uint64
	bytes     uint64
	latencies [kept]time.Duration
	known     uint64 // messages with a source time
}

// add counts a message. latency is false where the publisher gave no time.
func (m *meter) add(bytes int, info *pubsub.MessageInfo) {
	latency, ok := time.Duration(0), info.SourceTime.UnixNano() > 0
	if ok {
		latency = info.ReceptionTime().Sub(info.SourceTime)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.messages++
	m.bytes += uint64(bytes)
	if ok {
		m.latencies[m.known%kept] = latency
		m.known++
	}
}

// counted is what a meter has counted since it began.
type counted struct {
	messages, bytes uint64
	latency         *Latency
}

func (m *meter) read() counted {
	m.mu.Lock()
	c := counted{messages: m.messages, bytes: m.bytes}
	latencies := slices.Clone(m.latencies[:min(m.known, kept)])
	m.mu.Unlock()
	if len(latencies) > 0 {
		slices.Sort(latencies)
		c.latency = &Latency{percentile(latencies, 50), percentile(latencies, 99)}
	}
	return c
}

// percentile returns the least value that p percent of the sorted values do not exceed.
func percentile(sorted []time.Duration, p int) time.Duration {
	return sorted[(len(sorted)*p+99)/100-1]
}
