package bag

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/pinion-ros/pinion/pubsub"
	"go.uber.org/zap"
)

// recording is a topic that is being recorded. It has one subscription for each kind of publishers,
// so that each gives all it offers. As a publisher is matched with subscriptions that ask for less,
// too, these leave its messages to the one of its kind.
type recording struct {
	Topic
	recorder *recorder
	index    int
	subs     map[kind]*pubsub.RawSubscription
	dropping atomic.Bool

	mu    sync.Mutex
	kinds map[pubsub.GUID]kind // of publishers
}

func newRecording(r *recorder, t pubsub.TopicInfo, publishers []pubsub.EndpointInfo) *recording {
	rec := &recording{
		recorder: r, index: len(r.topics), subs: map[kind]*pubsub.RawSubscription{}, kinds: map[pubsub.GUID]kind{},
		Topic: Topic{Name: t.Name, Type: t.Types[0], Encoding: "cdr", TypeHash: publishers[0].TypeHash},
	}
	rec.offer(publishers)
	return rec
}

// offer adds the profiles that are new and reports whether there are any.
func (rec *recording) offer(publishers []pubsub.EndpointInfo) bool {
	all := slices.Clone(rec.Offered)
	for _, e := range publishers {
		p := Profile{e.QoS, true}
		p.QoS.History, p.QoS.Depth = pubsub.HistorySystemDefault, 0
		if !slices.Contains(all, p) {
			all = append(all, p)
		}
	}
	more := len(all) > len(rec.Offered)
	rec.Offered = all
	return more
}

// open subscribes to the kinds that are new.
func (rec *recording) open(publishers []pubsub.EndpointInfo) {
	rec.learn(publishers)
	for _, e := range publishers {
		k := kindOf(e.QoS)
		if rec.subs[k] != nil {
			continue
		}
		sub, err := pubsub.NewRawSubscription(rec.recorder.node, rec.Name, rec.Type, k.request(), func(data []byte, info *pubsub.MessageInfo) {
			if rec.is(info.Publisher, k) {
				rec.record(data, info)
			}
		})
		if err != nil {
			rec.recorder.refuse(rec.Name, err)
			return
		}
		rec.subs[k] = sub
	}
}

func (rec *recording) record(data []byte, info *pubsub.MessageInfo) {
	r := rec.recorder
	if r.queue.push(rec.index, info.ReceptionTime().UnixNano(), data) {
		rec.dropping.Store(false)
		return
	}
	r.dropped.Add(1)
	if !rec.dropping.Swap(true) {
		r.node.Logger().Warn("messages are dropped: the disk is too slow for the cache", zap.String("topic", rec.Name))
	}
}

// learn remembers which publisher is of which kind, those that are gone for a while, too: messages of
// theirs may wait.
func (rec *recording) learn(publishers []pubsub.EndpointInfo) {
	const enough = 1024
	rec.mu.Lock()
	defer rec.mu.Unlock()
	now := map[pubsub.GUID]kind{}
	for _, e := range publishers {
		now[e.GUID] = kindOf(e.QoS)
	}
	if len(rec.kinds) > enough {
		rec.kinds = now
		return
	}
	maps.Copy(rec.kinds, now)
}

// is reports whether the publisher is of the kind, or unknown.
func (rec *recording) is(publisher pubsub.GUID, k kind) bool {
	if known, ok := rec.kind(publisher); ok {
		return known == k
	}
	endpoints, err := rec.recorder.node.Endpoints(rec.Name) // news of the graph are on their way
	if err != nil {
		return true
	}
	rec.learn(slices.DeleteFunc(endpoints, func(e pubsub.EndpointInfo) bool { return !e.Publisher }))
	known, ok := rec.kind(publisher)
	return !ok || known == k
}

func (rec *recording) kind(publisher pubsub.GUID) (kind, bool) {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	k, ok := rec.kinds[publisher]
	return k, ok
}
