package executor

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"

	"github.com/pinion-ros/pinion/pubsub"
	"go.uber.org/zap"
)

// Executor places subscriptions on lanes and in the background pool, and runs their callbacks. It is
// a pubsub.Scheduler: nodes are made with pubsub.WithScheduler. Its methods may be called from any
// goroutine.
type Executor struct {
	plan       Plan
	log        *zap.Logger
	bestEffort bool
	fixedProcs bool
	lanes      map[string]*lane
	pool       *pool

	mu     sync.Mutex
	topics map[*pubsub.Receiver]*topicStats
	budget Budget
	ran    bool
}

// An Option changes how an executor is made.
type Option func(*Executor) error

// WithPlan sets the plan. Without one everything is background.
func WithPlan(p Plan) Option {
	return func(e *Executor) error {
		workers := e.plan.Background.Workers
		e.plan = p
		if p.Background.Workers == 0 {
			e.plan.Background.Workers = workers
		}
		return nil
	}
}

// WithPlanFile reads the plan from a file, see ReadPlan.
func WithPlanFile(file string) Option {
	return func(e *Executor) error {
		p, err := ReadPlan(file)
		if err != nil {
			return err
		}
		return WithPlan(*p)(e)
	}
}

// WithWorkers sets the number of background workers for plans that do not.
func WithWorkers(n int) Option {
	return func(e *Executor) error {
		if e.plan.Background.Workers == 0 {
			e.plan.Background.Workers = n
		}
		return nil
	}
}

// WithLogger sets where the executor logs. By default it does not.
func WithLogger(log *zap.Logger) Option {
	return func(e *Executor) error {
		e.log = log
		return nil
	}
}

// WithBestEffort has lanes run without the CPUs or the policy of the plan where the process lacks the
// permission, after a warning, instead of failing.
func WithBestEffort() Option {
	return func(e *Executor) error {
		e.bestEffort = true
		return nil
	}
}

// WithFixedProcs forbids Run to raise GOMAXPROCS.
func WithFixedProcs() Option {
	return func(e *Executor) error {
		e.fixedProcs = true
		return nil
	}
}

// New returns an executor. Close must be called in the end, after the nodes that use it are closed.
func New(options ...Option) (*Executor, error) {
	e := &Executor{log: zap.NewNop(), lanes: map[string]*lane{}, topics: map[*pubsub.Receiver]*topicStats{}}
	for _, option := range options {
		if err := option(e); err != nil {
			return nil, fmt.Errorf("create executor: %w", err)
		}
	}
	if err := e.check(); err != nil {
		return nil, fmt.Errorf("create executor: %w", err)
	}
	var err error
	if e.pool, err = newPool(e.plan.Background); err != nil {
		return nil, fmt.Errorf("create executor: %w", err)
	}
	for _, l := range e.plan.Lanes {
		e.lanes[l.Name] = newLane(l, e.bestEffort, e.log)
	}
	return e, nil
}

// check holds the plan against itself and the machine.
func (e *Executor) check() error {
	if err := e.plan.Validate(); err != nil {
		return err
	}
	errs := []error{wrap("background", checkCPUs(e.plan.Background.CPUs))}
	for _, l := range e.plan.Lanes {
		errs = append(errs, wrap("lane "+l.Name, checkCPUs(l.CPUs)))
	}
	return errors.Join(errs...)
}

func wrap(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %s: %w", ErrPlan, what, err)
}

// Place is for package pubsub.
func (e *Executor) Place(r *pubsub.Receiver) (pubsub.Placement, error) {
	stats := &topicStats{receiver: r}
	l := e.plan.lane(r.Topic())
	if l != nil {
		stats.lane = l.Name
	}
	e.mu.Lock()
	e.topics[r] = stats
	e.mu.Unlock()
	if l == nil {
		return e.pool.add(r, stats), nil
	}
	p, err := e.lanes[l.Name].add(r, stats)
	if err != nil {
		e.forget(r)
	}
	return p, err
}

// Remove is for package pubsub.
func (e *Executor) Remove(r *pubsub.Receiver) {
	e.forget(r)
	if l := e.plan.lane(r.Topic()); l != nil {
		e.lanes[l.Name].remove(r)
		return
	}
	e.pool.remove(r)
}

func (e *Executor) forget(r *pubsub.Receiver) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.topics, r)
}

// Run lets callbacks run until ctx ends, and returns nil then, or the first error that keeps it from
// going on. It can be called once. Messages that arrived before are handled first.
//
// After Run has returned the pool's callbacks have ended. Lanes go on until their subscriptions are
// closed.
func (e *Executor) Run(ctx context.Context) error {
	if err := e.begin(); err != nil {
		return fmt.Errorf("run executor: %w", err)
	}
	runtime.LockOSThread() // Resume asks for it
	defer runtime.UnlockOSThread()
	for _, l := range e.lanes {
		l.start()
	}
	var wg sync.WaitGroup
	failed := make(chan error, e.pool.workers())
	for range e.pool.workers() {
		wg.Go(func() {
			if err := e.pool.serve(); err != nil {
				failed <- err
			}
		})
	}
	wg.Go(e.pool.collect)
	var err error
	select {
	case <-ctx.Done():
	case err = <-failed:
		err = fmt.Errorf("run executor: background worker: %w", err)
	}
	e.pool.stop()
	e.pool.queue.Close()
	wg.Wait()
	return err
}

func (e *Executor) begin() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.ran {
		return errors.New("it ran already; make a new one")
	}
	e.ran = true
	b, err := newBudget(len(e.lanes), e.pool.workers()).ensure(e.fixedProcs)
	if err != nil {
		return err
	}
	e.budget = b
	for name, topic := range e.unused() {
		e.log.Warn("no subscription uses a topic of the plan", zap.String("lane", name), zap.String("topic", topic))
	}
	return nil
}

// unused yields lanes' topics without a subscription.
func (e *Executor) unused() func(func(lane, topic string) bool) {
	used := map[string]bool{}
	for r := range e.topics {
		used[r.Topic()] = true
	}
	return func(yield func(lane, topic string) bool) {
		for _, l := range e.plan.Lanes {
			for _, t := range l.Topics {
				if !used[t] && !yield(l.Name, t) {
					return
				}
			}
		}
	}
}

// Stats returns a snapshot.
func (e *Executor) Stats() Stats {
	e.mu.Lock()
	s := Stats{Budget: e.budget}
	for _, t := range e.topics {
		s.Topics = append(s.Topics, t.snapshot())
	}
	e.mu.Unlock()
	for _, l := range e.plan.Lanes {
		s.Lanes = append(s.Lanes, e.lanes[l.Name].stats())
	}
	return s
}

// Close gives the executor's memory back. Run must have returned, and the subscriptions must be
// closed.
func (e *Executor) Close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.topics) > 0 {
		return fmt.Errorf("close executor: %d subscriptions are open; close their nodes first", len(e.topics))
	}
	e.pool.queue.Free()
	return nil
}
