package topic

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/pinion-ros/pinion/pubsub"
)

func TestInfo(t *testing.T) {
	qos := pubsub.DefaultQoS().KeepAll().TransientLocal()
	qos.Deadline, qos.Lifespan, qos.Lease, qos.Liveliness = time.Second, 2*time.Second, 3*time.Second, pubsub.ManualByTopic
	sensor := pubsub.SensorDataQoS()
	sensor.Liveliness = pubsub.Automatic
	i, err := NewInfo("/a", []pubsub.EndpointInfo{
		{Publisher: true, Type: "x/msg/B", QoS: qos, GUID: pubsub.GUID{1, 0xab, 15: 3}},
		{Node: "n", Namespace: "/ns", Type: "x/msg/A", TypeHash: "RIHS01_0", QoS: sensor},
	})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := i.Print(&b, true); err != nil {
		t.Fatal(err)
	}
	const want = `Type: ['x/msg/A', 'x/msg/B']

Publisher count: 1

Node name: _CREATED_BY_BARE_DDS_APP_
Node namespace: _CREATED_BY_BARE_DDS_APP_
Topic type: x/msg/B
Topic type hash: INVALID
Endpoint type: PUBLISHER
GID: 01.ab.00.00.00.00.00.00.00.00.00.00.00.00.00.03
QoS profile:
  Reliability: RELIABLE
  History (Depth): KEEP_ALL
  Durability: TRANSIENT_LOCAL
  Lifespan: 2000000000 nanoseconds
  Deadline: 1000000000 nanoseconds
  Liveliness: MANUAL_BY_TOPIC
  Liveliness lease duration: 3000000000 nanoseconds

Subscription count: 1

Node name: n
Node namespace: /ns
Topic type: x/msg/A
Topic type hash: RIHS01_0
Endpoint type: SUBSCRIPTION
GID: 00.00.00.00.00.00.00.00.00.00.00.00.00.00.00.00
QoS profile:
  Reliability: BEST_EFFORT
  History (Depth): KEEP_LAST (5)
  Durability: VOLATILE
  Lifespan: Infinite
  Deadline: Infinite
  Liveliness: AUTOMATIC
  Liveliness lease duration: Infinite

`
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
	if _, err := NewInfo("/a", nil); !errors.Is(err, ErrUnknown) {
		t.Errorf("an unknown topic: %v", err)
	}
}

func TestPrintCounts(t *testing.T) {
	var b strings.Builder
	if err := PrintCounts(&b, []Entry{{"/a", []string{"x/msg/A", "x/msg/B"}, 2, 0}, {"/b", []string{"x/msg/A"}, 1, 1}}); err != nil {
		t.Fatal(err)
	}
	const want = "Published topics:\n * /a [x/msg/A, x/msg/B] 2 publishers\n * /b [x/msg/A] 1 publisher\n\nSubscribed topics:\n * /b [x/msg/A] 1 subscriber\n\n"
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

func TestOnlyType(t *testing.T) {
	a, b := pubsub.EndpointInfo{Type: "x/msg/A"}, pubsub.EndpointInfo{Type: "x/msg/B"}
	if got, err := OnlyType("/t", []pubsub.EndpointInfo{a, a}); err != nil || got != "x/msg/A" {
		t.Errorf("%s, %v", got, err)
	}
	if _, err := OnlyType("/t", []pubsub.EndpointInfo{b, a}); err == nil || !strings.Contains(err.Error(), "x/msg/A, x/msg/B") {
		t.Errorf("%v", err)
	}
	if _, err := OnlyType("/t", nil); !errors.Is(err, ErrUnknown) {
		t.Errorf("%v", err)
	}
}

func TestHidden(t *testing.T) {
	for name, want := range map[string]bool{"/a": false, "/a_b": false, "/_a": true, "/a/_b/c": true, "/a/b_": false} {
		if Hidden(name) != want {
			t.Errorf("%s: %v", name, !want)
		}
	}
}
