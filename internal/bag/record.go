package bag

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/pinion-ros/pinion/msggen"
	"github.com/pinion-ros/pinion/pubsub"
	"go.uber.org/zap"
)

// flushInterval is how long a message waits before it is written, and so about what a program that is
// killed loses.
const flushInterval = 100 * time.Millisecond

// MinCache is the smallest cache of a recording.
const MinCache = 1 << 20

// RecordConfig says what is recorded.
type RecordConfig struct {
	Dir    string // must not exist
	Format Format
	Distro string // of ROS, as it is written into the bag
	Filter Filter
	Cache  int // bytes that may wait to be written, at least MinCache; as many more are being written
	Split  Split
	Mode   Mode // how the bag is compressed, with zstd
	// Definitions finds those of the messages, which bags in the format of Jazzy carry. None are
	// written where it is nil. It is for the recording alone.
	Definitions *msggen.Loader
}

// RecordStats tells what a recording did.
type RecordStats struct {
	Messages  uint64 // in the bag
	Dropped   uint64 // arrived, but there was no space in the cache or, at the end, on the disk
	Lost      uint64 // never arrived, as far as is known, or were replaced before they were looked at
	Malformed uint64 // no messages
	Topics    []TopicCount
}

// recorder is a recording: the graph's goroutine subscribes, callbacks fill the queue, and one
// goroutine empties it.
type recorder struct {
	Filter  Filter
	node    *pubsub.Node
	writer  *writer
	queue   *queue
	topics  map[string]*recording
	refused map[string]bool
	stats   RecordStats // of subscriptions that were closed
	dropped atomic.Uint64
}

// Record records until ctx ends, topics that appear meanwhile included, or until an error. The bag is
// complete then in both cases, if there is space for its metadata.yaml. The error of a full disk
// matches ErrFull.
func Record(ctx context.Context, node *pubsub.Node, c RecordConfig) (RecordStats, error) {
	w, err := create(c)
	if err != nil {
		return RecordStats{}, err
	}
	return recordTo(ctx, node, w)
}

// recordTo records into w and closes it.
func recordTo(ctx context.Context, node *pubsub.Node, w *writer) (RecordStats, error) {
	r := &recorder{Filter: w.Filter, node: node, writer: w, queue: newQueue(max(w.Cache, MinCache)),
		topics: map[string]*recording{}, refused: map[string]bool{}}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	written := make(chan error, 1)
	go func() {
		defer cancel()
		written <- r.write()
	}()
	err := node.WaitForGraph(ctx, func() (bool, error) { return false, r.follow() })
	if ctx.Err() != nil {
		err = nil
	}
	err = errors.Join(err, r.unsubscribe())
	r.queue.close()
	err = errors.Join(err, <-written, w.close())
	stats := r.stats
	stats.Messages, stats.Dropped, stats.Topics = w.meta.Messages, r.dropped.Load(), w.meta.Topics
	return stats, err
}

// write writes what is pushed until the queue is closed, or fails.
func (r *recorder) write() error {
	var b batch
	for r.queue.next(&b, flushInterval) {
		if n, err := r.writer.write(&b); err != nil {
			r.dropped.Add(uint64(len(b.entries) - n + r.queue.fail()))
			return err
		}
		b.reset()
	}
	return nil
}

// follow subscribes to what is new in the graph.
func (r *recorder) follow() error {
	topics, err := r.node.Topics()
	if err != nil {
		return err
	}
	for _, t := range topics {
		if !r.Filter.selects(t.Name) || r.refused[t.Name] {
			continue
		}
		endpoints, err := r.node.Endpoints(t.Name)
		if err != nil {
			return err
		}
		publishers := slices.DeleteFunc(endpoints, func(e pubsub.EndpointInfo) bool { return !e.Publisher })
		if len(publishers) == 0 {
			continue
		}
		if known := r.topics[t.Name]; known != nil {
			err = r.update(known, publishers)
		} else {
			err = r.subscribe(t, publishers)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// subscribe begins to record a topic.
func (r *recorder) subscribe(t pubsub.TopicInfo, publishers []pubsub.EndpointInfo) error {
	if len(t.Types) != 1 {
		r.refuse(t.Name, fmt.Errorf("its publishers and subscriptions have several types: %s", strings.Join(t.Types, ", ")))
		return nil
	}
	if err := pubsub.ValidateTypeName(t.Types[0]); err != nil {
		r.refuse(t.Name, err)
		return nil
	}
	rec := newRecording(r, t, publishers)
	if err := r.writer.addTopic(rec.Topic); err != nil {
		return err
	}
	r.topics[t.Name] = rec
	if rec.open(publishers); !r.refused[t.Name] {
		r.node.Logger().Info("recording", zap.String("topic", t.Name), zap.String("type", rec.Type))
	}
	return nil
}

// refuse leaves a topic out from now on. What others announce, or permissions allow, on one topic does
// not end the recording of all.
func (r *recorder) refuse(topic string, why error) {
	r.refused[topic] = true
	r.node.Logger().Warn("topic is not recorded", zap.String("topic", topic), zap.Error(why))
}

// update follows the publishers of a topic that is being recorded.
func (r *recorder) update(rec *recording, publishers []pubsub.EndpointInfo) error {
	if rec.offer(publishers) {
		if err := r.writer.setOffered(rec.index, rec.Offered); err != nil {
			return err
		}
	}
	rec.open(publishers)
	return nil
}

// unsubscribe ends all subscriptions and counts what they missed.
func (r *recorder) unsubscribe() error {
	var errs []error
	for _, rec := range r.topics {
		for _, sub := range rec.subs {
			errs = append(errs, sub.Close())
			s := sub.Stats()
			r.stats.Lost += s.Lost + s.Overwritten
			r.stats.Malformed += s.Malformed
		}
	}
	return errors.Join(errs...)
}
