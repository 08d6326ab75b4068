package interop

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pinion-ros/pinion/cdr"
	"github.com/pinion-ros/pinion/internal/keyed_msgs"
	"github.com/pinion-ros/pinion/pubsub"
)

// testKeyed exchanges instances of a type whose key goes into its hash on the wire as it is, and of one
// whose key is longer than that. Not all peers tell subscriptions that a publisher is gone.
func testKeyed(t *testing.T, program *Program, tellsOfEnd bool) {
	t.Run("Sensor", func(t *testing.T) {
		testInstances(t, program, tellsOfEnd, instances[keyed_msgs.Sensor, *keyed_msgs.Sensor]{
			[]string{"room", "number"},
			func(n, value int) *keyed_msgs.Sensor {
				return &keyed_msgs.Sensor{Room: uint8(n % 3), Number: int32(n) - 5, Name: "a", Value: float64(value)}
			},
		})
	})
	t.Run("Shelf", func(t *testing.T) {
		testInstances(t, program, tellsOfEnd, instances[keyed_msgs.Shelf, *keyed_msgs.Shelf]{
			[]string{"ids", "slot", "level"},
			func(n, value int) *keyed_msgs.Shelf {
				slot := keyed_msgs.Slot{Floor: uint16(n % 3), Shelf: 1, Number: int64(n) << 40}
				return &keyed_msgs.Shelf{Label: "a", Ids: [2]uint64{7, uint64(n % 2)}, Slot: slot, Level: -int32(n), Loads: make([]float32, value)}
			},
		})
	})
}

// instances are the messages of a type with a key.
type instances[T any, P interface {
	*T
	cdr.Message
}] struct {
	key  []string             // its fields
	make func(n, value int) P // of instance n
}

func testInstances[T any, P interface {
	*T
	cdr.Message
}](t *testing.T, program *Program, tellsOfEnd bool, i instances[T, P]) {
	typ := P(new(T)).CDRType()
	t.Run("to peer", func(t *testing.T) {
		node, peer := newNode(t), start(t, program)
		pub := get[*pubsub.Publisher[T]](t)(pubsub.NewPublisher[T, P](node, "keyed", lastOfEach, patient))
		p := here(pub)
		i.history(t, p.publish)
		remote := get[*Endpoint](t)(peer.Subscription("/keyed", typ, lastOfEach))
		s := instanceReader{remote.Received, remote.Ended}
		i.expectLast(t, s)
		i.lives(t, p, s)
		check(t, pub.Close())
		if tellsOfEnd {
			i.expectUnowned(t, s)
		}
	})
	t.Run("from peer", func(t *testing.T) {
		node, peer := newNode(t), start(t, program)
		remote := get[*Endpoint](t)(peer.Publisher("/keyed", typ, lastOfEach))
		i.history(t, remote.Publish)
		check(t, remote.Wait(timeout(t), func(s State) bool { return s.Written == instanceCount*updates }))
		s := i.subscribe(t, node)
		i.expectLast(t, s)
		i.lives(t, instanceWriter{remote.Publish, remote.Dispose, remote.Unregister}, s)
		check(t, peer.Stop())
		i.expectUnowned(t, s)
	})
	t.Run("shared", func(t *testing.T) {
		node, peer := newNode(t), start(t, program)
		pub := get[*pubsub.Publisher[T]](t)(pubsub.NewPublisher[T, P](node, "keyed", lastOfEach, patient))
		theirs := get[*Endpoint](t)(peer.Publisher("/keyed", typ, lastOfEach))
		remote := get[*Endpoint](t)(peer.Subscription("/keyed", typ, lastOfEach))
		readers := []instanceReader{{remote.Received, remote.Ended}, i.subscribe(t, node)}
		check(t, pub.WaitForSubscribers(timeout(t), 2))
		check(t, theirs.Wait(timeout(t), func(s State) bool { return s.Matched == 2 }))
		i.shares(t, here(pub), instanceWriter{theirs.Publish, theirs.Dispose, theirs.Unregister}, readers)
	})
}

// lastOfEach keeps the last message of each instance.
var lastOfEach = pubsub.DefaultQoS().KeepLast(1).TransientLocal()

const instanceCount, updates = 20, 4

// An instanceWriter is a publisher here or in a peer.
type instanceWriter struct {
	publish, dispose, unregister func(m cdr.Message) error
}

// An instanceReader is a subscription here or in a peer.
type instanceReader struct {
	received func() []string
	ended    func() []Ended
}

func here[T any](pub *pubsub.Publisher[T]) instanceWriter {
	typed := func(f func(*T) error) func(cdr.Message) error {
		return func(m cdr.Message) error { return f(m.(any).(*T)) }
	}
	return instanceWriter{typed(pub.Publish), typed(pub.Dispose), typed(pub.Unregister)}
}

func (i instances[T, P]) subscribe(t *testing.T, node *pubsub.Node) instanceReader {
	t.Helper()
	var mu sync.Mutex
	var messages []string
	var ended []Ended
	get[*pubsub.Subscription[T]](t)(pubsub.NewSubscription[T, P](node, "keyed", lastOfEach, func(m *T, info *pubsub.MessageInfo) {
		line := printed(t, P(m))
		mu.Lock()
		defer mu.Unlock()
		if info.State == pubsub.InstanceAlive {
			messages = append(messages, line)
		} else {
			ended = append(ended, Ended{info.State.String(), line})
		}
	}, pubsub.WithInstanceStates()))
	return instanceReader{
		func() []string { mu.Lock(); defer mu.Unlock(); return slices.Clone(messages) },
		func() []Ended { mu.Lock(); defer mu.Unlock(); return slices.Clone(ended) },
	}
}

