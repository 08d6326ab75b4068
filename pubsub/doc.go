// Package pubsub gives Go programs the topics of ROS 2: nodes, typed publishers and subscriptions,
// and quality of service, wire-compatible with rmw_cyclonedds and rmw_fastrtps, without a ROS
// installation.
//
//	node, err := pubsub.NewNode("talker")
//	pub, err := pubsub.NewPublisher[std_msgs.String](node, "chatter", pubsub.DefaultQoS())
//	err = pub.Publish(&std_msgs.String{Data: "hello"})
//
// All nodes of a process that share a domain and discovery settings share one DDS participant, as
// the nodes of a ROS 2 context do.
//
// # Nodes
//
// [NewNode] makes a [Node], which is what ROS 2 knows of a program. Its name, namespace, remappings and
// parameters are options: [WithNamespace], [WithRemap], [WithParams]; package rosargs reads them from a
// command line. [WithDiscovery] says where a node finds others, by default [DiscoveryFromEnv], and
// [WithSecurity] what they may do. It logs to [Node.Logger] and /rosout. Parameters are read by [Param]
// and [ParamOr].
//
// # Publishers and subscriptions
//
// [NewPublisher] and [NewSubscription] are for the types that msggen generates, [NewRawPublisher] and
// [NewRawSubscription] for serialized messages of a type known by name. A subscription has a callback
// or is asked: [Subscription.Take], [Subscription.TakeInto], [Subscription.All]. [MessageInfo] tells when
// and from whom a message came.
//
// Within a process [WithPublisherIntraProcess] and [WithSubscriptionIntraProcess] hand messages on as they
// are, [Publisher.PublishOwned] without a copy. Types with a key have instances, which
// [Publisher.Dispose] and [Publisher.Unregister] end.
//
// # Quality of service
//
// A [QoS] begins as a profile of ROS 2, [DefaultQoS], [SensorDataQoS] and others, and is changed by its
// methods and fields. [QoS.Incompatible] tells what keeps two ends apart.
//
// # Events and counts
//
// [PublisherEvents] and [SubscriptionEvents] are called when peers come and go, do not fit, miss deadlines
// or lose messages. Subscription.Stats and EventCounts of both count the same.
//
// # The graph
//
// [Node.Nodes], [Node.Topics], [Node.Services], [Node.Endpoints] and [Node.NodeEndpoints] show who is there.
// [Node.GraphChanged], [Node.WaitForTopic] and [Node.WaitForNode] wait, and WaitForSubscribers and
// WaitForPublishers of an endpoint do until it has peers.
//
// # Where callbacks run
//
// A [Scheduler] decides, given by [WithScheduler]: see package executor. A node without one runs its
// callbacks one after the other on a goroutine of its own. [Receiver], [Placement], [Queue] and
// [ReceivePath] are for those who write another scheduler; programs do not need them.
//
// # Names
//
// [ExpandTopicName], the Validate functions, [ParseRule] and [RemapName] have the rules of ROS 2 for names,
// the Mangle and Demangle functions what becomes of them in DDS. They are for tools.
//
// # Errors
//
// Errors match the sentinels of this package, ErrClosed, ErrTimeout and so on, or have a type:
// [NameError], [RuleError], [ParamTypeError], [PanicError].
package pubsub
