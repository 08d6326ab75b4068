package cyclone

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
)

var bestEffort = QoS{Reliability: BestEffort, History: KeepLast, Depth: 3}

// What a reader's history had no place for is counted with the next sample that is taken, from the
// first one on.
func TestOverwritten(t *testing.T) {
	d := newDomain(t, 1000)
	topic := newTopic(t, d, "rt/overwritten")
	r, err := topic.NewReader(ReaderConfig{QoS: bestEffort})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var writers [2]*Writer
	for i := range writers {
		if writers[i], err = topic.NewWriter(WriterConfig{QoS: bestEffort}); err != nil {
			t.Fatal(err)
		}
		defer writers[i].Close()
	}
	for i, step := range []struct {
		write []int    // how many samples each writer writes
		want  []uint64 // what was overwritten before each that is taken
	}{
		{[]int{2, 0}, []uint64{0, 0}},
		{[]int{10, 0}, []uint64{7, 0, 0}},
		{[]int{1, 0}, []uint64{0}},
		{[]int{4, 2}, []uint64{3, 0, 0}}, // one of the first writer's is left
		{[]int{1, 5}, []uint64{2, 0, 0}}, // its next one is gone, which no sample tells yet
		{[]int{1, 0}, []uint64{1}},
	} {
		for w, n := range step.write {
			for range n {
				send(t, writers[w], []byte("x"))
			}
		}
		samples := make([]Sample, MaxBatch)
		n, err := r.Take(samples)
		if err != nil {
			t.Fatal(err)
		}
		var got []uint64
		for _, s := range samples[:n] {
			if s.Lost != 0 && !Eleven {
				t.Errorf("step %d: sample %d: %d lost in one process", i, s.Sequence, s.Lost)
			}
			got = append(got, s.Lost+s.Overwritten)
			s.Release()
		}
		if fmt.Sprint(got) != fmt.Sprint(step.want) {
			t.Errorf("step %d: overwritten %v, want %v", i, got, step.want)
		}
	}
}

// Of a reader that is slow on a lossy network, each missing sample is counted either as lost or as
// overwritten; another reader, which misses none that came, knows which.
func TestLost(t *testing.T) {
	for _, depth := range []int{1, 3, 50} {
		t.Run(fmt.Sprint(depth), func(t *testing.T) { testLost(t, depth) })
	}
}

func testLost(t *testing.T, depth int) {
	d := newDomain(t, 1000)
	lossy, err := NewDomain(1001, fmt.Sprintf(loopback, wire)+`<Domain Id="any"><Internal><Test><XmitLossiness>200</XmitLossiness></Test></Internal></Domain>`)
	if err != nil {
		t.Fatal(err)
	}
	defer lossy.Close()
	topic := newTopic(t, d, "rt/lost")
	var mu sync.Mutex
	var first, last uint64
	arrived := map[uint64]bool{}
	found := make(chan struct{}, 16)
	event := func(e Event) {
		if e.Kind == Matched && e.CurrentChange > 0 {
			found <- struct{}{}
		}
	}
	witness, err := topic.NewReader(ReaderConfig{QoS: bestEffort, Event: event, Deliver: func(_ int, samples []Sample) {
		mu.Lock()
		defer mu.Unlock()
		for _, s := range samples {
			if s.Payload() != nil {
				arrived[s.Sequence], last = true, s.Sequence
			}
			if first == 0 {
				first = s.Sequence
			}
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer witness.Close()
	qos := bestEffort
	qos.Depth = depth
	slow, err := topic.NewReader(ReaderConfig{QoS: qos, Event: event})
	if err != nil {
		t.Fatal(err)
	}
	defer slow.Close()
	config, wait := matched(t, bestEffort)
	w, err := newTopic(t, lossy, "rt/lost").NewWriter(config)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	wait()
	wait()
	<-found // discovery loses packets, too, so the sides know each other at different times
	<-found
	var taken []Sample
	take := func() {
		samples := make([]Sample, MaxBatch)
		n, err := slow.Take(samples)
		if err != nil {
			t.Error(err)
		}
		for _, s := range samples[:n] {
			if s.Payload() != nil {
				taken = append(taken, s)
			}
			s.Release()
		}
	}
	for i := range 3000 {
		send(t, w, []byte("x"))
		if i%100 == 17 {
			time.Sleep(time.Millisecond) // so that bursts of different length are there to be taken
			take()
		}
		if i%7 == 0 {
			take()
		}
	}
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		send(t, w, []byte("x"))
		take()
		mu.Lock()
		done := last > 3000 && len(taken) > 0 && taken[len(taken)-1].Sequence > 3000 && last >= taken[len(taken)-1].Sequence
		mu.Unlock()
		if done {
			break
		}
	}
	mu.Lock()
	defer mu.Unlock()
	if len(taken) < 2 {
		t.Fatalf("only %d samples taken", len(taken))
	}
	previous := first - 1
	if Eleven { // what is missing before the first that is taken is not known
		previous = taken[0].Sequence - 1
	}
	var sum Sample
	var bad []string
	for _, s := range taken {
		var lost, overwritten uint64
		for seq := previous + 1; seq < s.Sequence; seq++ {
			if arrived[seq] {
				overwritten++
			} else {
				lost++
			}
		}
		want := Sample{Lost: lost, Overwritten: overwritten}
		if Eleven {
			want = Sample{Lost: lost + overwritten}
		}
		if s.Lost != want.Lost || s.Overwritten != want.Overwritten {
			bad = append(bad, fmt.Sprintf("sample %d: %d lost, %d overwritten, want %d and %d", s.Sequence, s.Lost, s.Overwritten, want.Lost, want.Overwritten))
		}
		sum.Lost += lost
		sum.Overwritten += overwritten
		previous = s.Sequence
	}
	if bad != nil {
		t.Errorf("%d of %d:\n%s", len(bad), len(taken), strings.Join(bad[:min(len(bad), 5)], "\n"))
	}
	if sum.Lost == 0 || depth < 10 && sum.Overwritten == 0 {
		t.Errorf("nothing to count: %d lost, %d overwritten", sum.Lost, sum.Overwritten)
	}
}
