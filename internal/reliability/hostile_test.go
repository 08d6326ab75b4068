//go:build long

package reliability

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pinion-ros/pinion/bench/hosts"
	"github.com/pinion-ros/pinion/bench/hosts/link"
	"github.com/pinion-ros/pinion/cdr"
	"github.com/pinion-ros/pinion/msgs/geometry_msgs"
	"github.com/pinion-ros/pinion/msgs/sensor_msgs"
	"github.com/pinion-ros/pinion/pubsub"
)

// The ports of the first participant of domain 0 (RTPS 2.2, 9.6.1.1), which a victim is.
var victimPorts = []int{7410, 7411}

// A siege is a victim in a network namespace of its own, so that nothing a damaged packet asks for leaves
// it, with mallory, whose packets are damaged, and a friend.
type siege struct {
	t                       *testing.T
	ns                      *os.File
	dir                     string
	victim, mallory, friend *worker
	prefix                  []byte // of the victim's participant
	identity                identity
	socket                  net.PacketConn
	earlier                 [][]byte // those of earlier victims
	batch                   []packet // sent since the victim was last heard
	begin                   time.Time
	fell                    error // how the victim ended
}

// batchSize is how many packets the victim gets between two questions, so that its socket has room for them.
const batchSize = 20

func besiege(t *testing.T) *siege {
	t.Helper()
	pair, err := hosts.New(link.Settings{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pair.Close)
	s := &siege{t: t, ns: pair.Namespaces[0], dir: t.TempDir(), begin: time.Now()}
	s.offer()
	s.friend = start(t, s.ns, "friend", stream{Discovery: s.discovery(""), Topic: "/numbers", QoS: pubsub.DefaultQoS().KeepAll(), Size: 64, Rate: 200})
	s.friend.hear(t, time.Minute, "ready", nil)
	s.invite()
	s.until("the friend and mallory are heard", func(now status) bool {
		return now.Numbers.First > 0 && now.Topics["/text"].Received > 0 && now.Topics["/large"].Received > 0
	})
	s.friend.say(t, "go", nil)
	if s.socket, err = listen(s.ns); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.socket.Close() })
	return s
}

// offer starts the victim.
func (s *siege) offer() {
	s.victim = start(s.t, s.ns, "victim", s.discovery("<Category>discovery</Category><AppendToFile>true</AppendToFile><OutputFile>"+s.trace()+"</OutputFile>"))
	s.victim.hear(s.t, time.Minute, "ready", &s.prefix)
}

// invite starts mallory.
func (s *siege) invite() {
	s.mallory = start(s.t, s.ns, "mallory", s.discovery("<PacketCaptureFile>"+s.capture()+"</PacketCaptureFile>"))
	s.mallory.hear(s.t, time.Minute, "identity", &s.identity)
}

func (s *siege) trace() string   { return filepath.Join(s.dir, "trace") }
func (s *siege) capture() string { return filepath.Join(s.dir, "capture") }

func (s *siege) discovery(tracing string) pubsub.Discovery {
	return pubsub.Discovery{
		Range: pubsub.RangeLocalhost, Loopback: true,
		Config: `<Domain Id="any"><Tracing>` + tracing + `</Tracing></Domain>`,
	}
}

// listen opens a socket in a namespace.
func listen(ns *os.File) (socket net.PacketConn, err error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // for good
		if err = hosts.Enter(ns); err == nil {
			socket, err = net.ListenPacket("udp4", "127.0.0.1:0")
		}
	}()
	<-done
	return socket, err
}

// ask asks the victim for its status, false if it has none any more.
func (s *siege) ask() (now status, alive bool) {
	s.t.Helper()
	s.victim.say(s.t, "ask", nil)
	select {
	case l, open := <-s.victim.out:
		if !open {
			s.fell = s.victim.wait()
			return status{}, false
		}
		if err := json.Unmarshal(l.Data, &now); err != nil || l.Word != "status" {
			s.t.Fatalf("the victim says %q: %v", l.Word, err)
		}
		s.batch = s.batch[:0]
		return now, true
	case <-time.After(time.Minute):
		s.t.Fatalf("the victim hangs; it got last\n%s", dump(s.batch))
		panic("unreachable")
	}
}

