package interop

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/pinion-ros/pinion/bench/gamepad_msgs"
	"github.com/pinion-ros/pinion/cdr"
	"github.com/pinion-ros/pinion/msggen"
	"github.com/pinion-ros/pinion/msgs"
	"github.com/pinion-ros/pinion/msgs/geometry_msgs"
	_ "github.com/pinion-ros/pinion/msgs/nav_msgs"
	"github.com/pinion-ros/pinion/msgs/sensor_msgs"
	"github.com/pinion-ros/pinion/msgs/std_msgs"
	_ "github.com/pinion-ros/pinion/msgs/test_msgs"
	_ "github.com/pinion-ros/pinion/msgs/tf2_msgs"
	"github.com/pinion-ros/pinion/pubsub"
)

// domain is this package's own, on loopback. Its ports are above those that Linux gives to others.
var domain = pubsub.Discovery{Domain: 217, Loopback: true, Range: pubsub.RangeLocalhost}

// patient is for peers that print more slowly than they receive.
var patient = pubsub.WithMaxBlocking(20 * time.Second)

// types returns those that peers are tested with: all messages of sensor_msgs and test_msgs, and
// some that are common.
func types(t testing.TB) []*cdr.Type {
	t.Helper()
	var all []*cdr.Type
	for _, name := range cdr.Types() {
		if strings.HasPrefix(name, "sensor_msgs/msg/") || strings.HasPrefix(name, "test_msgs/msg/") {
			all = append(all, cdr.Lookup(name))
		}
	}
	for _, m := range []cdr.Message{new(std_msgs.String), new(geometry_msgs.Twist), new(gamepad_msgs.GamepadState)} {
		all = append(all, m.CDRType())
	}
	for _, name := range []string{"nav_msgs/msg/Odometry", "nav_msgs/msg/OccupancyGrid", "nav_msgs/msg/Path", "tf2_msgs/msg/TFMessage"} {
		all = append(all, cdr.Lookup(name))
	}
	if len(all) < 40 || slices.Contains(all, nil) {
		t.Fatalf("%d types to test with are fewer than there have to be", len(all))
	}
	return all
}

// hasWide tells whether a type contains a wstring, which idlc does not know.
func hasWide(t *cdr.Type) bool {
	s, err := t.Schema()
	if err != nil {
		panic(err)
	}
	return slices.ContainsFunc(closure([]*cdr.Schema{s}), func(s *cdr.Schema) bool {
		return slices.ContainsFunc(s.Fields, func(f cdr.SchemaField) bool { return f.Element == cdr.WStringType })
	})
}

func newLoader() *msggen.Loader {
	return msggen.NewLoader(
		msggen.PackageFolder("../../bench/gamepad_msgs", "gamepad_msgs"),
		msggen.PlaceOf("msgs", msgs.Definitions),
	)
}

// cyclonePeer builds the peer on Cyclone DDS, once for all tests.
var cyclonePeer = struct {
	sync.Once
	program string
	err     error
}{}

func cyclone(t testing.TB) (program string, known []*cdr.Type) {
	t.Helper()
	known = slices.DeleteFunc(types(t), hasWide)
	cyclonePeer.Do(func() {
		dir := filepath.Join(work, "cyclone")
		if cyclonePeer.err = os.Mkdir(dir, 0o777); cyclonePeer.err == nil {
			cyclonePeer.program, cyclonePeer.err = BuildCyclone(dir, newLoader(), known)
		}
	})
	if cyclonePeer.err != nil {
		t.Fatal(cyclonePeer.err)
	}
	return cyclonePeer.program, known
}

// work is the folder for what tests share.
var work string

func TestMain(m *testing.M) {
	os.Unsetenv("CYCLONEDDS_URI")
	dir, err := os.MkdirTemp("", "interop")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	work = dir
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

func TestCyclone(t *testing.T) {
	program, types := cyclone(t)
	suite(t, program, types)
}

// suite tests everything that can be asked of a peer.
func suite(t *testing.T, program string, types []*cdr.Type) {
	t.Run("types", func(t *testing.T) { testTypes(t, program, types) })
	t.Run("JointState", func(t *testing.T) { testQoS[sensor_msgs.JointState](t, program) })
	t.Run("String", func(t *testing.T) { testQoS[std_msgs.String](t, program) })
	t.Run("GamepadState", func(t *testing.T) { testQoS[gamepad_msgs.GamepadState](t, program) })
	t.Run("incompatible", func(t *testing.T) { testIncompatible(t, program) })
}

func start(t *testing.T, program string) *Peer {
	t.Helper()
	p, err := Start(program, domain.Domain)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Stop(); err != nil {
			t.Error(err)
		}
	})
	return p
}

