//go:build race

package pubsub

import (
	"bytes"

	"github.com/pinion-ros/pinion/cdr"
)

// A seal finds out whether somebody wrote to a message that was handed over. The race detector alone
// misses most of it, since it takes all calls into C for synchronization.
type seal struct {
	message cdr.Message
	data    []byte
}

func sealed(m cdr.Message) seal {
	data, err := cdr.Marshal(m)
	if err != nil { // a bound is exceeded, which is an error only where it is serialized
		return seal{}
	}
	return seal{m, data}
}

// check reads all of the message, which the race detector sees.
func (s seal) check() {
	if s.message == nil {
		return
	}
	if data, err := cdr.Marshal(s.message); err != nil || !bytes.Equal(data, s.data) {
		panic("pubsub: a message was changed after it was handed over to PublishOwned or in a callback")
	}
}
