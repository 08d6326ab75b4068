package cyclone

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// threadName waits for the name that a thread gives itself when it begins to run: until then it has that of
// the thread that created it. What does not come to be called so is called what it is.
func threadName(t *testing.T, tid int, want string) string {
	t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		name, err := os.ReadFile(fmt.Sprintf("/proc/self/task/%d/comm", tid))
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.TrimSpace(string(name)); got == want || time.Now().After(deadline) {
			return got
		}
	}
}

// What comes from another instance is delivered on the thread that the participant names.
func TestReceiveThread(t *testing.T) {
	for _, tt := range []struct{ want, config string }{
		{"recvUC", "<Domain><Internal><MultipleReceiveThreads>true</MultipleReceiveThreads></Internal></Domain>"}, // as 0.10.x has it anyway
		{"recv", "<Domain><Internal><MultipleReceiveThreads>false</MultipleReceiveThreads></Internal></Domain>"},
		{"recv", "<Domain><Compatibility><ManySocketsMode>many</ManySocketsMode></Compatibility></Domain>"},
	} {
		t.Run(tt.want, func(t *testing.T) {
			d, err := NewDomain(1000, fmt.Sprintf(loopback, wire)+","+tt.config)
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			topic := newTopic(t, d, "rt/thread")
			p := topic.participant
			if got := threadName(t, p.ReceiveThread(), tt.want); got != tt.want {
				t.Errorf("%s: thread %d is %q", tt.config, p.ReceiveThread(), got)
			}
			got := make(chan int, 8)
			reader, err := topic.NewReader(ReaderConfig{QoS: reliable, Deliver: func(thread int, samples []Sample) {
				if thread != unix.Gettid() {
					t.Errorf("thread %d, told %d", unix.Gettid(), thread)
				}
				if !Delivering() || !p.Delivering() {
					t.Error("a delivery is not known as one")
				}
				for range samples {
					got <- thread
				}
			}})
			if err != nil {
				t.Fatal(err)
			}
			defer reader.Close()
			config, wait := matched(t, reliable)
			w, err := newTopic(t, newDomain(t, 1001), "rt/thread").NewWriter(config)
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			wait()
			send(t, w, message(0, 8))
			if tid := <-got; tid != p.ReceiveThread() {
				t.Errorf("delivered on thread %d, want %d", tid, p.ReceiveThread())
			}
			if Delivering() || p.Delivering() {
				t.Error("a delivery where there is none")
			}
		})
	}
}

// Readers of one instance deliver one at a time, whoever it is that brings the data.
func TestTurns(t *testing.T) {
	d := newDomain(t, 1000)
	topic := newTopic(t, d, "rt/turns")
	const writers, each = 4, 100
	var inside, got atomic.Int32
	var wg sync.WaitGroup
	for i := range writers {
		// Each writes on its own thread, in the reader's instance.
		topic, err := topic.participant.NewTopic(fmt.Sprintf("rt/turns%d", i), "pinion::test::dds_::Blob_")
		if err != nil {
			t.Fatal(err)
		}
		reader, err := topic.NewReader(ReaderConfig{QoS: reliable, Paused: i == 0, Deliver: func(_ int, samples []Sample) {
			if inside.Add(1) != 1 {
				t.Error("two readers deliver at once")
			}
			time.Sleep(10 * time.Microsecond)
			got.Add(int32(len(samples)))
			inside.Add(-1)
		}})
		if err != nil {
			t.Fatal(err)
		}
		defer reader.Close()
		w, err := topic.NewWriter(WriterConfig{QoS: reliable})
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		wg.Go(func() {
			for n := range each {
				send(t, w, message(n, 8))
				if n == each/2 {
					reader.Resume()
				}
			}
		})
	}
	wg.Wait()
	if n := got.Load(); n != writers*each {
		t.Errorf("%d samples were delivered, want %d", n, writers*each)
	}
}

// What a callback does in another domain instance leaves Cyclone DDS knowing that the thread uses the
// memory of its own.
func TestTurnKeepsMemory(t *testing.T) {
	lane, other := newDomain(t, 1000), newDomain(t, 1001)
	topic := newTopic(t, lane, "rt/kept")
	replies, err := newTopic(t, other, "rt/kept_reply").NewWriter(WriterConfig{QoS: reliable})
	if err != nil {
		t.Fatal(err)
	}
	defer replies.Close()
	done := make(chan struct{})
	reader, err := topic.NewReader(ReaderConfig{QoS: reliable, Deliver: func(_ int, samples []Sample) {
		if samples[0].Payload() == nil {
			return // the writer has gone
		}
		defer close(done)
		before := lane.turn.kept()
		if before == nil {
			t.Error("nothing is kept")
		}
		send(t, replies, message(1, 8))
		if after := lane.turn.kept(); after != before {
			t.Errorf("kept %p, then %p", before, after)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	config, wait := matched(t, reliable)
	w, err := newTopic(t, other, "rt/kept").NewWriter(config)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	wait()
	send(t, w, message(0, 8))
	<-done
}
