package pubsub

import (
	"bytes"
	"slices"
	"sync"

	"github.com/pinion-ros/pinion/cdr"
	"github.com/pinion-ros/pinion/internal/cyclone"
	"go.uber.org/zap"
)

// A graph is what a session knows about the nodes and endpoints of its domain: what DDS discovery
// found, and which node each participant says an endpoint belongs to.
type graph struct {
	form     graphForm
	own      GUID // the session's participant, whose list does not come from the network
	log      *zap.Logger
	queue    *cyclone.Queue
	watchers [cyclone.FoundKinds]*cyclone.Watcher
	topic    *cyclone.Topic
	reader   *cyclone.Reader
	done     chan struct{}

	mu           sync.Mutex
	changed      chan struct{} // closed with the next change; nil where nobody waits
	participants map[GUID]*participant
	endpoints    map[GUID]*endpoint
	handles      map[uint64]GUID         // of endpoints, as events name them
	local        map[string][]*announced // this process's endpoints by DDS topic
	toldForm     bool
	closed       bool
	samples      [cyclone.MaxBatch]cyclone.Sample
}

// A participant is one that is alive.
type participant struct {
	enclave string
	nodes   []nodeEntities
	bad     bool // it has sent a list that could not be read
}

// An endpoint is a writer or reader that is alive.
type endpoint struct {
	cyclone.Found
	writer bool
}

// openGraph starts to watch the domain.
func openGraph(p *cyclone.Participant, form graphForm, log *zap.Logger) (*graph, error) {
	queue, err := cyclone.NewQueue()
	if err != nil {
		return nil, err
	}
	g := &graph{
		form: form, own: GUID(p.GUID()), log: log, queue: queue, done: make(chan struct{}),
		participants: map[GUID]*participant{},
		endpoints:    map[GUID]*endpoint{},
		handles:      map[uint64]GUID{},
		local:        map[string][]*announced{},
	}
	if err := g.open(p); err != nil {
		close(g.done)
		g.close()
		return nil, err
	}
	go g.run()
	return g, nil
}

func (g *graph) open(p *cyclone.Participant) (err error) {
	for kind := range g.watchers {
		if g.watchers[kind], err = p.Watch(cyclone.FoundKind(kind), g.queue, g); err != nil {
			return err
		}
	}
	if g.topic, err = p.NewTopic(discoveryTopic, MangleType(discoveryType.Name)); err != nil {
		return err
	}
	qos := discoveryQoS(typeHash(g.form, discoveryType.Name))
	qos.History = cyclone.KeepAll
	g.reader, err = g.topic.NewReader(cyclone.ReaderConfig{QoS: qos, Queue: g.queue, Owner: g})
	return err
}

// close ends the watching. Nobody may use the graph any more.
func (g *graph) close() {
	g.queue.Close()
	<-g.done
	g.mu.Lock()
	g.closed = true
	g.notify()
	g.mu.Unlock()
	for _, w := range g.watchers {
		if w != nil {
			w.Close()
		}
	}
	if g.reader != nil {
		g.reader.Close()
	}
	if g.topic != nil {
		g.topic.Close()
	}
	g.queue.Free()
}

func (g *graph) run() {
	defer close(g.done)
	ready := make([]cyclone.Ready, 8)
	for g.queue.Wait() {
		for g.queue.Pop(ready) > 0 {
			g.mu.Lock()
			g.update()
			g.mu.Unlock()
		}
	}
}

// refresh is update where the graph may be closed.
func (g *graph) refresh() {
	if !g.closed {
		g.update()
	}
}

// update takes in all news that there are. Participants come first, because what belongs to one that
// is not alive is not kept.
func (g *graph) update() {
	changed := g.updateFound(cyclone.FoundParticipant, g.foundParticipant)
	changed = g.updateFound(cyclone.FoundWriter, g.foundEndpoint) || changed
	changed = g.updateFound(cyclone.FoundReader, g.foundEndpoint) || changed
	changed = g.updateLists() || changed
	if changed {
		g.notify()
	}
}

// notify wakes those who wait for a change.
func (g *graph) notify() {
	if g.changed != nil {
		close(g.changed)
		g.changed = nil
	}
}

// updateFound tells whether there was news.
func (g *graph) updateFound(kind cyclone.FoundKind, take func(cyclone.FoundKind, *cyclone.Found)) bool {
	for n := 0; ; n++ {
		f, ok, err := g.watchers[kind].Take()
		if err != nil {
			g.log.Error("read discovery", zap.Error(err))
		}
		if !ok {
			return n > 0
		}
		take(kind, &f)
	}
}

