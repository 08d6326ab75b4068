package cyclone

import (
	"fmt"
	"testing"
	"time"
)

// find waits for news that match.
func find(t *testing.T, w *Watcher, match func(Found) bool) Found {
	t.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); {
		f, ok, err := w.Take()
		if err != nil {
			t.Fatal(err)
		}
		if ok && match(f) {
			return f
		}
		if !ok {
			time.Sleep(time.Millisecond)
		}
	}
	t.Fatal("nothing found")
	return Found{}
}

func TestWatch(t *testing.T) {
	d, other := newDomain(t, 1000), newDomain(t, 1001)
	p, err := d.NewParticipant("", nil)
	if err != nil {
		t.Fatal(err)
	}
	q, err := NewQueue()
	if err != nil {
		t.Fatal(err)
	}
	defer q.Free()
	var watchers [FoundKinds]*Watcher
	for kind := range FoundKinds {
		if watchers[kind], err = p.Watch(FoundKind(kind), q, kind); err != nil {
			t.Fatal(err)
		}
		defer watchers[kind].Close()
	}
	if !q.Wait() {
		t.Fatal("the queue is closed")
	}
	for i, dom := range []*Domain{d, other} { // of the own instance and of another one
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			peer, err := dom.NewParticipant("enclave=/x;", nil)
			if err != nil {
				t.Fatal(err)
			}
			topic, err := peer.NewTopic("rt/watched", "pinion::test::dds_::Blob_")
			if err != nil {
				t.Fatal(err)
			}
			qos := QoS{
				Reliability: BestEffort, Durability: TransientLocal, History: KeepLast, Depth: 7,
				Deadline: time.Second, Lifespan: 2 * time.Second, Liveliness: ManualByTopic, Lease: 3 * time.Second,
				UserData: "a=b;",
			}
			w, err := topic.NewWriter(WriterConfig{QoS: qos})
			if err != nil {
				t.Fatal(err)
			}
			f := find(t, watchers[FoundParticipant], func(f Found) bool { return f.GUID == peer.GUID() })
			if !f.Alive || f.Participant != f.GUID || f.QoS.UserData != "enclave=/x;" {
				t.Errorf("participant: %+v", f)
			}
			f = find(t, watchers[FoundWriter], func(f Found) bool { return f.GUID == w.GUID() })
			if !f.Alive || f.Participant != peer.GUID() || f.Topic != "rt/watched" || f.Type != "pinion::test::dds_::Blob_" || f.QoS != qos {
				t.Errorf("writer: %+v, want QoS %+v", f, qos)
			}
			r, err := topic.NewReader(ReaderConfig{QoS: QoS{Depth: 1}})
			if err != nil {
				t.Fatal(err)
			}
			f = find(t, watchers[FoundReader], func(f Found) bool { return f.GUID == r.GUID() })
			if f.QoS.Reliability != BestEffort || f.QoS.Deadline != 0 || f.QoS.Lease != 0 || f.QoS.Liveliness != Automatic {
				t.Errorf("reader: %+v", f)
			}
			gone := func(e GUID, handle uint64) func(Found) bool {
				return func(f Found) bool { return f.GUID == e && f.Handle == handle && !f.Alive }
			}
			r.Close()
			find(t, watchers[FoundReader], gone(r.GUID(), f.Handle))
			w.Close()
			find(t, watchers[FoundWriter], func(f Found) bool { return f.GUID == w.GUID() && !f.Alive })
			id := peer.GUID()
			peer.Close()
			find(t, watchers[FoundParticipant], func(f Found) bool { return f.GUID == id && !f.Alive })
		})
	}
}
