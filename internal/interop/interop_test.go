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
	"github.com/pinion-ros/pinion/internal/keyed_msgs"
	"github.com/pinion-ros/pinion/msggen"
	"github.com/pinion-ros/pinion/msgs"
	"github.com/pinion-ros/pinion/msgs/geometry_msgs"
	_ "github.com/pinion-ros/pinion/msgs/nav_msgs"
	"github.com/pinion-ros/pinion/msgs/sensor_msgs"
	"github.com/pinion-ros/pinion/msgs/std_msgs"
	_ "github.com/pinion-ros/pinion/msgs/test_msgs"
	_ "github.com/pinion-ros/pinion/msgs/tf2_msgs"
	"github.com/pinion-ros/pinion/pubsub"
	"github.com/pinion-ros/pinion/pubsub/pubsubtest"
)

// domain is this package's own, on loopback. Its ports are above those that Linux gives to others.
var domain = pubsub.Discovery{Domain: 217, Loopback: true, Range: pubsub.RangeLocalhost}

// patient is for peers that print more slowly than they receive.
var patient = pubsub.WithMaxBlocking(20 * time.Second)

// types returns those that peers are tested with: all messages of sensor_msgs and test_msgs, some that
// are common, and some with a key.
func types(t testing.TB) []*cdr.Type {
	t.Helper()
	var all []*cdr.Type
	for _, name := range cdr.Types() {
		if strings.HasPrefix(name, "sensor_msgs/msg/") || strings.HasPrefix(name, "test_msgs/msg/") {
			all = append(all, cdr.Lookup(name))
		}
	}
	for _, m := range []cdr.Message{new(std_msgs.String), new(geometry_msgs.Twist), new(gamepad_msgs.GamepadState), new(keyed_msgs.Sensor), new(keyed_msgs.Shelf)} {
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

// contains tells whether a type or one that it contains has a field of a kind.
func contains(t *cdr.Type, ok func(cdr.SchemaField) bool) bool {
	s, err := t.Schema()
	if err != nil {
		panic(err)
	}
	return slices.ContainsFunc(closure([]*cdr.Schema{s}), func(s *cdr.Schema) bool {
		return slices.ContainsFunc(s.Fields, ok)
	})
}

// Fields that some compilers do not know or get wrong.
var (
	// idlc has no wstring.
	isWide = func(f cdr.SchemaField) bool { return f.Element == cdr.WStringType }

	// Code of fastddsgen 2.3 writes fixed arrays of strings but leaves them out where it reads.
	isStringArray = func(f cdr.SchemaField) bool { return f.Element == cdr.StringType && f.Form == cdr.ArrayStep }
)

func newLoader() *msggen.Loader {
	return msggen.NewLoader(
		msggen.PackageFolder("../../bench/gamepad_msgs", "gamepad_msgs"),
		msggen.PackageFolder("../keyed_msgs", "keyed_msgs"),
		msggen.PlaceOf("msgs", msgs.Definitions),
	)
}

// builds holds the peers that are built, for all tests that need them.
var builds = struct {
	sync.Mutex
	cyclone, fast *Program
}{}

// cyclonePeer returns the peer on Cyclone DDS and the types that it knows.
func cyclonePeer(t testing.TB) (*Program, []*cdr.Type) {
	t.Helper()
	known := slices.DeleteFunc(types(t), func(t *cdr.Type) bool { return contains(t, isWide) })
	builds.Lock()
	defer builds.Unlock()
	if builds.cyclone == nil {
		dir := filepath.Join(work, "cyclone")
		check(t, os.MkdirAll(dir, 0o777))
		p, err := BuildCyclone(dir, newLoader(), known)
		check(t, err)
		builds.cyclone = p
	}
	return builds.cyclone, known
}

// fastPeer returns the peer on Fast DDS and the types that it knows.
func fastPeer(t testing.TB) (*Program, []*cdr.Type) {
	t.Helper()
	known := types(t)
	builds.Lock()
	defer builds.Unlock()
	if builds.fast == nil {
		p, err := BuildFastDDS(newLoader(), known)
		check(t, err)
		builds.fast = p
	}
	return builds.fast, known
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
	code := pubsubtest.Run(m)
	os.RemoveAll(dir)
	os.Exit(code)
}

func TestCyclone(t *testing.T) {
	program, types := cyclonePeer(t)
	suite(t, program, types, func(cdr.SchemaField) bool { return false })
	t.Run("keyed", func(t *testing.T) { testKeyed(t, program, true) })
}

func TestFastDDS(t *testing.T) {
	program, types := fastPeer(t)
	suite(t, program, types, isStringArray)
	t.Run("keyed", func(t *testing.T) { testKeyed(t, program, false) })
}

// suite tests everything that can be asked of a peer.
func suite(t *testing.T, program *Program, types []*cdr.Type, unreadable func(cdr.SchemaField) bool) {
	t.Run("types", func(t *testing.T) { testTypes(t, program, types, unreadable) })
	t.Run("JointState", func(t *testing.T) { testQoS[sensor_msgs.JointState](t, program) })
	t.Run("String", func(t *testing.T) { testQoS[std_msgs.String](t, program) })
	t.Run("GamepadState", func(t *testing.T) { testQoS[gamepad_msgs.GamepadState](t, program) })
	t.Run("less", func(t *testing.T) { testLess(t, program) })
	t.Run("incompatible", func(t *testing.T) { testIncompatible(t, program) })
}

func start(t *testing.T, program *Program) *Peer {
	t.Helper()
	p, err := program.Start(domain.Domain)
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

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// patience is well above the 30 s after which a participant announces itself again that was not heard
// the first time.
const patience = 90 * time.Second

func timeout(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
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

// A stream carries messages from one program to another.
type stream struct {
	publish  func(m cdr.Message) error
	received func() []string // in the form that Compare takes

	// flush returns after everything is acknowledged, nil stands for a stream that goes without.
	flush func(context.Context) error
}

// exchange publishes the messages and compares what comes out. It repeats the first until that has
// arrived, because DDS tells of a match shortly before messages get through. Then it waits for the
// acknowledgment: a volatile reader of Cyclone DDS takes the first heartbeat for the end of what was
// before its time, and the one of Fast DDS may overtake a message.
func (s stream) exchange(t *testing.T, messages []cdr.Message) {
	t.Helper()
	ctx := timeout(t)
	for len(s.received()) == 0 && ctx.Err() == nil {
		check(t, s.publish(messages[0]))
		time.Sleep(10 * time.Millisecond)
	}
	if s.flush != nil {
		check(t, s.flush(ctx))
	}
	for _, m := range messages[1:] {
		check(t, s.publish(m))
	}
	s.expect(t, messages)
}

// expect waits until all messages have arrived and compares them. The first may come more than once.
func (s stream) expect(t *testing.T, messages []cdr.Message) {
	t.Helper()
	first := strings.Join(texts(fields(t, messages[0])), " ")
	copies := 0 // of the first at the beginning, all of them for a type without fields
	for copies < len(messages) && Compare(fields(t, messages[copies]), first) == nil {
		copies++
	}
	var got []string
	for ctx := timeout(t); ; time.Sleep(time.Millisecond) {
		got = s.received()
		for len(got) > copies && got[copies] == first {
			got = got[1:]
		}
		if len(got) >= len(messages) {
			break
		}
		if ctx.Err() != nil {
			t.Fatalf("%d messages came, want %d", len(got), len(messages))
		}
	}
	if len(got) > len(messages) {
		t.Fatalf("%d messages came, want %d", len(got), len(messages))
	}
	for i, m := range messages {
		if err := Compare(fields(t, m), got[i]); err != nil {
			t.Errorf("message %d: %v", i, err)
		}
	}
}

func fields(t *testing.T, m cdr.Message) []Field {
	t.Helper()
	return get[[]Field](t)(Fields(m))
}

// record collects what a subscription here receives.
type record struct {
	mu    sync.Mutex
	lines []string
}

func (r *record) add(m cdr.Message) {
	line := "not a generated type"
	if f, err := Fields(m); err == nil {
		line = strings.Join(texts(f), " ")
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lines = append(r.lines, line)
}

func (r *record) received() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.lines)
}

// testTypes exchanges the edge values of every type in both directions, but for types that contain a
// field that the peer cannot read.
func testTypes(t *testing.T, program *Program, types []*cdr.Type, unreadable func(cdr.SchemaField) bool) {
	node, peer := newNode(t), start(t, program)
	for _, typ := range types {
		t.Run(strings.ReplaceAll(typ.Name, "/msg/", "."), func(t *testing.T) {
			if !contains(typ, unreadable) {
				testTypeTo(t, node, peer, typ)
			}
			testTypeFrom(t, node, peer, typ)
		})
	}
}

var (
	keepAll    = pubsub.DefaultQoS().KeepAll()
	bestEffort = pubsub.SensorDataQoS().KeepLast(100)
)

func testTypeTo(t *testing.T, node *pubsub.Node, peer *Peer, typ *cdr.Type) {
	topic := "/to/" + strings.ReplaceAll(typ.Name, "/", "_")
	remote := get[*Endpoint](t)(peer.Subscription(topic, typ, keepAll))
	pub := get[*pubsub.RawPublisher](t)(pubsub.NewRawPublisher(node, topic, typ.Name, keepAll, patient))
	check(t, pub.WaitForSubscribers(timeout(t), 1))
	publish := func(m cdr.Message) error { return pub.Publish(get[[]byte](t)(cdr.Marshal(m))) }
	stream{publish: publish, received: remote.Received}.exchange(t, values(typ))
	check(t, pub.Close())
	check(t, remote.Wait(timeout(t), func(s State) bool { return s.Matched == 0 }))
}

func testTypeFrom(t *testing.T, node *pubsub.Node, peer *Peer, typ *cdr.Type) {
	topic := "/from/" + strings.ReplaceAll(typ.Name, "/", "_")
	var got record
	sub := get[*pubsub.RawSubscription](t)(pubsub.NewRawSubscription(node, topic, typ.Name, keepAll,
		func(data []byte, _ *pubsub.MessageInfo) {
			m := typ.New()
			if err := cdr.Unmarshal(data, m); err != nil {
				t.Error(err)
			}
			got.add(m)
		}))
	remote := get[*Endpoint](t)(peer.Publisher(topic, typ, keepAll))
	check(t, remote.Wait(timeout(t), func(s State) bool { return s.Matched == 1 }))
	stream{remote.Publish, got.received, remote.Flush}.exchange(t, values(typ))
	check(t, sub.Close())
	// Fast DDS would miss this without GenerateKeyhash.
	check(t, remote.Wait(timeout(t), func(s State) bool { return s.Matched == 0 }))
}

// latched keeps what exchange publishes at the end.
var latched = pubsub.DefaultQoS().KeepLast(10).TransientLocal()

// testQoS exchanges messages of a type with the policies that matter, through the typed interface.
func testQoS[T any, P interface {
	*T
	cdr.Message
}](t *testing.T, program *Program) {
	for name, qos := range map[string]pubsub.QoS{"reliable": keepAll, "best_effort": bestEffort, "transient_local": latched} {
		t.Run(name+" to peer", func(t *testing.T) { exchangeTo[T, P](t, program, qos, qos) })
		t.Run(name+" from peer", func(t *testing.T) { exchangeFrom[T, P](t, program, qos, qos) })
	}
}

// testLess has subscriptions ask for less than publishers offer.
func testLess(t *testing.T, program *Program) {
	for name, pair := range map[string]struct{ offered, asked pubsub.QoS }{
		"best effort of reliable":     {keepAll, bestEffort},
		"volatile of transient local": {keepAll.TransientLocal(), keepAll},
		"least of best":               {keepAll.TransientLocal(), bestEffort},
	} {
		t.Run(name+" to peer", func(t *testing.T) { exchangeTo[std_msgs.String](t, program, pair.offered, pair.asked) })
		t.Run(name+" from peer", func(t *testing.T) { exchangeFrom[std_msgs.String](t, program, pair.offered, pair.asked) })
	}
}

// exchanged returns messages, and those of them that a late subscription gets with latched.
func exchanged(typ *cdr.Type) (all, late []cdr.Message) {
	for n := range 20 {
		all = append(all, value(typ, n))
	}
	return all, all[len(all)-latched.Depth:]
}

func exchangeTo[T any, P interface {
	*T
	cdr.Message
}](t *testing.T, program *Program, offered, asked pubsub.QoS) {
	node, peer := newNode(t), start(t, program)
	typ := P(new(T)).CDRType()
	messages, history := exchanged(typ)
	late := asked.Durability == pubsub.TransientLocal
	pub := get[*pubsub.Publisher[T]](t)(pubsub.NewPublisher[T, P](node, "/exchange", offered, patient))
	publish := func(m cdr.Message) error { return pub.Publish(m.(P)) }
	for _, m := range messages {
		if late {
			check(t, publish(m))
		}
	}
	remote := get[*Endpoint](t)(peer.Subscription("/exchange", typ, asked))
	check(t, pub.WaitForSubscribers(timeout(t), 1))
	if late {
		stream{received: remote.Received}.expect(t, history)
	} else {
		stream{publish: publish, received: remote.Received}.exchange(t, messages)
	}
}

func exchangeFrom[T any, P interface {
	*T
	cdr.Message
}](t *testing.T, program *Program, offered, asked pubsub.QoS) {
	node, peer := newNode(t), start(t, program)
	typ := P(new(T)).CDRType()
	messages, history := exchanged(typ)
	late := asked.Durability == pubsub.TransientLocal
	remote := get[*Endpoint](t)(peer.Publisher("/exchange", typ, offered))
	if late {
		for _, m := range messages {
			check(t, remote.Publish(m))
		}
		check(t, remote.Wait(timeout(t), func(s State) bool { return s.Written == len(messages) }))
	}
	var got record
	sub := get[*pubsub.Subscription[T]](t)(pubsub.NewSubscription[T, P](node, "/exchange", asked,
		func(m *T, _ *pubsub.MessageInfo) { got.add(P(m)) }))
	check(t, sub.WaitForPublishers(timeout(t), 1))
	if late {
		stream{received: got.received}.expect(t, history)
	} else {
		stream{remote.Publish, got.received, remote.Flush}.exchange(t, messages)
	}
}

// The ids of policies (DDS 1.4, 2.3.3).
const (
	durabilityPolicy  = 2
	reliabilityPolicy = 11
)

// testIncompatible has publishers offer less than subscriptions ask for: nothing flows and both ends
// say why.
func testIncompatible(t *testing.T, program *Program) {
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
			for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
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
