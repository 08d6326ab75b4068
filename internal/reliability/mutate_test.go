//go:build long

package reliability

import (
	"encoding/binary"
	"math/rand/v2"
)

// mutate returns a damaged copy of a packet, the same for the same random numbers. Protocol and version stay
// as they are most of the time: without them a packet gets nowhere.
func mutate(r *rand.Rand, original []byte) []byte {
	data := append([]byte(nil), original...)
	for range 1 + r.IntN(3) {
		mutations[r.IntN(len(mutations))](r, &data)
	}
	return data
}

// extremes are values that arithmetic goes wrong with.
var extremes = []uint32{0, 1, 2, 3, 0x7f, 0xff, 0x7fff, 0x8000, 0xfffc, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xfffffffc, 0xffffffff}

func extreme(r *rand.Rand) uint32 { return extremes[r.IntN(len(extremes))] }

// anywhere returns an offset of n bytes behind the header.
func anywhere(r *rand.Rand, data []byte, n int) (int, bool) {
	room := len(data) - packetHeader - n + 1
	if room <= 0 {
		return 0, false
	}
	return packetHeader + r.IntN(room), true
}

// submessage returns where a submessage of the packet begins.
func submessage(r *rand.Rand, data []byte) (int, bool) {
	all := submessages(data)
	if len(all) == 0 {
		return 0, false
	}
	return all[r.IntN(len(all))], true
}

var mutations = []func(*rand.Rand, *[]byte){
	flipBits, flipBits, setWord, truncate, setLength, setKind, setFlags, setSequence, setFragments, setParameter, setEncapsulation, setSize, repeat, anyHeader,
}

func flipBits(r *rand.Rand, data *[]byte) {
	for range 1 + r.IntN(8) {
		if at, ok := anywhere(r, *data, 1); ok {
			(*data)[at] ^= 1 << r.IntN(8)
		}
	}
}

// setWord changes an aligned number, as most of discovery's are.
func setWord(r *rand.Rand, data *[]byte) {
	if at, ok := anywhere(r, *data, 4); ok {
		binary.LittleEndian.PutUint32((*data)[at&^3:], extreme(r))
	}
}

func truncate(r *rand.Rand, data *[]byte) { *data = (*data)[:r.IntN(len(*data)+1)] }

func setLength(r *rand.Rand, data *[]byte) {
	if at, ok := submessage(r, *data); ok {
		n := uint16(extreme(r))
		if r.IntN(2) == 0 {
			n = order((*data)[at+1]).Uint16((*data)[at+2:]) + uint16(r.IntN(17)) - 8
		}
		order((*data)[at+1]).PutUint16((*data)[at+2:], n)
	}
}

func setKind(r *rand.Rand, data *[]byte) {
	if at, ok := submessage(r, *data); ok {
		// Those that there are, of security too (RTPS 2.2, 9.4.5.1.1; DDS Security 1.1, 7.3.6).
		kinds := []byte{0x01, 0x06, 0x07, 0x08, 0x09, 0x0c, 0x0d, 0x0e, 0x0f, 0x12, 0x13, 0x15, 0x16, 0x30, 0x31, 0x32, 0x33, 0x34, 0x80, byte(r.Uint32())}
		(*data)[at] = kinds[r.IntN(len(kinds))]
	}
}

func setFlags(r *rand.Rand, data *[]byte) {
	if at, ok := submessage(r, *data); ok {
		(*data)[at+1] = byte(r.Uint32())
	}
}

// setField sets the number at an offset of a submessage.
func setField(r *rand.Rand, data []byte, offset, size int) {
	at, ok := submessage(r, data)
	if !ok || at+offset+size > len(data) {
		return
	}
	if o := order(data[at+1]); size == 2 {
		o.PutUint16(data[at+offset:], uint16(extreme(r)))
	} else {
		o.PutUint32(data[at+offset:], extreme(r))
	}
}

// setSequence changes a number of Data, DataFrag, Gap, Heartbeat or AckNack, or the size of a set of them.
func setSequence(r *rand.Rand, data *[]byte) { setField(r, *data, 12+4*r.IntN(6), 4) }

// setFragments changes the first fragment, how many there are, their size or that of the whole.
func setFragments(r *rand.Rand, data *[]byte) {
	switch r.IntN(4) {
	case 0:
		setField(r, *data, 24, 4)
	case 1:
		setField(r, *data, 28, 2)
	case 2:
		setField(r, *data, 30, 2)
	default:
		setField(r, *data, 32, 4)
	}
}

// setParameter changes the number or length of a parameter, or the length of the string it begins with.
func setParameter(r *rand.Rand, data *[]byte) {
	at, ok := submessage(r, *data)
	if !ok || (*data)[at] != kindData || at+32 > len(*data) {
		return
	}
	o := order((*data)[at+1])
	for p, left := at+28, r.IntN(40); p+8 <= len(*data); left-- {
		n := int(o.Uint16((*data)[p+2:]))
		if left == 0 || p+4+n+8 > len(*data) {
			switch r.IntN(3) {
			case 0:
				o.PutUint16((*data)[p:], uint16(r.Uint32()&0x7f))
			case 1:
				o.PutUint16((*data)[p+2:], uint16(extreme(r)))
			default:
				o.PutUint32((*data)[p+4:], extreme(r))
			}
			return
		}
		p += 4 + n
	}
}

func setEncapsulation(r *rand.Rand, data *[]byte) {
	if at, ok := submessage(r, *data); ok && (*data)[at] == kindData && at+28 <= len(*data) {
		binary.BigEndian.PutUint32((*data)[at+24:], uint32(r.IntN(16))<<16|extreme(r)&0xffff)
	}
}

// setSize changes the first number of a payload, which is the length of what begins it in many types.
func setSize(r *rand.Rand, data *[]byte) { setField(r, *data, 28, 4) }

// repeat appends a submessage again.
func repeat(r *rand.Rand, data *[]byte) {
	if at, ok := submessage(r, *data); ok && len(*data) < 8000 {
		*data = append(*data, (*data)[at:]...)
	}
}

// anyHeader changes the header, most often another participant's number.
func anyHeader(r *rand.Rand, data *[]byte) {
	at := 8 + r.IntN(12)
	if r.IntN(8) == 0 {
		at = r.IntN(8)
	}
	if at < len(*data) {
		(*data)[at] ^= byte(1 + r.IntN(255))
	}
}
