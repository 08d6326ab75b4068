package doctor

import (
	"strings"
	"testing"
	"time"

	"github.com/pinion-ros/pinion/pubsub"
	"github.com/pinion-ros/pinion/pubsub/pubsubtest"
)

func endpoint(node, hash string) pubsub.EndpointInfo {
	return pubsub.EndpointInfo{Name: "/x", Node: node, Namespace: "/", TypeHash: hash}
}

func TestDistros(t *testing.T) {
	for _, tt := range []struct {
		endpoints []pubsub.EndpointInfo
		status    Status
		want      string
	}{
		{nil, Good, "no other nodes"},
		{[]pubsub.EndpointInfo{endpoint("a", "RIHS01_1"), endpoint("a", "RIHS01_2")}, Good, "1 node here, none"},
		{[]pubsub.EndpointInfo{endpoint("a", ""), endpoint("", "RIHS01_2")}, Good, "1 node here, of Humble"},
		{[]pubsub.EndpointInfo{endpoint("b", ""), endpoint("a", "RIHS01_2")}, Warning, "1 node of Humble or older beside 1 newer: /b"},
	} {
		if r := distros(tt.endpoints); r.Status != tt.status || !strings.Contains(r.Found, tt.want) {
			t.Errorf("%+v: %+v, want %s and %q", tt.endpoints, r, tt.status, tt.want)
		}
	}
}

func TestListen(t *testing.T) {
	r, err := Listen(t.Context(), pubsubtest.NewDomain(t).NewNode("doctor"), 50*time.Millisecond)
	if err != nil || r.Status != Good || r.Found != "no other nodes here" {
		t.Errorf("%+v, %v", r, err)
	}
}
