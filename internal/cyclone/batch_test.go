package cyclone

import (
	"errors"
	"fmt"
	"sync"
	"testing"
)

// Batches arrive whole and in order, whoever flushes, and a writer beside one that batches does not.
func TestBatching(t *testing.T) {
	const count = 300
	sizes := func(i int) int {
		if i == count-1 {
			return 20
		}
		return sizes(i)
	}
	d, wd := newDomain(t, 1000), newDomain(t, 1001)
	for _, size := range []int{0, 100} {
		name := fmt.Sprintf("rt/batch_%d", size) // of its own, so that no reader from before matches
		rt, wt := newTopic(t, d, name), newTopic(t, wd, name)
		plainConfig, _ := matched(t, reliable)
		plain, err := wt.NewWriter(plainConfig)
		if err != nil {
			t.Fatal(err)
		}
		config, wait := matched(t, reliable)
		config.Batching, config.BatchSize = true, size
		w, err := wt.NewWriter(config)
		if err != nil {
			t.Fatal(err)
		}
		if got := w.Batching(); got == BatchingOff || BatchingPolicy != (got == BatchingWriter) {
			t.Errorf("in force: %v", got)
		}
		if got := plain.Batching(); got != BatchingOff {
			t.Errorf("in force for another writer: %v", got)
		}
		c := &collector{size: sizes, want: count, full: make(chan struct{}), writer: w.GUID()}
		r, err := rt.NewReader(ReaderConfig{QoS: reliable, Deliver: func(_ int, s []Sample) { c.add(s) }})
		if err != nil {
			t.Fatal(err)
		}
		wait()
		var flusher sync.WaitGroup
		flusher.Go(func() {
			for range 50 {
				if err := w.Flush(); err != nil {
					t.Error(err)
				}
			}
		})
		for i := range count - 1 {
			send(t, w, message(i, sizes(i)))
		}
		flusher.Wait()
		if err := errors.Join(w.Flush(), w.WaitForAcks(patience)); err != nil {
			t.Fatal(err)
		}
		send(t, w, message(count-1, 20))
		if err := w.Close(); err != nil { // sends it
			t.Fatal(err)
		}
		c.wait(t)
		if err := w.Flush(); !errors.Is(err, ErrAlreadyDeleted) {
			t.Errorf("flush of a closed writer: %v, want %v", err, ErrAlreadyDeleted)
		}
		plain.Close()
		r.Close()
	}
}
