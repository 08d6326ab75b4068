package cdr

import (
	"bytes"
	"encoding/hex"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
	"unsafe"
)

// pair is a message written by hand: {uint8 a; float64 b; string name; int16[<=4] list; pair[] more}
// without the last field below the top.
type pair struct {
	a    uint8
	b    float64
	name string
	list []int16
	more []pair
	top  bool
}

var pairType = Type{Name: "test_msgs/msg/Pair", New: func() Message { return &pair{top: true} }}

func (p *pair) CDRType() *Type { return &pairType }

func (p *pair) SizeCDR(off int) int {
	n := Align(off+1, 8) + 8
	n = Align(n, 4) + 5 + len(p.name)
	n = SizeSequence(n, len(p.list), 2, 2)
	if p.top {
		n = Align(n, 4) + 4
		for i := range p.more {
			n += p.more[i].SizeCDR(n)
		}
	}
	return n - off
}

func (p *pair) EncodeCDR(e *Encoder) {
	e.Uint8(p.a)
	e.Float64(p.b)
	if !e.CheckString("name", p.name, 8) {
		return
	}
	e.String(p.name)
	if !e.CheckLen("list", len(p.list), 4) {
		return
	}
	EncodeNumbers(e, p.list)
	if !p.top {
		return
	}
	e.Count(len(p.more))
	for i := range p.more {
		if p.more[i].EncodeCDR(e); e.Failed() {
			e.InElement("more", i)
			return
		}
	}
}

func (p *pair) DecodeCDR(d *Decoder) {
	p.a = d.Uint8("a")
	p.b = d.Float64("b")
	d.String("name", &p.name, 8)
	DecodeNumbers(d, "list", &p.list, 4)
	if !p.top || d.Failed() {
		return
	}
	p.more = Resize(p.more, d.Count("more", Unbounded, 17))
	for i := range p.more {
		if p.more[i].DecodeCDR(d); d.Failed() {
			d.InElement("more", i)
			return
		}
	}
}

func example() *pair {
	return &pair{a: 1, b: 2.5, name: "né", list: []int16{-1, 2}, top: true, more: []pair{{a: 3}, {name: "x"}}}
}

const exampleHex = "00010000" + // header
	"0100000000000000" + "0000000000000440" + // a, padding, b
	"04000000" + "6ec3a900" + // name
	"02000000" + "ffff0200" + // list
	"02000000" + // more
	"03000000" + "0000000000000000" + "01000000" + "00000000" + "00000000" +
	"00000000" + "0000000000000000" + "02000000" + "78000000" + "00000000"

func TestMarshal(t *testing.T) {
	m := example()
	got, err := Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	if hex.EncodeToString(got) != exampleHex {
		t.Errorf("\n got %x\nwant %s", got, exampleHex)
	}
	if len(got) != Size(m) {
		t.Errorf("size %d, want %d", Size(m), len(got))
	}
	back := &pair{top: true}
	if err := Unmarshal(got, back); err != nil {
		t.Fatal(err)
	}
	if back.b != 2.5 || back.name != "né" || len(back.list) != 2 || len(back.more) != 2 || back.more[1].name != "x" {
		t.Errorf("%+v", back)
	}
	// Garbage in the buffer must not show through the padding.
	dirty := bytes.Repeat([]byte{0xaa}, len(got)+10)
	n, err := MarshalTo(dirty, m)
	if err != nil || !bytes.Equal(dirty[:n], got) {
		t.Errorf("%v\n got %x\nwant %x", err, dirty[:n], got)
	}
	more, err := Append(append(make([]byte, 0, 4), 9, 9), m)
	if err != nil || !bytes.Equal(more, append([]byte{9, 9}, got...)) {
		t.Errorf("%v: %x", err, more)
	}
	for n := range got {
		if _, err := MarshalTo(got[:n:n], m); !errors.Is(err, io.ErrShortBuffer) {
			t.Fatalf("buffer of %d bytes: %v", n, err)
		}
	}
}

