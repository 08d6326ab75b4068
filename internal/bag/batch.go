package bag

// batch holds messages in one block of memory, which is used again.
type batch struct {
	data    []byte
	entries []entry
}

type entry struct {
	topic    int // index of the topic
	time     int64
	from, to int // in data
}

// overhead is what an entry costs besides the message.
const overhead = 40

func (b *batch) add(topic int, time int64, data []byte) {
	from := len(b.data)
	b.data = append(b.data, data...)
	b.entries = append(b.entries, entry{topic, time, from, len(b.data)})
}

func (b *batch) message(e entry) []byte { return b.data[e.from:e.to:e.to] }

// size is how many bytes the messages take.
func (b *batch) size() int { return len(b.data) + overhead*len(b.entries) }

// reset empties the batch. Memory that one burst has needed is not kept for ever.
func (b *batch) reset() {
	const keep = 8 << 20
	if cap(b.data) > keep {
		b.data = nil
	}
	b.data, b.entries = b.data[:0], b.entries[:0]
}
