package pubsub

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"sync"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// Node is a ROS 2 node. Its methods may be called from any goroutine.
type Node struct {
	name      Names
	session   *session
	scheduler Scheduler
	log       *zap.Logger
	rosout    zapcore.Core // nil without /rosout
	params    Params
	part      string // see Divider

	creating  sync.RWMutex // held for reading while an endpoint is made
	mu        sync.Mutex
	closed    bool
	endpoints []interface{ close() error }
	done      chan struct{}

	parts nodeEntities // what other processes have of the node; the announcer's
}

// An Option changes how a node is made.
type Option func(*nodeOptions) error

type nodeOptions struct {
	namespace string
	rules     []Rule
	scheduler Scheduler
	log       *zap.Logger
	logLevels LogLevels
	noStderr  bool
	noRosout  bool
	params    func(fullName string) Params
	discovery *Discovery
	enclave   string
	security  *Security
	distro    string

	commandLine []Rule // after rules
}

// WithNamespace puts the node into a namespace, "/" by default.
func WithNamespace(namespace string) Option {
	return func(o *nodeOptions) error {
		o.namespace = namespace
		return nil
	}
}

// WithRemap adds remapping rules as they stand behind -r on a ROS command line, "chatter:=/talk".
// The first rule that matches a name wins.
func WithRemap(rules ...string) Option {
	return func(o *nodeOptions) error {
		for _, text := range rules {
			rule, err := ParseRule(text)
			if err != nil {
				return err
			}
			o.rules = append(o.rules, rule)
		}
		return nil
	}
}

// WithCommandLineRemap adds rules that come after those of WithRemap wherever the option stands, as in
// ROS 2 those of the command line do.
func WithCommandLineRemap(rules ...Rule) Option {
	return func(o *nodeOptions) error {
		o.commandLine = append(o.commandLine, rules...)
		return nil
	}
}

// WithParams gives the node's parameters values: what lookup returns for the full name that the node
// has after remapping. They are for Node.Params.
func WithParams(lookup func(fullName string) Params) Option {
	return func(o *nodeOptions) error {
		o.params = lookup
		return nil
	}
}

// WithScheduler has s decide where the callbacks of the node's subscriptions run.
func WithScheduler(s Scheduler) Option {
	return func(o *nodeOptions) error {
		if v := reflect.ValueOf(s); v.Kind() == reflect.Pointer && v.IsNil() {
			return errors.New("the scheduler is a nil pointer: check the error of what should have made it")
		}
		o.scheduler = s
		return nil
	}
}

// WithLogger sets where the node logs; by default warnings and errors go to standard error.
func WithLogger(log *zap.Logger) Option {
	return func(o *nodeOptions) error {
		o.log = log
		return nil
	}
}

// WithDiscovery sets the domain and where to look for others, in place of the environment.
func WithDiscovery(d Discovery) Option {
	return func(o *nodeOptions) error {
		o.discovery = &d
		return nil
	}
}

// WithEnclave sets the security enclave that the participant announces, "/" by default. With security on
// it is the one whose files the node uses.
func WithEnclave(enclave string) Option {
	return func(o *nodeOptions) error {
		if err := ValidateEnclave(enclave); err != nil {
			return fmt.Errorf("enclave: %w", err)
		}
		o.enclave = enclave
		return nil
	}
}

// WithDistro selects the ROS distribution whose discovery data the node speaks: "humble" (the same as
// in older ones) or a newer one. The default is ROS_DISTRO, and without it the newer form. Nodes of
// the other form are seen, but see no more of this process than its topics.
func WithDistro(distro string) Option {
	return func(o *nodeOptions) error {
		o.distro = distro
		return nil
	}
}

// NewNode creates a node with the given name (letters, digits and underscores).
func NewNode(name string, options ...Option) (*Node, error) {
	if inDelivery() {
		return nil, fmt.Errorf("create node %s: %w", name, ErrInDelivery)
	}
	o := nodeOptions{enclave: "/", distro: os.Getenv("ROS_DISTRO")}
	for i, option := range options {
		if option == nil {
			return nil, fmt.Errorf("create node %s: option %d is nil", name, i)
		}
		if err := option(&o); err != nil {
			return nil, fmt.Errorf("create node %s: %w", name, err)
		}
	}
	names, err := NewNames(name, o.namespace, slices.Concat(o.rules, o.commandLine))
	if err != nil {
		return nil, fmt.Errorf("create node %s: %w", name, err)
	}
	log := o.logger()
	if o.discovery == nil {
		d, warnings, err := discoveryFrom(os.Getenv, o.distro)
		if err != nil {
			return nil, fmt.Errorf("create node %s: %w", name, err)
		}
		for _, w := range warnings {
			log.Warn(w)
		}
		o.discovery = &d
	}
	credentials, err := o.credentials(log)
	if err != nil {
		return nil, fmt.Errorf("create node %s: %w", name, err)
	}
	s, err := acquire(*o.discovery, o.enclave, credentials, formOf(o.distro), log)
	if err != nil {
		return nil, fmt.Errorf("create node %s: %w", name, err)
	}
	n := &Node{name: names, session: s, scheduler: o.scheduler, log: log.Named(names.LoggerName()), done: make(chan struct{})}
	if o.params != nil {
		n.params = o.params(n.FullName())
	}
	n.joinParts()
	err = s.announcer.addNode(n)
	if err == nil && !o.noRosout {
		err = n.addRosout(o.logLevels, log.Name())
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("create node %s: %w", name, err), n.Close())
	}
	return n, nil
}