// until waits for the victim's status to be as wanted.
func (s *siege) until(what string, ok func(status) bool) (now status) {
	s.t.Helper()
	for end := time.Now().Add(2 * time.Minute); ; time.Sleep(20 * time.Millisecond) {
		now, alive := s.ask()
		if !alive {
			s.t.Fatalf("the victim ended: %v", s.fell)
		}
		if ok(now) {
			return now
		}
		if time.Now().After(end) {
			s.t.Fatalf("not within 2 minutes: %s; %+v", what, now)
		}
	}
}

// send sends a packet to the victim, false if that has ended.
func (s *siege) send(port int, data []byte) bool {
	s.t.Helper()
	s.throw(port, data)
	if s.batch = append(s.batch, packet{port: port, data: data}); len(s.batch) < batchSize {
		return true
	}
	_, alive := s.ask()
	return alive
}

func (s *siege) throw(port int, data []byte) {
	s.t.Helper()
	if _, err := s.socket.WriteTo(data, &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1), Port: port}); err != nil {
		s.t.Fatal(err)
	}
}

// mourn has a new victim take the place of the one that ended, and returns how that was and which packets
// it was by: the one by which another one ends as well or, where no packet does so alone, all that the
// first got since it was heard.
func (s *siege) mourn() (how string, by []packet) {
	s.t.Helper()
	how, _, _ = strings.Cut(s.fell.Error(), "\n\n") // before Go's stacks
	by = slices.Clone(s.batch)
	s.succeed()
	for _, p := range by {
		p.data = s.address(p.data)
		s.throw(p.port, p.data)
		if _, alive := s.ask(); !alive {
			s.succeed()
			by = []packet{p}
			break
		}
	}
	return strings.ReplaceAll(how, "\n", "; "), by
}

// succeed starts another victim. What is addressed to an earlier one is for address to change.
func (s *siege) succeed() {
	s.t.Helper()
	s.batch, s.earlier = nil, append(s.earlier, s.prefix)
	s.offer()
}

// address has a packet be one for the victim, and not for an earlier one.
func (s *siege) address(data []byte) []byte {
	for _, prefix := range s.earlier {
		data = bytes.ReplaceAll(data, prefix, s.prefix)
	}
	return data
}

func dump(packets []packet) string {
	lines := make([]string, len(packets))
	for i, p := range packets {
		lines[i] = hex.EncodeToString(p.data)
	}
	return strings.Join(lines, " ")
}

var (
	participantLine = regexp.MustCompile(`(?m)SPDP ST[0-9]+ .*`)
	newLine         = regexp.MustCompile(`(?m)SPDP ST[0-9]+ .* NEW`)
	endpointLine    = regexp.MustCompile(`(?m)SEDP ST[0-9]+ .*`)
)

// discovered counts what the victim's discovery took for announcements of participants and of endpoints,
// and the participants that were new to it.
func (s *siege) discovered() (announcements, endpoints, participants int) {
	s.t.Helper()
	text, err := os.ReadFile(s.trace())
	if err != nil {
		s.t.Fatal(err)
	}
	return len(participantLine.FindAll(text, -1)), len(endpointLine.FindAll(text, -1)), len(newLine.FindAll(text, -1))
}

