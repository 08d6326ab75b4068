package executor

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"sync"
	"time"

	"github.com/pinion-ros/pinion/pubsub"
	"go.uber.org/zap"
)

// Executor places subscriptions on lanes and in the background, and runs their callbacks. It is a
// pubsub.Scheduler: nodes are made with pubsub.WithScheduler. Its methods may be called from any
// goroutine.
type Executor struct {
	plan       Plan
	log        *zap.Logger
	bestEffort bool
	fixedProcs bool
	contain    bool
	lockMemory bool
	sharedCPUs bool
	oneProcess bool
	noRealtime bool // no lane may have a real-time policy
	noisy      bool
	selfQuiet  bool
	spare      int
	sys        system
	exclusive  *exclusiveCPUs // nil for shared ones
	watch      *watch
	drain      time.Duration
	wall       func() time.Time
	lanes      map[string]*lane    // of this process
	parts      map[string]*process // in the first process, the others
	background server              // of what has no lane
	chains     []*chain

	mu      sync.Mutex
	topics  map[*pubsub.Receiver]*topicStats
	away    map[*pubsub.Receiver]struct{} // in other processes
	timers  map[string]*Timer
	groups  homes
	budget  Budget
	ran     bool
	running bool
	closed  bool

	patience time.Duration // with callbacks, when Run ends, until one is complained about
}

// New returns an executor that gives topics the lanes of its plan, and a pool of workers to the rest.
// Close must be called in the end, after the nodes that use it are closed.
func New(options ...Option) (*Executor, error) {
	return build(options, func(e *Executor) (server, error) {
		if err := e.addLanes(); err != nil {
			return nil, err
		}
		return newPool(e.plan.Background, e.bestEffort, e.log)
	})
}

// addLanes makes those of the plan. Others will come that are like the ones given.
func (e *Executor) addLanes(others ...Lane) error {
	if self.name != "" {
		others = nil // they are in the first process
	}
	if err := e.reserveCPUs(others); err != nil {
		return err
	}
	for i := range e.plan.Lanes {
		l := e.plan.Lanes[i]
		if l.part() == self.name {
			l.Priority = e.plan.kernelPriority(&e.plan.Lanes[i])
			e.lanes[l.Name] = e.newLane(l)
		}
	}
	return e.addParts()
}

func (e *Executor) newLane(l Lane) *lane { return newLane(l, e) }

// build makes an executor whose background is what serve returns.
func build(options []Option, serve func(*Executor) (server, error)) (*Executor, error) {
	e := &Executor{
		log:      pubsub.DefaultLogger(),
		spare:    defaultSpare,
		patience: 5 * time.Second,
		sys:      system{linux{}},
		wall:     time.Now,
		lanes:    map[string]*lane{},
		parts:    map[string]*process{},
		topics:   map[*pubsub.Receiver]*topicStats{},
		away:     map[*pubsub.Receiver]struct{}{},
		timers:   map[string]*Timer{},
		groups:   homes{},
	}
	err := e.configure(options)
	if err == nil {
		e.background, err = serve(e)
	}
	if err == nil && self.name != "" {
		e.background.free()
		e.background = elsewhere{}
	}
	if err != nil {
		return nil, fmt.Errorf("create executor: %w", err)
	}
	for i := range e.plan.Chains {
		e.chains = append(e.chains, newChain(&e.plan.Chains[i]))
	}
	return e, nil
}

// configure applies the options.
func (e *Executor) configure(options []Option) error {
	for i, option := range options {
		if option == nil {
			return fmt.Errorf("option %d is nil", i)
		}
		if err := option(e); err != nil {
			return err
		}
	}
	if self.name != "" {
		e.log = e.log.With(zap.String("part", self.name))
	}
	if e.selfQuiet {
		e.sys = system{selfSlack{e.sys.kernel}}
	}
	err := errors.Join(self.err, e.validate(&e.plan))
	if e.oneProcess {
		e.plan.join()
	}
	return err
}

