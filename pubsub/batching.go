package pubsub

import "github.com/pinion-ros/pinion/internal/cyclone"

// WithBatching has the publisher collect messages and send them together, for throughput with small
// messages. By default each is sent at once.
//
// A batch is sent when it has size bytes of messages, encapsulation header included, and in any case
// when the next message does not fit into a packet any more (General/MaxMessageSize in CYCLONEDDS_URI,
// 14720 bytes by default); with a size of 0 that alone counts. Publisher.Flush,
// Publisher.WaitForAcknowledgements and Publisher.Close send it as well, and a Publish with which a
// reliable publisher asks for acknowledgements, as it does now and then and before it waits for space.
// Nothing else does: no timer runs, and a message that none follows can wait without end. So each
// message is late by what the batch takes to fill, which is little where a tight loop publishes and
// seconds on a slow topic: there, Flush after the last message of each round. The source time is that
// of Publish, so MessageInfo shows the delay.
//
// Subscriptions in the same domain instance get each message at once, be it over DDS or as
// WithPublisherIntraProcess has it; only what goes to other processes and to receive paths waits. Once
// Publish has returned, a batched message needs nothing of the caller any more, like any other.
//
// From Cyclone DDS 0.10.4 on this concerns the publisher alone (BatchingPublisher). Before, the library
// knows one setting for the process (BatchingProcess), which is on as long as there is a publisher with
// this option and holds for every writer that is created meanwhile: other publishers of this package
// are flushed after each message, which costs them some time, while writers that other code creates in
// the same process batch unless it flushes them.
func WithBatching(size int) PublisherOption {
	return func(o *publisherOptions) { o.batching, o.batchSize = true, size }
}

// Batching tells how far batching of messages reaches.
type Batching int

// The reaches of batching.
const (
	// BatchingOff sends each message at once.
	BatchingOff = Batching(cyclone.BatchingOff)
	// BatchingPublisher concerns the publisher alone.
	BatchingPublisher = Batching(cyclone.BatchingWriter)
	// BatchingProcess concerns writers of others as well: as WithBatching tells, or all of the domain by
	// the configuration of Cyclone DDS (Internal/WriteBatch).
	BatchingProcess = Batching(cyclone.BatchingProcess)
)

func (b Batching) String() string {
	switch b {
	case BatchingPublisher:
		return "publisher"
	case BatchingProcess:
		return "process"
	}
	return "off"
}

func (s *sender) batching() Batching {
	if s.absent {
		return BatchingOff
	}
	return Batching(s.writer.Batching())
}

func (s *sender) flush() error {
	if err := s.refuse(); err != nil {
		return s.wrap(err)
	}
	flush := s.writer.Flush
	if s.onPath() {
		flush = s.writer.TryFlush
	}
	if err := flush(); err != nil {
		return s.wrap(err)
	}
	return nil
}
