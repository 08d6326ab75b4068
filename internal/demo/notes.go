package demo

import (
	"fmt"
	"sync"

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