// validate holds a plan against itself and the machine. With best effort it takes out the CPUs that are
// not there.
func (e *Executor) validate(p *Plan) error {
	available, err := e.sys.affinity(0)
	if err != nil {
		return err
	}
	if p.ValidateCPUs(available) != nil { // some may be isolated
		if available, err = e.sys.permitted(); err != nil {
			return err
		}
	}
	err, missing := p.Validate(), p.ValidateCPUs(available)
	if err != nil || missing == nil || !e.bestEffort {
		return errors.Join(err, missing)
	}
	e.log.Warn("the plan is followed without CPUs that are not there", zap.Error(missing))
	p.keepCPUs(available)
	return nil
}

// warnPlan is for executors that do not follow all of a plan.
func (e *Executor) warnPlan() {
	if len(e.plan.Lanes) > 0 || e.plan.Background.Workers > 0 {
		e.log.Warn("this kind of executor ignores the lanes and the workers of its plan")
	}
}

// servers yields what runs callbacks.
func (e *Executor) servers() iter.Seq[server] {
	return func(yield func(server) bool) {
		for _, l := range e.lanes {
			if !yield(l) {
				return
			}
		}
		for _, p := range e.parts {
			if !yield(p) {
				return
			}
		}
		yield(e.background)
	}
}

// serverOf returns what runs the callbacks of a topic.
func (e *Executor) serverOf(topic string) server {
	return e.serverOfLane(e.plan.LaneOf(topic))
}

// serverOfLane returns what runs the callbacks of a lane of the plan, and of nil the background.
func (e *Executor) serverOfLane(l *Lane) server {
	if l == nil {
		return e.background
	}
	if running := e.lanes[l.Name]; running != nil {
		return running
	}
	if p := e.parts[l.part()]; p != nil {
		return p
	}
	return e.background
}

// Place is for package pubsub.
func (e *Executor) Place(r *pubsub.Receiver) (pubsub.Placement, error) {
	s := e.serverOf(r.Topic())
	stats := newTopicStats(r, e.plan.TopicOf(r.Topic()), e.chains, e.wall)
	if err := e.remember(r, stats, s.exclusion(r)); err != nil {
		return pubsub.Placement{}, err
	}
	p, err := s.add(r, stats)
	if err != nil {
		e.forget(r)
		return p, err
	}
	if e.contain {
		p.Panicked = e.contained(stats)
	}
	return p, nil
}

// Remove is for package pubsub.
func (e *Executor) Remove(r *pubsub.Receiver) {
	e.forget(r)
	e.serverOf(r.Topic()).remove(r)
}

func (e *Executor) remember(r *pubsub.Receiver, stats *topicStats, exclusion any) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return errClosed
	}
	if err := e.groups.add(r, exclusion); err != nil {
		return err
	}
	e.topics[r] = stats
	for _, s := range stats.stages {
		s.subscriptions.Add(1)
	}
	return nil
}

func (e *Executor) forget(r *pubsub.Receiver) {
	e.mu.Lock()
	defer e.mu.Unlock()
	stats := e.topics[r]
	if _, away := e.away[r]; stats != nil || away {
		e.groups.remove(r)
	}
	delete(e.away, r)
	if stats == nil {
		return
	}
	delete(e.topics, r)
	for _, s := range stats.stages {
		s.subscriptions.Add(-1)
	}
}

// Run starts the other parts of the program, if the plan has any, and lets callbacks run until ctx ends, and returns nil then, or the first error that keeps it from
// going on. It can be called once. Messages that arrived before are handled first. When it has
// returned no callback runs and none will; see WithDrain for what is waiting then.
func (e *Executor) Run(ctx context.Context) error {
	if err := e.run(ctx); err != nil {
		return fmt.Errorf("run executor: %w", err)
	}
	return nil
}

