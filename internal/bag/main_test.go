package bag

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/pinion-ros/pinion/pubsub"
	"github.com/pinion-ros/pinion/pubsub/pubsubtest"
)

// job is what another process of the test binary does.
type job struct {
	Discovery pubsub.Discovery
	Dir       string
	Play      *PlayConfig // or record
	Remap     []string
	Format    Format
}

const jobVariable = "PINION_BAG_TEST_JOB"

func TestMain(m *testing.M) {
	if text := os.Getenv(jobVariable); text != "" {
		var j job
		err := json.Unmarshal([]byte(text), &j)
		if err == nil {
			err = j.run()
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(pubsubtest.Run(m))
}

func (j *job) run() error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	node, err := pubsub.NewNode("other", pubsub.WithDiscovery(j.Discovery), pubsub.WithRosout(false), pubsub.WithRemap(j.Remap...))
	if err != nil {
		return err
	}
	defer node.Close()
	var stats any
	if j.Play != nil {
		b, err := Open(j.Dir)
		if err != nil {
			return err
		}
		stats, err = Play(ctx, node, b, *j.Play)
		if err != nil {
			return err
		}
	} else {
		stats, err = Record(ctx, node, RecordConfig{Dir: j.Dir, Format: j.Format, Distro: "jazzy", Filter: Filter{All: true}})
		if err != nil {
			return err
		}
	}
	return json.NewEncoder(os.Stdout).Encode(stats)
}

// process is a job that runs.
type process struct {
	t   testing.TB
	cmd *exec.Cmd
	out *os.File
}

func start(t testing.TB, j job) *process {
	t.Helper()
	text, err := json.Marshal(j)
	if err != nil {
		t.Fatal(err)
	}
	out, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), jobVariable+"="+string(text))
	cmd.Stdout, cmd.Stderr = out, os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait(); out.Close() })
	return &process{t, cmd, out}
}

// kill ends the process as a crash does.
func (p *process) kill() {
	p.t.Helper()
	if err := p.cmd.Process.Kill(); err != nil {
		p.t.Fatal(err)
	}
	p.cmd.Wait()
}

// end waits for the process, which a signal may have been sent to, and reads what it tells.
func (p *process) end(stats any) {
	p.t.Helper()
	if err := p.cmd.Wait(); err != nil {
		p.t.Fatal(err)
	}
	text, err := os.ReadFile(p.out.Name())
	if err == nil {
		err = json.Unmarshal(text, stats)
	}
	if err != nil {
		p.t.Fatalf("%v in %s", err, text)
	}
}

func (p *process) interrupt() {
	p.t.Helper()
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		p.t.Fatal(err)
	}
}
