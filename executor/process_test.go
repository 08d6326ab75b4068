package executor_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/pinion-ros/pinion/executor"
	"github.com/pinion-ros/pinion/msgs/std_msgs"
	"github.com/pinion-ros/pinion/pubsub"
	"github.com/pinion-ros/pinion/pubsub/pubsubtest"
	"go.uber.org/zap"
	"golang.org/x/sys/unix"
)

// These variables make the test program one with parts.
const (
	programPlan   = "PINION_TEST_PLAN"
	programDomain = "PINION_TEST_DOMAIN"
	programDeaf   = "PINION_TEST_DEAF" // it has no handler for signals
)

// runProgram is the main function of a program whose topics /critical and /plain have a callback each,
// which does what the message says and answers on a topic of its own. It returns the exit code.
func runProgram() int {
	var err error
	code := pubsubtest.Run(runner(func() int {
		err = program()
		return executor.ExitCode(err)
	}))
	if err != nil {
		fmt.Fprintln(os.Stderr, "robot:", err)
	}
	return code
}

type runner func() int

func (r runner) Run() int { return r() }

func program() (err error) {
	plan, err := executor.ParsePlan("plan.yaml", []byte(os.Getenv(programPlan)))
	if err != nil {
		return err
	}
	var discovery pubsub.Discovery
	if err := json.Unmarshal([]byte(os.Getenv(programDomain)), &discovery); err != nil {
		return err
	}
	log := zap.Must(zap.NewDevelopment())
	e, err := executor.New(executor.WithPlan(*plan), executor.WithLogger(log), executor.WithDrain(time.Second), executor.WithBestEffort())
	if err != nil {
		return err
	}
	defer e.Close()
	n, err := pubsub.NewNode("robot", pubsub.WithScheduler(e), pubsub.WithDiscovery(discovery))
	if err != nil {
		return err
	}
	defer n.Close()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	signals := make(chan os.Signal, 10)
	if os.Getenv(programDeaf) == "" {
		signal.Notify(signals, unix.SIGTERM)
	}
	var received sync.WaitGroup
	received.Go(func() {
		for s := range signals {
			fmt.Println("signal in", executor.Part(), s)
			cancel()
		}
	})
	defer received.Wait()
	defer close(signals)
	defer signal.Stop(signals)
	for _, topic := range []string{"critical", "plain"} {
		if err := answer(e, n, topic, cancel); err != nil {
			return err
		}
	}
	t, err := e.NewTimer("tick", time.Millisecond, func(*executor.TimerInfo) {})
	if err != nil {
		return err
	}
	defer t.Close()
	err = e.Run(ctx)
	fmt.Println("ended in", executor.Part())
	return err
}

func answer(e *executor.Executor, n *pubsub.Node, topic string, cancel func()) error {
	answers, err := pubsub.NewPublisher[std_msgs.String](n, topic+"_answer", keepAll, executor.UsedBy(topic))
	if err != nil {
		return err
	}
	_, err = pubsub.NewSubscription(n, topic, keepAll, func(m *std_msgs.String, _ *pubsub.MessageInfo) {
		question, data, _ := strings.Cut(m.Data, "|")
		text := fmt.Sprintf("%s %d %s", executor.Part(), os.Getpid(), data)
		switch word, number, _ := strings.Cut(data, " "); word {
		case "exit":
			code, _ := strconv.Atoi(number)
			os.Exit(code)
		case "finish":
			cancel()
		case "hang":
			defer time.Sleep(time.Hour)
		case "surroundings":
			_, told := os.LookupEnv("PINION_PART")
			text = fmt.Sprint(os.Args[1:], told, " ", len(children(os.Getpid())))
		case "statistics":
			s := e.Stats()
			text = fmt.Sprintf("%d topics, %d lanes, %d timers, %d parts, %d workers", len(s.Topics), len(s.Lanes), len(s.Timers), len(s.Parts), s.Budget.Workers)
			for _, l := range s.Lanes {
				text += fmt.Sprint(", CPUs ", l.Threads[0].CPUs)
			}
		case "create":
			p, err := pubsub.NewPublisher[std_msgs.String](n, "created", keepAll)
			if err == nil {
				err = errors.Join(p.Publish(&std_msgs.String{}), p.Close())
			}
			text = fmt.Sprint(err)
		}
		if err := answers.Publish(&std_msgs.String{Data: question + "|" + text}); err != nil {
			fmt.Fprintln(os.Stderr, "answer:", err)
		}
	})
	return err
}

