package hosts

import (
	"os"
	"os/exec"
	"runtime"
	"syscall"
)

// Start starts a process in a network namespace, nil for that of this process, and returns a channel
// that gets what Wait returns. The process is killed when this one ends, however it ends.
func Start(cmd *exec.Cmd, ns *os.File) (exited chan error, err error) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
	started, ended := make(chan error), make(chan error, 1)
	// The kernel kills the process when the thread that started it ends, so that one waits.
	go func() {
		runtime.LockOSThread() // for good: the thread stays in the namespace
		err := error(nil)
		if ns != nil {
			err = Enter(ns)
		}
		if err == nil {
			err = cmd.Start()
		}
		started <- err
		if err == nil {
			ended <- cmd.Wait()
		}
	}()
	return ended, <-started
}