func TestEncoding(t *testing.T) {
	want, err := hex.DecodeString(strings.Join([]string{
		"00010000",
		"01", "ff", "feff", "fdffffff", "fcffffffffffffff", // bool, int8, int16, int32, int64
		"02", "00", "0300", "04000000", // uint8, padding, uint16, uint32
		"0500000000000000", "0000c03f00000000", "000000000000f8bf", // uint64, float32, padding, float64
		"01000000", "00", "000000", "00000000", // strings: "" and padding; a count of 0
		"02000000", "0001", // bools
	}, ""))
	if err != nil {
		t.Fatal(err)
	}
	got := make([]byte, len(want))
	var e Encoder
	e.Reset(got)
	e.Bool(true)
	e.Int8(-1)
	e.Int16(-2)
	e.Int32(-3)
	e.Int64(-4)
	e.Uint8(2)
	e.Uint16(3)
	e.Uint32(4)
	e.Uint64(5)
	e.Float32(1.5)
	e.Float64(-1.5)
	e.String("")
	EncodeNumbers(&e, []float64{})
	EncodeBools(&e, []bool{false, true})
	if e.Err() != nil || !bytes.Equal(got, want) {
		t.Fatalf("%v\n got %x\nwant %x", e.Err(), got, want)
	}
	if e.Offset() != len(want)-HeaderSize {
		t.Errorf("offset %d", e.Offset())
	}
	e.Uint8(1)
	if !errors.Is(e.Err(), io.ErrShortBuffer) {
		t.Errorf("behind the end: %v", e.Err())
	}

	var d Decoder
	d.Reset(want, false)
	if !d.Bool("") || d.Int8("") != -1 || d.Int16("") != -2 || d.Int32("") != -3 || d.Int64("") != -4 ||
		d.Uint8("") != 2 || d.Uint16("") != 3 || d.Uint32("") != 4 || d.Uint64("") != 5 ||
		d.Float32("") != 1.5 || d.Float64("") != -1.5 {
		t.Error("scalars differ")
	}
	text, numbers, bools := "old", []float64{1}, []bool(nil)
	d.String("", &text, Unbounded)
	DecodeNumbers(&d, "", &numbers, Unbounded)
	DecodeBools(&d, "", &bools, Unbounded)
	if d.Err() != nil || text != "" || len(numbers) != 0 || len(bools) != 2 || bools[0] || !bools[1] {
		t.Errorf("%v: %q %v %v", d.Err(), text, numbers, bools)
	}
}

func TestFaults(t *testing.T) {
	good, err := Marshal(example())
	if err != nil {
		t.Fatal(err)
	}
	change := func(at int, with ...byte) []byte {
		b := bytes.Clone(good)
		copy(b[HeaderSize+at:], with)
		return b
	}
	for _, c := range []struct {
		name  string
		data  []byte
		field string
		is    error
	}{
		{"nothing", nil, "", io.ErrUnexpectedEOF},
		{"no header", good[:3], "", io.ErrUnexpectedEOF},
		{"parameter list", append([]byte{0, 3}, good[2:]...), "", ErrInvalid},
		{"XCDR2", append([]byte{0, 7}, good[2:]...), "", ErrInvalid},
		{"empty body", good[:HeaderSize], "a", io.ErrUnexpectedEOF},
		{"within b", good[:HeaderSize+15], "b", io.ErrUnexpectedEOF},
		{"length of name", change(16, 255, 255, 255, 255), "name", io.ErrUnexpectedEOF},
		{"no NUL", change(23, 'x'), "name", ErrInvalid},
		{"name too long", change(16, append([]byte{10, 0, 0, 0}, "123456789\x00"...)...), "name", ErrBound},
		{"list too long", change(24, 5), "list", ErrBound},
		{"more than there is", change(32, 0, 0, 0, 64), "more", io.ErrUnexpectedEOF},
		{"in an element", good[:len(good)-1], "more[1].list", io.ErrUnexpectedEOF},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := Unmarshal(c.data, &pair{top: true})
			var fault *Error
			if !errors.As(err, &fault) || fault.Field != c.field || !errors.Is(err, c.is) || fault.Type != pairType.Name {
				t.Errorf("%v; want %v in field %q", err, c.is, c.field)
			}
		})
	}
	for _, c := range []struct {
		change func(*pair)
		field  string
	}{
		{func(p *pair) { p.name = "123456789" }, "name"},
		{func(p *pair) { p.list = make([]int16, 5) }, "list"},
		{func(p *pair) { p.more[1].list = make([]int16, 5) }, "more[1].list"},
	} {
		p := example()
		c.change(p)
		data, err := Append([]byte("kept"), p)
		var fault *Error
		if !errors.As(err, &fault) || fault.Field != c.field || !errors.Is(err, ErrBound) || string(data) != "kept" {
			t.Errorf("%v, %q; want a fault in %s", err, data, c.field)
		}
	}
	if m := (&pair{name: "éééééééé", top: true}); Size(m) == 0 {
		t.Fatal("no size")
	} else if _, err := Marshal(m); err != nil {
		t.Errorf("8 code points in 16 bytes: %v", err)
	}
}

