package topic

import (
	"fmt"

	"github.com/pinion-ros/pinion/pubsub"
)

// bandwidth measures the sizes of messages.
type bandwidth struct {
	sizes    window // in bytes
	arrivals window // of the same messages
}

func newBandwidth(size int) *bandwidth {
	return &bandwidth{window{size: size}, window{size: size}}
}

func (b *bandwidth) add(payload []byte, info *pubsub.MessageInfo) error {
	b.sizes.add(float64(len(payload)))
	b.arrivals.add(float64(info.Arrival))
	return nil
}

// report goes on when no message comes any more: the bandwidth falls then.
func (b *bandwidth) report(now int64) report {
	if len(b.sizes.values) < 2 {
		return nil
	}
	s := b.sizes.summary()
	span := float64(now) - b.arrivals.summary().Min
	if span <= 0 {
		return nil
	}
	return bandwidthReport{s.Mean * float64(s.Window) / span * 1e9, s}
}

type bandwidthReport struct {
	perSecond float64 // bytes
	size      Summary
}

func (r bandwidthReport) text() string {
	unit, format, scale := "B", "%.0f %s", 1.0
	switch {
	case r.perSecond >= 1e6:
		unit, format, scale = "MB", "%.2f %s", 1e6
	case r.perSecond >= 1e3:
		unit, format, scale = "KB", "%.2f %s", 1e3
	}
	size := func(v float64) string { return fmt.Sprintf(format, v/scale, unit) }
	return fmt.Sprintf("%s/s from %d messages\n\tMessage size mean: %s min: %s max: %s\n",
		size(r.perSecond), r.size.Window, size(r.size.Mean), size(r.size.Min), size(r.size.Max))
}

func (r bandwidthReport) object(topic string, lost uint64) any {
	return struct {
		Topic          string  `json:"topic"`
		BytesPerSecond float64 `json:"bytes_per_second"`
		Size           Summary `json:"size"`
		Lost           uint64  `json:"lost"`
	}{topic, r.perSecond, r.size, lost}
}