func newNode(t *testing.T, options ...pubsub.Option) *pubsub.Node {
	t.Helper()
	n, err := pubsub.NewNode("interop", append(options, pubsub.WithDiscovery(domain))...)
	check(t, err)
	t.Cleanup(func() { check(t, n.Close()) })
	return n
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func timeout(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// get returns a constructor's result.
func get[T any](t *testing.T) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		check(t, err)
		return v
	}
}

// compareAll waits until a peer's subscription has received the messages, no more, and compares.
func compareAll(t *testing.T, e *Endpoint, want []cdr.Message) {
	t.Helper()
	check(t, e.Wait(timeout(t), func(s State) bool { return s.Received >= len(want) }))
	got := e.Received()
	if len(got) != len(want) {
		t.Fatalf("%d messages were received, want %d", len(got), len(want))
	}
	for i, m := range want {
		fields := get[[]Field](t)(Fields(m))
		if err := Compare(fields, got[i]); err != nil {
			t.Errorf("message %d: %v", i, err)
		}
	}
}

// same compares what a subscription here has received.
func same(t *testing.T, i int, got, want cdr.Message) {
	t.Helper()
	fields := get[[]Field](t)(Fields(want))
	printed := get[[]Field](t)(Fields(got))
	if err := Compare(fields, strings.Join(texts(printed), " ")); err != nil {
		t.Errorf("message %d: %v", i, err)
	}
}

// testTypes exchanges the edge values of every type in both directions.
func testTypes(t *testing.T, program string, types []*cdr.Type) {
	node, peer := newNode(t), start(t, program)
	qos := pubsub.DefaultQoS().KeepAll()
	for _, typ := range types {
		t.Run(strings.ReplaceAll(typ.Name, "/msg/", "."), func(t *testing.T) {
			messages := values(typ)
			topic := "/" + strings.ReplaceAll(typ.Name, "/", "_")

			remote := get[*Endpoint](t)(peer.Subscription(topic+"/to", typ, qos))
			pub := get[*pubsub.RawPublisher](t)(pubsub.NewRawPublisher(node, topic+"/to", typ.Name, qos, patient))
			check(t, pub.WaitForSubscribers(timeout(t), 1))
			for _, m := range messages {
				check(t, pub.Publish(get[[]byte](t)(cdr.Marshal(m))))
			}
			compareAll(t, remote, messages)
			check(t, pub.Close())

			sub := get[*pubsub.RawSubscription](t)(pubsub.NewRawSubscription(node, topic+"/from", typ.Name, qos, nil))
			remote = get[*Endpoint](t)(peer.Publisher(topic+"/from", typ, qos))
			check(t, remote.Wait(timeout(t), func(s State) bool { return s.Matched == 1 }))
			check(t, sub.WaitForPublishers(timeout(t), 1))
			for i, want := range messages {
				check(t, remote.Publish(want))
				data := takeRaw(t, sub)
				got := typ.New()
				check(t, cdr.Unmarshal(data, got))
				same(t, i, got, want)
			}
			check(t, sub.Close())
		})
	}
}

func takeRaw(t *testing.T, sub *pubsub.RawSubscription) []byte {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond / 4) {
		if data, err := sub.Take(nil, nil); err == nil {
			return data
		}
	}
	t.Fatal("no message came from the peer")
	return nil
}