func TestErrorText(t *testing.T) {
	err := Unmarshal([]byte{0, 1, 0, 0, 1, 0, 0}, &pair{top: true})
	const want = "test_msgs/msg/Pair: b: unexpected EOF: 8 bytes needed, 2 left (at byte 1 of the body)"
	if err == nil || err.Error() != want {
		t.Errorf("%v\nwant %s", err, want)
	}
}

// TestBoolValues checks that every byte but zero is read as true, and that no other bool gets into
// memory.
func TestBoolValues(t *testing.T) {
	var d Decoder
	d.Reset([]byte{0, 1, 0, 0, 2, 0, 0, 0, 255, 0}, true)
	var bools []bool
	DecodeBools(&d, "", &bools, Unbounded)
	if d.Failed() || !bools[0] || bools[1] || bytesOf(bools)[0] != 1 {
		t.Errorf("%v: %v", d.Err(), bytesOf(bools))
	}
}

func TestEmptyStringWithoutNUL(t *testing.T) {
	var d Decoder
	d.Reset([]byte{0, 1, 0, 0, 0, 0, 0, 0}, false)
	s := "old"
	if d.String("", &s, Unbounded); d.Failed() || s != "" {
		t.Errorf("%v: %q", d.Err(), s)
	}
}

// TestViews checks what may alias the data and what may not.
func TestViews(t *testing.T) {
	payload := func(big bool) []byte {
		data := make([]byte, 4+4+4+8+8)[4:] // the body at a multiple of 8
		var e Encoder
		e.Reset(data)
		EncodeNumbers(&e, []float64{1})
		if big {
			data[1] = 0
			reverse(data[4:8], 4)
			reverse(data[12:20], 8)
		}
		return data[:20]
	}
	unaligned := append(make([]byte, 1, 64), payload(false)...)[1:]
	for _, c := range []struct {
		name  string
		data  []byte
		view  bool
		alias bool
	}{
		{"view", payload(false), true, wireOrder},
		{"copy", payload(false), false, false},
		{"big endian", payload(true), true, false},
		{"unaligned", unaligned, true, false},
	} {
		var d Decoder
		d.Reset(c.data, c.view)
		var s []float64
		DecodeNumbers(&d, "", &s, Unbounded)
		if d.Failed() || len(s) != 1 || s[0] != 1 {
			t.Fatalf("%s: %v, %v", c.name, s, d.Err())
		}
		aliases := unsafe.Pointer(&s[0]) == unsafe.Pointer(&c.data[12])
		if aliases != c.alias {
			t.Errorf("%s: aliases is %v", c.name, aliases)
		}
		if aliases && cap(s) != len(s) || !aliases && cap(s) == len(s) {
			t.Errorf("%s: length %d, capacity %d", c.name, len(s), cap(s))
		}
	}
}

func TestResize(t *testing.T) {
	full := make([]int, 3)
	own := make([]int, 3, 4)
	for _, c := range []struct {
		s     []int
		n     int
		reuse bool
	}{
		{nil, 0, false}, {nil, 2, false}, {full, 0, false}, {full, 2, false}, {full, 3, false},
		{own, 0, true}, {own, 3, true}, {own, 4, false}, {own[:1], 3, true},
	} {
		got := Resize(c.s, c.n)
		reused := cap(got) > 0 && cap(c.s) > 0 && &got[:1][0] == &c.s[:1][0]
		if len(got) != c.n || reused != c.reuse || c.n > 0 && cap(got) == c.n {
			t.Errorf("%d of %d, then %d: %d of %d, reused %v", len(c.s), cap(c.s), c.n, len(got), cap(got), reused)
		}
	}
}