// children lists the processes that a process has started.
func children(pid int) []int {
	var pids []int
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, file := range files {
		text, _ := os.ReadFile(file) // a thread may be gone
		for word := range strings.FieldsSeq(string(text)) {
			if child, err := strconv.Atoi(word); err == nil {
				pids = append(pids, child)
			}
		}
	}
	return pids
}

// A robot is a program under test, with its callbacks at hand.
type robot struct {
	t      *testing.T
	cmd    *exec.Cmd
	out    bytes.Buffer
	node   *pubsub.Node
	asks   map[string]*pubsub.Publisher[std_msgs.String]
	hears  map[string]chan string
	asked  int // questions so far
	exited chan error
}

// startRobot runs the program and waits until it can be talked to.
func startRobot(t *testing.T, plan string, environment ...string) *robot {
	t.Helper()
	domain := pubsubtest.NewDomain(t)
	r := &robot{t: t, node: domain.NewNode("tester"), asks: map[string]*pubsub.Publisher[std_msgs.String]{}, hears: map[string]chan string{}, exited: make(chan error, 1)}
	for _, topic := range []string{"critical", "plain"} {
		r.asks[topic] = pubsubtest.Must[*pubsub.Publisher[std_msgs.String]](t)(pubsub.NewPublisher[std_msgs.String](r.node, topic, keepAll))
		heard := make(chan string, 1000)
		r.hears[topic] = heard
		pubsubtest.Must[*pubsub.Subscription[std_msgs.String]](t)(pubsub.NewSubscription(r.node, topic+"_answer", keepAll,
			func(m *std_msgs.String, _ *pubsub.MessageInfo) { heard <- m.Data }))
	}
	discovery := pubsubtest.Must[[]byte](t)(json.Marshal(domain.Discovery()))
	r.cmd = exec.Command(os.Args[0], "-test.v", "argument")
	r.cmd.Env = append(os.Environ(), programPlan+"="+plan, programDomain+"="+string(discovery))
	r.cmd.Env = append(r.cmd.Env, environment...)
	r.cmd.Stdout, r.cmd.Stderr = &r.out, &r.out
	r.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { r.exited <- r.cmd.Wait() }()
	t.Cleanup(func() {
		_ = unix.Kill(r.cmd.Process.Pid, unix.SIGKILL) // it may have ended
		err := <-r.exited
		r.exited <- err
		if t.Failed() {
			t.Logf("the program wrote\n%s", r.out.String())
		}
	})
	for topic := range r.asks {
		r.ask(topic, "hello")
	}
	return r
}

// ask publishes until an answer comes, because a part that has just started may know the way back later
// than the way in. Answers carry the number of their question: those that are late are of an earlier one.
func (r *robot) ask(topic, text string) string {
	r.t.Helper()
	r.asked++
	number := fmt.Sprint(r.asked)
	for end := time.Now().Add(pubsubtest.Timeout); time.Now().Before(end); {
		r.publish(topic, number+"|"+text)
		for again, waiting := time.After(500*time.Millisecond), true; waiting; {
			select {
			case heard := <-r.hears[topic]:
				if question, answer, _ := strings.Cut(heard, "|"); question == number {
					return answer
				}
			case <-again:
				waiting = false
			}
		}
	}
	r.t.Fatalf("no answer to %s on %s", text, topic)
	return ""
}

// tell is ask without waiting for the answer.
func (r *robot) tell(topic, text string) {
	r.t.Helper()
	r.publish(topic, "|"+text)
}

func (r *robot) publish(topic, text string) {
	r.t.Helper()
	if err := r.asks[topic].Publish(&std_msgs.String{Data: text}); err != nil {
		r.t.Fatal(err)
	}
}