// testQoS exchanges messages of a type with the policies that matter, through the typed interface.
func testQoS[T any, P interface {
	*T
	cdr.Message
	Clone() *T
}](t *testing.T, program string) {
	var messages []P
	var all []cdr.Message
	typ := P(new(T)).CDRType()
	for n := range 20 {
		m := value(typ, n)
		messages, all = append(messages, m.(P)), append(all, m)
	}
	clone := func(m *T) cdr.Message { return P(P(m).Clone()) }
	for name, qos := range map[string]pubsub.QoS{
		"reliable":        pubsub.DefaultQoS().KeepAll(),
		"best effort":     pubsub.SensorDataQoS().KeepLast(len(all)),
		"transient local": pubsub.DefaultQoS().KeepLast(len(all) / 2).TransientLocal(),
	} {
		late := qos.Durability == pubsub.TransientLocal
		expected := all
		if late {
			expected = all[len(all)-qos.Depth:]
		}
		topic := "/" + strings.ReplaceAll(name, " ", "_")
		t.Run(name+" to peer", func(t *testing.T) {
			node, peer := newNode(t), start(t, program)
			pub := get[*pubsub.Publisher[T]](t)(pubsub.NewPublisher[T, P](node, topic, qos, patient))
			var remote *Endpoint
			join := func() {
				remote = get[*Endpoint](t)(peer.Subscription(topic, typ, qos))
				check(t, pub.WaitForSubscribers(timeout(t), 1))
				check(t, remote.Wait(timeout(t), func(s State) bool { return s.Matched == 1 }))
			}
			if !late {
				join()
			}
			for _, m := range messages {
				check(t, pub.Publish(m))
			}
			if late {
				join()
			}
			compareAll(t, remote, expected)
		})
		t.Run(name+" from peer", func(t *testing.T) {
			node, peer := newNode(t), start(t, program)
			remote := get[*Endpoint](t)(peer.Publisher(topic, typ, qos))
			got := make(chan cdr.Message, len(all)+1)
			join := func() {
				sub := get[*pubsub.Subscription[T]](t)(pubsub.NewSubscription[T, P](node, topic, qos,
					func(m *T, _ *pubsub.MessageInfo) { got <- clone(m) }))
				check(t, sub.WaitForPublishers(timeout(t), 1))
				check(t, remote.Wait(timeout(t), func(s State) bool { return s.Matched == 1 }))
			}
			if !late {
				join()
			}
			for _, m := range all {
				check(t, remote.Publish(m))
			}
			check(t, remote.Wait(timeout(t), func(s State) bool { return s.Written == len(all) }))
			if late {
				join()
			}
			for i, want := range expected {
				select {
				case m := <-got:
					same(t, i, m, want)
				case <-timeout(t).Done():
					t.Fatalf("message %d did not come", i)
				}
			}
		})
	}
}

// The ids of policies (DDS 1.4, 2.3.3).
const (
	durabilityPolicy  = 2
	reliabilityPolicy = 11
)

// testIncompatible has publishers offer less than subscriptions ask for: nothing flows and both ends
// say why.
func testIncompatible(t *testing.T, program string) {
	for _, tt := range []struct {
		name             string
		offered, asked   pubsub.QoS
		policy           int
		warning, mention string
	}{
		{"reliability", pubsub.DefaultQoS().BestEffort(), pubsub.DefaultQoS(), reliabilityPolicy, "QoS", "RELIABILITY"},
		{"durability", pubsub.DefaultQoS(), pubsub.DefaultQoS().TransientLocal(), durabilityPolicy, "QoS", "DURABILITY"},
	} {
		typ := new(std_msgs.String).CDRType()
		warned := func(t *testing.T, logs *observer.ObservedLogs) {
			t.Helper()
			for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
				for _, entry := range logs.All() {
					if strings.Contains(entry.Message, tt.warning) && strings.EqualFold(fmt.Sprint(entry.ContextMap()["policy"]), tt.mention) {
						return
					}
				}
			}
			t.Fatalf("no warning names %s: %v", tt.mention, logs.All())
		}
		refused := func(s State) bool { return slices.Contains(s.Incompatible, tt.policy) }
		t.Run(tt.name+" to peer", func(t *testing.T) {
			core, logs := observer.New(zap.WarnLevel)
			node, peer := newNode(t, pubsub.WithLogger(zap.New(core))), start(t, program)
			pub := get[*pubsub.Publisher[std_msgs.String]](t)(pubsub.NewPublisher[std_msgs.String](node, "x", tt.offered))
			remote := get[*Endpoint](t)(peer.Subscription("/x", typ, tt.asked))
			check(t, remote.Wait(timeout(t), refused))
			warned(t, logs)
			check(t, pub.Publish(&std_msgs.String{Data: "unheard"}))
			if n := pub.Subscribers(); n != 0 {
				t.Errorf("%d subscribers are matched", n)
			}
			if s := remote.State(); s.Matched != 0 || s.Received != 0 {
				t.Errorf("the peer's subscription has matched: %+v", s)
			}
		})
		t.Run(tt.name+" from peer", func(t *testing.T) {
			core, logs := observer.New(zap.WarnLevel)
			node, peer := newNode(t, pubsub.WithLogger(zap.New(core))), start(t, program)
			sub := get[*pubsub.Subscription[std_msgs.String]](t)(pubsub.NewSubscription[std_msgs.String](node, "x", tt.asked, nil))
			remote := get[*Endpoint](t)(peer.Publisher("/x", typ, tt.offered))
			check(t, remote.Wait(timeout(t), refused))
			warned(t, logs)
			if n := sub.Publishers(); n != 0 {
				t.Errorf("%d publishers are matched", n)
			}
		})
	}
}
