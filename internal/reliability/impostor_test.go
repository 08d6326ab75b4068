//go:build long

package reliability

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/pinion-ros/pinion/cdr"
	"github.com/pinion-ros/pinion/msgs/geometry_msgs"
	"github.com/pinion-ros/pinion/msgs/sensor_msgs"
	"github.com/pinion-ros/pinion/pubsub"
)

// An imposture is how often an impostor announces publishers of other types.
type imposture struct {
	Discovery pubsub.Discovery
	Rounds    int
}

// impostor is the role of a peer whose publishers have other types than the topics: one of another name; one
// of the same name and another definition; and one of the same name and definition whose messages are
// of another type. It says "done".
func impostor(c *console) error {
	var i imposture
	if err := c.hear("config", &i); err != nil {
		return err
	}
	const other = "geometry_msgs/msg/Twist"
	text, joints := "std_msgs/msg/String", sensor_msgs.NewJointState().CDRType().Name
	cdr.Lookup(text).Hash = cdr.Lookup(other).Hash // as if it were defined so
	turn := geometry_msgs.NewTwist()
	turn.Linear.Y, turn.Angular.Z = -1, -2 // zeros would do as joints
	payload, err := cdr.Marshal(turn)
	if err != nil {
		return err
	}
	node, err := pubsub.NewNode("impostor", pubsub.WithDiscovery(i.Discovery), pubsub.WithRosout(false))
	if err != nil {
		return err
	}
	defer node.Close()
	for range i.Rounds {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		named, err1 := pubsub.NewRawPublisher(node, "/large", other, pubsub.DefaultQoS())
		defined, err2 := pubsub.NewRawPublisher(node, "/text", text, pubsub.DefaultQoS())
		lying, err3 := pubsub.NewRawPublisher(node, "/joints", joints, pubsub.DefaultQoS())
		err := errors.Join(err1, err2, err3)
		if err == nil {
			err = errors.Join(defined.WaitForSubscribers(ctx, 1), lying.WaitForSubscribers(ctx, 1))
		}
		if err == nil {
			err = errors.Join(named.Publish(payload), defined.Publish(payload), lying.Publish(payload), lying.WaitForAcknowledgements(ctx))
		}
		cancel()
		if err != nil {
			return err
		}
		time.Sleep(20 * time.Millisecond) // to be looked at
		if err := errors.Join(named.Close(), defined.Close(), lying.Close()); err != nil {
			return err
		}
	}
	return errors.Join(c.say("done", nil), untilEOF(c))
}

// Peers that announce other types on known topics are counted and told of now and then.
func TestImpostor(t *testing.T) {
	if !permitted(t) {
		return
	}
	table := kept.table(t, "types", "publishers of each kind", "other name, counted", "other definition, counted", "other content, malformed", "warnings", "lines printed",
		"friend's messages", "of them late or missing", "memory before", "after")
	s := besiege(t)
	i := imposture{Discovery: s.discovery(""), Rounds: 50}
	if *full {
		i.Rounds = 1000
	}
	before := usageOf(t, s.victim.cmd.Process.Pid)
	w := start(t, s.ns, "impostor", i)
	w.hear(t, 10*time.Minute, "done", nil)
	s.friend.say(t, "end", nil)
	var last uint64
	s.friend.hear(t, time.Minute, "sent", &last)
	// One that has gone again before anybody looked is not counted.
	now := s.until("all of it", func(now status) bool {
		return now.Numbers.Last >= last && now.Types["/large"] > i.Rounds/2 && now.Types["/text"] > i.Rounds/2 && now.Topics["/joints"].Malformed > 0
	})
	after := usageOf(t, s.victim.cmd.Process.Pid)
	if n := now.Numbers; n.Received != int(last) || n.Repeated > 0 {
		t.Errorf("%d of the friend's %d messages came, %d again or late", n.Received, last, n.Repeated)
	}
	// Of two topics the first and the powers of two, and of malformed ones of each of the 64 first publishers too.
	if limit := 2*11 + 2*(64+11); now.Warnings > limit {
		t.Errorf("%d warnings of %d impostors, more than %d", now.Warnings, 3*i.Rounds, limit)
	}
	if grown := after.Memory - before.Memory; grown > 64<<20 {
		t.Errorf("memory grew by %s", megabytes(grown))
	}
	s.afterwards(now)
	table.add(i.Rounds, now.Types["/large"], now.Types["/text"], now.Topics["/joints"].Malformed, now.Warnings, s.dismiss(), last, int(last)-now.Numbers.Received,
		megabytes(before.Memory), megabytes(after.Memory))
}
