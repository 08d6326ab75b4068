package pubsub

import (
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/pinion-ros/pinion/internal/cyclone"
)

// An announcer keeps the lists of a session's participants: what ROS 2 learns about its nodes.
//
// The endpoints of a node may live in several participants, those on receive paths in one of their
// own each. ROS 2 looks for an endpoint's node in the list of the endpoint's participant only, and
// shows a node once for every list that has it. So the session's own participant lists every node
// with all its endpoints, and a path's participant lists, for each node with endpoints on it, a
// hidden node that is called after both.
type announcer struct {
	lister *lister
	graph  *graph

	mu        sync.Mutex
	nodes     []*Node
	endpoints []*announced
}

// announced is an endpoint of this process.
type announced struct {
	node     *Node
	guid     GUID
	writer   bool
	path     *ReceivePath // nil for the session's participant
	ddsTopic string
	typeName string // DDS name
	userData string
	events   *eventBox
}

// compare tells of an endpoint at the other end of the topic that has another type.
func (a *announced) compare(e *endpoint) {
	if a.writer == e.writer {
		return
	}
	mine, theirs := parseUserData(a.userData)["typehash"], parseUserData(e.QoS.UserData)["typehash"]
	if a.typeName != e.Type || mine != "" && theirs != "" && mine != theirs {
		a.events.post(cyclone.Event{Kind: incompatibleType, Change: 1, Peer: e.Handle})
	}
}

func (a *announcer) addNode(n *Node) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.nodes = append(a.nodes, n)
	return a.publish(nil)
}

// removeNode takes back the node and all its endpoints.
func (a *announcer) removeNode(n *Node) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.nodes = slices.DeleteFunc(a.nodes, func(x *Node) bool { return x == n })
	var paths []*ReceivePath
	a.endpoints = slices.DeleteFunc(a.endpoints, func(e *announced) bool {
		if e.node != n {
			return false
		}
		a.graph.removeLocal(e)
		if e.path != nil && !slices.Contains(paths, e.path) {
			paths = append(paths, e.path)
		}
		return true
	})
	err := a.publish(nil)
	for _, p := range paths {
		err = errors.Join(err, a.publishPath(p))
	}
	return err
}

// add announces an endpoint that exists.
func (a *announcer) add(e *announced) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.endpoints = append(a.endpoints, e)
	a.graph.addLocal(e)
	return a.publish(e.path)
}

// remove takes back an endpoint that is about to be deleted.
func (a *announcer) remove(guid GUID) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	i := slices.IndexFunc(a.endpoints, func(e *announced) bool { return e.guid == guid })
	if i < 0 {
		return nil
	}
	e := a.endpoints[i]
	a.endpoints = slices.Delete(a.endpoints, i, i+1)
	a.graph.removeLocal(e)
	return a.publish(e.path)
}

// publish sends the session's list and, for a change on a path, that of the path.
func (a *announcer) publish(path *ReceivePath) error {
	nodes := make([]nodeEntities, len(a.nodes))
	for i, n := range a.nodes {
		nodes[i] = a.entities(n, func(*announced) bool { return true })
		nodes[i].readers = append(nodes[i].readers, n.parts.readers...)
		nodes[i].writers = append(nodes[i].writers, n.parts.writers...)
	}
	err := a.lister.publish(nodes)
	a.graph.setOwn(nodes)
	if path != nil {
		err = errors.Join(err, a.publishPath(path))
	}
	return err
}

func (a *announcer) publishPath(path *ReceivePath) error {
	var nodes []nodeEntities
	for _, n := range a.nodes {
		e := a.entities(n, func(e *announced) bool { return e.path == path })
		if len(e.readers)+len(e.writers) > 0 {
			e.name = hiddenNode(n.Name(), "lane", path.name)
			nodes = append(nodes, e)
		}
	}
	return path.lister.publish(nodes)
}

func (a *announcer) entities(n *Node, listed func(*announced) bool) nodeEntities {
	m := nodeEntities{namespace: n.Namespace(), name: n.announcedName()}
	for _, e := range a.endpoints {
		switch {
		case e.node != n || !listed(e):
		case e.writer:
			m.writers = append(m.writers, e.guid)
		default:
			m.readers = append(m.readers, e.guid)
		}
	}
	return m
}

// hiddenNode names the hidden node for what a node has on a receive path, or in another process of the
// program. Characters that no node's name can have are replaced, and what is too long is cut.
func hiddenNode(node, kind, name string) string {
	suffix := "_" + kind + "_" + strings.Map(func(r rune) rune {
		if alphanumeric(r) {
			return r
		}
		return '_'
	}, name)
	suffix = suffix[:min(len(suffix), maxNodeName/2)]
	return "_" + node[:min(len(node), maxNodeName-1-len(suffix))] + suffix
}
