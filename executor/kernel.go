package executor

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"strconv"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A kernel is what the executor asks of the operating system about threads and memory. Tests put one
// in its place that lacks permissions.
type kernel interface {
	setAffinity(tid int, set *unix.CPUSet) error
	getAffinity(tid int, set *unix.CPUSet) error
	setAttr(tid int, attr *unix.SchedAttr) error
	getAttr(tid int) (*unix.SchedAttr, error)
	// threads lists the threads of the process, in the memory of tids if that suffices.
	threads(tids []int) ([]int, error)
	// blockedIn returns the stack pointer of a thread that sleeps in a system call, 0 for one that runs.
	blockedIn(tid int) (sp uintptr, err error)
	// peek reads memory of the process that may be unmapped any time.
	peek(addr uintptr, buf []byte) (int, error)
	// switches counts how often a thread went to sleep.
	switches(tid int) (uint64, error)
	timerSlack(tid int) (ns uint64, err error)
	setTimerSlack(tid int, ns uint64) error
	// lockLimit is how much memory the process may lock.
	lockLimit() (uint64, error)
	lockMemory(flags int) error
	// mappingStart returns where the memory mapping begins that addr lies in.
	mappingStart(addr uintptr) (uintptr, error)
	// populate makes the pages present that lie in [begin, end).
	populate(begin, end uintptr) error
}

// linux is the kernel that the program runs on.
type linux struct{}

func (linux) setAffinity(tid int, set *unix.CPUSet) error { return unix.SchedSetaffinity(tid, set) }
func (linux) getAffinity(tid int, set *unix.CPUSet) error { return unix.SchedGetaffinity(tid, set) }
func (linux) setAttr(tid int, a *unix.SchedAttr) error    { return unix.SchedSetAttr(tid, a, 0) }
func (linux) getAttr(tid int) (*unix.SchedAttr, error)    { return unix.SchedGetAttr(tid, 0) }
func (linux) lockMemory(flags int) error                  { return unix.Mlockall(flags) }

// What is called again and again while lanes run reads files by hand, without garbage to collect.

// open is unix.Open for a path that ends with a zero byte.
func open(path []byte, flags int) (int, error) {
	cwd := unix.AT_FDCWD
	fd, _, errno := unix.Syscall6(unix.SYS_OPENAT, uintptr(cwd), uintptr(unsafe.Pointer(&path[0])), uintptr(flags|unix.O_CLOEXEC), 0, 0, 0)
	if errno != 0 {
		return -1, errno
	}
	return int(fd), nil
}

// readFile reads what fits into buf of the file of a thread.
func readFile(buf []byte, before string, tid int, after string) ([]byte, error) {
	var space [64]byte
	path := append(space[:0], before...)
	path = strconv.AppendInt(path, int64(tid), 10)
	path = append(append(path, after...), 0)
	fd, err := open(path, unix.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	n, err := unix.Read(fd, buf)
	return buf[:max(n, 0)], err
}

func (linux) threads(tids []int) ([]int, error) {
	path := [...]byte{15: 0}
	copy(path[:], "/proc/self/task")
	fd, err := open(path[:], unix.O_RDONLY|unix.O_DIRECTORY)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	var buf [4096]byte
	tids = tids[:0]
	for {
		n, err := unix.Getdents(fd, buf[:])
		if err != nil || n == 0 {
			return tids, err
		}
		for entries := buf[:n]; len(entries) > 0; {
			// struct linux_dirent64: 8 bytes inode, 8 offset, 2 length of the entry, 1 type, name.
			size := binary.NativeEndian.Uint16(entries[16:])
			if tid := leadingNumber(entries[19:size]); tid > 0 {
				tids = append(tids, tid)
			}
			entries = entries[size:]
		}
	}
}

// leadingNumber returns the decimal number that text starts with, 0 for none.
func leadingNumber(text []byte) (n int) {
	for _, c := range text {
		if c < '0' || c > '9' {
			break
		}
		n = 10*n + int(c-'0')
	}
	return n
}

// blockedIn reads /proc/self/task/TID/syscall: "running", or number, six arguments, stack pointer and
// program counter (-1 as the number outside of system calls), see proc_pid_syscall(5).
func (linux) blockedIn(tid int) (uintptr, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/self/task/%d/syscall", tid))
	if err != nil {
		return 0, err
	}
	fields := strings.Fields(string(text))
	if len(fields) != 9 {
		return 0, nil
	}
	sp, err := strconv.ParseUint(fields[7], 0, 64)
	return uintptr(sp), err
}

func (linux) peek(addr uintptr, buf []byte) (int, error) {
	local := unix.Iovec{Base: &buf[0]}
	local.SetLen(len(buf))
	return unix.ProcessVMReadv(os.Getpid(), []unix.Iovec{local}, []unix.RemoteIovec{{Base: addr, Len: len(buf)}}, 0)
}

func (linux) mappingStart(addr uintptr) (uintptr, error) {
	f, err := os.Open("/proc/self/maps")
	if err != nil {
		return 0, err
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var low, high uintptr
		if _, err := fmt.Sscanf(lines.Text(), "%x-%x", &low, &high); err == nil && low <= addr && addr < high {
			return low, nil
		}
	}
	return 0, fmt.Errorf("no memory is mapped at %#x", addr)
}

func (linux) switches(tid int) (uint64, error) {
	var buf [4096]byte
	text, err := readFile(buf[:], "/proc/self/task/", tid, "/status")
	if err != nil {
		return 0, err
	}
	key := []byte("\nvoluntary_ctxt_switches:\t")
	at := bytes.Index(text, key)
	if at < 0 {
		return 0, fmt.Errorf("no voluntary_ctxt_switches in the status of thread %d", tid)
	}
	return uint64(leadingNumber(text[at+len(key):])), nil
}

// The file timerslack_ns exists for threads too, but only directly below /proc, where listings hide it.
func (linux) timerSlack(tid int) (uint64, error) {
	var buf [32]byte
	text, err := readFile(buf[:], "/proc/", tid, "/timerslack_ns")
	return uint64(leadingNumber(text)), err
}

func (linux) setTimerSlack(tid int, ns uint64) error {
	f, err := os.OpenFile(fmt.Sprintf("/proc/%d/timerslack_ns", tid), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.WriteString(strconv.FormatUint(ns, 10))
	return err
}

func (linux) lockLimit() (uint64, error) {
	var limit unix.Rlimit
	err := unix.Getrlimit(unix.RLIMIT_MEMLOCK, &limit)
	return limit.Cur, err
}

func (linux) populate(begin, end uintptr) error {
	_, _, errno := unix.Syscall(unix.SYS_MADVISE, begin, end-begin, unix.MADV_POPULATE_WRITE)
	if errno != 0 {
		return errno
	}
	return nil
}
