// The contender rclgo: one JSON configuration in a line on standard input, one JSON result on standard
// output. A subscriber and a pong end when standard input does.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/pinion-ros/pinion/bench/contender"
	"github.com/pinion-ros/pinion/bench/measure"
	std_msgs_msg "github.com/pinion-ros/pinion/bench/peers/rclgo/msgs/std_msgs/msg"
	"github.com/tiiuae/rclgo/pkg/rclgo"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	in := bufio.NewReader(os.Stdin)
	line, err := in.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("read the configuration: %w", err)
	}
	var c contender.Config
	if err := json.Unmarshal(line, &c); err != nil {
		return fmt.Errorf("read the configuration: %w", err)
	}
	if c.Type != contender.Bytes {
		return errors.New("this contender knows messages of bytes only")
	}
	// rclgo reads the domain where rcl does.
	if err := os.Setenv("ROS_DOMAIN_ID", strconv.Itoa(int(c.Domain))); err != nil {
		return err
	}
	if err := rclgo.Init(nil); err != nil {
		return fmt.Errorf("initialize rclgo: %w", err)
	}
	defer rclgo.Uninit()
	node, err := rclgo.NewNode("bench_"+string(c.Role), "")
	if err != nil {
		return fmt.Errorf("create node: %w", err)
	}
	defer node.Close()
	roles := map[contender.Role]func(contender.Config, *rclgo.Node, io.Reader) (*contender.Result, error){
		contender.Subscriber: subscribe, contender.Ping: ping, contender.Pong: pong,
	}
	role := roles[c.Role]
	if role == nil {
		return fmt.Errorf("this contender has no role %q", c.Role)
	}
	result, err := role(c, node, in)
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(result)
}

func qos(c contender.Config) rclgo.QosProfile {
	q := rclgo.NewDefaultQosProfile()
	q.Depth = c.Depth
	if c.Depth == 0 {
		q.History = rclgo.HistoryKeepAll
	}
	if c.Reliability == "best_effort" {
		q.Reliability = rclgo.ReliabilityBestEffort
	}
	if c.Durability == "transient_local" {
		q.Durability = rclgo.DurabilityTransientLocal
	}
	return q
}

// spin runs callbacks until in ends or ctx does.
func spin(ctx context.Context, node *rclgo.Node, in io.Reader) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if in != nil {
		go func() {
			_, _ = io.Copy(io.Discard, in) // however it ends, nobody is there any more
			cancel()
		}()
	}
	if err := node.Spin(ctx); err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

func open(c contender.Config, node *rclgo.Node, topic string, received func(*std_msgs_msg.UInt8MultiArray)) (*std_msgs_msg.UInt8MultiArraySubscription, error) {
	return std_msgs_msg.NewUInt8MultiArraySubscription(node, topic, &rclgo.SubscriptionOptions{Qos: qos(c)},
		func(m *std_msgs_msg.UInt8MultiArray, _ *rclgo.MessageInfo, err error) {
			if err == nil { // else the message was taken already
				received(m)
			}
		})
}

// A flow measures the messages of one topic.
type flow struct {
	warmup            uint64
	work              time.Duration
	tracker           *measure.Tracker
	latency, intended *measure.Histogram
	first             int64
}

func (f *flow) received(m *std_msgs_msg.UInt8MultiArray) {
	now := measure.Now()
	if f.first == 0 {
		f.first = now
	}
	s := contender.ReadStamp(m.Data)
	if s.Number >= f.warmup && f.tracker.Arrived(s.Number-f.warmup) {
		f.latency.Record(now - s.Sent)
		f.intended.Record(now - s.Intended)
	}
	measure.Burn(f.work)
}

func subscribe(c contender.Config, node *rclgo.Node, in io.Reader) (*contender.Result, error) {
	var flows []*flow
	for i := range c.Topics {
		f := &flow{warmup: uint64(c.Warmup), tracker: measure.NewTracker(c.Count), latency: measure.NewHistogram(), intended: measure.NewHistogram()}
		topic := "/bench/critical"
		if i > 0 {
			topic = "/bench/background_" + strconv.Itoa(i)
			f.warmup, f.tracker = uint64(c.Background(c.Warmup)), measure.NewTracker(c.Background(c.Count))
			f.work = time.Duration(c.WorkMicroseconds * 1000)
		}
		s, err := open(c, node, topic, f.received)
		if err != nil {
			return nil, fmt.Errorf("subscribe to %s: %w", topic, err)
		}
		defer s.Close()
		flows = append(flows, f)
	}
	if err := spin(context.Background(), node, in); err != nil {
		return nil, err
	}
	critical := flows[0]
	r := &contender.Result{
		Received: critical.tracker.Received, Duplicates: critical.tracker.Duplicates, OutOfOrder: critical.tracker.OutOfOrder,
		FirstTime: critical.first, Latency: critical.latency, Intended: critical.intended,
	}
	if r.Received > 0 {
		r.FirstNumber = uint64(critical.tracker.FirstMissing())
	}
	if len(flows) > 1 {
		r.Background = measure.NewHistogram()
	}
	for _, f := range flows[1:] {
		r.BackgroundReceived += f.tracker.Received
		r.Background.Merge(f.intended)
	}
	return r, nil
}