// history publishes all updates of all instances.
func (i instances[T, P]) history(t *testing.T, publish func(cdr.Message) error) {
	t.Helper()
	for value := range updates {
		for n := range instanceCount {
			check(t, publish(i.make(n, value)))
		}
	}
}

// expectLast waits for the last update of each instance, and for nothing else.
func (i instances[T, P]) expectLast(t *testing.T, s instanceReader) {
	t.Helper()
	var want []string
	for n := range instanceCount {
		want = append(want, printed(t, i.make(n, updates-1)))
	}
	wait(t, "messages", func() bool { return len(s.received()) >= len(want) })
	got := s.received()
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Fatalf("a late subscription got %q, want %q", got, want)
	}
}

// lives follows instances through their lives: 0 is alive at the end, 1 unowned and 2 disposed.
func (i instances[T, P]) lives(t *testing.T, p instanceWriter, s instanceReader) {
	t.Helper()
	update := func(n, value int) {
		t.Helper()
		before, m := len(s.received()), i.make(n, value)
		check(t, p.publish(m))
		wait(t, "a message", func() bool { return len(s.received()) > before })
		if got, want := s.received()[before], printed(t, m); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	end := func(how func(cdr.Message) error, n int, state pubsub.InstanceState) {
		t.Helper()
		before := len(s.ended())
		check(t, how(i.make(n, 0)))
		wait(t, fmt.Sprintf("%v of instance %d", state, n), func() bool { return len(s.ended()) > before })
		i.expectEnded(t, s.ended()[before], n, state)
	}
	end(p.dispose, 0, pubsub.InstanceDisposed)
	update(0, 5)
	end(p.unregister, 1, pubsub.InstanceUnowned)
	update(1, 6)
	end(p.unregister, 1, pubsub.InstanceUnowned)
	end(p.dispose, 2, pubsub.InstanceDisposed)
	update(0, 7)
}

// expectUnowned waits until what lives leaves alive has lost its publisher.
func (i instances[T, P]) expectUnowned(t *testing.T, s instanceReader) {
	t.Helper()
	const before = 4
	wait(t, "the end of the publisher", func() bool { return len(s.ended()) >= before+instanceCount-2 })
	got := map[string]bool{}
	for _, e := range s.ended()[before:] {
		got[e.State+" "+i.keyOf(t, e.Text)] = true
	}
	for n := range instanceCount {
		unowned := pubsub.InstanceUnowned.String() + " " + i.keyOf(t, printed(t, i.make(n, 0)))
		if alive := n != 1 && n != 2; got[unowned] != alive {
			t.Errorf("instance %d has become unowned: %v, want %v", n, got[unowned], alive)
		}
	}
}

// shares has two publishers share an instance, which only those take for one that find the same key.
func (i instances[T, P]) shares(t *testing.T, p, q instanceWriter, readers []instanceReader) {
	t.Helper()
	for value, w := range []instanceWriter{p, q} {
		check(t, w.publish(i.make(0, value)))
		for _, s := range readers {
			wait(t, "a message", func() bool { return len(s.received()) > value })
		}
	}
	check(t, p.unregister(i.make(0, 0)))
	check(t, p.publish(i.make(1, 0))) // comes behind it
	for _, s := range readers {
		wait(t, "a message", func() bool { return len(s.received()) > 2 })
		if all := s.ended(); len(all) > 0 {
			t.Errorf("an instance that still has a publisher has ended as %q", all)
		}
	}
	check(t, q.unregister(i.make(0, 0)))
	for _, s := range readers {
		wait(t, "the end of an instance", func() bool { return len(s.ended()) > 0 })
		i.expectEnded(t, s.ended()[0], 0, pubsub.InstanceUnowned)
		if all := s.ended(); len(all) > 1 {
			t.Errorf("one instance has ended as %q", all)
		}
	}
}

func (i instances[T, P]) expectEnded(t *testing.T, e Ended, n int, state pubsub.InstanceState) {
	t.Helper()
	got, want := i.keyOf(t, e.Text), i.keyOf(t, printed(t, i.make(n, 0)))
	if e.State != state.String() || got != want {
		t.Errorf("the instance with key %s is %s, want key %s, %v", got, e.State, want, state)
	}
}

// keyOf returns the words in a message's text that stand for its key, in front of which there is no
// sequence.
func (i instances[T, P]) keyOf(t *testing.T, text string) string {
	t.Helper()
	words := strings.Fields(text)
	var key []string
	for n, f := range fields(t, P(new(T))) {
		name := f.Path[:strings.IndexAny(f.Path+".", ".[(")]
		if slices.Contains(i.key, name) && n < len(words) {
			key = append(key, words[n])
		}
	}
	return fmt.Sprint(key)
}

func printed(t *testing.T, m cdr.Message) string {
	t.Helper()
	return strings.Join(texts(fields(t, m)), " ")
}

// wait fails the test if the condition does not come true.
func wait(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for ctx := timeout(t); !ok(); time.Sleep(time.Millisecond) {
		if ctx.Err() != nil {
			t.Fatalf("%s did not come", what)
		}
	}
}
