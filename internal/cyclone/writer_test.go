package cyclone

import "testing"

// A writer keeps space of the last size; none may be too small, in use or left behind.
func TestReserve(t *testing.T) {
	d := newDomain(t, 1000)
	w, err := newTopic(t, d, "rt/reserve").NewWriter(WriterConfig{QoS: QoS{Depth: 1}})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for _, size := range []int{64, 64, 64, 8, 64, 8, 8, 8, 9, 1 << 20, 1 << 20, 1 << 20, 4} {
		first, err := w.Reserve(4 + size)
		if err != nil {
			t.Fatal(err)
		}
		second, err := w.Reserve(4 + size)
		if err != nil {
			t.Fatal(err)
		}
		a, b := first.Payload(), second.Payload()
		if len(a) != 4+size || len(b) != 4+size {
			t.Fatalf("%d and %d bytes of space for %d", len(a), len(b), 4+size)
		}
		if &a[0] == &b[0] {
			t.Fatalf("the same space for two messages of %d bytes", size)
		}
		second.Discard()
		first.Discard()
		send(t, w, make([]byte, size))
	}
}