func (e *Executor) run(ctx context.Context) error {
	ctx, cancel := self.within(ctx)
	defer cancel()
	if err := e.begin(); err != nil {
		return err
	}
	defer e.end()
	runtime.LockOSThread() // callbacks may run here, see server.start
	defer runtime.UnlockOSThread()
	w, err := e.startWatch()
	if err != nil {
		return err
	}
	e.setWatch(w)
	report := e.report()
	err = e.serve(ctx)
	// Not deferred: the panic of a callback that runs here must end the program, and the servers cannot
	// be stopped while it is under way.
	e.stop()
	report()
	w.stop()
	if err == nil {
		err = e.failedParts()
	}
	return err
}

// serve starts the servers and returns when ctx ends or one fails.
func (e *Executor) serve(ctx context.Context) error {
	failed := make(chan error, 1)
	fail := func(err error) {
		select {
		case failed <- err:
		default: // not the first
		}
	}
	for s := range e.servers() {
		if err := s.start(fail); err != nil {
			return err
		}
	}
	select {
	case <-ctx.Done():
		return nil
	case err := <-failed:
		return err
	}
}

func (e *Executor) setWatch(w *watch) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.watch = w
}

func (e *Executor) begin() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return errClosed
	}
	if e.ran {
		return errors.New("it ran already; make a new one")
	}
	e.ran = true
	if e.lockMemory {
		if err := e.sys.lockAll(); err != nil {
			return err
		}
	}
	var lanes, workers int
	for s := range e.servers() {
		l, w := s.threads()
		lanes, workers = lanes+l, workers+w
	}
	b, err := newBudget(lanes, workers, e.spare).ensure(e.fixedProcs)
	if err != nil {
		return err
	}
	e.budget = b
	e.warnUnused()
	e.running = true
	return nil
}

// warnUnused is called with the lock held.
func (e *Executor) warnUnused() {
	var used []string
	for r := range e.topics {
		used = append(used, r.Topic())
	}
	for r := range e.away {
		used = append(used, r.Topic())
	}
	// A chain's last topic is one that others may subscribe to.
	published := make([]string, 0, len(e.plan.Chains))
	for _, c := range e.plan.Chains {
		published = append(published, c.Topics[len(c.Topics)-1])
	}
	if err := e.plan.Unused(used, published); err != nil {
		e.log.Warn("the plan has topics that nothing uses", zap.Error(err))
	}
}

func wrap(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", what, err)
}

// stop ends the servers, all at the same time, and names those that a callback holds up.
func (e *Executor) stop() {
	var wg sync.WaitGroup
	for s := range e.servers() {
		wg.Go(func() {
			slow := time.AfterFunc(e.drain+e.patience, func() {
				e.log.Warn("Run has to end and waits for a callback that does not return", zap.String("where", e.placeOf(s)))
			})
			defer slow.Stop()
			s.stop(e.drain)
		})
	}
	wg.Wait()
}

func (e *Executor) placeOf(s server) string {
	switch s := s.(type) {
	case *lane:
		return "lane " + s.plan.Name
	case *process:
		return "part " + s.plan.Name
	}
	return "background"
}

// end is called when nothing of Run runs any more.
func (e *Executor) end() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.running = false
}

// errClosed is for what would use memory that Close gave back.
var errClosed = fmt.Errorf("the executor is %w", pubsub.ErrClosed)

// Close gives the executor's memory back, for good. Run must have returned, and the subscriptions and
// timers must be closed; it is an error otherwise, and nothing happens.
func (e *Executor) Close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.running {
		return errors.New("close executor: it is running; end the context of Run and wait for it first")
	}
	if n := len(e.topics) + len(e.away); n > 0 {
		return fmt.Errorf("close executor: %d subscriptions are open; close their nodes first", n)
	}
	if len(e.timers) > 0 {
		return fmt.Errorf("close executor: %d timers are open; close them first", len(e.timers))
	}
	if !e.closed {
		e.closed = true
		for s := range e.servers() {
			s.free()
		}
	}
	return nil
}

var (
	_ pubsub.Scheduler  = (*Executor)(nil)
	_ pubsub.InputTimer = (*Executor)(nil)
	_ pubsub.Divider    = (*Executor)(nil)
)
