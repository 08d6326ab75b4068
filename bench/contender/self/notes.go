package self

import (
	"slices"
	"sync"

	"go.uber.org/zap/zapcore"
)

// notes keeps the warnings of the executor for the result.
type notes struct {
	mu   sync.Mutex
	text []string
}

// Enabled is for zap.
func (n *notes) Enabled(l zapcore.Level) bool { return l >= zapcore.WarnLevel }

// With is for zap. What is added to all entries is left out.
func (n *notes) With([]zapcore.Field) zapcore.Core { return n }

// Check is for zap.
func (n *notes) Check(e zapcore.Entry, c *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	if n.Enabled(e.Level) {
		return c.AddCore(e, n)
	}
	return c
}

// Write is for zap.
func (n *notes) Write(e zapcore.Entry, fields []zapcore.Field) error {
	text := e.Message
	for _, f := range fields {
		switch value := f.Interface.(type) {
		case error:
			text += ": " + value.Error()
		default:
			if f.String != "" {
				text += ": " + f.String
			}
		}
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if !slices.Contains(n.text, text) {
		n.text = append(n.text, text)
	}
	return nil
}

// Sync is for zap.
func (n *notes) Sync() error { return nil }

func (n *notes) list() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.text
}
