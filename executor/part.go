package executor

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Part returns which process of the program this is: "" for the first, which is the only one where no
// lane of a plan is isolated, or else the name of the part.
//
// The same main function runs in each of them. What callbacks do happens in one of them, what other
// code does, in all; Part is for code that is to run once.
func Part() string { return self.name }

// WithOneProcess has isolated lanes run in this process, like others: for tests, whose program cannot be
// run a second time, and for debuggers.
func WithOneProcess() Option {
	return func(e *Executor) error {
		e.oneProcess = true
		return nil
	}
}

// partVariable tells a process which part it is, as "DESCRIPTOR:NAME" with the descriptor of the
// first process's pipe.
const partVariable = "PINION_PART"

// self is this process in the program. The variable is taken out of the environment before anything else
// can run, so that it concerns this process and none that it starts.
var self = joinProgram()

// A membership is what a process is to its program.
type membership struct {
	name string
	told context.Context // ends when the first process tells this one to; nil in the first
	err  error           // that the variable was not set by a first process
}

func joinProgram() membership {
	text, ok := os.LookupEnv(partVariable)
	if !ok {
		return membership{}
	}
	os.Unsetenv(partVariable)
	number, name, _ := strings.Cut(text, ":")
	fd, err := strconv.Atoi(number)
	if err != nil || name == "" || !isPipe(fd) {
		return membership{err: fmt.Errorf("%s=%s: it is not for users: a program sets it for its parts", partVariable, text)}
	}
	unix.CloseOnExec(fd)
	// Neither can fail. Without a death signal the pipe does the same, only not to a process that is stopped.
	_ = unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0)
	_ = os.WriteFile("/proc/self/comm", []byte(filepath.Base(os.Args[0])), 0) // it is "exe", see process.command
	told, tell := context.WithCancel(context.Background())
	go listen(fd, tell)
	return membership{name: name, told: told}
}

func isPipe(fd int) bool {
	var s unix.Stat_t
	return fd > 2 && unix.Fstat(fd, &s) == nil && s.Mode&unix.S_IFMT == unix.S_IFIFO
}

// listen reads what the first process has to say: that it is time to end, and, by its death, that this
// process has no reason to live.
func listen(fd int, tell func()) {
	_ = unix.SetNonblock(fd, true) // or else the read takes a thread
	pipe := os.NewFile(uintptr(fd), "program")
	var word [1]byte
	for {
		if _, err := pipe.Read(word[:]); err != nil {
			_ = unix.Kill(unix.Getpid(), unix.SIGKILL) // always possible
			return
		}
		tell()
	}
}

// within returns a context that also ends when the first process says so.
func (m *membership) within(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	if m.told == nil {
		return ctx, cancel
	}
	stop := context.AfterFunc(m.told, cancel)
	return ctx, func() { stop(); cancel() }
}
