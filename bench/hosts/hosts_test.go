package hosts

import (
	"errors"
	"io"
	"net"
	"os"
	"runtime"
	"testing"
	"time"
)

// in runs f on a thread in a namespace.
func in(t *testing.T, ns *os.File, f func() error) {
	t.Helper()
	done := make(chan error)
	go func() {
		runtime.LockOSThread()
		err := Enter(ns)
		if err == nil {
			err = f()
		}
		done <- err
	}()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}

// Data pass from host to host, no faster than the cable allows, and nothing of the hosts is seen outside.
func TestPair(t *testing.T) {
	const rate, size = 80_000_000, 2_000_000 // 10 MB/s, 0.2 s
	p, err := New(rate, 0)
	var permission *PermissionError
	if errors.As(err, &permission) && os.Geteuid() != 0 {
		t.Logf("only that the error says why can be tested here: %v", err)
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if _, err := net.InterfaceByName(Interface); err == nil {
		t.Error("the cable is seen outside of the hosts")
	}
	var listener net.Listener
	in(t, p.Namespaces[0], func() (err error) {
		listener, err = net.Listen("tcp4", Addresses[0]+":7000")
		return err
	})
	defer listener.Close()
	go func() {
		c, err := listener.Accept()
		if err != nil {
			return
		}
		defer c.Close()
		_, _ = c.Write(make([]byte, size)) // the reader notices what is missing
	}()
	in(t, p.Namespaces[1], func() error {
		begin := time.Now()
		c, err := net.DialTimeout("tcp4", Addresses[0]+":7000", 10*time.Second)
		if err != nil {
			return err
		}
		defer c.Close()
		n, err := io.Copy(io.Discard, c)
		if took, least := time.Since(begin), 150*time.Millisecond; n != size || took < least {
			t.Errorf("%d bytes in %v, want %d in at least %v", n, took, size, least)
		}
		return err
	})
}
