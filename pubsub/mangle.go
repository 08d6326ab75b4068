package pubsub

import "strings"

// EndpointRole says what a DDS topic serves for in ROS 2.
type EndpointRole int

const (
	RoleNone EndpointRole = iota // a topic of another DDS application
	RoleTopic
	RoleRequest
	RoleReply
)

// The prefixes and suffixes that ROS 2 gives to names on DDS.
const (
	topicPrefix   = "rt"
	requestPrefix = "rq"
	replyPrefix   = "rr"
	requestSuffix = "Request"
	replySuffix   = "Reply"
	typeMark      = "dds_::"
)

// MangleTopic returns the DDS name of a topic: rt/chatter for /chatter.
func MangleTopic(name string) string { return topicPrefix + name }

// MangleRequest returns the DDS name of a service's requests: rq/addRequest for /add.
func MangleRequest(service string) string { return requestPrefix + service + requestSuffix }

// MangleReply returns the DDS name of a service's replies: rr/addReply for /add.
func MangleReply(service string) string { return replyPrefix + service + replySuffix }

// Demangle returns the name of the topic or service behind a DDS topic, and what the topic serves
// for. A DDS topic that is not of ROS 2's form keeps its name.
func Demangle(dds string) (string, EndpointRole) {
	for _, form := range [...]struct {
		prefix, suffix string
		role           EndpointRole
	}{
		{topicPrefix, "", RoleTopic},
		{requestPrefix, requestSuffix, RoleRequest},
		{replyPrefix, replySuffix, RoleReply},
	} {
		name, hasPrefix := strings.CutPrefix(dds, form.prefix)
		name, hasSuffix := strings.CutSuffix(name, form.suffix)
		if hasPrefix && hasSuffix && strings.HasPrefix(name, "/") {
			return name, form.role
		}
	}
	return dds, RoleNone
}

// MangleType returns the DDS name of a ROS type: std_msgs::msg::dds_::String_ for
// std_msgs/msg/String. The messages that services and actions consist of are types like others:
// std_srvs/srv/SetBool_Request.
func MangleType(ros string) string {
	split := strings.LastIndexByte(ros, '/') + 1
	return strings.ReplaceAll(ros[:split], "/", "::") + typeMark + ros[split:] + "_"
}

// DemangleType returns the ROS name of a DDS type, or the type itself and false if it is not of
// ROS 2's form.
func DemangleType(dds string) (string, bool) {
	namespace, name, found := strings.Cut(dds, typeMark)
	name, ends := strings.CutSuffix(name, "_")
	if !found || !ends {
		return dds, false
	}
	return strings.ReplaceAll(namespace, "::", "/") + name, true
}

// DemangleServiceType returns the ROS name of the service whose requests or replies have the DDS
// type: std_srvs/srv/SetBool for std_srvs::srv::dds_::SetBool_Request_.
func DemangleServiceType(dds string) (string, bool) {
	ros, ok := DemangleType(dds)
	if !ok {
		return dds, false
	}
	for _, suffix := range [...]string{"_Request", "_Response"} {
		if service, ok := strings.CutSuffix(ros, suffix); ok {
			return service, true
		}
	}
	return dds, false
}
