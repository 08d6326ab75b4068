package cyclone

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pinion-ros/pinion/internal/leaktest"
)

// wire is the domain id of this package's tests, below those of which some ports are among those that Linux
// gives to clients. Other programs may use it too, which the tag keeps apart.
const wire = 36

var loopback = `<Domain Id="any"><General><Interfaces><NetworkInterface name="lo"/></Interfaces>` +
	`<AllowMulticast>false</AllowMulticast></General><Discovery><ExternalDomainId>%d</ExternalDomainId>` +
	fmt.Sprintf(`<Tag>cyclone_test_%d</Tag>`, os.Getpid()) +
	`<ParticipantIndex>auto</ParticipantIndex><MaxAutoParticipantIndex>40</MaxAutoParticipantIndex>` +
	`<Peers><Peer Address="localhost"/></Peers></Discovery></Domain>`

// reliable keeps everything, so that the tests can count.
var reliable = QoS{Reliability: Reliable, MaxBlocking: patience, History: KeepAll}

func newDomain(t *testing.T, id uint32) *Domain {
	t.Helper()
	d, err := NewDomain(id, fmt.Sprintf(loopback, wire))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

func newTopic(t *testing.T, d *Domain, name string) *Topic {
	t.Helper()
	p, err := d.NewParticipant("enclave=/;", nil)
	if err != nil {
		t.Fatal(err)
	}
	topic, err := p.NewTopic(name, "pinion::test::dds_::Blob_")
	if err != nil {
		t.Fatal(err)
	}
	return topic
}

func send(t *testing.T, w *Writer, body []byte) {
	t.Helper()
	loan, err := w.Reserve(4 + len(body))
	if err != nil {
		t.Fatal(err)
	}
	copy(loan.Payload(), []byte{0, 1, 0, 0})
	copy(loan.Payload()[4:], body)
	if err := loan.Write(time.Time{}, true); err != nil {
		t.Fatal(err)
	}
}

// patience is how long tests wait: where the announcement of a participant is lost, the next one comes
// after 30 s.
const patience = time.Minute

// matched returns a writer configuration and a function that waits until a reader is there.
func matched(t *testing.T, qos QoS) (WriterConfig, func()) {
	ch := make(chan struct{}, 16)
	config := WriterConfig{QoS: qos, Event: func(e Event) {
		if e.Kind == Matched && e.CurrentChange > 0 {
			ch <- struct{}{}
		}
	}}
	return config, func() {
		t.Helper()
		select {
		case <-ch:
		case <-time.After(patience):
			t.Fatal("no reader matched")
		}
	}
}

func message(i, size int) []byte {
	b := bytes.Repeat([]byte{byte(i)}, size)
	binary.LittleEndian.PutUint32(b, uint32(i))
	return b
}

// collector checks that message i arrives as the i-th.
type collector struct {
	writer GUID
	mu     sync.Mutex
	n      int
	bad    error
	size   func(i int) int
	full   chan struct{}
	want   int
}

func (c *collector) add(samples []Sample) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range samples {
		p := s.Payload()
		if p == nil { // the writer is gone
			continue
		}
		want := message(c.n, c.size(c.n))
		if len(p) < 4+len(want) || len(p) > 4+len(want)+3 || !bytes.Equal(p[4:4+len(want)], want) {
			c.bad = fmt.Errorf("sample %d: %d bytes, want %d", c.n, len(p)-4, len(want))
		}
		if s.Writer != c.writer {
			c.bad = fmt.Errorf("sample %d is by %x, want %x", c.n, s.Writer, c.writer)
		}
		if s.Sequence != uint64(c.n+1) {
			c.bad = fmt.Errorf("sample %d has sequence number %d", c.n, s.Sequence)
		}
		c.n++
		if c.n == c.want {
			close(c.full)
		}
	}
}

