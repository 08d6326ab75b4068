//go:build cgo

package cyclone

import (
	"sync"
	"sync/atomic"
)

// A registry finds the Go side of an endpoint by the token that C code holds for it. Lookups
// neither lock nor allocate. A token is used again after its endpoint is gone.
type registry struct {
	slots atomic.Pointer[[]atomic.Pointer[endpoint]]
	mu    sync.Mutex
	free  []uint64
}

// endpoints is global because Cyclone DDS calls back with nothing but a token.
var endpoints registry

func (r *registry) lookup(token uint64) *endpoint {
	slots := *r.slots.Load()
	return slots[token].Load()
}

func (r *registry) add(e *endpoint) uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.free) == 0 {
		r.grow()
	}
	token := r.free[len(r.free)-1]
	r.free = r.free[:len(r.free)-1]
	(*r.slots.Load())[token].Store(e)
	return token
}

func (r *registry) remove(token uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	(*r.slots.Load())[token].Store(nil)
	r.free = append(r.free, token)
}

func (r *registry) grow() {
	var old []atomic.Pointer[endpoint]
	if p := r.slots.Load(); p != nil {
		old = *p
	}
	slots := make([]atomic.Pointer[endpoint], max(64, 2*len(old)))
	for i := range old {
		slots[i].Store(old[i].Load())
	}
	for i := len(slots) - 1; i >= len(old); i-- {
		r.free = append(r.free, uint64(i))
	}
	r.slots.Store(&slots)
}
