//go:build long

package reliability

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pinion-ros/pinion/internal/bag"
	"github.com/pinion-ros/pinion/msgs/std_msgs"
	"github.com/pinion-ros/pinion/pubsub"
	"github.com/pinion-ros/pinion/pubsub/pubsubtest"
	"golang.org/x/sys/unix"
)

// A recording on a disk that gets full ends, says why, and leaves a bag with what it says is in it.
func TestFullDisk(t *testing.T) {
	const size = 2 << 20
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=2m"); err != nil {
		if os.Geteuid() == 0 {
			t.Fatal(err)
		}
		t.Logf("nothing is tested: to mount a small disk needs CAP_SYS_ADMIN: %v", err)
		return
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	table := kept.table(t, "disk", "disk", "published", "in the bag", "dropped", "error")
	d := pubsubtest.NewDomain(t)
	node := d.NewNode("recorder")
	pub := pubsubtest.Must[*pubsub.Publisher[std_msgs.String]](t)(
		pubsub.NewPublisher[std_msgs.String](d.NewNode("talker"), "/text", pubsub.DefaultQoS()))
	ctx, cancel := context.WithCancel(pubsubtest.Context(t))
	defer cancel()
	type result struct {
		stats bag.RecordStats
		err   error
	}
	done := make(chan result, 1)
	at := filepath.Join(dir, "bag")
	go func() {
		stats, err := bag.Record(ctx, node, bag.RecordConfig{Dir: at, Distro: "jazzy", Filter: bag.Filter{All: true}})
		done <- result{stats, err}
	}()
	pubsubtest.WaitForMatch(t, pub)
	m, published := &std_msgs.String{Data: string(make([]byte, 10_000))}, 0
	for ; len(done) == 0 && published < 10*size/len(m.Data); published++ {
		if err := pub.Publish(m); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Millisecond)
	}
	r := pubsubtest.Receive(t, done)
	if !errors.Is(r.err, bag.ErrFull) {
		t.Errorf("the recording ended with %v", r.err)
	}
	if b, err := bag.Open(at); err != nil || b.Messages != r.stats.Messages || b.Messages == 0 {
		t.Errorf("the bag: %v, %+v, want %d messages", err, b, r.stats.Messages)
	}
	reason, _, _ := strings.Cut(fmt.Sprint(r.err), "\n")
	table.add(megabytes(size), published, r.stats.Messages, r.stats.Dropped, strings.ReplaceAll(reason, dir, "DIR"))
}
