package cli

import (
	"fmt"
	"strings"

	"github.com/pinion-ros/pinion/internal/topic"
	"github.com/pinion-ros/pinion/pubsub"
	"github.com/spf13/cobra"
)

// qosFlags are the flags --qos-*.
type qosFlags struct {
	choice topic.QoSChoice
	lease  seconds
}

// add adds the flags to cmd. preset is the profile without them.
func (q *qosFlags) add(cmd *cobra.Command, preset, policies string) {
	f := cmd.Flags()
	f.StringVar(&q.choice.Profile, "qos-profile", preset, "preset profile: "+strings.Join(pubsub.ProfileNames(), ", "))
	f.IntVar(&q.choice.Depth, "qos-depth", 0, "length of the queue for keep_last (default that of the profile)")
	word := func(p *string, policy string, words []string, without string) {
		name := "qos-" + policy
		f.StringVar(p, name, "", fmt.Sprintf("%s: %s (default %s)", policy, strings.Join(words, ", "), without))
		_ = cmd.RegisterFlagCompletionFunc(name, oneOf(words)) // the flag exists
	}
	word(&q.choice.History, "history", topic.Histories, "that of the profile")
	word(&q.choice.Reliability, "reliability", topic.Reliabilities, policies)
	word(&q.choice.Durability, "durability", topic.Durabilities, policies)
	word(&q.choice.Liveliness, "liveliness", topic.Livelinesses, "that of the profile")
	f.Var(&q.lease, "qos-liveliness-lease-duration-seconds", "time within which a publisher must show that it is alive")
	_ = cmd.RegisterFlagCompletionFunc("qos-profile", oneOf(pubsub.ProfileNames()))
}

// resolve returns the profile, and whether it is to be adapted to the publishers.
func (q *qosFlags) resolve(cmd *cobra.Command) (profile pubsub.QoS, adapt bool, err error) {
	q.choice.Lease = q.lease.duration()
	profile, err = q.choice.Resolve()
	return profile, q.choice.Adapts(), usage(cmd, err)
}
