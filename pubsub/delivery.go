package pubsub

import (
	"slices"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// receiveThreads holds the ids of the threads that run inline callbacks. Such a thread belongs to
// Cyclone DDS: when it calls into this package, it is inside a delivery.
var receiveThreads struct {
	sync.Mutex
	ids atomic.Pointer[[]int]
}

// noteReceiveThread records the calling thread if it is one of the path's, and tells so.
func noteReceiveThread(p *ReceivePath) bool {
	tid := unix.Gettid()
	if !slices.ContainsFunc(p.Threads(), func(t Thread) bool { return t.ID == tid }) {
		return false
	}
	receiveThreads.Lock()
	defer receiveThreads.Unlock()
	var ids []int
	if p := receiveThreads.ids.Load(); p != nil {
		ids = *p
	}
	if !slices.Contains(ids, tid) {
		ids = append(slices.Clip(slices.Clone(ids)), tid)
		receiveThreads.ids.Store(&ids)
	}
	return true
}

// forgetReceiveThreads drops the ids, which the kernel will give to other threads.
func forgetReceiveThreads(gone []Thread) {
	receiveThreads.Lock()
	defer receiveThreads.Unlock()
	p := receiveThreads.ids.Load()
	if p == nil {
		return
	}
	ids := slices.DeleteFunc(slices.Clone(*p), func(id int) bool {
		return slices.ContainsFunc(gone, func(t Thread) bool { return t.ID == id })
	})
	receiveThreads.ids.Store(&ids)
}

// inDelivery tells whether the caller runs inside an inline callback.
func inDelivery() bool {
	p := receiveThreads.ids.Load()
	return p != nil && slices.Contains(*p, unix.Gettid())
}
