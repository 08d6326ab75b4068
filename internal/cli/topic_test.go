package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const (
	// spin is for commands that go on as soon as they have discovered their topic.
	spin = "--spin-time=60"
	// look is for those that print what they have discovered by then, which are called until it is all.
	look = "--spin-time=1"
)

func TestTopicGraph(t *testing.T) {
	t.Parallel()
	d := newDomain(t)
	d.start(t, "topic", "pub", "-n", "talker", "-p", "0", "-r", "100", "/chatter", "std_msgs/String", "data: hello")
	d.start(t, "topic", "pub", "-p", "0", "--qos-durability", "transient_local", "--qos-depth", "3", "/_hidden/state", "std_msgs/msg/Bool")
	d.start(t, "topic", "echo", "/heard", "std_msgs/msg/Empty", "--qos-reliability", "best_effort")
	d.waitForTopic(t, "/heard")

	t.Run("text", func(t *testing.T) { testTopicGraph(t, d) })
	testTopicGraphJSON(t, d)
	testCompletion(t, d)
	testNodes(t, d)
}

func testTopicGraph(t *testing.T, d domain) {
	for _, c := range []struct {
		args string
		want string // a regular expression
	}{
		{"list", "/chatter\n/heard\n"},
		{"list -t --include-hidden-topics", "/_hidden/state \\[std_msgs/msg/Bool\\]\n/chatter \\[std_msgs/msg/String\\]\n/heard \\[std_msgs/msg/Empty\\]\n"},
		{"list -c", "2\n"},
		{"list -v", "Published topics:\n \\* /chatter \\[std_msgs/msg/String\\] 1 publisher\n\nSubscribed topics:\n \\* /heard \\[std_msgs/msg/Empty\\] 1 subscriber\n\n"},
		{"find std_msgs/String", "/chatter\n"},
		{"find std_msgs/msg/String -c", "1\n"},
		{"find no_msgs/msg/Such", ""},
		{"type chatter", "std_msgs/msg/String\n"},
		{"info /chatter", "Type: std_msgs/msg/String\nPublisher count: 1\nSubscription count: 0\n"},
		{"info -v /chatter", `Type: std_msgs/msg/String

Publisher count: 1

Node name: talker
Node namespace: /
Topic type: std_msgs/msg/String
Topic type hash: RIHS01_df668c740482bbd48fb39d76a70dfd4bd59db1288021743503259e948f6b1a18
Endpoint type: PUBLISHER
GID: ([0-9a-f]{2}\.){15}[0-9a-f]{2}
QoS profile:
  Reliability: RELIABLE
  History \(Depth\): KEEP_LAST \(10\)
  Durability: VOLATILE
  Lifespan: Infinite
  Deadline: Infinite
  Liveliness: AUTOMATIC
  Liveliness lease duration: Infinite

Subscription count: 0

`},
	} {
		t.Run(c.args, func(t *testing.T) {
			t.Parallel()
			d.untilMatch(t, c.want, append([]string{"topic", look}, strings.Fields(c.args)...)...)
		})
	}
}

func testTopicGraphJSON(t *testing.T, d domain) {
	type entry struct {
		Name       string
		Publishers int
	}
	untilJSON(t, d, func(entries []entry) bool {
		return len(entries) == 2 && entries[0].Name == "/chatter" && entries[0].Publishers == 1 && entries[1].Publishers == 0
	}, "topic", "list", look, "--json")
	type info struct {
		Publishers []struct{ QoS struct{ Durability string } }
	}
	untilJSON(t, d, func(info info) bool {
		return len(info.Publishers) == 1 && info.Publishers[0].QoS.Durability == "TRANSIENT_LOCAL"
	}, "topic", "info", look, "--json", "/_hidden/state")
}

func testCompletion(t *testing.T, d domain) {
	d.untilMatch(t, `(?s)/chatter\n/heard\n:4.*`, "__complete", "topic", "echo", look, "")
	d.untilMatch(t, `(?s)std_msgs/msg/String\n:4.*`, "__complete", "topic", "pub", spin, "/chatter", "")
	d.untilMatch(t, `(?s)/talker\n:4.*`, "__complete", "node", "info", look, "/")
	if got := d.must(t, "__complete", "msg", "show", ""); !strings.Contains(got, "\nstd_srvs/srv/SetBool\n") {
		t.Errorf("completion of types: %s", got)
	}
}

