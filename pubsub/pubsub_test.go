package pubsub_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"reflect"
	"runtime"
	"runtime/metrics"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pinion-ros/pinion/msgs/geometry_msgs"
	"github.com/pinion-ros/pinion/msgs/sensor_msgs"
	"github.com/pinion-ros/pinion/msgs/std_msgs"
	"github.com/pinion-ros/pinion/pubsub"
	"github.com/pinion-ros/pinion/pubsub/pubsubtest"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"
)

// newNode returns a node in a domain of its own.
func newNode(t testing.TB, name string, options ...pubsub.Option) *pubsub.Node {
	t.Helper()
	return pubsubtest.NewDomain(t).NewNode(name, options...)
}

func must[T any](t testing.TB) func(T, error) T { return pubsubtest.Must[T](t) }

func jointState(i int) *sensor_msgs.JointState {
	m := sensor_msgs.NewJointState()
	m.Header.Stamp.Sec = int32(i)
	m.Header.FrameId = fmt.Sprintf("frame %d", i)
	for j := range 7 {
		m.Name = append(m.Name, fmt.Sprintf("joint%d", j))
		m.Position = append(m.Position, float64(i)+float64(j)/8)
	}
	return m
}

func TestCallback(t *testing.T) {
	const count = 100
	n := newNode(t, "callback", pubsub.WithNamespace("left"))
	got := make(chan *sensor_msgs.JointState, count)
	infos := make(chan pubsub.MessageInfo, count)
	qos := pubsub.DefaultQoS().KeepAll()
	sub := must[*pubsub.Subscription[sensor_msgs.JointState]](t)(pubsub.NewSubscription(n, "joint_states", qos,
		func(m *sensor_msgs.JointState, info *pubsub.MessageInfo) {
			got <- m.Clone()
			infos <- *info
		}))
	pub := must[*pubsub.Publisher[sensor_msgs.JointState]](t)(pubsub.NewPublisher[sensor_msgs.JointState](n, "/left/joint_states", qos))
	if sub.Topic() != "/left/joint_states" {
		t.Errorf("topic %q", sub.Topic())
	}
	if err := pub.WaitForSubscribers(pubsubtest.Context(t), 1); err != nil {
		t.Fatal(err)
	}
	stamp := time.Unix(1700000000, 5)
	for i := range count {
		if err := pub.PublishAt(jointState(i), stamp); err != nil {
			t.Fatal(err)
		}
	}
	for i := range count {
		if m := <-got; !m.Equal(jointState(i)) {
			t.Fatalf("message %d: %v", i, m)
		}
		info := <-infos
		if info.Sequence != uint64(i+1) || info.Publisher != pub.GUID() || !info.SourceTime.Equal(stamp) {
			t.Fatalf("message %d: info %+v, publisher %v", i, info, pub.GUID())
		}
		if d := time.Since(info.ReceptionTime()); d < 0 || d > pubsubtest.Timeout {
			t.Fatalf("message %d was received %v ago", i, d)
		}
	}
	if s := sub.Stats(); s.Received != count || s.Lost != 0 || s.Malformed != 0 {
		t.Errorf("stats %+v", s)
	}
}

