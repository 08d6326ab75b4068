package pubsub

import "testing"

func TestMangle(t *testing.T) {
	for _, c := range []struct {
		dds, got, name string
		role           EndpointRole
	}{
		{"rt/chatter", MangleTopic("/chatter"), "/chatter", RoleTopic},
		{"rt/a/b", MangleTopic("/a/b"), "/a/b", RoleTopic},
		{"rq/addRequest", MangleRequest("/add"), "/add", RoleRequest},
		{"rr/addReply", MangleReply("/add"), "/add", RoleReply},
		{"rq/aRequestRequest", MangleRequest("/aRequest"), "/aRequest", RoleRequest},
	} {
		if c.got != c.dds {
			t.Errorf("%s: got %s, want %s", c.name, c.got, c.dds)
		}
		if name, role := Demangle(c.dds); name != c.name || role != c.role {
			t.Errorf("%s: %s, %d, want %s, %d", c.dds, name, role, c.name, c.role)
		}
	}
}

func TestDemangleForeign(t *testing.T) {
	for _, dds := range []string{
		"", "rt", "r", "rtx", "chatter", "/chatter", "ros_discovery_info", "DCPSParticipant",
		"rq/add", "rr/add", "rq/addReply", "rr/addRequest", "rq/addRequests", "rqRequest", "rx/a",
	} {
		if name, role := Demangle(dds); name != dds || role != RoleNone {
			t.Errorf("%q: %q, %d", dds, name, role)
		}
	}
}

func TestMangleType(t *testing.T) {
	for ros, dds := range map[string]string{
		"std_msgs/msg/String":                                 "std_msgs::msg::dds_::String_",
		"std_srvs/srv/SetBool_Request":                        "std_srvs::srv::dds_::SetBool_Request_",
		"example_interfaces/action/Fibonacci_FeedbackMessage": "example_interfaces::action::dds_::Fibonacci_FeedbackMessage_",
	} {
		if got := MangleType(ros); got != dds {
			t.Errorf("%s: got %s, want %s", ros, got, dds)
		}
		if got, ok := DemangleType(dds); !ok || got != ros {
			t.Errorf("%s: got %s, %t, want %s", dds, got, ok, ros)
		}
	}
	for _, dds := range []string{"", "_", "dds_::", "a::b", "a::dds_::b", "a::b_", "std_msgs::msg::String_"} {
		if got, ok := DemangleType(dds); ok || got != dds {
			t.Errorf("%q: got %q, %t", dds, got, ok)
		}
	}
}

func TestDemangleServiceType(t *testing.T) {
	for dds, want := range map[string]string{
		"std_srvs::srv::dds_::SetBool_Request_":  "std_srvs/srv/SetBool",
		"std_srvs::srv::dds_::SetBool_Response_": "std_srvs/srv/SetBool",
		"a::action::dds_::F_SendGoal_Response_":  "a/action/F_SendGoal",
		"std_msgs::msg::dds_::String_":           "",
		"a::srv::dds_::X_Request_Y_":             "",
		"std_srvs::srv::SetBool_Request_":        "",
		"std_srvs::srv::dds_::SetBool_Request":   "",
	} {
		got, ok := DemangleServiceType(dds)
		if !ok {
			got = ""
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", dds, got, want)
		}
	}
}
