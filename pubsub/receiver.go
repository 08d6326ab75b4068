package pubsub

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/pinion-ros/pinion/internal/cyclone"
	"go.uber.org/zap"
	"golang.org/x/sys/unix"
)

// A Receiver is a subscription as schedulers see it, whatever its message type.
type Receiver struct {
	node     *Node
	topic    string
	typeName string
	goType   any // a nil pointer of the message's type, or nil
	asked    QoS
	qos      QoS
	options  subscriptionOptions

	placement Placement
	scheduler Scheduler // nil for a polled subscription
	ddsTopic  *cyclone.Topic
	reader    *cyclone.Reader
	matched   matchCount
	events    *eventBox
	stats     receiverStats
	buffer    int // what the sockets can hold
	thread    atomic.Int64
	accused   suspects // publishers of malformed messages

	newSlot func() *slot
	absent  bool // see Divider
	closed  atomic.Bool
	gate    gate
	inbox   *inbox // nil for a subscription that gets everything from DDS

	mu       sync.Mutex // what follows, and the order of takes
	idle     sync.Cond  // signalled when active gets empty
	free     []*slot
	active   []*slot
	finished chan struct{}
}

// A slot is what one callback needs while it runs: a message to decode into and room for samples.
type slot struct {
	info    MessageInfo
	samples [cyclone.MaxBatch]cyclone.Sample
	taken   int // of samples
	thread  int // of the callback
	decode  func(payload []byte) error
	// decodeKey is decode for the key of an instance, where there is no message.
	decodeKey func(key []byte) error
	share     func(message any) // instead of decode
	call      func(*MessageInfo)
}

type receiverStats struct {
	received, lost, overwritten, malformed, rejected atomic.Uint64
}

// Topic returns the full name of the topic after remapping.
func (r *Receiver) Topic() string { return r.topic }

// Type returns the ROS name of the message type, "std_msgs/msg/String".
func (r *Receiver) Type() string { return r.typeName }

// QoS returns the profile in force.
func (r *Receiver) QoS() QoS { return r.qos }

// GUID returns the subscription's GUID.
func (r *Receiver) GUID() GUID {
	if r.absent {
		return GUID{}
	}
	return GUID(r.reader.GUID())
}

// Node returns the node of the subscription.
func (r *Receiver) Node() *Node { return r.node }

// Hint returns what WithHint said, nil for nothing.
func (r *Receiver) Hint() any { return r.options.hint }

// Stats returns counters since the subscription was created.
func (r *Receiver) Stats() ReceiverStats {
	return ReceiverStats{
		Received:    r.stats.received.Load(),
		Lost:        r.stats.lost.Load(),
		Overwritten: r.stats.overwritten.Load(),
		Malformed:   r.stats.malformed.Load(),
		Rejected:    r.stats.rejected.Load(),
	}
}

// ReceiverStats counts the messages of a subscription.
type ReceiverStats struct {
	// Received is how many messages were handed to a callback or taken.
	Received uint64
	// Lost is how many are missing in the publishers' numbering because they never came: lost on the
	// way, or replaced by newer ones (KEEP_LAST) in the publisher before they were sent or repeated.
	Lost uint64
	// Overwritten is how many came and were dropped before they were taken: replaced by newer ones
	// (KEEP_LAST), or because their lifespan was over.
	Overwritten uint64
	// Malformed is how many were not a message of the type and were dropped. The log tells of the first of
	// each publisher, and each time the count gets to a power of two.
	Malformed uint64
	// Rejected is how many came when there was no room for them, see WithHistoryLimit. They are among
	// the lost as soon as a later one is taken. The log tells each time the count gets to a power of two.
	Rejected uint64
}