// A node that gets damaged packets by the thousand goes on with what it does, and takes no more of anything.
func TestHostilePackets(t *testing.T) {
	if !permitted(t) {
		return
	}
	table := kept.table(t, "packets", "packets", "of them damaged", "announcements of participants", "new participants", "announcements of endpoints",
		"samples that reached our types", "of them refused", "delivered", "malformed", "lines printed", "nodes that ended", "friend's messages",
		"of them late or missing", "memory before", "at most", "after", "threads before", "after", "descriptors before", "after")
	ends := kept.table(t, "ends", "seed", "after packet", "how the node ended", "by")
	ends.always = true
	count, seed := 5000, uint64(1)
	if *full {
		count = 100_000
	}
	s := besiege(t)
	conversation := s.conversation()
	first := s.until("all is quiet", func(status) bool { return true })
	before, peak := usageOf(t, s.victim.cmd.Process.Pid), 0
	wasAnnounced, wereEndpoints, wereNew := s.discovered()
	r := rand.New(rand.NewPCG(seed, 0))
	packets := 0
	for damaged := 0; damaged < count; packets++ {
		at := packets % len(conversation)
		if at == 0 {
			peak = max(peak, usageOf(t, s.victim.cmd.Process.Pid).Memory)
			conversation = s.rename(r, conversation)
		} else {
			time.Sleep(min(conversation[at].at-conversation[at-1].at, pause))
		}
		data := s.address(conversation[at].data)
		if r.IntN(4) == 0 { // with more, nobody gets far enough to do harm
			data = mutate(r, data)
			damaged++
		}
		if !s.send(conversation[at].port, data) {
			t.Errorf("the node ended after packet %d of seed %d: %v", packets, seed, s.fell)
			how, by := s.mourn()
			ends.add(seed, packets, how, dump(by))
			if len(ends.rows) == 10 {
				t.FailNow() // which says enough
			}
		}
	}
	s.friend.say(t, "end", nil)
	var last uint64
	s.friend.hear(t, time.Minute, "sent", &last)
	now := s.until("all of the friend's messages", func(now status) bool { return now.Numbers.Last >= last })
	n := now.Numbers
	missing := int(n.Missing)
	if len(ends.rows) == 0 { // otherwise the first came to an earlier node
		missing = int(last) - n.Received
	}
	if missing > 0 || n.Repeated > 0 {
		t.Errorf("%d of the friend's %d messages are missing, %d came again or late; gaps %v", missing, last, n.Repeated, n.Gaps)
	}
	time.Sleep(lease + 2*time.Second)
	after := usageOf(t, s.victim.cmd.Process.Pid)
	if grown := after.Memory - before.Memory; grown > 64<<20 {
		t.Errorf("memory grew by %s", megabytes(grown))
	}
	// Go keeps threads that it needed when others were in calls.
	if after.Threads > before.Threads+4 || after.Files > before.Files {
		t.Errorf("%d threads and %d descriptors became %d and %d", before.Threads, before.Files, after.Threads, after.Files)
	}
	announced, endpoints, participants := s.discovered()
	s.afterwards(now)
	table.add(packets, count, announced-wasAnnounced, participants-wereNew, endpoints-wereEndpoints,
		now.reached()-first.reached(), now.Refused-first.Refused, now.samples()-first.samples(), now.malformed()-first.malformed(), s.dismiss(),
		len(ends.rows), last, missing,
		megabytes(before.Memory), megabytes(peak), megabytes(after.Memory), before.Threads, after.Threads, before.Files, after.Files)
}

// A node that ends is listed with the packet that it ended by, and another one takes its place.
func TestEndIsListed(t *testing.T) {
	if !permitted(t) {
		return
	}
	s := besiege(t)
	conversation := s.conversation()
	s.until("all is quiet", func(status) bool { return true })
	before := s.prefix
	if !s.send(conversation[0].port, conversation[0].data) {
		t.Fatal("the node has ended")
	}
	signal(t, s.victim, syscall.SIGSEGV) // as Cyclone DDS might
	<-s.victim.exited
	s.victim.exited <- nil
	for i := 1; s.send(conversation[i].port, conversation[i].data); i++ {
	}
	how, by := s.mourn()
	if !strings.Contains(how, "SIGSEGV") || len(by) != batchSize || !bytes.Equal(by[0].data, conversation[0].data) {
		t.Errorf("ended with %q by %s", how, dump(by))
	}
	about := packet{data: append([]byte("to "), before...)}
	if got := s.address(about.data); !bytes.Equal(got, append([]byte("to "), s.prefix...)) {
		t.Errorf("a packet for the new node is one for %x", got)
	}
	s.until("the friend is heard", func(now status) bool { return now.Numbers.Received > 0 })
}

// lease is how long a participant is believed to be alive that says nothing.
const lease = 10 * time.Second

// pause is how much time the victim gets at least to make of announcements what later packets need.
const pause = 1 * time.Millisecond