func testNodes(t *testing.T, d domain) {
	d.untilMatch(t, `/talker\n`, "node", "list", look)
	d.untilMatch(t, `(/_pinion_\d+\n){2}/talker\n`, "node", "list", look, "-a")
	d.untilMatch(t, `(?s)/talker\n  Subscribers:\n\n  Publishers:\n    /chatter: std_msgs/msg/String\n.*`, "node", "info", look, "talker")
}

// waitForTopic waits until the topic of a command without output is in the graph.
func (d domain) waitForTopic(t *testing.T, topic string) {
	t.Helper()
	d.until(t, func(r result) bool { return r.code == 0 }, "topic", "type", topic)
}

func unmarshal(t *testing.T, text string, v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), v); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
}

func TestEcho(t *testing.T) {
	t.Parallel()
	d := newDomain(t)
	d.start(t, "topic", "pub", "-r", "50", "-p", "0", "/joints", "sensor_msgs/msg/JointState",
		"{header: {stamp: {sec: 5}, frame_id: base}, name: [a, b], position: [0.5, 1]}")
	const whole = `header:
  stamp:
    sec: 5
    nanosec: 0
  frame_id: base
name:
- a
- b
position:
- 0.5
- 1.0
velocity: []
effort: []
---
`
	for _, c := range []struct{ args, want string }{
		{"--once", whole},
		{"-n 2", whole + whole},
		{"--once --flow-style --field position", "array('d', [0.5, 1.0])\n---\n"},
		{"--once --flow-style --no-str", "header:\n  stamp:\n    sec: 5\n    nanosec: 0\n  frame_id: '<string length: <4>>'\nname: ['<string length: <1>>', '<string length: <1>>']\nposition: [0.5, 1.0]\nvelocity: []\neffort: []\n---\n"},
		{"--once --no-arr -l 2", "header:\n  stamp:\n    sec: 5\n    nanosec: 0\n  frame_id: ba...\nname: '<sequence type: string, length: 2>'\nposition: '<sequence type: double, length: 2>'\nvelocity: '<sequence type: double, length: 0>'\neffort: '<sequence type: double, length: 0>'\n---\n"},
		{"--once --csv", "5,0,base,a,b,0.5,1.0,,\n"},
		{"--once --csv --field position[1]", "1.0\n"},
		{"--once --field header.frame_id", "base\n---\n"},
		{"--once --field header.stamp", "sec: 5\nnanosec: 0\n---\n"},
		{"--once --json", `{"header":{"stamp":{"sec":5,"nanosec":0},"frame_id":"base"},"name":["a","b"],"position":[0.5,1],"velocity":[],"effort":[]}` + "\n"},
		{"--once --json --field position[0]", "0.5\n"},
		{"--once --timeout 60 --qos-reliability reliable --qos-depth 3", whole},
	} {
		if got := d.must(t, append([]string{"topic", spin, "echo", "/joints"}, strings.Fields(c.args)...)...); got != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", c.args, got, c.want)
		}
	}
	info := d.must(t, "topic", spin, "echo", "joints", "--once", "-i", "--field", "header.stamp.sec")
	if !regexp.MustCompile(`^publication_sequence_number: \d+\nreceived_timestamp: \d{19}\nreception_sequence_number: null\nsource_timestamp: \d{19}\n---\n5\n---\n$`).MatchString(info) {
		t.Errorf("-i: %s", info)
	}
	if got := d.must(t, "topic", spin, "echo", "joints", "--once", "--raw"); !strings.HasPrefix(got, `b'\x00\x01\x00\x00\x05\x00\x00\x00`) {
		t.Errorf("--raw: %s", got)
	}
	for _, c := range []struct{ args, want string }{
		{"--field nothing", `sensor_msgs/msg/JointState has no field "nothing", but header, name, position, velocity, effort`},
		{"--field position.x", "position holds no fields"},
		{"--field position[-1]", "no element"},
		{"--field .", "has no field"},
	} {
		r := d.run(t, append([]string{"topic", spin, "echo", "/joints"}, strings.Fields(c.args)...)...)
		if r.code != 1 || !strings.Contains(r.stderr, c.want) || strings.Count(r.stderr, "\n") != 1 {
			t.Errorf("%s: status %d, %s, want %q", c.args, r.code, r.stderr, c.want)
		}
	}
}