// open creates the reader. deliver says what becomes of samples.
func (r *Receiver) open(participant *cyclone.Participant, ddsName string, config cyclone.ReaderConfig) error {
	typeName, err := ddsTypeName(r.typeName)
	if err != nil {
		return err
	}
	if r.ddsTopic, err = participant.NewTopic(ddsName, typeName, keyOf(r.typeName)...); err != nil {
		return r.node.session.permit(err, "subscribing to", ddsName)
	}
	r.watch(ddsName)
	r.buffer = r.node.session.buffer
	if p := r.placement.Path; p != nil {
		r.buffer = p.buffer
	}
	userData := typeHash(r.node.session.form, r.typeName)
	config.QoS = r.qos.cyclone(0, userData)
	config.QoS.Limit = r.options.limit
	config.Event = func(e cyclone.Event) {
		switch e.Kind {
		case cyclone.Matched:
			r.matched.set(int(e.Current))
		case cyclone.SampleRejected:
			r.stats.rejected.Store(uint64(e.Total))
		}
		r.events.post(e)
	}
	config.Owner = r
	reader, err := r.ddsTopic.NewReader(config)
	if err != nil {
		r.ddsTopic.Close()
		return r.node.session.permit(err, "subscribing to", ddsName)
	}
	r.mu.Lock() // the scheduler may have been told to Dispatch already
	r.reader = reader
	r.mu.Unlock()
	r.events.start(r.reader.Peer)
	r.node.announce(&announced{guid: r.GUID(), path: r.placement.Path, ddsTopic: ddsName, typeName: typeName, userData: userData, events: r.events})
	return nil
}

// watch prepares for events, which can come before the reader is known.
func (r *Receiver) watch(ddsName string) {
	events := r.options.events
	common := &endpointEvents{
		node: r.node, topic: r.topic, typeName: r.typeName, ddsTopic: ddsName, qos: r.qos,
		matched:          events.Matched,
		incompatibleQoS:  events.IncompatibleQoS,
		incompatibleType: events.IncompatibleType,
		deadlineMissed:   events.DeadlineMissed,
	}
	r.events = r.node.session.events.box(r.topic, func(e cyclone.Event) {
		switch {
		case r.closed.Load():
		case e.Kind == cyclone.LivelinessChanged:
			call(events.LivelinessChanged, LivelinessChangedEvent{int(e.Total), int(e.Current), int(e.Change), int(e.CurrentChange)})
		case e.Kind == cyclone.SampleRejected:
			r.full(uint64(e.Total), uint64(e.Change))
		case e.Kind == messagesLost:
			stats := r.Stats()
			call(events.MessageLost, MessageLostEvent{stats.Lost, stats.Overwritten, int(e.Change)})
		default:
			common.handle(e, r.events.peer)
		}
	})
}

// schedule places the receiver and starts the flow of messages.
func (r *Receiver) schedule(s Scheduler, ddsName string) error {
	p, err := s.Place(r)
	if err != nil {
		return err
	}
	r.scheduler, r.placement = s, p
	participant := r.node.session.participant
	config := cyclone.ReaderConfig{}
	switch {
	case p.Queue != nil:
		config.Queue = p.Queue.q
	case p.Path != nil:
		config.Deliver, config.Paused = r.deliverer(), r.gate.first(p.Paused)
	default:
		err = fmt.Errorf("the scheduler placed %s neither on a path nor in a queue", r.topic)
	}
	if p.Path != nil {
		participant = p.Path.participant
	}
	if p.Queue != nil && r.options.intra && r.goType != nil {
		r.inbox = newInbox(r.qos)
	}
	if err == nil {
		err = r.open(participant, ddsName, config)
	}
	if err != nil {
		s.Remove(r)
		return err
	}
	r.reader.Requeue() // what came before the reader was known to Dispatch
	r.gate.attach(r.reader, config.Paused)
	r.node.session.locals.addReceiver(ddsName, r)
	return nil
}

// deliverer returns what runs the callbacks for samples on the thread that received them. A method value
// would be one call more.
func (r *Receiver) deliverer() func(thread int, samples []cyclone.Sample) {
	return func(thread int, samples []cyclone.Sample) {
		s := r.acquire(thread)
		if s == nil {
			return
		}
		r.track(samples)
		r.run(s, samples)
		r.release(s)
	}
}

// Dispatch takes up to max messages, at most 16, and runs the callback for each on the calling
// goroutine, which should be locked to its thread. It returns how many it took and whether more may
// be waiting. If as many callbacks as the placement allows are running already it does nothing and
// reports more.
func (r *Receiver) Dispatch(max int) (n int, more bool) {
	s := r.acquire(unix.Gettid())
	if s == nil {
		return 0, !r.closed.Load()
	}
	defer r.release(s)
	max = min(max, len(s.samples))
	if r.inbox != nil {
		return r.dispatchBoth(s, max)
	}
	return r.dispatchReader(s, max)
}

// dispatchReader is Dispatch for what comes from DDS.
func (r *Receiver) dispatchReader(s *slot, max int) (n int, more bool) {
	r.mu.Lock()
	if r.reader != nil {
		s.taken, _ = r.reader.Take(s.samples[:max]) // fails only when the reader is being closed
	}
	r.mu.Unlock()
	r.track(s.samples[:s.taken])
	r.run(s, s.samples[:s.taken])
	return s.taken, s.taken == max && r.pending()
}