func TestTake(t *testing.T) {
	n := newNode(t, "take")
	qos := pubsub.DefaultQoS().KeepLast(3)
	sub := must[*pubsub.Subscription[std_msgs.String]](t)(pubsub.NewSubscription[std_msgs.String](n, "take", qos, nil))
	pub := must[*pubsub.Publisher[std_msgs.String]](t)(pubsub.NewPublisher[std_msgs.String](n, "take", qos))
	if _, _, err := sub.Take(); !errors.Is(err, pubsub.ErrNoMessage) {
		t.Errorf("take from an empty history: %v", err)
	}
	if err := sub.WaitForPublishers(pubsubtest.Context(t), 1); err != nil {
		t.Fatal(err)
	}
	for i := range 10 {
		if err := pub.Publish(&std_msgs.String{Data: fmt.Sprint(i)}); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{"7", "8", "9"} {
		m, _, err := sub.Take()
		if err != nil || m.Data != want {
			t.Fatalf("took %v, %v; want %s", m, err, want)
		}
	}
	if s := sub.Stats(); s.Received != 3 {
		t.Errorf("stats %+v", s)
	}
	ctx, cancel := context.WithCancel(pubsubtest.Context(t))
	defer cancel()
	go func() {
		for i := range 5 {
			pub.Publish(&std_msgs.String{Data: fmt.Sprint(i)})
		}
	}()
	var all []string
	for m := range sub.All(ctx) {
		if all = append(all, m.Data); m.Data == "4" {
			cancel()
		}
	}
	if len(all) == 0 || all[len(all)-1] != "4" {
		t.Errorf("iterated over %v", all)
	}
}

func TestTransientLocal(t *testing.T) {
	n := newNode(t, "latched")
	qos := pubsub.DefaultQoS().KeepLast(2).TransientLocal()
	pub := must[*pubsub.Publisher[std_msgs.Int32]](t)(pubsub.NewPublisher[std_msgs.Int32](n, "latched", qos))
	for i := range int32(5) {
		if err := pub.Publish(&std_msgs.Int32{Data: i}); err != nil {
			t.Fatal(err)
		}
	}
	sub := must[*pubsub.Subscription[std_msgs.Int32]](t)(pubsub.NewSubscription[std_msgs.Int32](n, "latched", qos, nil))
	var got []int32
	for m := range sub.All(pubsubtest.Context(t)) {
		if got = append(got, m.Data); len(got) == 2 {
			break
		}
	}
	if !reflect.DeepEqual(got, []int32{3, 4}) {
		t.Errorf("late joiner got %v, want the last two", got)
	}
}

func TestRaw(t *testing.T) {
	n := newNode(t, "raw")
	data := make(chan []byte, 1)
	must[*pubsub.RawSubscription](t)(pubsub.NewRawSubscription(n, "raw", "std_msgs/msg/UInt16", pubsub.DefaultQoS(),
		func(b []byte, _ *pubsub.MessageInfo) { data <- append([]byte(nil), b...) }))
	pub := must[*pubsub.RawPublisher](t)(pubsub.NewRawPublisher(n, "raw", "std_msgs/msg/UInt16", pubsub.DefaultQoS()))
	if err := pub.WaitForSubscribers(pubsubtest.Context(t), 1); err != nil {
		t.Fatal(err)
	}
	want := []byte{0, 1, 0, 0, 0x34, 0x12}
	if err := pub.Publish(want); err != nil {
		t.Fatal(err)
	}
	if got := <-data; !reflect.DeepEqual(got, want) {
		t.Errorf("got % x, want % x", got, want)
	}
	for _, bad := range [][]byte{nil, {0, 1, 0, 0}, {0, 3, 0, 0, 1}, {0, 1, 0, 0, 1}} {
		if err := pub.Publish(bad); err == nil {
			t.Errorf("% x was published", bad)
		}
	}
}

// A message of another type under a known name is dropped, counted and does no harm.
func TestMalformed(t *testing.T) {
	n := newNode(t, "malformed")
	var called atomic.Int32
	sub := must[*pubsub.Subscription[std_msgs.String]](t)(pubsub.NewSubscription(n, "malformed", pubsub.DefaultQoS(),
		func(*std_msgs.String, *pubsub.MessageInfo) { called.Add(1) }))
	pub := must[*pubsub.RawPublisher](t)(pubsub.NewRawPublisher(n, "malformed", "std_msgs/msg/String", pubsub.DefaultQoS()))
	if err := pub.WaitForSubscribers(pubsubtest.Context(t), 1); err != nil {
		t.Fatal(err)
	}
	pub.Publish([]byte{0, 1, 0, 0, 255, 255, 255, 255, 'x'})
	pub.Publish([]byte{0, 1, 0, 0, 2, 0, 0, 0, 'x', 0})
	pubsubtest.Eventually(t, func() bool { return called.Load() == 1 && sub.Stats().Malformed == 1 })
}

// Malformed messages are logged for each publisher, and rarely where there are many.
func TestMalformedLog(t *testing.T) {
	core, logs := observer.New(zap.WarnLevel)
	n := newNode(t, "malformed_log", pubsub.WithLogger(zap.New(core)))
	sub := must[*pubsub.Subscription[std_msgs.String]](t)(pubsub.NewSubscription(n, "malformed_log", pubsub.DefaultQoS().KeepAll(),
		func(*std_msgs.String, *pubsub.MessageInfo) {}))
	const publishers, each = 3, 100
	for i := range publishers {
		pub := must[*pubsub.RawPublisher](t)(pubsub.NewRawPublisher(n, "malformed_log", "std_msgs/msg/String", pubsub.DefaultQoS().KeepAll()))
		if err := pub.WaitForSubscribers(pubsubtest.Context(t), 1); err != nil {
			t.Fatal(err)
		}
		for range each {
			if err := pub.Publish([]byte{0, 1, 0, 0, 255, 255, 255, 255, 'x'}); err != nil {
				t.Fatal(err)
			}
		}
		pubsubtest.Eventually(t, func() bool { return sub.Stats().Malformed == uint64(i+1)*each })
		told := logs.FilterMessageSnippet("not of the subscription's type").FilterField(zap.Stringer("publisher", pub.GUID())).Len()
		if told == 0 || told > 8 { // the first, and up to 7 powers of two
			t.Errorf("publisher %d is told of %d times", i, told)
		}
	}
}

func TestCloseInCallback(t *testing.T) {
	n := newNode(t, "closing")
	calls := make(chan error, 16)
	var sub *pubsub.Subscription[std_msgs.Empty]
	ready := make(chan struct{})
	sub = must[*pubsub.Subscription[std_msgs.Empty]](t)(pubsub.NewSubscription(n, "closing", pubsub.DefaultQoS(),
		func(*std_msgs.Empty, *pubsub.MessageInfo) {
			<-ready
			calls <- sub.Close()
		}))
	close(ready)
	pub := must[*pubsub.Publisher[std_msgs.Empty]](t)(pubsub.NewPublisher[std_msgs.Empty](n, "closing", pubsub.DefaultQoS()))
	for range 3 {
		if err := pub.Publish(&std_msgs.Empty{}); err != nil {
			t.Fatal(err)
		}
	}
	if err := <-calls; err != nil {
		t.Error(err)
	}
	if err := sub.Close(); err != nil {
		t.Error(err)
	}
	if len(calls) != 0 {
		t.Errorf("%d callbacks started after Close", len(calls))
	}
	if err := n.Close(); err != nil {
		t.Error(err)
	}
	if err := pub.Publish(&std_msgs.Empty{}); !errors.Is(err, pubsub.ErrClosed) {
		t.Errorf("publish on a closed publisher: %v", err)
	}
	if _, err := pubsub.NewPublisher[std_msgs.Empty](n, "late", pubsub.DefaultQoS()); !errors.Is(err, pubsub.ErrClosed) {
		t.Errorf("publisher on a closed node: %v", err)
	}
}

// inline places every subscription on one path.
type inline struct{ path *pubsub.ReceivePath }

func (s *inline) Place(r *pubsub.Receiver) (pubsub.Placement, error) {
	var err error
	if s.path == nil {
		s.path, err = r.Node().NewReceivePath("inline")
	}
	return pubsub.Placement{Path: s.path}, err
}

func (s *inline) Remove(*pubsub.Receiver) {}

func TestInline(t *testing.T) {
	s := &inline{}
	d := pubsubtest.NewDomain(t)
	n := d.NewNode("inline", pubsub.WithScheduler(s))
	other := d.NewNode("other")
	errs := make(chan error, 8)
	reply := must[*pubsub.Publisher[std_msgs.Int32]](t)(pubsub.NewPublisher[std_msgs.Int32](n, "reply", pubsub.DefaultQoS()))
	sub := must[*pubsub.Subscription[std_msgs.Int32]](t)(pubsub.NewSubscription(n, "inline", pubsub.DefaultQoS(),
		func(m *std_msgs.Int32, _ *pubsub.MessageInfo) {
			errs <- reply.Publish(m)
			errs <- other.Close()
			_, err := pubsub.NewPublisher[std_msgs.Int32](n, "x", pubsub.DefaultQoS())
			errs <- err
			errs <- reply.WaitForSubscribers(context.Background(), 7)
		}))
	pub := must[*pubsub.Publisher[std_msgs.Int32]](t)(pubsub.NewPublisher[std_msgs.Int32](other, "inline", pubsub.DefaultQoS()))
	if err := pub.WaitForSubscribers(pubsubtest.Context(t), 1); err != nil {
		t.Fatal(err)
	}
	if err := pub.Publish(&std_msgs.Int32{Data: 1}); err != nil {
		t.Fatal(err)
	}
	if err := <-errs; err != nil {
		t.Errorf("publish in an inline callback: %v", err)
	}
	for _, what := range []string{"close", "create", "wait"} {
		if err := <-errs; !errors.Is(err, pubsub.ErrInDelivery) {
			t.Errorf("%s in an inline callback: %v", what, err)
		}
	}
	if err := sub.Close(); err != nil {
		t.Error(err)
	}
	if err := s.path.Close(); err != nil {
		t.Error(err)
	}
}

func TestErrors(t *testing.T) {
	for _, tt := range []struct {
		name string
		err  error
		want string
	}{
		{"bad name", second(pubsub.NewNode("a-b", pubsub.WithDiscovery(pubsubtest.NewDomain(t).Discovery()))), "a-b"},
		{"bad domain", second(pubsub.NewNode("a", pubsub.WithDiscovery(pubsub.Discovery{Domain: 233}))), "233"},
	} {
		if tt.err == nil || !strings.Contains(tt.err.Error(), tt.want) {
			t.Errorf("%s: %v", tt.name, tt.err)
		}
	}
	n := newNode(t, "errors")
	if _, err := pubsub.NewRawPublisher(n, "x", "std_msgs/String", pubsub.DefaultQoS()); err == nil {
		t.Error("a type name without its kind is accepted")
	}
	if _, err := pubsub.NewRawPublisher(n, "x//y", "std_msgs/msg/String", pubsub.DefaultQoS()); err == nil {
		t.Error("topic x//y is accepted")
	}
	if _, err := pubsub.NewRawPublisher(n, "x", "std_msgs/msg/String", pubsub.QoS{Depth: -1}); err == nil {
		t.Error("a negative depth is accepted")
	}
}

func second[T any](_ T, err error) error { return err }

func TestPublishDoesNotAllocate(t *testing.T) {
	n := newNode(t, "alloc")
	pub := must[*pubsub.Publisher[geometry_msgs.Twist]](t)(pubsub.NewPublisher[geometry_msgs.Twist](n, "alloc", pubsub.DefaultQoS()))
	allocs := testing.AllocsPerRun(1000, func() {
		var m geometry_msgs.Twist
		m.Linear.X = 1
		if err := pub.Publish(&m); err != nil {
			t.Fatal(err)
		}
	})
	if countAllocations && allocs != 0 {
		t.Errorf("%v allocations per message", allocs)
	}
}

func TestReceiveDoesNotAllocate(t *testing.T) {
	n := newNode(t, "alloc")
	var got atomic.Int64
	must[*pubsub.Subscription[geometry_msgs.Twist]](t)(pubsub.NewSubscription(n, "alloc2", pubsub.DefaultQoS(),
		func(*geometry_msgs.Twist, *pubsub.MessageInfo) { got.Add(1) }))
	pub := must[*pubsub.Publisher[geometry_msgs.Twist]](t)(pubsub.NewPublisher[geometry_msgs.Twist](n, "alloc2", pubsub.DefaultQoS()))
	var m geometry_msgs.Twist
	allocatesNothing(t, func() {
		before := got.Load()
		if err := pub.Publish(&m); err != nil {
			t.Fatal(err)
		}
		for got.Load() == before {
			runtime.Gosched()
		}
	})
}

// allocatesNothing calls f again and again, until there is a series of calls in which next to nothing was
// allocated, and fails the test if there is none. testing.AllocsPerRun would set GOMAXPROCS
// to 1; this counts the objects of the whole process, among them those that come with time and not with
// calls: of the runtime, of other goroutines, and of nodes that hear of others.
func allocatesNothing(t *testing.T, f func()) {
	t.Helper()
	const (
		series, calls = 20, 5000
		few           = calls / 1000
	)
	repeat := func(n int) uint64 {
		before := heapObjects()
		for range n {
			f()
		}
		return heapObjects() - before
	}
	repeat(1000)
	fewest := repeat(calls)
	for n := 1; countAllocations && fewest > few && n < series; n++ {
		fewest = min(fewest, repeat(calls))
	}
	if countAllocations && fewest > few {
		t.Errorf("%d objects were allocated for %d calls, at best", fewest, calls)
	}
}

func heapObjects() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/allocs:objects"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

func TestMain(m *testing.M) {
	os.Unsetenv("CYCLONEDDS_URI")
	if config, ok := os.LookupEnv(peerVariable); ok {
		if err := runPeer(config); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(pubsubtest.Run(m))
}