// conversation returns what mallory sent to the victim from the beginning: announcements of itself and its
// publishers, heartbeats, samples and fragments.
func (s *siege) conversation() (packets []packet) {
	for _, p := range capture(s.t, s.capture(), s.identity.Prefix, 400) {
		if (p.port == victimPorts[0] || p.port == victimPorts[1]) && len(packets) < 120 {
			packets = append(packets, p)
		}
	}
	return packets
}

// rename makes the conversation that of a new participant: what is said again in the name of an old one
// gets nowhere.
func (s *siege) rename(r *rand.Rand, conversation []packet) []packet {
	prefix := binary.LittleEndian.AppendUint64(nil, r.Uint64())
	prefix = binary.LittleEndian.AppendUint32(prefix, r.Uint32())
	renamed := make([]packet, len(conversation))
	for i, p := range conversation {
		renamed[i] = packet{p.port, p.at, bytes.ReplaceAll(p.data, s.identity.Prefix, prefix)}
	}
	s.identity.Prefix = prefix
	return renamed
}

// samples is how many samples that Cyclone DDS made with our functions came to mallory's subscriptions.
func (s *status) samples() (n uint64) {
	for topic, t := range s.Topics {
		if topic != "/numbers" {
			n += t.Received + t.Malformed + t.Overwritten
		}
	}
	return n
}

// reached is how many samples that are not the friend's our types got to see.
func (s *status) reached() uint64 { return s.Reached - s.Topics["/numbers"].Received }

func (s *status) malformed() (n uint64) {
	for _, t := range s.Topics {
		n += t.Malformed
	}
	return n
}

// dismiss ends the victim, and returns how many lines it has printed, its own and those of Cyclone DDS,
// which are not to be one for each packet.
func (s *siege) dismiss() int {
	s.t.Helper()
	s.victim.in.Close()
	err := <-s.victim.exited
	s.victim.exited <- err
	text := s.victim.stderr.String()
	if err != nil {
		s.t.Errorf("the victim ended with %v\n%.10000s", err, text)
	}
	lines := strings.Count(text, "\n")
	if limit := 32 + 21*int(2+time.Since(s.begin).Seconds()); lines > limit {
		s.t.Errorf("the victim printed %d lines, more than %d", lines, limit)
	}
	return lines
}

// afterwards holds that the victim gets to know new peers.
func (s *siege) afterwards(before status) {
	s.t.Helper()
	s.mallory.kill()
	s.invite()
	s.until("messages of a new peer", func(now status) bool {
		return now.Topics["/text"].Received > before.Topics["/text"].Received+20
	})
}

// forge makes a packet with a sample of mallory's publisher of joints.
func (s *siege) forge(seq uint64, payload []byte) []byte {
	data := s.header(kindData, 0x05) // little-endian, with data
	data = append(data, 0, 0, 16, 0, 0, 0, 0, 0)
	data = append(data, s.identity.Writer...)
	data = binary.LittleEndian.AppendUint32(data, uint32(seq>>32))
	data = binary.LittleEndian.AppendUint32(data, uint32(seq))
	return finish(append(data, payload...))
}

// forgeFragment makes a packet with fragments of such a sample.
func (s *siege) forgeFragment(seq uint64, first uint32, count, fragment uint16, size uint32, payload []byte) []byte {
	data := s.header(kindDataFrag, 0x01)
	data = append(data, 0, 0, 28, 0, 0, 0, 0, 0)
	data = append(data, s.identity.Writer...)
	data = binary.LittleEndian.AppendUint32(data, uint32(seq>>32))
	data = binary.LittleEndian.AppendUint32(data, uint32(seq))
	data = binary.LittleEndian.AppendUint32(data, first)
	data = binary.LittleEndian.AppendUint16(data, count)
	data = binary.LittleEndian.AppendUint16(data, fragment)
	data = binary.LittleEndian.AppendUint32(data, size)
	return finish(append(data, payload...))
}

// header begins a packet and its only submessage.
func (s *siege) header(kind, flags byte) []byte {
	data := append([]byte("RTPS\x02\x01\x01\x10"), s.identity.Prefix...)
	return append(data, kind, flags, 0, 0)
}