// pending tells whether there may be more in the reader than was taken.
func (r *Receiver) pending() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.reader.Pending()
}

// dispatchBoth takes turns, so that neither DDS nor the inbox starves.
func (r *Receiver) dispatchBoth(s *slot, max int) (n int, more bool) {
	r.mu.Lock()
	created := r.reader != nil
	r.mu.Unlock()
	if !created { // it will be put into the queue then
		return 0, false
	}
	turn := r.inbox.next()
	if !turn.reader {
		n = r.dispatchInbox(s, max)
	}
	if n < max && r.pending() {
		taken, more := r.dispatchReader(s, max-n)
		if n += taken; n == max {
			return n, more || !r.inbox.empty()
		}
	}
	if n < max {
		r.inbox.readerEmpty(turn)
		if turn.reader {
			n += r.dispatchInbox(s, max-n)
		}
	}
	if n < max || !r.inbox.empty() {
		return n, n == max
	}
	return n, r.pending()
}

// dispatchInbox is Dispatch for what comes from publishers of the process.
func (r *Receiver) dispatchInbox(s *slot, max int) (n int) {
	m, ok := r.popInbox()
	if !ok {
		return 0
	}
	c := r.enter()
	defer c.leave()
	for ok {
		s.info = m.info
		s.share(m.message)
		m.seal.check()
		c.call(s, m.info.SourceTime.UnixNano())
		m.seal.check()
		if n++; n == max || r.closed.Load() {
			break
		}
		m, ok = r.popInbox()
	}
	return n
}

func (r *Receiver) popInbox() (intraMessage, bool) {
	m, ok, expired := r.inbox.pop()
	if expired > 0 {
		r.missed(0, expired)
	}
	return m, ok
}

// Requeue puts the subscription into its placement's queue again, unless it is there.
func (r *Receiver) Requeue() { r.reader.Requeue() }

// Resume ends the pause of the placement: callbacks for what has arrived run on the calling goroutine,
// which should be locked to its thread, later ones on the path's receive thread.
func (r *Receiver) Resume() { r.gate.set(false) }

// Pause ends inline callbacks until Resume: when it returns none runs. What arrives waits in the
// history. It returns ErrInDelivery in an inline callback.
func (r *Receiver) Pause() error {
	if inDelivery() {
		return fmt.Errorf("pause %s: %w", r.topic, ErrInDelivery)
	}
	r.gate.set(true)
	return nil
}

// Thread returns the id of the thread on which the last callbacks ran or run now. An Observer whose
// placement has no concurrency can ask for its own.
func (r *Receiver) Thread() int { return int(r.thread.Load()) }

// acquire returns a slot for the calling thread, nil if all are in use or the receiver is closed.
func (r *Receiver) acquire(thread int) *slot {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed.Load() || len(r.active) >= max(1, r.placement.Concurrency) {
		return nil
	}
	var s *slot
	if n := len(r.free); n > 0 {
		s, r.free = r.free[n-1], r.free[:n-1]
	} else {
		s = r.newSlot()
	}
	s.thread = thread
	r.thread.Store(int64(thread))
	r.active = append(r.active, s)
	return s
}

func (r *Receiver) release(s *slot) {
	for i := range s.samples[:s.taken] {
		s.samples[i].Release()
	}
	s.taken = 0
	r.mu.Lock()
	defer r.mu.Unlock()
	i := slices.Index(r.active, s)
	r.active = slices.Delete(r.active, i, i+1)
	r.free = append(r.free, s)
	if len(r.active) == 0 {
		r.idle.Broadcast()
	}
}

// run calls back for each sample.
func (r *Receiver) run(s *slot, samples []cyclone.Sample) {
	if len(samples) == 0 {
		return
	}
	c := r.enter()
	defer c.leave()
	for i := range samples {
		if r.closed.Load() {
			return
		}
		payload, decode := samples[i].Payload(), s.decode
		if payload == nil && r.options.states {
			payload, decode = samples[i].Key(), s.decodeKey
		}
		if payload == nil || r.inbox.has(&samples[i]) {
			continue
		}
		if len(payload) > r.buffer {
			r.tooBig(&samples[i])
		}
		s.info.set(&samples[i])
		if err := decode(payload); err != nil {
			r.malformed(&s.info, err)
			continue
		}
		c.call(s, samples[i].Source)
	}
}

