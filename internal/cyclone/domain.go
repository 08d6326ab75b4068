package cyclone

// #include <stdlib.h>
// #include "domain.h"
import "C"

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
	"unsafe"
)

// Domain is one instance of the DDSI stack: sockets, threads and discovery of its own.
type Domain struct {
	id      uint32
	entity  C.dds_entity_t
	threads []Thread
}

// Thread is a thread that Cyclone DDS started for a domain.
type Thread struct {
	TID  int
	Name string // as in /proc/self/task/TID/comm: "recv", "tev", "gc", ...
}

// ReceiveThread names the thread that reads the sockets; with MultipleReceiveThreads in the
// configuration there are also "recvUC" and "recvMC".
const ReceiveThread = "recv"

// creating keeps the threads that appear while a domain is created apart from those of another one.
var creating sync.Mutex

// NewDomain creates the domain instance with the given id from a configuration in Cyclone DDS's
// XML, of which later parts win. The id must not be in use in the process; it is also the id on the
// wire unless the configuration sets Discovery/ExternalDomainId. What Cyclone DDS says about a failure
// is in the error.
func NewDomain(id uint32, config string) (*Domain, error) {
	text := C.CString(config)
	defer C.free(unsafe.Pointer(text))
	creating.Lock()
	defer creating.Unlock()
	before, err := tasks()
	if err != nil {
		return nil, err
	}
	var said [4096]C.char
	entity := C.pn_domain_new(C.dds_domainid_t(id), text, &said[0], C.size_t(len(said)))
	messages := strings.ReplaceAll(strings.TrimSpace(C.GoString(&said[0])), "\n", "; ")
	if err := check(entity); err != nil {
		return nil, fmt.Errorf("create domain instance %d: %w: %s", id, err, messages)
	}
	if messages != "" {
		fmt.Fprintln(os.Stderr, messages)
	}
	threads, err := started(before)
	if err != nil {
		C.dds_delete(entity)
		return nil, err
	}
	return &Domain{id: id, entity: entity, threads: threads}, nil
}

// ID returns the id inside the process.
func (d *Domain) ID() uint32 { return d.id }

// Threads returns the threads that were started with the domain. Others may follow later.
func (d *Domain) Threads() []Thread { return d.threads }

// Close deletes the domain instance with all that is still in it and ends its threads.
func (d *Domain) Close() error { return check(C.dds_delete(d.entity)) }

// tasks lists the process's threads by id.
func tasks() (map[int]bool, error) {
	dirs, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return nil, err
	}
	ids := make(map[int]bool, len(dirs))
	for _, d := range dirs {
		if id, err := strconv.Atoi(d.Name()); err == nil {
			ids[id] = true
		}
	}
	return ids, nil
}

// started returns the threads that are not in before and not the Go runtime's, which keep the name
// of the program. A new thread names itself, so this waits until the receive thread has done it.
func started(before map[int]bool) ([]Thread, error) {
	own := comm(os.Getpid())
	for deadline := time.Now().Add(time.Second); ; time.Sleep(200 * time.Microsecond) {
		after, err := tasks()
		if err != nil {
			return nil, err
		}
		var threads []Thread
		received := false
		for id := range after {
			name := comm(id)
			if before[id] || name == "" || name == own {
				continue
			}
			threads = append(threads, Thread{id, name})
			received = received || name == ReceiveThread
		}
		if received || time.Now().After(deadline) {
			return threads, nil
		}
	}
}

func comm(tid int) string {
	b, err := os.ReadFile(filepath.Join("/proc/self/task", strconv.Itoa(tid), "comm"))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}
