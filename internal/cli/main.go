package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"golang.org/x/term"
)

// errInterrupted is what a command ends with that a signal kept from its end.
var errInterrupted = errors.New("interrupted")

// Main runs the command line that the program was called with and returns its exit status: 1 for what
// went wrong, 2 for a command line that cannot be read.
func Main() int {
	ctx, stop := signal.NotifyContext(context.Background(), stopSignals()...)
	defer stop()
	context.AfterFunc(ctx, stop) // the second signal ends what does not heed the first
	err := run(ctx)
	if cause := context.Cause(ctx); cause != nil && (errors.Is(err, context.Canceled) || errors.Is(err, cause)) {
		err = errInterrupted
	}
	code, print := status(err)
	if print {
		fmt.Fprintln(os.Stderr, "pinion:", err)
	}
	return code
}

// stopSignals are those after which commands end in order: a recording is complete when its terminal
// is gone, unless nohup keeps it.
func stopSignals() []os.Signal {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	return signals
}

// run runs the command line. Some commands do not look whether they can write their results; no script
// may take what is missing for success.
func run(ctx context.Context) error {
	root := New()
	root.SetIn(&input{ctx, os.Stdin})
	out := &output{w: os.Stdout}
	if !term.IsTerminal(int(os.Stdout.Fd())) { // where commands look for it
		root.SetOut(out)
	}
	if err := execute(ctx, root); err != nil {
		return err
	}
	return out.failure()
}

// An input ends with ctx, for commands that wait for somebody to type.
type input struct {
	ctx context.Context
	r   io.Reader
}

func (i *input) Read(p []byte) (int, error) {
	type result struct {
		data []byte
		err  error
	}
	read := make(chan result, 1)
	go func() {
		buf := make([]byte, len(p)) // p is the caller's again when a signal comes
		n, err := i.r.Read(buf)
		read <- result{buf[:n], err}
	}()
	select {
	case r := <-read:
		return copy(p, r.data), r.err
	case <-i.ctx.Done():
		return 0, errInterrupted
	}
}

// An output remembers the first error.
type output struct {
	mu  sync.Mutex
	w   io.Writer
	err error
}

func (o *output) failure() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	n, err := o.w.Write(p)
	if o.err == nil {
		o.err = err
	}
	return n, err
}
