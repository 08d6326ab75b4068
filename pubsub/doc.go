// Package pubsub gives Go programs the topics of ROS 2: nodes, typed publishers and subscriptions,
// and quality of service, wire-compatible with rmw_cyclonedds and rmw_fastrtps, without a ROS
// installation.
//
//	node, err := pubsub.NewNode("talker")
//	pub, err := pubsub.NewPublisher[std_msgs.String](node, "chatter", pubsub.DefaultQoS())
//	err = pub.Publish(&std_msgs.String{Data: "hello"})
//
// Where a subscription's callback runs is decided by a Scheduler, see package executor. A node
// without one runs its callbacks one after the other on a goroutine of its own.
//
// All nodes of a process that share a domain and discovery settings share one DDS participant, as
// the nodes of a ROS 2 context do.
package pubsub
