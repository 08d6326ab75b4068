package cyclone

import (
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Whoever sends what is no packet does not fill the log.
func TestMessagesAreLimited(t *testing.T) {
	newDomain(t, 1).Close() // opens what stays open
	file, err := os.CreateTemp(t.TempDir(), "stderr")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	before, err := unix.Dup(2)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(before)
	if err := unix.Dup2(int(file.Fd()), 2); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := unix.Dup2(before, 2); err != nil {
			t.Fatal(err)
		}
	}()
	newTopic(t, newDomain(t, 2), "limited")
	// A submessage Data (RTPS 2.2, 9.4.5.3) that is too short, as Cyclone DDS prints a line for.
	packet := []byte("RTPS\x02\x01\x01\x100123456789ab\x15\x05\x04\x00\x00\x00\x00\x00")
	socket, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	begin, printed, packets := time.Now(), 0, 0
	for printed < 20 && time.Since(begin) < patience {
		for range 500 {
			packets++
			for participant := range 40 { // which of them it is the configuration leaves open
				port := 7400 + 250*wire + 11 + 2*participant // RTPS 2.2, 9.6.1.1
				if _, err := socket.WriteTo(packet, &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1), Port: port}); err != nil {
					t.Fatal(err)
				}
			}
		}
		time.Sleep(100 * time.Millisecond)
		text, err := os.ReadFile(file.Name())
		if err != nil {
			t.Fatal(err)
		}
		printed = strings.Count(string(text), "\n")
	}
	limit := 21 * int(2+time.Since(begin).Seconds())
	if printed < 20 || printed > limit {
		t.Errorf("%d lines of %d packets, want 20 to %d", printed, packets, limit)
	}
}
