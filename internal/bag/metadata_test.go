package bag

import (
	"flag"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/pinion-ros/pinion/pubsub"
)

var update = flag.Bool("update", false, "write the golden files")

func sample(version int) *Metadata {
	m := &Metadata{Version: version, Storage: "sqlite3", Start: 1700000000123456789, Duration: 1500 * time.Millisecond, Messages: 7,
		Files: []FileInfo{{"bag_0.db3", 1700000000123456789, 1500 * time.Millisecond, 7}},
		Topics: []TopicCount{
			{Topic{Name: "/tf_static", Type: "tf2_msgs/msg/TFMessage", Encoding: "cdr", Offered: []Profile{
				{pubsub.QoS{Reliability: pubsub.Reliable, Durability: pubsub.TransientLocal, Liveliness: pubsub.Automatic}, true},
				{pubsub.QoS{History: pubsub.KeepLast, Depth: 5, Reliability: pubsub.BestEffort, Durability: pubsub.Volatile,
					Deadline: 10 * time.Millisecond, Lifespan: 1500 * time.Millisecond, Liveliness: pubsub.ManualByTopic, Lease: time.Second}, false},
			}}, 7},
			{Topic{Name: "/empty", Type: "std_msgs/msg/String", Encoding: "cdr"}, 0},
		}}
	if version >= 7 {
		m.Topics[0].TypeHash = "RIHS01_e369d0f05a23ae52508854b66f6aa04437f3449d652e8cbf61d5abe85d020087"
		m.Distro = "jazzy"
	}
	return m
}

func TestMetadata(t *testing.T) {
	for _, c := range []struct {
		version int
		golden  string
	}{{5, "testdata/humble.yaml"}, {9, "testdata/jazzy.yaml"}} {
		m := sample(c.version)
		text, err := m.Text()
		if err != nil {
			t.Fatal(err)
		}
		if *update {
			if err := os.WriteFile(c.golden, text, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(c.golden)
		if err != nil {
			t.Fatal(err)
		}
		if string(text) != string(want) {
			t.Errorf("version %d:\n%s\nwant\n%s", c.version, text, want)
		}
		back, err := parseMetadata(text)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(back, m) {
			t.Errorf("version %d read back: %+v\nwant %+v", c.version, back, m)
		}
	}
}

// What distributions wrote: numbers for names, numbers of their own for endless, and less of
// everything the older they are.
func TestOldMetadata(t *testing.T) {
	text, err := os.ReadFile("testdata/foxy.yaml")
	if err != nil {
		t.Fatal(err)
	}
	m, err := parseMetadata(text)
	if err != nil {
		t.Fatal(err)
	}
	want := &Metadata{Version: 4, Storage: "sqlite3", Start: 1585866235112411371, Duration: 4531096768, Messages: 20,
		Files: []FileInfo{{Name: "talker_0.db3"}},
		Topics: []TopicCount{{Topic{Name: "/topic", Type: "std_msgs/msg/String", Encoding: "cdr", Offered: []Profile{
			{pubsub.QoS{Reliability: pubsub.Reliable, Durability: pubsub.TransientLocal, Lifespan: 10 * time.Second, Liveliness: pubsub.Automatic}, true},
		}}, 10}}}
	if !reflect.DeepEqual(m, want) {
		t.Errorf("%+v\nwant %+v", m, want)
	}
}

func TestBadMetadata(t *testing.T) {
	for text, want := range map[string]string{
		"":                               "version is missing",
		"rosbag2_bagfile_information: 5": "line 1",
		"rosbag2_bagfile_information: {version: x}":                                                                                  "line 1",
		"rosbag2_bagfile_information: {version: 5, message_count: -1}":                                                               "line 1",
		"rosbag2_bagfile_information:\n version: 5\n topics_with_message_count: [{topic_metadata: {offered_qos_profiles: \"- [\"}}]": "offered_qos_profiles",
		"a: [": "line",
	} {
		if _, err := parseMetadata([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func TestOffer(t *testing.T) {
	reliable, sensor := pubsub.DefaultQoS(), pubsub.SensorDataQoS()
	latched := pubsub.DefaultQoS().TransientLocal().KeepLast(1)
	deadline := reliable
	deadline.Deadline = time.Second
	unknown := func(q pubsub.QoS) Profile { q.History, q.Depth = 0, 0; return Profile{q, true} }
	for _, c := range []struct {
		name     string
		recorded []Profile
		want     pubsub.QoS
		same     bool
	}{
		{"none", nil, reliable.KeepLast(recordDepth), true},
		{"known", []Profile{{sensor, false}}, sensor.KeepLast(recordDepth), true},
		{"unknown history", []Profile{unknown(sensor)}, sensor.KeepLast(recordDepth), true},
		{"latched", []Profile{{latched, false}}, latched, true},
		{"several latched", []Profile{{latched, false}, {latched, false}, unknown(latched)}, latched.KeepLast(2 + latchedDepth), true},
		{"best of all", []Profile{{sensor, false}, {latched, false}}, latched.KeepLast(6), false},
		{"deadline", []Profile{{reliable, false}, {deadline, false}}, deadline.KeepLast(recordDepth), false},
	} {
		if q, same := offer(c.recorded); q != c.want || same != c.same {
			t.Errorf("%s: %+v, %v, want %+v, %v", c.name, q, same, c.want, c.same)
		}
	}
}
