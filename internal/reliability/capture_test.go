//go:build long

package reliability

import (
	"bytes"
	"encoding/binary"
	"os"
	"testing"
	"time"
)

// A packet is a datagram that a process sent.
type packet struct {
	port int           // to which
	at   time.Duration // since some time or other
	data []byte
}

// The sizes of headers in a capture file of Cyclone DDS, which has version 4 of IP without an Ethernet header.
const (
	captureHeader = 24
	recordHeader  = 16
	ipHeader      = 20
	udpHeader     = 8
)

// readCapture returns the datagrams in a capture file that is still being written: what is cut off at
// its end is left out.
func readCapture(content []byte) (packets []packet) {
	if len(content) < captureHeader {
		return nil
	}
	for content = content[captureHeader:]; len(content) >= recordHeader; {
		at := time.Duration(binary.NativeEndian.Uint32(content))*time.Second + time.Duration(binary.NativeEndian.Uint32(content[4:]))*time.Microsecond
		n := int(binary.NativeEndian.Uint32(content[8:]))
		if content = content[recordHeader:]; n > len(content) {
			break
		}
		if n > ipHeader+udpHeader {
			packets = append(packets, packet{int(binary.BigEndian.Uint16(content[ipHeader+2:])), at, content[ipHeader+udpHeader : n]})
		}
		content = content[n:]
	}
	return packets
}

// RTPS 2.2, 9.4.5.1.1 and 9.4.5.3: what is in a packet.
const (
	packetHeader     = 20
	submessageHeader = 4
	kindData         = 0x15
	kindDataFrag     = 0x16
	kindTimestamp    = 0x09
)

// submessages returns where the submessages of a packet begin.
func submessages(data []byte) (offsets []int) {
	for at := packetHeader; at+submessageHeader <= len(data); {
		offsets = append(offsets, at)
		n := int(order(data[at+1]).Uint16(data[at+2:]))
		if n == 0 && data[at] != kindTimestamp { // reaches to the end
			break
		}
		at += submessageHeader + n
	}
	return offsets
}

// order is the byte order that the flags of a submessage tell.
func order(flags byte) binary.ByteOrder {
	if flags&1 != 0 {
		return binary.LittleEndian
	}
	return binary.BigEndian
}

// has tells whether the packet has a submessage of the kind.
func (p *packet) has(kind byte) bool {
	for _, at := range submessages(p.data) {
		if p.data[at] == kind {
			return true
		}
	}
	return false
}

// capture waits until the file has datagrams of the participant with data, fragments and discovery, and
// returns them.
func capture(t *testing.T, file string, prefix []byte, count int) []packet {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); ; time.Sleep(100 * time.Millisecond) {
		content, err := os.ReadFile(file)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		var sent []packet
		var data, fragments int
		for _, p := range readCapture(content) {
			if len(p.data) <= packetHeader || !bytes.Equal(p.data[8:20], prefix) {
				continue
			}
			sent = append(sent, p)
			if p.has(kindData) {
				data++
			}
			if p.has(kindDataFrag) {
				fragments++
			}
		}
		if len(sent) >= count && data > count/4 && fragments > 0 {
			return sent
		}
		if time.Now().After(end) {
			t.Fatalf("%d packets were captured, %d with data and %d with fragments", len(sent), data, fragments)
		}
	}
}