func TestLatched(t *testing.T) {
	t.Parallel()
	d := newDomain(t)
	d.start(t, "topic", "pub", "-t", "1", "-w", "0", "--keep-alive", "600", "--qos-durability", "transient_local",
		"/map_name", "std_msgs/msg/String", "data: hall").waitFor(t, "publishing #1")
	if got := d.must(t, "topic", spin, "echo", "/map_name", "--once"); got != "data: hall\n---\n" {
		t.Errorf("a late echo: %s", got)
	}
	d.start(t, "topic", "pub", "-p", "0", "-r", "50", "--qos-reliability", "best_effort", "/map_name", "std_msgs/msg/String", "data: other")
	d.until(t, func(r result) bool {
		return r.code == 0 && strings.Contains(r.stderr, "1 of 2 publishers are transient local: subscribing as volatile") &&
			strings.Contains(r.stderr, "1 of 2 publishers are reliable: subscribing as best effort")
	}, "topic", spin, "echo", "/map_name", "--once")
}

func TestPub(t *testing.T) {
	t.Parallel()
	d := newDomain(t)
	// What is best effort may miss the first message.
	echo := d.start(t, "topic", "echo", "--qos-reliability", "reliable", "/chatter", "std_msgs/msg/String")
	if got := d.must(t, "topic", "pub", "-1", "/chatter", "std_msgs/msg/String", "{data: foo}"); !strings.HasSuffix(got,
		"publisher: beginning loop\npublishing #1: std_msgs.msg.String(data='foo')\n\n") {
		t.Errorf("-1: %s", got)
	}
	echo.waitFor(t, "data: foo\n---\n")
	if got := d.must(t, "topic", "pub", "-t", "4", "-p", "2", "-r", "100", "/chatter", "std_msgs/msg/String", "{data: fizz}"); !strings.HasSuffix(got,
		"publishing #2: std_msgs.msg.String(data='fizz')\n\npublishing #4: std_msgs.msg.String(data='fizz')\n\n") {
		t.Errorf("-p: %s", got)
	}
	r := d.runWith(t, strings.NewReader("data: |\n  two\n  lines\n"), "topic", "pub", "--stdin", "-1", "--json", "/chatter", "std_msgs/msg/String")
	if r.stdout != `{"number":1,"message":{"data":"two\nlines\n"}}`+"\n" {
		t.Errorf("--stdin --json: %s %s", r.stdout, r.stderr)
	}
	echo.waitFor(t, "data: 'two\n\n  lines\n\n  '\n---\n")

	d.start(t, "topic", "pub", "-r", "100", "-p", "0", "/stamped", "geometry_msgs/msg/PointStamped", "header: auto")
	type delay struct {
		Topic string
		Delay struct{ Mean float64 }
	}
	untilJSON(t, d, func(delay delay) bool {
		return delay.Topic == "/stamped" && delay.Delay.Mean >= 0 && delay.Delay.Mean <= 10
	}, "topic", "delay", "/stamped", "-n", "1", "--json")
	type rate struct{ Rate float64 }
	untilJSON(t, d, func(r rate) bool { return r.Rate >= 10 && r.Rate <= 200 }, "topic", "hz", "/stamped", "-n", "1", "--json")
	var bw struct {
		Size struct{ Min, Max float64 }
	}
	// 4 bytes of header, 12 to the end of the empty frame_id, 3 doubles.
	unmarshal(t, d.must(t, "topic", "bw", "/stamped", "-n", "1", "--json"), &bw)
	if bw.Size.Min != 44 || bw.Size.Max != 44 {
		t.Errorf("bw: %+v", bw)
	}
}

