package topic

import (
	"fmt"
	"time"

	"github.com/pinion-ros/pinion/cdr"
	"github.com/pinion-ros/pinion/cdr/dynamic"
	"github.com/pinion-ros/pinion/pubsub"
)

// delay measures how old the stamp of a message's header is when the message arrives.
type delay struct {
	delays window // in seconds
	m      *dynamic.Message
	news   bool
}

func newDelay(size int, t *dynamic.Type) (*delay, error) {
	f := fieldNamed(t.Schema(), "header")
	if f == nil || f.Form != 0 || f.Nested == nil || f.Nested.Name != "std_msgs/msg/Header" {
		return nil, fmt.Errorf("%s has no header with a stamp", t)
	}
	return &delay{delays: window{size: size}, m: t.New()}, nil
}

func (d *delay) add(payload []byte, info *pubsub.MessageInfo) error {
	if err := cdr.UnmarshalView(payload, d.m); err != nil {
		return err
	}
	sec, err := d.m.Get("header.stamp.sec")
	if err != nil {
		return err
	}
	nanosec, err := d.m.Get("header.stamp.nanosec")
	if err != nil {
		return err
	}
	stamp := time.Unix(int64(sec.(int32)), int64(nanosec.(uint32)))
	d.delays.add(info.ReceptionTime().Sub(stamp).Seconds())
	d.news = true
	return nil
}

func (d *delay) report(int64) report {
	if len(d.delays.values) == 0 {
		return nil
	}
	r := delayReport{d.delays.summary(), d.news}
	d.news = false
	return r
}

type delayReport struct {
	delay Summary
	news  bool
}

func (r delayReport) text() string {
	if !r.news {
		return "no new messages\n"
	}
	return fmt.Sprintf("average delay: %.3f\n\tmin: %.3fs max: %.3fs std dev: %.5fs window: %d\n",
		r.delay.Mean, r.delay.Min, r.delay.Max, r.delay.StdDev, r.delay.Window)
}

func (r delayReport) object(topic string, lost uint64) any {
	return struct {
		Topic string  `json:"topic"`
		Delay Summary `json:"delay"`
		New   bool    `json:"new"` // false where no message came since the last line
		Lost  uint64  `json:"lost"`
	}{topic, r.delay, r.news, lost}
}
