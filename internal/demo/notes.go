package demo

import (
	"fmt"
	"sync"
	"time"

	"github.com/pinion-ros/pinion/bench/machine"
	"go.uber.org/zap/zapcore"
)

// notes keeps warnings for the end, where they do not disturb the live display. It is a zapcore.Core.
type notes struct {
	mu    sync.Mutex
	texts []string
}

func (n *notes) add(text string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.texts = append(n.texts, text)
}

func (n *notes) list() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.texts
}

func (n *notes) Enabled(l zapcore.Level) bool { return l >= zapcore.WarnLevel }

func (n *notes) With([]zapcore.Field) zapcore.Core { return n }

func (n *notes) Check(e zapcore.Entry, ce *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	if n.Enabled(e.Level) {
		return ce.AddCore(e, n)
	}
	return ce
}

func (n *notes) Write(e zapcore.Entry, fields []zapcore.Field) error {
	text := e.Message
	for _, f := range fields {
		if err, ok := f.Interface.(error); ok {
			text += ": " + err.Error()
		} else if f.String != "" {
			text += fmt.Sprintf(" (%s %s)", f.Key, f.String)
		}
	}
	n.add(text)
	return nil
}

func (n *notes) Sync() error { return nil }

// disturbances tells what about the machine the figures suffer from. The demo took about the time
// given.
func disturbances(m *machine.Machine, d time.Duration) []string {
	var texts []string
	if m.Virtualised != "no" {
		texts = append(texts, "this is a virtual machine: wake-ups cost more, and its host can take CPUs away, which shows in max and sometimes in p99")
	}
	if share := m.StealShare(d.Seconds()); share >= 0.005 {
		texts = append(texts, fmt.Sprintf("the host took %.1f %% of the CPUs' time meanwhile", 100*share))
	}
	if load := m.Before.Average[0]; load > float64(m.Cores)/4 {
		texts = append(texts, fmt.Sprintf("other programs were busy before: a load of %.1f in the last minute, with %d CPUs", load, m.Cores))
	}
	return texts
}