// Name returns the node's name after remapping, without its namespace.
func (n *Node) Name() string { return n.name.Node }

// Namespace returns the node's namespace after remapping, "/" for none.
func (n *Node) Namespace() string { return n.name.Namespace }

// FullName returns namespace and name, "/left/arm_controller".
func (n *Node) FullName() string { return n.name.FullName() }

// Params returns the values that the node's parameters were given.
func (n *Node) Params() Params { return n.params }

// Logger returns the node's logger, whose name is that of the node with dots: "left.arm_controller".
// What it logs goes to /rosout, see WithRosout, and to where WithLogger says: by default warnings and
// errors to standard error.
func (n *Node) Logger() *zap.Logger { return n.log }

// Domain returns the domain id on the wire.
func (n *Node) Domain() uint32 { return n.session.discovery.Domain }

// Close closes the node with its publishers and subscriptions, and returns after their last callback
// has. Called from one of these callbacks it starts the closing and returns at once.
func (n *Node) Close() error {
	inside := n.inCallback()
	if !inside && inDelivery() {
		return fmt.Errorf("close node %s: %w", n.FullName(), ErrInDelivery)
	}
	n.mu.Lock()
	first := !n.closed
	n.closed = true
	n.mu.Unlock()
	if first {
		go n.finish()
	}
	if !inside {
		<-n.done
	}
	return nil
}

// inCallback tells whether the caller is a callback of one of the node's subscriptions, or of an
// event, for which closing the node must not wait.
func (n *Node) inCallback() bool {
	if n.session.events.inside() {
		return true
	}
	n.mu.Lock()
	endpoints := slices.Clone(n.endpoints)
	n.mu.Unlock()
	return slices.ContainsFunc(endpoints, func(e interface{ close() error }) bool {
		r, ok := e.(*Receiver)
		return ok && r.inCallback()
	})
}

func (n *Node) finish() {
	defer close(n.done)
	n.creating.Lock() // after the last endpoint is made
	n.mu.Lock()
	endpoints := slices.Clone(n.endpoints)
	n.mu.Unlock()
	n.creating.Unlock()
	if err := n.session.announcer.removeNode(n); err != nil {
		n.log.Error("close", zap.Error(err))
	}
	for _, e := range slices.Backward(endpoints) {
		if err := e.close(); err != nil {
			n.log.Error("close", zap.Error(err))
		}
	}
	if err := n.session.release(); err != nil {
		n.log.Error("close domain", zap.Uint32("domain", n.Domain()), zap.Error(err))
	}
}

// begin must succeed before an endpoint is made, and end follow: the session stays in between.
func (n *Node) begin() error {
	if inDelivery() {
		return ErrInDelivery
	}
	n.creating.RLock()
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.closed {
		n.creating.RUnlock()
		return fmt.Errorf("node %s: %w", n.FullName(), ErrClosed)
	}
	return nil
}

func (n *Node) end() { n.creating.RUnlock() }

// adopt registers an endpoint for Close.
func (n *Node) adopt(e interface{ close() error }) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.endpoints = append(n.endpoints, e)
}

func (n *Node) forget(e interface{ close() error }) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.endpoints = slices.DeleteFunc(n.endpoints, func(x interface{ close() error }) bool { return x == e })
}

// announce makes an endpoint known to the graph. Where that fails the endpoint works all the same.
func (n *Node) announce(e *announced) {
	e.node = n
	if err := n.session.announcer.add(e); err != nil {
		n.log.Error("announce an endpoint", zap.String("topic", e.ddsTopic), zap.Error(err))
	}
}

// retract takes an announced endpoint back, before it is deleted.
func (n *Node) retract(guid GUID) {
	if err := n.session.announcer.remove(guid); err != nil {
		n.log.Error("retract an endpoint", zap.Stringer("guid", guid), zap.Error(err))
	}
}

// ResolveTopic returns the full name of the topic that name stands for in the node: expanded and
// remapped as ROS 2 does.
func (n *Node) ResolveTopic(name string) (string, error) { return n.name.ResolveTopic(name) }

// resolve returns the full ROS name of a topic and its DDS name.
func (n *Node) resolve(topic string) (ros, dds string, err error) {
	if ros, err = n.name.ResolveTopic(topic); err != nil {
		return "", "", err
	}
	return ros, MangleTopic(ros), nil
}