// ping keeps one message in flight and takes all times at its own end.
func ping(c contender.Config, node *rclgo.Node, _ io.Reader) (*contender.Result, error) {
	out, err := std_msgs_msg.NewUInt8MultiArrayPublisher(node, "/bench/ping", &rclgo.PublisherOptions{Qos: qos(c)})
	if err != nil {
		return nil, err
	}
	defer out.Close()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	p := &pinger{out: out, warmup: uint64(c.Warmup), total: uint64(c.Warmup + c.Count), done: cancel,
		latency: measure.NewHistogram(), forth: measure.NewHistogram(), back: measure.NewHistogram()}
	p.message.Data = make([]byte, c.Size)
	in, err := open(c, node, "/bench/pong", p.received)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	go p.drive(ctx, in)
	if err := spin(ctx, node, nil); err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	sent := p.total - p.warmup
	return &contender.Result{Sent: sent, Received: sent - p.lost, Duplicates: p.duplicates, Latency: p.latency, Forth: p.forth, Back: p.back}, p.err
}

type pinger struct {
	out           *std_msgs_msg.UInt8MultiArrayPublisher
	message       std_msgs_msg.UInt8MultiArray
	warmup, total uint64
	done          func()

	mu                   sync.Mutex // for the message that is sent again after a loss
	number               uint64
	lost, duplicates     uint64
	sent                 int64
	latency, forth, back *measure.Histogram
	err                  error
}

// drive sends the first message and looks for losses.
func (p *pinger) drive(ctx context.Context, in *std_msgs_msg.UInt8MultiArraySubscription) {
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(time.Millisecond) {
		subscribers, err := p.out.GetSubscriptionCount()
		publishers, err2 := in.GetPublisherCount()
		if err = errors.Join(err, err2); err != nil || time.Now().After(deadline) {
			p.fail(errors.Join(errors.New("no pong within 30 s"), err))
			return
		}
		if subscribers > 0 && publishers > 0 {
			break
		}
	}
	time.Sleep(50 * time.Millisecond)
	p.mu.Lock()
	p.send()
	p.mu.Unlock()
	for ctx.Err() == nil {
		time.Sleep(20 * time.Millisecond)
		p.mu.Lock()
		if p.number < p.total && measure.Now()-p.sent > int64(time.Second) {
			if p.number >= p.warmup {
				p.lost++
			}
			p.next()
		}
		p.mu.Unlock()
	}
}

func (p *pinger) fail(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.err = err
	p.done()
}

// send is called with the lock held, as is next.
func (p *pinger) send() {
	p.sent = measure.Now()
	stamp := contender.Stamp{Number: p.number, Intended: p.sent, Sent: p.sent}
	stamp.Put(p.message.Data)
	if err := p.out.Publish(&p.message); err != nil {
		p.err = err
		p.done()
	}
}

func (p *pinger) next() {
	if p.number++; p.number < p.total {
		p.send()
		return
	}
	p.done()
}

func (p *pinger) received(m *std_msgs_msg.UInt8MultiArray) {
	now := measure.Now()
	s := contender.ReadStamp(m.Data)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.number >= p.total || s.Number != p.number {
		p.duplicates++
		return
	}
	if p.number >= p.warmup {
		p.latency.Record(now - p.sent)
		if s.Replied != 0 {
			p.forth.Record(s.Arrived - p.sent)
			p.back.Record(now - s.Replied)
		}
	}
	p.next()
}

func pong(c contender.Config, node *rclgo.Node, in io.Reader) (*contender.Result, error) {
	out, err := std_msgs_msg.NewUInt8MultiArrayPublisher(node, "/bench/pong", &rclgo.PublisherOptions{Qos: qos(c)})
	if err != nil {
		return nil, err
	}
	defer out.Close()
	answer := std_msgs_msg.UInt8MultiArray{Data: make([]byte, c.Size)}
	var failed error
	s, err := open(c, node, "/bench/ping", func(m *std_msgs_msg.UInt8MultiArray) {
		stamp := contender.ReadStamp(m.Data)
		stamp.Arrived = measure.Now()
		if c.DelayMicrosec > 0 {
			measure.SleepUntil(stamp.Arrived + int64(c.DelayMicrosec*1000))
		}
		stamp.Replied = measure.Now()
		stamp.Put(answer.Data)
		if err := out.Publish(&answer); err != nil {
			failed = err
		}
	})
	if err != nil {
		return nil, err
	}
	defer s.Close()
	if err := spin(context.Background(), node, in); err != nil {
		return nil, err
	}
	return &contender.Result{}, failed
}