func (g *graph) foundParticipant(_ cyclone.FoundKind, f *cyclone.Found) {
	id := GUID(f.GUID)
	if !f.Alive {
		delete(g.participants, id)
		return
	}
	p := g.participants[id]
	if p == nil {
		p = &participant{}
		g.participants[id] = p
	}
	p.enclave = printable(parseUserData(f.QoS.UserData)["enclave"])
}

func (g *graph) foundEndpoint(kind cyclone.FoundKind, f *cyclone.Found) {
	id := GUID(f.GUID)
	old := g.endpoints[id]
	if !f.Alive {
		delete(g.endpoints, id)
		delete(g.handles, f.Handle)
		return
	}
	e := &endpoint{*f, kind == cyclone.FoundWriter}
	e.Topic, e.Type = printable(f.Topic), printable(f.Type)
	g.endpoints[id] = e
	g.handles[f.Handle] = id
	if old == nil || old.Type != e.Type || old.QoS.UserData != e.QoS.UserData {
		for _, l := range g.local[e.Topic] {
			l.compare(e)
		}
	}
}

// updateLists tells whether a participant's list has changed.
func (g *graph) updateLists() bool {
	for changed := false; ; {
		n, err := g.reader.Take(g.samples[:])
		if err != nil {
			g.log.Error("read "+discoveryTopic, zap.Error(err))
		}
		for i := range g.samples[:n] {
			if payload := g.samples[i].Payload(); payload != nil {
				changed = g.list(payload, GUID(g.samples[i].Writer)) || changed
			}
			g.samples[i].Release()
		}
		if n < len(g.samples) {
			return changed
		}
	}
}

// list takes over the list of a participant that is alive.
func (g *graph) list(payload []byte, writer GUID) bool {
	m := &entities{form: detectForm(payload)}
	if err := cdr.Unmarshal(payload, m); err != nil {
		g.malformed(writer, err)
		return false
	}
	p := g.participants[m.participant]
	if p == nil || m.participant == g.own {
		return false
	}
	p.nodes = m.nodes
	for i := range p.nodes {
		p.nodes[i].namespace, p.nodes[i].name = printable(p.nodes[i].namespace), printable(p.nodes[i].name)
	}
	if m.form != g.form && !g.toldForm {
		g.toldForm = true
		g.log.Warn("a participant announces its nodes in the form of other ROS distributions: it is understood, but cannot see this process's nodes; if all are like that, use "+m.form.String(),
			zap.Stringer("participant", m.participant), zap.Strings("nodes", names(m.nodes)))
	}
	return true
}

// malformed logs once for each participant.
func (g *graph) malformed(writer GUID, err error) {
	p := g.participants[writer.participant()]
	if p == nil || p.bad {
		return
	}
	p.bad = true
	g.log.Warn("a participant's list of nodes cannot be read", zap.Stringer("participant", writer.participant()), zap.Error(err))
}

// setOwn takes over the list of the session's own participant.
func (g *graph) setOwn(nodes []nodeEntities) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.update()
	if p := g.participants[g.own]; p != nil {
		p.nodes = nodes
		g.notify()
	}
}

// addLocal has an endpoint of this process told of types that differ from its own.
func (g *graph) addLocal(a *announced) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.update()
	g.local[a.ddsTopic] = append(g.local[a.ddsTopic], a)
	for _, e := range g.endpoints {
		if e.Topic == a.ddsTopic {
			a.compare(e)
		}
	}
}

func (g *graph) removeLocal(a *announced) {
	g.mu.Lock()
	defer g.mu.Unlock()
	rest := slices.DeleteFunc(g.local[a.ddsTopic], func(x *announced) bool { return x == a })
	if len(rest) == 0 {
		delete(g.local, a.ddsTopic)
		return
	}
	g.local[a.ddsTopic] = rest
}

func names(nodes []nodeEntities) []string {
	var names []string
	for _, n := range nodes {
		names = append(names, joinName(n.namespace, n.name))
	}
	return names
}

// compare orders GUIDs.
func (g GUID) compare(o GUID) int { return bytes.Compare(g[:], o[:]) }

// participant returns the GUID of the participant that the entity belongs to (RTPS 2.2, 9.3.1.2).
func (g GUID) participant() GUID {
	copy(g[12:], []byte{0, 0, 1, 0xc1})
	return g
}