func (c *collector) wait(t *testing.T) {
	t.Helper()
	select {
	case <-c.full:
	case <-time.After(patience):
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.bad != nil {
		t.Fatal(c.bad)
	}
	if c.n != c.want {
		t.Fatalf("got %d samples, want %d", c.n, c.want)
	}
}

// sizes covers short messages, all paddings and fragmented ones.
func sizes(i int) int {
	if i%50 == 49 {
		return 200_000 + i
	}
	return 4 + i%9
}

func TestDelivery(t *testing.T) {
	const count = 200
	for _, tt := range []struct {
		name  string
		other bool // writer and reader in two domain instances, so the samples cross a socket
	}{{"same instance", false}, {"two instances", true}} {
		t.Run(tt.name, func(t *testing.T) {
			d := newDomain(t, 1000)
			wd := d
			if tt.other {
				wd = newDomain(t, 1001)
			}
			inline := &collector{size: sizes, want: count, full: make(chan struct{})}
			queued := &collector{size: sizes, want: count, full: make(chan struct{})}
			rt := newTopic(t, d, "rt/delivery")
			r1, err := rt.NewReader(ReaderConfig{QoS: reliable, Deliver: func(_ int, s []Sample) { inline.add(s) }})
			if err != nil {
				t.Fatal(err)
			}
			q, err := NewQueue()
			if err != nil {
				t.Fatal(err)
			}
			r2, err := rt.NewReader(ReaderConfig{QoS: reliable, Queue: q, Owner: queued})
			if err != nil {
				t.Fatal(err)
			}
			done := make(chan struct{})
			go consume(q, r2, done)
			config, wait := matched(t, reliable)
			w, err := newTopic(t, wd, "rt/delivery").NewWriter(config)
			if err != nil {
				t.Fatal(err)
			}
			wait()
			wait()
			inline.writer, queued.writer = w.GUID(), w.GUID()
			for i := range count {
				send(t, w, message(i, sizes(i)))
			}
			inline.wait(t)
			queued.wait(t)
			for _, c := range []interface{ Close() error }{w, r1, r2} {
				if err := c.Close(); err != nil {
					t.Error(err)
				}
			}
			q.Close()
			<-done
			q.Free()
		})
	}
}

func consume(q *Queue, r *Reader, done chan struct{}) {
	defer close(done)
	ready, samples := make([]Ready, 8), make([]Sample, 3)
	for q.Wait() {
		for n := q.Pop(ready); n > 0; n = q.Pop(ready) {
			k, _ := r.Take(samples)
			ready[0].Owner.(*collector).add(samples[:k])
			for i := range samples[:k] {
				samples[i].Release()
			}
			if k == len(samples) {
				r.Requeue()
			}
		}
	}
}

// A write that waits for space ends when its writer is closed or its time is over.
func TestBlockedWrite(t *testing.T) {
	d, wd := newDomain(t, 1000), newDomain(t, 1001)
	stop := make(chan struct{})
	r, err := newTopic(t, d, "rt/blocked").NewReader(ReaderConfig{QoS: reliable, Deliver: func(int, []Sample) { <-stop }})
	if err != nil {
		t.Fatal(err)
	}
	qos := reliable
	qos.MaxBlocking = 100 * time.Millisecond
	config, wait := matched(t, qos)
	w, err := newTopic(t, wd, "rt/blocked").NewWriter(config)
	if err != nil {
		t.Fatal(err)
	}
	wait()
	err = fill(w)
	if !errors.Is(err, ErrTimeout) {
		t.Errorf("write to a full writer: %v, want %v", err, ErrTimeout)
	}
	qos.MaxBlocking = Infinite
	config, wait = matched(t, qos)
	forever, err := newTopic(t, wd, "rt/blocked").NewWriter(config)
	if err != nil {
		t.Fatal(err)
	}
	wait()
	filled, closed := make(chan error, 1), make(chan error, 1)
	go func() { filled <- fill(forever) }()
	for refused := 0; refused < 100; time.Sleep(time.Millisecond) { // of writes that do not wait: then one waits
		loan, err := forever.Reserve(8)
		if err != nil {
			t.Fatal(err)
		}
		copy(loan.Payload(), []byte{0, 1, 0, 0})
		if refused++; !errors.Is(loan.Write(time.Time{}, false), ErrTimeout) {
			refused = 0
		}
	}
	go func() { closed <- forever.Close() }()
	select {
	case err := <-closed:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(patience):
		t.Error("closing waits for a write that waits")
	}
	close(stop)
	if err := <-filled; !errors.Is(err, ErrAlreadyDeleted) || !strings.HasPrefix(err.Error(), "write") {
		t.Errorf("a write that waits while its writer is closed: %v, want %v", err, ErrAlreadyDeleted)
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	if _, err := w.Reserve(8); !errors.Is(err, ErrAlreadyDeleted) {
		t.Errorf("reserve on a closed writer: %v, want %v", err, ErrAlreadyDeleted)
	}
	r.Close()
}

func fill(w *Writer) error {
	for range 200 {
		loan, err := w.Reserve(1 << 20)
		if err != nil {
			return err
		}
		copy(loan.Payload(), []byte{0, 1, 0, 0})
		if err := loan.Write(time.Time{}, true); err != nil {
			return fmt.Errorf("write: %w", err)
		}
	}
	return nil
}

func TestErrors(t *testing.T) {
	said := "Nonsense: unknown element"
	if Eleven {
		said = "standard error"
	}
	if _, err := NewDomain(1000, `<Domain Id="any"><Nonsense/></Domain>`); err == nil || !strings.Contains(err.Error(), said) {
		t.Errorf("an unknown configuration element: %v", err)
	}
	d := newDomain(t, 1000)
	if _, err := NewDomain(1000, ""); !errors.Is(err, ErrPrecondition) {
		t.Errorf("second domain with one id: %v, want %v", err, ErrPrecondition)
	}
	p, err := d.NewParticipant("", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.NewTopic("", "x"); !errors.Is(err, ErrBadParameter) {
		t.Errorf("topic without a name: %v, want %v", err, ErrBadParameter)
	}
	if got := ErrTimeout.Error(); got != "cyclone: Timeout" {
		t.Errorf("text of ErrTimeout: %q", got)
	}
}

func TestPublishDoesNotAllocate(t *testing.T) {
	d := newDomain(t, 1000)
	w, err := newTopic(t, d, "rt/alloc").NewWriter(WriterConfig{QoS: QoS{Depth: 1}})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	body := make([]byte, 64)
	if n := testing.AllocsPerRun(1000, func() { send(t, w, body) }); n != 0 {
		t.Errorf("%v allocations per message", n)
	}
}

func TestMain(m *testing.M) {
	os.Unsetenv("CYCLONEDDS_URI")
	os.Exit(leaktest.Run(m, leaktest.Count{Of: "entities of DDS", Now: Entities}))
}