// TestStringsKept checks that strings that do not change are not allocated again, and that strings
// never alias the data.
func TestStringsKept(t *testing.T) {
	buf := make([]byte, 4096)
	var e Encoder
	e.Reset(buf)
	want := make([]string, 100)
	for i := range want {
		want[i] = strings.Repeat("x", i%40)
	}
	e.Strings(want)
	got := make([]string, len(want))
	var d Decoder
	read := func() {
		d.Reset(buf, true)
		d.Strings("", got, Unbounded)
	}
	if n := testing.AllocsPerRun(1, func() { clear(got); read() }); n > 20 {
		t.Errorf("%v allocations for 100 short strings", n)
	}
	if n := testing.AllocsPerRun(100, read); n != 0 {
		t.Errorf("%v allocations for strings that are there", n)
	}
	clear(buf)
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("string %d: %q, want %q", i, got[i], want[i])
		}
	}
}

func TestWStrings(t *testing.T) {
	for _, c := range []struct {
		text, units string
	}{
		{"", "00000000"},
		{"aé€", "03000000" + "61000000" + "e9000000" + "ac200000"},
		{"🌍", "02000000" + "3cd80000" + "0ddf0000"},
		{"\xed\xa0\xbc", "01000000" + "3cd80000"},                                   // high surrogate alone
		{"\xed\xbc\x8d!\xed\xa0\xbc", "03000000" + "0ddf00002100000" + "03cd80000"}, // low, high
		{"\x00", "01000000" + "00000000"},
	} {
		units, err := hex.DecodeString("00010000" + c.units)
		if err != nil {
			t.Fatal(err)
		}
		got := make([]byte, HeaderSize+SizeWString(c.text))
		var e Encoder
		e.Reset(got)
		e.WString("", c.text)
		if e.Failed() || !bytes.Equal(got, units) {
			t.Errorf("%q: %v\n got %x\nwant %x", c.text, e.Err(), got, units)
		}
		for _, big := range []bool{false, true} {
			data := bytes.Clone(units)
			if big {
				data[1] = 0
				reverse(data[HeaderSize:], 4)
			}
			var d Decoder
			d.Reset(data, false)
			text := "old"
			if d.WString("", &text, Unbounded); d.Failed() || text != c.text {
				t.Errorf("%x: %v, %q, want %q", data, d.Err(), text, c.text)
			}
		}
	}
}

func TestWStringFaults(t *testing.T) {
	for _, text := range []string{"\xff", "a\xc3", "\xed\xa0", "\xf8\x88\x80\x80\x80"} {
		var e Encoder
		e.Reset(make([]byte, 100))
		if e.WString("f", text); !errors.Is(e.Err(), ErrInvalid) || e.err.Field != "f" {
			t.Errorf("%q: %v", text, e.Err())
		}
	}
	for _, c := range []struct {
		text  string
		bound int
		ok    bool
	}{{"🌍🌍", 2, true}, {"🌍🌍", 1, false}, {"\xed\xa0\xbc", 1, true}, {"abc", 2, false}} {
		var e Encoder
		e.Reset(make([]byte, 100))
		if ok := e.CheckWString("f", c.text, c.bound); ok != c.ok || e.Failed() == c.ok {
			t.Errorf("%q within %d: %v", c.text, c.bound, ok)
		}
		e.Reset(make([]byte, 100))
		e.WString("f", c.text)
		var d Decoder
		d.Reset(append([]byte{0, 1, 0, 0}, e.buf...), false)
		var text string
		if d.WString("f", &text, c.bound); d.Failed() == c.ok {
			t.Errorf("%q decoded within %d: %v", c.text, c.bound, d.Err())
		}
	}
	var d Decoder
	d.Reset([]byte{0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0}, false)
	var text string
	if d.WString("f", &text, Unbounded); !errors.Is(d.Err(), ErrInvalid) {
		t.Errorf("a unit of 17 bits: %v", d.Err())
	}
}