// Measuring what nobody publishes says so and ends.
func TestMeasureNothing(t *testing.T) {
	t.Parallel()
	d := newDomain(t)
	const warning = "WARNING: topic [/none] does not appear to be published yet\n"
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"hz /none -n 1 --timeout 0.3", 1, warning + "pinion: timed out after 300ms with 0 of 1 reports; topic /none: nothing was published\n"},
		{"bw /none --timeout 0.3", 0, warning + "pinion: topic /none: nothing was published\n"},
		{"delay /none --timeout 0.3", 0, warning + "pinion: topic /none: nothing was published\n"},
	} {
		r := d.run(t, append([]string{"topic", "--spin-time=0.1"}, strings.Fields(c.args)...)...)
		if r.code != c.code || r.stdout != "" || r.stderr != c.want {
			t.Errorf("%s: %+v, want %q", c.args, r, c.want)
		}
	}
	hz := d.start(t, "topic", "--spin-time=0.1", "hz", "/none", "-n", "1") // whose end by an interrupt start checks
	hz.waitFor(t, warning)
}

func TestVersion(t *testing.T) {
	t.Parallel()
	got := newDomain(t).must(t, "--version")
	if !regexp.MustCompile(`^pinion \S+, Cyclone DDS \d+\.\d+\.\d+, go1\S* \S+/\S+\n$`).MatchString(got) {
		t.Errorf("%s", got)
	}
}

