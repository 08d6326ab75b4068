// Package topic is what the commands pinion topic do, as functions of a node: they look at the graph,
// print, publish and measure the messages of a topic.
package topic

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pinion-ros/pinion/cdr/dynamic"
	"github.com/pinion-ros/pinion/pubsub"
)

// Entry is a topic of the graph.
type Entry struct {
	Name          string   `json:"name"`
	Types         []string `json:"types"`
	Publishers    int      `json:"publishers"`
	Subscriptions int      `json:"subscriptions"`
}

// List returns the topics of the domain in the order of their names. Hidden ones are those of which
// a part begins with an underscore.
func List(n *pubsub.Node, hidden bool) ([]Entry, error) {
	topics, err := n.Topics()
	if err != nil {
		return nil, err
	}
	entries := []Entry{}
	for _, t := range topics {
		if !hidden && Hidden(t.Name) {
			continue
		}
		endpoints, err := n.Endpoints(t.Name)
		if err != nil {
			return nil, err
		}
		e := Entry{Name: t.Name, Types: t.Types}
		for _, p := range endpoints {
			if p.Publisher {
				e.Publishers++
			} else {
				e.Subscriptions++
			}
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// OfType returns the entries whose topics have the type.
func OfType(entries []Entry, typeName string) []Entry {
	return slices.DeleteFunc(slices.Clone(entries), func(e Entry) bool { return !slices.Contains(e.Types, typeName) })
}

// Hidden tells whether ROS 2 tools leave out a topic of that name unless asked.
func Hidden(name string) bool { return strings.Contains(name, "/_") }

// Names returns the names of entries.
func Names(entries []Entry) []string {
	names := []string{}
	for _, e := range entries {
		names = append(names, e.Name)
	}
	return names
}

// Resolve returns the full name of a topic as the node's user gives it.
func Resolve(n *pubsub.Node, name string) (string, error) {
	if err := pubsub.ValidateTopicName(name); err != nil {
		return "", err
	}
	full, err := pubsub.ExpandTopicName(name, n.Name(), n.Namespace())
	if err != nil {
		return "", err
	}
	return full, pubsub.ValidateFullTopicName(full)
}

// TypesOf returns the types that endpoints have, each once.
func TypesOf(endpoints []pubsub.EndpointInfo) []string {
	types := []string{}
	for _, e := range endpoints {
		if !slices.Contains(types, e.Type) {
			types = append(types, e.Type)
		}
	}
	slices.Sort(types)
	return types
}

// ErrUnknown is returned for a topic that nobody publishes or subscribes to.
var ErrUnknown = errors.New("nobody publishes or subscribes to it")

// OnlyType returns the type of the topic whose endpoints are given. Without endpoints the error
// matches ErrUnknown.
func OnlyType(topic string, endpoints []pubsub.EndpointInfo) (string, error) {
	switch types := TypesOf(endpoints); len(types) {
	case 0:
		return "", fmt.Errorf("topic %s: %w, so its type is not known; name the type, or wait longer with --spin-time", topic, ErrUnknown)
	case 1:
		return types[0], nil
	default:
		return "", fmt.Errorf("topic %s has several types, name one: %s", topic, strings.Join(types, ", "))
	}
}

// quiet is how long the graph must not change to be taken for complete. Discovery brings endpoints
// of one participant in one burst.
const quiet = 100 * time.Millisecond

// Await returns the endpoints of a topic once it has a publisher and the graph is quiet, or when wait
// is over. A graph that never gets quiet does not hold it up longer than that.
func Await(ctx context.Context, n *pubsub.Node, topic string, wait time.Duration) ([]pubsub.EndpointInfo, error) {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	for {
		changed := n.GraphChanged()
		endpoints, err := n.Endpoints(topic)
		if err != nil {
			return nil, err
		}
		var calm <-chan time.Time
		if slices.ContainsFunc(endpoints, func(e pubsub.EndpointInfo) bool { return e.Publisher }) {
			calm = time.After(quiet)
		}
		select {
		case <-changed:
		case <-calm:
			return endpoints, nil
		case <-ctx.Done():
			return endpoints, nil
		}
	}
}

// CheckTypes returns a warning for each publisher whose messages are of another type than t, or of
// the same type by another definition, and may be read wrongly.
func CheckTypes(t *dynamic.Type, endpoints []pubsub.EndpointInfo) []string {
	var warnings []string
	for _, e := range endpoints {
		node := e.FullNodeName()
		if node == "" {
			node = "an unknown node"
		}
		switch {
		case !e.Publisher:
		case e.Type != t.String():
			warnings = append(warnings, fmt.Sprintf("%s publishes messages of another type, %s", node, e.Type))
		case e.TypeHash != "" && e.TypeHash != t.CDR().Hash:
			warnings = append(warnings, fmt.Sprintf("%s publishes %s by another definition than the one found here; name the folder that holds its package with -I", node, e.Type))
		}
	}
	return warnings
}