// A batch is a series of callbacks on one thread.
type batch struct {
	r        *Receiver
	observer Observer
	input    *input
}

func (r *Receiver) enter() batch {
	if o := r.placement.Observer; o != nil {
		o.Enter(r)
	}
	return batch{r, r.placement.Observer, enterInput()}
}

func (b batch) leave() {
	b.input.leave()
	if b.observer != nil {
		b.observer.Leave(b.r)
	}
}

// call runs the callback for the message in s, which was published at source.
func (b batch) call(s *slot, source int64) {
	b.r.stats.received.Add(1)
	b.input.set(source)
	var begin int64
	if b.observer != nil {
		begin = Monotonic()
	}
	returned := false
	defer func() {
		if !returned {
			b.r.caught(recover())
		}
		if b.observer != nil {
			b.observer.Done(b.r, &s.info, begin, Monotonic())
		}
	}()
	s.call(&s.info)
	returned = true
}

// caught sees to it that a panic of a callback names the topic. runtime.Goexit is one too, and not to be
// contained: the thread, which others wait for, would be gone.
func (r *Receiver) caught(v any) {
	if v == nil || r.placement.Panicked == nil {
		panic(newPanic(r.topic, v))
	}
	r.placement.Panicked(r, v)
}

// track counts what is missing before the samples.
func (r *Receiver) track(samples []cyclone.Sample) {
	var lost, overwritten uint64
	for i := range samples {
		if n := samples[i].Lost + samples[i].Overwritten; n > 0 && !r.inbox.has(&samples[i]) {
			lost += samples[i].Lost
			overwritten += samples[i].Overwritten
		}
	}
	r.missed(lost, overwritten)
}

// missed counts messages that will not be seen.
func (r *Receiver) missed(lost, overwritten uint64) {
	if lost == 0 && overwritten == 0 {
		return
	}
	r.stats.lost.Add(lost)
	r.stats.overwritten.Add(overwritten)
	if r.options.events.MessageLost != nil {
		r.events.post(cyclone.Event{Kind: messagesLost, Change: int32(min(lost+overwritten, math.MaxInt32))})
	}
}

// malformed counts, and logs the first of each publisher and whenever the count gets to a power of two.
func (r *Receiver) malformed(info *MessageInfo, err error) {
	n := r.stats.malformed.Add(1)
	if r.accused.tell(n, 1, string(info.Publisher[:])) {
		r.node.log.Warn("dropped a message that is not of the subscription's type", zap.String("topic", r.topic),
			zap.String("type", r.typeName), zap.Stringer("publisher", info.Publisher), zap.Uint64("dropped", n), zap.Error(err))
	}
}

// full logs whenever the count of rejected messages gets to a power of two; news of them are new.
func (r *Receiver) full(rejected, news uint64) {
	if !doubled(rejected, news) {
		return
	}
	r.node.log.Warn("messages were dropped, because more of them wait than fit: the callback is too slow, or stands still (see WithHistoryLimit)",
		zap.String("topic", r.topic), zap.Int("bytes", r.options.limit), zap.Uint64("dropped", rejected))
}

// close ends the subscription. In one of its own callbacks it only marks it closed and leaves the
// rest to another goroutine, because Cyclone DDS waits for callbacks.
func (r *Receiver) close() error {
	inside := r.inCallback()
	if !inside && inDelivery() {
		return fmt.Errorf("close subscription %s: %w", r.topic, ErrInDelivery)
	}
	if !r.closed.Swap(true) {
		r.matched.close()
		go r.finish()
	}
	if !inside {
		<-r.finished
	}
	return nil
}

func (r *Receiver) inCallback() bool {
	tid := unix.Gettid()
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.active {
		if s.thread == tid {
			return true
		}
	}
	return false
}

func (r *Receiver) finish() {
	defer close(r.finished)
	defer r.node.forget(r)
	if r.absent {
		r.finishAbsent()
		return
	}
	r.node.retract(r.GUID())
	r.node.session.locals.removeReceiver(MangleTopic(r.topic), r)
	if r.inbox != nil {
		r.inbox.close()
	}
	r.reader.Close()
	r.mu.Lock()
	for len(r.active) > 0 {
		r.idle.Wait()
	}
	r.mu.Unlock()
	r.ddsTopic.Close()
	if r.scheduler != nil {
		r.scheduler.Remove(r)
	}
}