func TestUserTypes(t *testing.T) {
	t.Parallel()
	d := newDomain(t)
	dirs := [2]string{t.TempDir(), t.TempDir()}
	for i, text := range []string{"float32 force\nstring<=4 name\n", "float32 force\nstring<=4 name\nint8 more\n"} {
		if err := os.MkdirAll(filepath.Join(dirs[i], "grip_msgs", "msg"), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dirs[i], "grip_msgs", "msg", "Grip.msg"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	d.start(t, "topic", "pub", "-I", dirs[0], "-r", "50", "-p", "0", "/grip", "grip_msgs/Grip", "{force: 2, name: left}")
	if got := d.must(t, "topic", spin, "echo", "-I", dirs[0], "/grip", "--once"); got != "force: 2.0\nname: left\n---\n" {
		t.Errorf("a user's type: %s", got)
	}
	if r := d.run(t, "topic", spin, "echo", "/grip", "--once"); r.code != 1 || !strings.Contains(r.stderr, "grip_msgs/msg/Grip.msg is not found") || !strings.Contains(r.stderr, "-I") {
		t.Errorf("without -I: %+v", r)
	}
	if r := d.run(t, "topic", spin, "echo", "-I", dirs[1], "/grip", "--timeout", "0.5"); !strings.Contains(r.stderr, "by another definition") {
		t.Errorf("another definition: %+v", r)
	}
	if r := d.run(t, "topic", "pub", "-I", dirs[0], "-1", "/grip", "grip_msgs/Grip", "name: middle"); r.code != 1 || !strings.Contains(r.stderr, "bound exceeded") {
		t.Errorf("a bound: %+v", r)
	}
	if got := d.must(t, "topic", spin, "hz", "/grip", "-n", "1"); !regexp.MustCompile(`^average rate: \d+\.\d{3}\n\tmin: \d+\.\d{3}s max: \d+\.\d{3}s std dev: \d+\.\d{5}s window: \d+\n$`).MatchString(got) {
		t.Errorf("hz of a type without definition: %s", got)
	}
}

func TestBadCommandLines(t *testing.T) {
	t.Parallel()
	d := newDomain(t)
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"topic bogus", 2, `there is no command "pinion topic bogus"`},
		{"topic bogus --help", 2, `there is no command "pinion topic bogus"`},
		{"topic lits", 2, "did you mean list?"},
		{"bogus", 2, `there is no command "pinion bogus"`},
		{"bogus -h", 2, `there is no command "pinion bogus"`},
		{"help topic bogus", 2, `there is no command "pinion topic bogus"`},
		{"completion bogus", 2, `there is no command "pinion completion bogus"`},
		{"bag bogus", 2, `there is no command "pinion bag bogus"`},
		{"bag play", 2, "BAG is missing"},
		{"bag play a b", 2, `"b" is one bag too many`},
		{"bag play /nowhere", 1, "no such file"},
		{"bag record -a -s mcap", 2, "ros2 bag convert"},
		{"bag record -a -b 1000", 2, "--max-bag-size: at least 86016"},
		{"bag record -a -d x", 2, "seconds"},
		{"bag record -a --compression-mode stream", 2, "file, message"},
		{"bag record -a --compression-mode file --compression-format lz4", 2, "zstd is the only one"},
		{"topic list extra", 2, `"extra" is one argument too many: pinion topic list`},
		{"topic list --bogus", 2, "--bogus"},
		{"topic list -zv", 2, "unknown flag -z"},
		{"topic list --use-sim-time", 2, "clock of this machine"},
		{"topic echo", 2, "TOPIC is missing: pinion topic echo TOPIC [TYPE]"},
		{"topic echo /a b c", 2, `"c" is one argument too many`},
		{"topic echo /a -n", 2, "--times wants a value"},
		{"topic echo /a -n x", 2, `--times wants a whole number, not "x"`},
		{"topic echo /a --once=5", 2, "--once wants true or false"},
		{"topic echo /a --filter m.x>1", 2, "jq"},
		{"topic echo /a --csv --json", 2, "exclude"},
		{"topic echo /a -l -1", 2, "truncate-length"},
		{"topic echo /a --spin-time x", 2, "seconds"},
		{"topic echo /a --spin-time -1", 2, "negative"},
		{"topic echo /a --qos-profile x", 2, "sensor_data"},
		{"topic echo /a --qos-durability x", 2, "transient_local"},
		{"topic echo /a --qos-depth -1", 2, "negative"},
		{"topic echo /a --spin-time 0.1", 1, "topic /a: nobody publishes"},
		{"topic echo 1a", 1, "topic name"},
		{"topic echo /a//b", 1, "topic name"},
		{"topic echo /a std_msgs/msg/Nope", 1, "std_msgs/msg/Nope.msg is not found"},
		{"topic echo /a std_srvs/srv/SetBool", 1, "is no message"},
		{"topic echo /a std_msgs/msg/Bool --once --timeout 0.2", 1, "timed out"},
		{"topic echo /a -I /nowhere std_msgs/msg/Bool", 1, "-I /nowhere"},
		{"topic info --spin-time 0.1 /a", 1, "/a"},
		{"topic type --spin-time 0.1 /a", 1, "/a"},
		{"topic pub", 2, "TOPIC and TYPE are missing"},
		{"topic pub /a", 2, "TYPE is missing"},
		{"topic pub /a std_msgs/Bool {} --stdin", 2, "--stdin"},
		{"topic pub /a std_msgs/Bool -1 -t 2", 2, "--times"},
		{"topic pub /a std_msgs/Bool -r 0", 1, "rate"},
		{"topic pub /a std_msgs/Bool -r 1e300", 1, "rate"},
		{"topic pub /a std_msgs/Bool [", 1, "YAML"},
		{"topic pub /a std_msgs/Bool 5", 1, "mapping"},
		{"topic pub /a std_msgs/Bool data:5", 1, "mapping"},
		{"topic pub /a std_msgs/Bool -1 --max-wait-time-secs 0.1", 1, "timed out"},
		{"topic pub /a std_msgs/Bool --max-wait-time-secs 1", 2, "--wait-matching-subscriptions"},
		{"topic pub /a std_msgs/Bool -n 1x", 1, "node name"},
		{"topic hz /a -w 0", 2, "--window"},
		{"topic hz", 2, "TOPIC is missing"},
		{"topic hz //", 1, "topic name"},
		{"bench compare a.json", 2, "B.json is missing"},
		{"plan init --listen x", 2, "seconds"},
		{"node info --spin-time 0.1 /a", 1, "/a"},
		{"msg show std_msgs/msg/Nope", 1, "std_msgs/msg/Nope.msg is not found"},
		{"msg show std_msgs/msg/String --all-comments --no-comments", 2, "exclude"},
		{"msg list nope", 1, "nope"},
		{"msg hash x", 1, "x"},
	} {
		t.Run(c.args, func(t *testing.T) {
			r := d.run(t, strings.Fields(c.args)...)
			if r.code != c.code || !strings.Contains(r.stderr, c.want) || strings.Count(strings.TrimSpace(r.stderr), "\n") != 0 {
				t.Errorf("status %d, want %d; %q, want %q in one line", r.code, c.code, r.stderr, c.want)
			}
		})
	}
}
