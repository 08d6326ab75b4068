package bag

import "context"

// ahead reads in the background: what it has read and nobody took is aheadBatches of aheadSize bytes
// each at most, and one message more.
type ahead struct {
	batches chan *batch
	free    chan *batch
	cancel  context.CancelFunc
	failed  error
}

const (
	aheadBatches = 8
	aheadSize    = 1 << 20
	// aheadCount bounds the time until the first message is there.
	aheadCount = 256
)

// readAhead runs read, which passes messages to its argument.
func readAhead(ctx context.Context, read func(context.Context, messageFunc) error) *ahead {
	ctx, cancel := context.WithCancel(ctx)
	a := &ahead{batches: make(chan *batch, aheadBatches), free: make(chan *batch, aheadBatches), cancel: cancel}
	go func() {
		defer close(a.batches)
		b := &batch{}
		send := func() error {
			select {
			case a.batches <- b:
			case <-ctx.Done():
				return ctx.Err()
			}
			b = a.next()
			return nil
		}
		err := read(ctx, func(topic int, time int64, data []byte) error {
			b.add(topic, time, data)
			if b.size() < aheadSize && len(b.entries) < aheadCount {
				return nil
			}
			return send()
		})
		if len(b.entries) > 0 && ctx.Err() == nil { // what could be read in front of a fault is played
			if e := send(); err == nil {
				err = e
			}
		}
		a.failed = err
	}()
	return a
}

func (a *ahead) next() *batch {
	select {
	case b := <-a.free:
		return b
	default:
		return &batch{}
	}
}

// reuse gives back a batch that is done with.
func (a *ahead) reuse(b *batch) {
	b.reset()
	select {
	case a.free <- b:
	default:
	}
}

// err returns the error of read, after batches was closed.
func (a *ahead) err() error { return a.failed }

// stop ends the reading and returns when it has.
func (a *ahead) stop() {
	a.cancel()
	for range a.batches {
	}
}
