package topic

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/pinion-ros/pinion/pubsub"
)

func TestChoice(t *testing.T) {
	for _, c := range []struct {
		choice QoSChoice
		adapts bool
		want   pubsub.QoS
	}{
		{QoSChoice{Profile: "default"}, true, pubsub.DefaultQoS()},
		{QoSChoice{Profile: "sensor_data"}, true, pubsub.SensorDataQoS()},
		{QoSChoice{Profile: "sensor_data", Reliability: "reliable"}, false, pubsub.SensorDataQoS().Reliable()},
		{QoSChoice{Profile: "default", Durability: "transient_local", Depth: 3}, false, pubsub.DefaultQoS().TransientLocal().KeepLast(3)},
		{QoSChoice{Profile: "system_default", History: "KEEP_ALL", Liveliness: "manual_by_topic", Lease: time.Second}, false,
			pubsub.QoS{History: pubsub.KeepAll, Liveliness: pubsub.ManualByTopic, Lease: time.Second}},
		{QoSChoice{Profile: "default", Reliability: "best_available", Durability: "system_default"}, false,
			pubsub.QoS{History: pubsub.KeepLast, Depth: 10, Reliability: pubsub.ReliabilityBestAvailable}},
	} {
		got, err := c.choice.Resolve()
		if err != nil || got != c.want || c.choice.Adapts() != c.adapts {
			t.Errorf("%+v: %+v, %v, want %+v", c.choice, got, err, c.want)
		}
	}
	for _, c := range []struct {
		choice QoSChoice
		want   string
	}{
		{QoSChoice{Profile: "fast"}, "sensor_data"},
		{QoSChoice{Profile: "default", History: "keep"}, "keep_last"},
		{QoSChoice{Profile: "default", Reliability: "best effort"}, "best_effort"},
		{QoSChoice{Profile: "default", Durability: "persistent"}, "volatile"},
		{QoSChoice{Profile: "default", Liveliness: "manual_by_node"}, "manual_by_topic"},
		{QoSChoice{Profile: "default", Depth: -1}, "negative"},
		{QoSChoice{Profile: "default", Lease: -1}, "negative"},
	} {
		if _, err := c.choice.Resolve(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q in it", c.choice, err, c.want)
		}
	}
}

func TestWords(t *testing.T) {
	for _, c := range []struct{ got, want []string }{
		{Histories, []string{"system_default", "keep_last", "keep_all"}},
		{Reliabilities, []string{"system_default", "reliable", "best_effort", "best_available"}},
		{Durabilities, []string{"system_default", "transient_local", "volatile", "best_available"}},
		{Livelinesses, []string{"system_default", "automatic", "manual_by_topic", "best_available"}},
	} {
		if !reflect.DeepEqual(c.got, c.want) {
			t.Errorf("%v, want %v", c.got, c.want)
		}
	}
}

func TestMatch(t *testing.T) {
	publisher := func(q pubsub.QoS) pubsub.EndpointInfo { return pubsub.EndpointInfo{Publisher: true, QoS: q} }
	reliable, latched := publisher(pubsub.DefaultQoS()), publisher(pubsub.DefaultQoS().TransientLocal())
	sensor := publisher(pubsub.SensorDataQoS())
	subscription := pubsub.EndpointInfo{QoS: pubsub.SensorDataQoS()}
	preset := pubsub.SensorDataQoS()
	for _, c := range []struct {
		name      string
		endpoints []pubsub.EndpointInfo
		want      pubsub.QoS
		notes     int
	}{
		{"nobody", nil, preset, 0},
		{"no publisher", []pubsub.EndpointInfo{subscription}, preset, 0},
		{"reliable", []pubsub.EndpointInfo{reliable, subscription}, preset.Reliable(), 0},
		{"latched", []pubsub.EndpointInfo{latched, latched}, preset.Reliable().TransientLocal(), 0},
		{"some latched", []pubsub.EndpointInfo{latched, reliable}, preset.Reliable(), 1},
		{"some reliable", []pubsub.EndpointInfo{reliable, sensor}, preset, 1},
		{"mixed", []pubsub.EndpointInfo{latched, sensor}, preset, 2},
	} {
		got, notes := Match(preset, c.endpoints)
		if got != c.want || len(notes) != c.notes {
			t.Errorf("%s: %+v, %q", c.name, got, notes)
		}
	}
}
