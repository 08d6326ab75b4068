// Package warnings keeps what a program warns of until there is a place to say it.
package warnings

import (
	"fmt"
	"slices"
	"sync"

	"go.uber.org/zap/zapcore"
)

// A List is the core of a logger that keeps warnings and errors, each text once. The zero value is
// ready; its methods may be called from any goroutine.
type List struct {
	mu    sync.Mutex
	texts []string
}

// Add adds a text of the program's own.
func (l *List) Add(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !slices.Contains(l.texts, text) {
		l.texts = append(l.texts, text)
	}
}

// Texts returns what there is so far.
func (l *List) Texts() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.texts)
}

// Enabled is for zap, as are the others.
func (l *List) Enabled(level zapcore.Level) bool { return level >= zapcore.WarnLevel }

// With leaves out what is added to all entries.
func (l *List) With([]zapcore.Field) zapcore.Core { return l }

// Check adds the list to those who write an entry.
func (l *List) Check(e zapcore.Entry, c *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	if l.Enabled(e.Level) {
		return c.AddCore(e, l)
	}
	return c
}

// Write adds an entry with its errors and words.
func (l *List) Write(e zapcore.Entry, fields []zapcore.Field) error {
	text := e.Message
	for _, f := range fields {
		if err, ok := f.Interface.(error); ok {
			text += ": " + err.Error()
		} else if f.String != "" {
			text += fmt.Sprintf(" (%s %s)", f.Key, f.String)
		}
	}
	l.Add(text)
	return nil
}

// Sync has nothing to do.
func (l *List) Sync() error { return nil }
