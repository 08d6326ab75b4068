package executor

import (
	"strings"
	"sync"
	"time"

	"github.com/pinion-ros/pinion/pubsub"
)

// NewDedicated returns an executor that gives every topic that has no lane in the plan one of its own,
// like template but for the name and the topics. The background of the plan does not count. A lane
// takes about seven threads and a participant index of the host: this is for nodes of few topics. The
// budget of processors is for the topics that exist when Run starts.
func NewDedicated(template Lane, options ...Option) (*Executor, error) {
	return build(options, func(e *Executor) (server, error) {
		probe := Plan{Lanes: []Lane{named(template, "/template")}}
		if err := e.validate(&probe); err != nil {
			return nil, err
		}
		template.CPUs = probe.Lanes[0].CPUs
		if err := e.addLanes(template); err != nil {
			return nil, err
		}
		return &dedicated{template: template, newLane: e.newLane, byTopic: map[string]*lane{}, users: map[*pubsub.Receiver]*lane{}}, nil
	})
}

// named returns a lane of the template for one topic.
func named(template Lane, topic string) Lane {
	template.Name = strings.ReplaceAll(topic[1:], "/", "_")
	template.Topics = []string{topic}
	return template
}

// dedicated is a server of lanes, one for each topic that has a subscription.
type dedicated struct {
	template Lane
	newLane  func(Lane) *lane

	mu      sync.Mutex
	byTopic map[string]*lane
	users   map[*pubsub.Receiver]*lane
	fail    func(error) // nil unless running
}

func (d *dedicated) add(r *pubsub.Receiver, stats *topicStats) (pubsub.Placement, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	l := d.byTopic[r.Topic()]
	if l == nil {
		l = d.newLane(named(d.template, r.Topic()))
		if d.fail != nil {
			if err := l.start(d.fail); err != nil {
				return pubsub.Placement{}, err
			}
		}
		d.byTopic[r.Topic()] = l
	}
	d.users[r] = l
	p, err := l.add(r, stats)
	if err != nil {
		d.forget(r)
	}
	return p, err
}

func (d *dedicated) remove(r *pubsub.Receiver) {
	d.mu.Lock()
	defer d.mu.Unlock()
	l := d.users[r]
	if l == nil {
		return
	}
	l.remove(r)
	d.forget(r)
}

// forget ends a topic's lane with its last subscription.
func (d *dedicated) forget(r *pubsub.Receiver) {
	l := d.users[r]
	delete(d.users, r)
	for _, other := range d.users {
		if other == l {
			return
		}
	}
	delete(d.byTopic, r.Topic())
	if d.fail != nil {
		l.stop(0)
	}
	l.free()
}

func (d *dedicated) exclusion(r *pubsub.Receiver) any {
	return struct {
		*dedicated
		topic  string
		domain uint32
	}{d, r.Topic(), r.Node().Domain()}
}

func (d *dedicated) threads() (lanes, workers int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.byTopic), 0
}

func (d *dedicated) start(fail func(error)) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.fail = fail
	for _, l := range d.byTopic {
		if err := l.start(fail); err != nil {
			return err
		}
	}
	return nil
}

func (d *dedicated) stop(drain time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.fail = nil
	for _, l := range d.byTopic {
		l.stop(drain)
	}
}

func (d *dedicated) free() {}

// running returns the lanes there are now.
func (d *dedicated) running() []*lane {
	d.mu.Lock()
	defer d.mu.Unlock()
	var lanes []*lane
	for _, l := range d.byTopic {
		lanes = append(lanes, l)
	}
	return lanes
}
