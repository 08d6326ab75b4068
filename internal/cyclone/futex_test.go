package cyclone

import (
	"math"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func monotonic(t *testing.T) int64 {
	t.Helper()
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &now); err != nil {
		t.Fatal(err)
	}
	return now.Nano()
}

func TestWaitThread(t *testing.T) {
	q, err := NewThreadQueue()
	if err != nil {
		t.Fatal(err)
	}
	defer q.Free()

	until := monotonic(t) + int64(20*time.Millisecond)
	for monotonic(t) < until { // it may return early
		if !q.WaitThread(until) {
			t.Fatal("the queue is closed")
		}
	}

	q.Wake() // before the wait
	if !q.WaitThread(math.MaxInt64) {
		t.Error("the queue is closed")
	}

	woken := make(chan bool)
	waiting := make(chan struct{})
	go func() {
		close(waiting)
		for q.WaitThread(math.MaxInt64) {
			woken <- true
		}
		close(woken)
	}()
	<-waiting
	for range 100 {
		q.Wake()
		<-woken
		runtime.GC() // a thread that sleeps does not keep the world from stopping
	}
	go q.Close()
	for range woken {
	}
	if q.WaitThread(math.MaxInt64) {
		t.Error("waited for a closed queue")
	}
}

// The consumer of a queue may free it while Close is still waking it.
func TestFreeWhileClosing(t *testing.T) {
	for range 20000 {
		q, err := NewThreadQueue()
		if err != nil {
			t.Fatal(err)
		}
		consumed := make(chan struct{})
		go func() {
			defer close(consumed)
			for q.WaitThread(0) { // never sleeps, so that it sees the closing at once
			}
			q.Free()
		}()
		q.Close()
		<-consumed
	}
}