// TestPortable compares the two ways to store and load numbers.
func TestPortable(t *testing.T) {
	checkPortable(t, []int8{-1, 2})
	checkPortable(t, []uint16{1, 0xfffe})
	checkPortable(t, []int32{-3, 1 << 30})
	checkPortable(t, []float32{1.5, -0.25})
	checkPortable(t, []float64{math.Pi, math.Inf(-1)})
	checkPortable(t, []uint64{1<<63 + 1, 2})
}

func checkPortable[T Number](t *testing.T, s []T) {
	t.Helper()
	a, b := make([]byte, 16), make([]byte, 16)
	Put(a, s)
	putEach(b, s)
	if !bytes.Equal(a, b) {
		t.Errorf("%v: %x and %x", s, a, b)
	}
	got := make([]T, len(s))
	getEach(got, a)
	if !EqualBits(got, s) {
		t.Errorf("%v, want %v", got, s)
	}
}

func TestCopyBytes(t *testing.T) {
	for _, n := range []int{0, 1, maxCopy, maxCopy + 1, 2*maxCopy + 3} {
		src := make([]byte, n)
		for i := range src {
			src[i] = byte(i * 7)
		}
		dst := make([]byte, n)
		if copyBytes(dst, src); !bytes.Equal(dst, src) {
			t.Errorf("%d bytes differ", n)
		}
	}
}

func TestRegistry(t *testing.T) {
	a, b := &Type{Name: "registry_test/msg/B"}, &Type{Name: "registry_test/msg/A"}
	Register(a, b, &Type{Name: a.Name})
	if Lookup(a.Name) != a || Lookup("registry_test/msg/C") != nil {
		t.Error("the first type of a name is not the one that is found")
	}
	names := strings.Join(Types(), " ")
	if !strings.Contains(names, "registry_test/msg/A registry_test/msg/B") {
		t.Errorf("not sorted: %s", names)
	}
}

func TestKeyLayout(t *testing.T) {
	// {string s; uint8 k1 (key); int64[] list; {uint16 k2 (key); uint8 x}[2]; int64 k3 (key)}
	layout := KeyLayout{
		{Kind: KeyStrings, Count: 1},
		{Kind: KeyNumbers, Width: 1, Count: 1, Key: true},
		{Kind: KeyNumbers, Width: 8},
		{Kind: KeyStructs, Count: 2, Steps: KeyLayout{{Kind: KeyNumbers, Width: 2, Count: 1, Key: true}, {Kind: KeyNumbers, Width: 1, Count: 1}}},
		{Kind: KeyWStrings},
		{Kind: KeyNumbers, Width: 8, Count: 1, Key: true},
	}
	data := make([]byte, 100)
	var e Encoder
	e.Reset(data)
	e.String("hello")
	e.Uint8(1)
	EncodeNumbers(&e, []int64{7, 8, 9})
	for _, v := range []uint16{2, 3} {
		e.Uint16(v)
		e.Uint8(0xee)
	}
	e.Count(1)
	e.WString("", "wide")
	e.Int64(4)
	data = data[:HeaderSize+e.Offset()]
	const want = "0100" + "0200" + "0300" + "0000" + "0400000000000000"
	key, err := layout.AppendKey([]byte("x"), data, false)
	if err != nil || hex.EncodeToString(key[1:]) != want || layout.Size() != len(key)-1 {
		t.Errorf("%v: %x of %d bytes, want %s", err, key[1:], layout.Size(), want)
	}
	hash, err := layout.Hash(data)
	if want := "01000002000300000000000000000004"; err != nil || hex.EncodeToString(hash[:]) != want {
		t.Errorf("%v: hash %x, want %s", err, hash, want)
	}
	for n := range data {
		if key, err := layout.AppendKey([]byte("x"), data[:n], false); err == nil || string(key) != "x" {
			t.Errorf("%d of %d bytes: %v", n, len(data), err)
		}
	}
	long := KeyLayout{{Kind: KeyNumbers, Width: 1, Count: 17, Key: true}}
	hash, err = long.Hash(make([]byte, HeaderSize+17))
	if want := "f3c8bdb6b9df478f227af2ce61c8a5a1"; err != nil || hex.EncodeToString(hash[:]) != want {
		t.Errorf("%v: hash %x, want the MD5 sum %s", err, hash, want)
	}
}
