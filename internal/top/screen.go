package top

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"golang.org/x/term"
)

// Live shows frames in a terminal, a new one each interval, until the user quits or ctx ends. The
// terminal is as it was when Live returns.
func Live(ctx context.Context, c *Collector, interval time.Duration, in, out *os.File) error {
	before, err := term.MakeRaw(int(in.Fd()))
	if err != nil {
		return fmt.Errorf("the terminal: %w", err)
	}
	// Neither has a way to fail that the user could do something about.
	defer func() { _ = term.Restore(int(in.Fd()), before) }()
	const alternateScreen, normalScreen = "\x1b[?1049h\x1b[?25l", "\x1b[?25h\x1b[?1049l"
	if _, err := io.WriteString(out, alternateScreen); err != nil {
		return err
	}
	defer func() { _, _ = io.WriteString(out, normalScreen) }()

	resized := make(chan os.Signal, 1)
	signal.Notify(resized, syscall.SIGWINCH)
	defer signal.Stop(resized)
	keys := make(chan []key)
	go readKeys(ctx, in, keys) // it stays in its read until the program ends
	s := &screen{out: out, v: newView(80, 24, os.Getenv("NO_COLOR") == "")}
	return s.run(ctx, c, interval, keys, resized)
}

// readKeys sends what is typed, and closes keys when the terminal is gone.
func readKeys(ctx context.Context, in io.Reader, keys chan<- []key) {
	defer close(keys)
	buf := make([]byte, 256)
	for {
		n, err := in.Read(buf)
		if err != nil {
			return
		}
		select {
		case keys <- parseKeys(buf[:n]):
		case <-ctx.Done():
			return
		}
	}
}

type screen struct {
	out *os.File
	v   *view
}

func (s *screen) run(ctx context.Context, c *Collector, interval time.Duration, keys <-chan []key, resized <-chan os.Signal) error {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		f, err := c.Frame()
		if err != nil {
			return err
		}
		s.v.update(f)
		for frame := true; frame; {
			if err := s.draw(); err != nil {
				return err
			}
			select {
			case <-ctx.Done():
				return nil
			case <-tick.C:
				frame = false
			case <-resized:
			case pressed, ok := <-keys:
				if !ok || s.press(pressed) {
					return nil
				}
			}
		}
	}
}

func (s *screen) press(keys []key) (quit bool) {
	for _, k := range keys {
		if s.v.press(k) {
			return true
		}
	}
	return false
}

// draw writes the whole screen at once, over what is there, so that nothing flickers.
func (s *screen) draw() error {
	if w, h, err := term.GetSize(int(s.out.Fd())); err == nil && w > 0 && h > 0 {
		s.v.width, s.v.height = w, h
	}
	const home, clearLine = "\x1b[H", "\x1b[K"
	var b strings.Builder
	b.WriteString(home)
	for i, line := range s.v.render() {
		if i > 0 {
			b.WriteString("\r\n")
		}
		b.WriteString(line + clearLine)
	}
	_, err := io.WriteString(s.out, b.String())
	return err
}