// finish fills the packet up to whole words, as the protocol wants them, and sets the submessage's length.
func finish(data []byte) []byte {
	for len(data)%4 != 0 {
		data = append(data, 0)
	}
	binary.LittleEndian.PutUint16(data[packetHeader+2:], uint16(len(data)-packetHeader-submessageHeader))
	return data
}

// hostilePayloads are joints, and what is none or looks like some.
func hostilePayloads(t *testing.T) (payloads [][]byte) {
	t.Helper()
	m := sensor_msgs.NewJointState()
	m.Header.FrameId, m.Name = "base", []string{"elbow", "wrist"}
	m.Position, m.Velocity, m.Effort = []float64{1, 2}, []float64{3, 4}, []float64{5, 6}
	whole, err := cdr.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	payloads = append(payloads, whole)
	edit := func(at int, change ...byte) {
		data := bytes.Clone(whole)
		copy(data[at:], change)
		payloads = append(payloads, data)
	}
	for n := range len(whole) {
		payloads = append(payloads, whole[:n])
	}
	for at := cdr.HeaderSize; at+4 <= len(whole); at += 4 { // every length there is, among others
		edit(at, 0xff, 0xff, 0xff, 0xff)
		edit(at, 0xff, 0xff, 0xff, 0x7f)
	}
	for id := range 16 { // encapsulations
		edit(0, 0, byte(id))
		edit(0, 0xff, byte(id))
	}
	frame := bytes.Index(whole, []byte("base\x00"))
	edit(frame+4, 'x')
	edit(frame-4, 4)
	edit(frame-4, 0)
	other, err := cdr.Marshal(geometry_msgs.NewTwist())
	if err != nil {
		t.Fatal(err)
	}
	return append(payloads, other)
}

// Samples that are no message of their type are counted and told of now and then.
func TestHostilePayloads(t *testing.T) {
	if !permitted(t) {
		return
	}
	table := kept.table(t, "payloads", "payloads", "refused by Cyclone DDS", "malformed", "messages", "fragments of samples of up to 4 GB", "warnings", "lines printed",
		"memory before", "after")
	s := besiege(t)
	payloads, rounds := hostilePayloads(t), 3
	if *full {
		rounds = 100
	}
	before := usageOf(t, s.victim.cmd.Process.Pid)
	seq := uint64(0)
	send := func(data []byte) {
		if !s.send(victimPorts[1], data) {
			t.Fatalf("the node ended: %v\nby one of\n%s", s.fell, dump(s.batch))
		}
	}
	forged := func(payload []byte) {
		seq++
		send(s.forge(seq, payload))
	}
	good, payloads := payloads[0], payloads[1:]
	forged(good) // from here on the victim counts
	for range rounds {
		for _, payload := range payloads {
			forged(payload)
		}
	}
	forged(good)
	now := s.until("all payloads", func(now status) bool {
		j := now.Topics["/joints"]
		return j.Received+j.Malformed+j.Lost == seq
	})
	whole, fragments := seq, 0
	for range rounds {
		for _, size := range []uint32{0, 1, 4, 1 << 16, 1 << 24, 1 << 31, 0xffffffff} {
			for _, first := range []uint32{0, 1, 2, 0xffff, 0x7fffffff, 0xffffffff} {
				for _, count := range []uint16{0, 1, 0xffff} {
					seq++
					fragments++
					send(s.forgeFragment(seq, first, count, 1024, size, make([]byte, 1024)))
				}
			}
		}
	}
	end := s.until("an answer", func(status) bool { return true })
	after := usageOf(t, s.victim.cmd.Process.Pid)
	j := now.Topics["/joints"]
	if limit := 32; end.Warnings > limit { // mallory, and the powers of two
		t.Errorf("%d warnings of %d malformed messages", end.Warnings, j.Malformed)
	}
	if grown := after.Memory - before.Memory; grown > 64<<20 {
		t.Errorf("memory grew by %s", megabytes(grown))
	}
	s.afterwards(end)
	table.add(whole, j.Lost, j.Malformed, j.Received, fragments, end.Warnings, s.dismiss(),
		megabytes(before.Memory), megabytes(after.Memory))
}