// pid returns the process that answers on a topic.
func (r *robot) pid(topic string) int {
	r.t.Helper()
	words := strings.Split(r.ask(topic, "pid"), " ")
	return pubsubtest.Must[int](r.t)(strconv.Atoi(words[1]))
}

// end waits for the program and returns its exit code and its output.
func (r *robot) end() (int, string) {
	r.t.Helper()
	select {
	case err := <-r.exited:
		r.exited <- err
	case <-time.After(pubsubtest.Timeout):
		r.t.Fatal("the program does not end")
	}
	return r.cmd.ProcessState.ExitCode(), r.out.String()
}

// gone waits until a process has ended and was waited for, by whomever.
func (r *robot) gone(pid int) {
	r.t.Helper()
	pubsubtest.Eventually(r.t, func() bool { return unix.Kill(pid, 0) == unix.ESRCH })
}

// isolated is a plan whose lane has a CPU, which the first process leaves to it, and a process.
func isolated(t *testing.T, restart executor.Restart) string {
	return fmt.Sprintf(`
lanes: {control: {isolate: process, mode: woken, cpus: [%d], topics: [/critical], timers: [tick]}}
parts: {control: {restart: %s, stop: 15s}}
`, lastCPU(t), restart)
}

// A lane runs in a process of its own, and everything else as before.
func TestParts(t *testing.T) {
	t.Parallel()
	r := startRobot(t, isolated(t, "never"))
	part, first := r.pid("critical"), r.pid("plain")
	if first != r.cmd.Process.Pid || !slices.Equal(children(first), []int{part}) {
		t.Errorf("/critical is in process %d, /plain in %d, which has the children %v", part, first, children(first))
	}
	for _, tt := range []struct{ topic, ask, want string }{
		{"critical", "hello", fmt.Sprintf("control %d hello", part)},
		{"plain", "hello", fmt.Sprintf(" %d hello", first)},
		{"critical", "surroundings", "[-test.v argument] false 0"},
		{"plain", "surroundings", "[-test.v argument] false 1"},
		{"critical", "statistics", "1 topics, 1 lanes, 1 timers, 0 parts, 0 workers, " + fmt.Sprint("CPUs ", []int{lastCPU(t)})},
		{"critical", "create", "<nil>"},
		{"plain", "create", "<nil>"},
		{"plain", "statistics", "1 topics, 0 lanes, 0 timers, 1 parts, 1 workers"},
	} {
		if got := r.ask(tt.topic, tt.ask); got != tt.want {
			t.Errorf("%s on %s: %q, want %q", tt.ask, tt.topic, got, tt.want)
		}
	}
	r.checkGraph()
	if err := unix.Kill(first, unix.SIGTERM); err != nil {
		t.Fatal(err)
	}
	code, out := r.end()
	if code != 0 {
		t.Errorf("exit code %d", code)
	}
	r.gone(part)
	for _, want := range []string{"signal in  terminated\n", "ended in \n", "ended in control\n"} {
		if n := strings.Count(out, want); n != 1 {
			t.Errorf("%q is there %d times", want, n)
		}
	}
	// The part may have ended with the first process's Run before the signal was passed on.
	if n := strings.Count(out, "signal in control terminated\n"); n > 1 {
		t.Errorf("the part was sent the signal %d times", n)
	}
}

// The node is in the graph once, with all it has; the part's share is attributed to a hidden one too.
func (r *robot) checkGraph() {
	r.t.Helper()
	err := r.node.WaitForGraph(pubsubtest.Context(r.t), func() (bool, error) {
		names := map[string]int{}
		for _, n := range pubsubtest.Must[[]pubsub.NodeInfo](r.t)(r.node.Nodes()) {
			names[n.FullName()]++
		}
		all, err := r.node.NodeEndpoints("/robot")
		if err != nil || names["/robot"] != 1 || names["/_robot_part_control"] != 1 || names["/_robot_lane_control"] != 1 {
			return false, nil
		}
		has := func(topic string) bool {
			return slices.ContainsFunc(all, func(e pubsub.EndpointInfo) bool { return e.Name == topic && e.Node == "robot" })
		}
		return has("/critical") && has("/critical_answer") && has("/plain") && has("/plain_answer"), nil
	})
	if err != nil {
		all, _ := r.node.NodeEndpoints("/robot")
		r.t.Errorf("%v: nodes %v; the robot's endpoints %v", err, pubsubtest.Must[[]pubsub.NodeInfo](r.t)(r.node.Nodes()), all)
	}
	for _, topic := range []string{"critical_answer", "plain_answer", "critical", "plain"} {
		if e := pubsubtest.Must[[]pubsub.EndpointInfo](r.t)(r.node.Endpoints(topic)); len(e) != 2 {
			r.t.Errorf("%s has the endpoints %v, want one of the robot's and one of the tester's", topic, e)
		}
	}
}

