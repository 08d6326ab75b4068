package pubsub

import (
	"slices"
	"sync"
)

// locals knows the publishers and subscriptions of a session by their DDS topics, and has those of a
// topic know of each other where DDS is not enough.
type locals struct {
	mu        sync.Mutex
	senders   map[string][]*sender
	receivers map[string][]*Receiver
}

func newLocals() *locals {
	return &locals{senders: map[string][]*sender{}, receivers: map[string][]*Receiver{}}
}

func (l *locals) addSender(dds string, s *sender) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.senders[dds] = append(l.senders[dds], s)
	for _, r := range l.receivers[dds] {
		if s.intra != nil && s.intra.direct(r) {
			s.intra.link(r)
		}
	}
	l.setPaths(dds)
}

func (l *locals) removeSender(dds string, s *sender) {
	l.mu.Lock()
	defer l.mu.Unlock()
	removeFrom(l.senders, dds, s)
}

func (l *locals) addReceiver(dds string, r *Receiver) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.receivers[dds] = append(l.receivers[dds], r)
	for _, s := range l.senders[dds] {
		if s.intra != nil && s.intra.direct(r) {
			s.intra.link(r)
		}
	}
	l.setPaths(dds)
}

func (l *locals) removeReceiver(dds string, r *Receiver) {
	l.mu.Lock()
	defer l.mu.Unlock()
	removeFrom(l.receivers, dds, r)
	for _, s := range l.senders[dds] {
		if s.intra != nil {
			s.intra.unlink(r)
		}
	}
	l.setPaths(dds)
}

func removeFrom[T comparable](m map[string][]T, key string, v T) {
	rest := slices.DeleteFunc(m[key], func(x T) bool { return x == v })
	if len(rest) == 0 {
		delete(m, key)
		return
	}
	m[key] = rest
}

// setPaths tells the topic's publishers on which receive paths its inline callbacks run.
func (l *locals) setPaths(dds string) {
	var paths []*ReceivePath
	for _, r := range l.receivers[dds] {
		if p := r.placement.Path; r.placement.Queue == nil && !slices.Contains(paths, p) {
			paths = append(paths, p)
		}
	}
	for _, s := range l.senders[dds] {
		s.paths.Store(&paths)
	}
}
