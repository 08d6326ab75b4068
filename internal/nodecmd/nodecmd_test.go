package nodecmd

import (
	"strings"
	"testing"

	"github.com/pinion-ros/pinion/pubsub"
)

func endpoint(role pubsub.EndpointRole, name, typeName string, publisher bool) pubsub.EndpointInfo {
	return pubsub.EndpointInfo{Role: role, Name: name, Type: typeName, Publisher: publisher}
}

func TestInfo(t *testing.T) {
	const fibonacci = "test_msgs/action/Fibonacci"
	endpoints := []pubsub.EndpointInfo{
		endpoint(pubsub.RoleTopic, "/rosout", "rcl_interfaces/msg/Log", true),
		endpoint(pubsub.RoleTopic, "/arrays", "test_msgs/msg/Arrays", true),
		endpoint(pubsub.RoleTopic, "/fib/_action/feedback", fibonacci+"_FeedbackMessage", true),
		endpoint(pubsub.RoleTopic, "/fib/_action/status", "action_msgs/msg/GoalStatusArray", true),
		endpoint(pubsub.RoleReply, "/basic", "test_msgs/srv/BasicTypes_Response", true),
		endpoint(pubsub.RoleReply, "/fib/_action/send_goal", fibonacci+"_SendGoal_Response", true),
		endpoint(pubsub.RoleRequest, "/ask", "std_srvs/srv/Trigger_Request", true),
		endpoint(pubsub.RoleTopic, "/strings", "test_msgs/msg/Strings", false),
		endpoint(pubsub.RoleTopic, "/strings", "std_msgs/msg/String", false),
		endpoint(pubsub.RoleTopic, "/fib2/_action/feedback", fibonacci+"_FeedbackMessage", false),
		endpoint(pubsub.RoleRequest, "/basic", "test_msgs/srv/BasicTypes_Request", false),
		endpoint(pubsub.RoleRequest, "/fib/_action/send_goal", fibonacci+"_SendGoal_Request", false),
		endpoint(pubsub.RoleReply, "/ask", "std_srvs/srv/Trigger_Response", false),
		endpoint(pubsub.RoleNone, "plain", "Plain", false),
	}
	var out strings.Builder
	if err := NewInfo("/complex_node", endpoints, false).Print(&out); err != nil {
		t.Fatal(err)
	}
	const want = `/complex_node
  Subscribers:
    /strings: test_msgs/msg/Strings, std_msgs/msg/String
  Publishers:
    /arrays: test_msgs/msg/Arrays
    /rosout: rcl_interfaces/msg/Log
  Service Servers:
    /basic: test_msgs/srv/BasicTypes
  Service Clients:
    /ask: std_srvs/srv/Trigger
  Action Servers:
    /fib: test_msgs/action/Fibonacci
  Action Clients:
    /fib2: test_msgs/action/Fibonacci
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
	if hidden := NewInfo("/n", endpoints, true); len(hidden.ServiceServers) != 2 || len(hidden.Publishers) != 4 {
		t.Errorf("with hidden ones: %+v", hidden)
	}
	out.Reset()
	if err := NewInfo("/empty", nil, false).Print(&out); err != nil {
		t.Fatal(err)
	}
	if want := "/empty\n  Subscribers:\n\n  Publishers:\n\n  Service Servers:\n\n  Service Clients:\n\n  Action Servers:\n\n  Action Clients:\n\n"; out.String() != want {
		t.Errorf("a node without endpoints: %q", out.String())
	}
}

func TestDuplicates(t *testing.T) {
	named := func(names ...string) (nodes []Node) {
		for _, n := range names {
			nodes = append(nodes, Node{FullName: n})
		}
		return nodes
	}
	if got := Duplicates(named("/a", "/b", "/b", "/b", "/c", "/d", "/d")); strings.Join(got, " ") != "/b /d" {
		t.Error(got)
	}
	if got := Duplicates(named("/a", "/b")); got != nil {
		t.Error(got)
	}
}