// What ends by itself is started again, or not, as the plan says.
func TestPartRestart(t *testing.T) {
	t.Parallel()
	r := startRobot(t, isolated(t, "on-failure"))
	part := r.pid("critical")
	if err := unix.Kill(part, unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	r.gone(part)
	again := r.pid("critical")
	if again == part {
		t.Errorf("process %d answers and is dead", part)
	}
	r.tell("critical", "exit 0")
	r.gone(again)
	if pid := r.pid("plain"); pid != r.cmd.Process.Pid || len(children(pid)) != 0 {
		t.Errorf("process %d has the children %v, want none after exit code 0", pid, children(pid))
	}
	r.tell("plain", "finish")
	if code, _ := r.end(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// A part that fails ends the program, which passes its exit code on.
func TestPartFails(t *testing.T) {
	t.Parallel()
	r := startRobot(t, isolated(t, "never"))
	r.tell("critical", "exit 7")
	if code, out := r.end(); code != 7 || !strings.Contains(out, "robot: run executor: part control: exit status 7") {
		t.Errorf("exit code %d", code)
	}
}

// Whoever ends Run ends the parts', without a signal, and after what is waiting.
func TestPartTold(t *testing.T) {
	t.Parallel()
	r := startRobot(t, isolated(t, "always"))
	part := r.pid("critical")
	r.tell("plain", "finish")
	code, out := r.end()
	if code != 0 || !strings.Contains(out, "ended in control\n") || strings.Contains(out, "signal in") {
		t.Errorf("exit code %d", code)
	}
	r.gone(part)
}

// Without a handler a signal ends the program, also while the part waits to be started again.
func TestPartDeaf(t *testing.T) {
	t.Parallel()
	for _, down := range []bool{false, true} {
		plan := strings.Replace(isolated(t, "on-failure"), "stop", "backoff: 30s, stop", 1)
		r := startRobot(t, plan, programDeaf+"=1")
		part := r.pid("critical")
		if down {
			r.tell("critical", "exit 3")
			r.gone(part)
		}
		if err := unix.Kill(r.cmd.Process.Pid, unix.SIGTERM); err != nil {
			t.Fatal(err)
		}
		// The signal may come before the program has seen that the part is down.
		code, out := r.end()
		terminated := code == 128+int(unix.SIGTERM) && strings.Contains(out, "part control: signal: terminated")
		if !terminated && !(down && code == 3) {
			t.Errorf("exit code %d", code)
		}
		r.gone(part)
	}
}

// A part that does not end is killed when its time is over, and that is an error.
func TestPartHangs(t *testing.T) {
	t.Parallel()
	r := startRobot(t, strings.Replace(isolated(t, "always"), "15s", "300ms", 1))
	part := r.pid("critical")
	r.ask("critical", "hang")
	r.tell("plain", "finish")
	if code, out := r.end(); code != 128+int(unix.SIGKILL) || !strings.Contains(out, "part control: signal: killed") {
		t.Errorf("exit code %d", code)
	}
	r.gone(part)
}

// Nobody survives the first process.
func TestPartOrphan(t *testing.T) {
	t.Parallel()
	r := startRobot(t, isolated(t, "always"))
	part := r.pid("critical")
	if err := unix.Kill(r.cmd.Process.Pid, unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	r.end()
	pubsubtest.Eventually(t, func() bool { return !alive(part) })
}

// alive tells whether a process runs; one that nobody has waited for does not.
func alive(pid int) bool {
	f, err := os.Open(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return false
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if state, ok := strings.CutPrefix(lines.Text(), "State:\t"); ok {
			return state[0] != 'Z' && state[0] != 'X'
		}
	}
	return false
}

// The variable that makes a process a part is refused where nobody can be at the other end.
func TestPartVariable(t *testing.T) {
	for _, value := range []string{"control", "0:control", "999:control", "3:", ":"} {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), programPlan+"={}", programDomain+"={}", "PINION_PART="+value)
		out, err := cmd.CombinedOutput()
		if err == nil || !strings.Contains(string(out), "PINION_PART="+value+": it is not for users") {
			t.Errorf("%q: %v\n%s", value, err, out)
		}
	}
}

func isolatedPlan(lanes ...executor.Lane) executor.Option {
	for i := range lanes {
		lanes[i].Isolate = executor.Process
	}
	return executor.WithPlan(executor.Plan{Lanes: lanes})
}

// Handles of what is in another process.
func TestOtherPart(t *testing.T) {
	e := newExecutor(t, isolatedPlan(executor.Lane{Name: "control", Topics: []string{"/critical"}, Mode: executor.Woken, Timers: []string{"tick"}}))
	n := newNode(t, "other", pubsub.WithScheduler(e))
	g := executor.NewExclusiveGroup()
	ignore := func(*std_msgs.Int32, *pubsub.MessageInfo) {}
	if _, err := pubsub.NewSubscription(n, "critical", keepAll, ignore, executor.InGroup(g)); err != nil {
		t.Error(err)
	}
	if _, err := pubsub.NewSubscription(n, "plain", keepAll, ignore, executor.InGroup(g)); err == nil || !strings.Contains(err.Error(), "exclusive callback group") {
		t.Errorf("a group in two processes: %v", err)
	}
	for _, tt := range []struct {
		topic   string
		options []pubsub.PublisherOption
		here    bool
	}{
		{"any", nil, true},
		{"any", []pubsub.PublisherOption{executor.UsedBy("critical")}, false},
		{"any", []pubsub.PublisherOption{executor.UsedBy("critical", "plain")}, true},
		{"any", []pubsub.PublisherOption{executor.UsedByTimer("tick")}, false},
		{"any", []pubsub.PublisherOption{executor.UsedByTimer("tick"), executor.UsedBy("plain")}, true},
		{"any", []pubsub.PublisherOption{executor.UsedByTimer("tock")}, true},
	} {
		p, err := pubsub.NewPublisher[std_msgs.Int32](n, tt.topic, keepAll, tt.options...)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Publish(&std_msgs.Int32{}); errors.Is(err, pubsub.ErrOtherPart) == tt.here {
			t.Errorf("%+v: %v", tt, err)
		}
	}
	if _, err := pubsub.NewPublisher[std_msgs.Int32](n, "any", keepAll, executor.UsedBy("1")); err == nil || !strings.Contains(err.Error(), "used by topic 1") {
		t.Errorf("a name that is none: %v", err)
	}
	for range 2 {
		timer, err := e.NewTimer("tick", time.Millisecond, func(*executor.TimerInfo) {})
		if err != nil {
			t.Fatal(err)
		}
		timer.Close()
	}
	if s := e.Stats(); len(s.Topics) != 0 || len(s.Timers) != 0 || len(s.Lanes) != 0 {
		t.Errorf("%+v", s)
	}
}

func TestOneProcess(t *testing.T) {
	e := newExecutor(t, executor.WithOneProcess(), isolatedPlan(executor.Lane{Name: "control", Topics: []string{"/critical"}}))
	n := newNode(t, "one", pubsub.WithScheduler(e))
	got := make(chan int32, 1)
	subscribe(t, n, "critical", keepAll, func(m *std_msgs.Int32) { got <- m.Data })
	run(t, e)
	send(t, publisher(t, n, "critical", keepAll), 7)
	if v := receive(t, got); v != 7 {
		t.Errorf("got %d", v)
	}
	if s := e.Stats(); len(s.Parts) != 0 || len(s.Lanes) != 1 {
		t.Errorf("%+v", s)
	}
}
