package bag

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// MinSplitSize is the least size at which recordings are split, as of rosbag2: that of a file with few
// messages.
const MinSplitSize = 86016

// Split says when a recording goes on in another file.
type Split struct {
	Size     int64         // of the file in bytes, 0 for any
	Duration time.Duration // from the first message to the last, 0 for any
}

// due reports whether a message does not belong into a file any more.
func (s Split) due(size int64, duration time.Duration) bool {
	return s.Size > 0 && size >= s.Size || s.Duration > 0 && duration > s.Duration
}

// writer writes a bag.
type writer struct {
	RecordConfig
	base string // what the names of files begin with

	mu          sync.Mutex
	file        *fileWriter // nil after an error between two files
	info        FileInfo    // of the file
	size        int64       // of the file
	meta        Metadata    // with the files that are complete
	ids         []int64     // in the file, by the topics' indices
	compressor  *compressor // of messages
	compressing sync.WaitGroup
	errs        []error // of compressing files
	full        bool    // as write has reported
}

// create makes the directory, which must not exist, and in it a file without messages.
func create(c RecordConfig) (*writer, error) {
	if err := os.MkdirAll(filepath.Dir(c.Dir), 0o777); err != nil {
		return nil, err
	}
	if err := os.Mkdir(c.Dir, 0o777); err != nil {
		return nil, err
	}
	abs, err := filepath.Abs(c.Dir)
	if err != nil {
		return nil, err
	}
	w := &writer{RecordConfig: c, base: filepath.Base(abs),
		meta: Metadata{Version: c.Format.metadataVersion(), Storage: "sqlite3", Distro: c.Distro, Mode: c.Mode}}
	if c.Mode != Uncompressed {
		w.meta.Compression = Zstd
	}
	if c.Mode == MessageMode {
		if w.compressor, err = newCompressor(); err != nil {
			return nil, err
		}
	}
	return w, w.begin()
}

// begin makes a new file.
func (w *writer) begin() error {
	name := fmt.Sprintf("%s_%d.db3", w.base, len(w.meta.Files))
	file, err := createFile(filepath.Join(w.Dir, name), w.Format, &w.meta, w.Definitions)
	if err != nil {
		return err
	}
	w.file, w.info, w.ids, w.size = file, FileInfo{Name: name}, nil, 0
	for _, t := range w.meta.Topics {
		if err := w.register(t.Topic); err != nil {
			return err
		}
	}
	return nil
}

func (w *writer) register(t Topic) error {
	id, err := w.file.addTopic(t)
	w.ids = append(w.ids, id)
	return err
}

// finish completes the file.
func (w *writer) finish() error {
	w.meta.add(w.info, nil)
	err := w.file.close(&w.meta)
	w.file = nil
	if err == nil && w.Mode == FileMode {
		w.compress(len(w.meta.Files) - 1)
	}
	return err
}

// compress compresses a file that is complete, while the recording goes on.
func (w *writer) compress(index int) {
	name := filepath.Join(w.Dir, w.meta.Files[index].Name)
	w.compressing.Go(func() {
		compressed, err := compressFile(name)
		w.mu.Lock()
		defer w.mu.Unlock()
		if err != nil {
			w.errs = append(w.errs, full(err))
			return
		}
		w.meta.Files[index].Name = filepath.Base(compressed)
	})
}

// errBroken is the error of a bag that could not be split.
var errBroken = errors.New("the bag has no file to go on with")

// addTopic adds a topic, whose index is the number of topics so far.
func (w *writer) addTopic(t Topic) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.file == nil {
		return errBroken
	}
	if err := w.register(t); err != nil {
		return err
	}
	w.meta.Topics = append(w.meta.Topics, TopicCount{Topic: t})
	return nil
}

// setOffered replaces the profiles of a topic.
func (w *writer) setOffered(topic int, offered []Profile) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.file == nil {
		return errBroken
	}
	w.meta.Topics[topic].Offered = offered
	return w.file.setOffered(w.ids[topic], offered)
}

// write writes the messages and returns how many it has written, which are all where there is no error.
func (w *writer) write(b *batch) (written int, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.compressor != nil {
		b = w.compressor.compress(b)
	}
	for rest := b.entries; len(rest) > 0; rest = b.entries[written:] {
		n := w.room(rest)
		if n == 0 {
			if err := errors.Join(w.finish(), w.begin()); err != nil {
				return written, err
			}
			continue
		}
		if err := w.append(b, rest[:n]); err != nil {
			return written, err
		}
		written += n
	}
	return written, nil
}

// room returns how many of the messages belong into the file.
func (w *writer) room(entries []entry) int {
	info, size := w.info, w.size
	for i, e := range entries {
		info.count(e.time)
		if info.Messages > 1 && w.Split.due(size, info.Duration) {
			return i
		}
		size += int64(e.to - e.from + overhead)
	}
	return len(entries)
}

// append writes messages into the file.
func (w *writer) append(b *batch, entries []entry) error {
	size, err := w.file.write(b, entries, w.ids)
	if err != nil {
		w.full = errors.Is(err, ErrFull)
		return err
	}
	w.size = size
	for _, e := range entries {
		w.info.count(e.time)
		w.meta.Topics[e.topic].Messages++
	}
	return nil
}

// close finishes the file and writes the description. Where the disk has no space for it, what was
// written is still there: Open makes the description from the files.
func (w *writer) close() error {
	w.mu.Lock()
	var err error
	if w.file != nil {
		if err = w.finish(); w.full && errors.Is(err, ErrFull) {
			err = nil
		}
	}
	w.mu.Unlock()
	w.compressing.Wait()
	err = errors.Join(append(w.errs, err)...)
	if e := w.meta.write(w.Dir); e != nil {
		err = errors.Join(err, fmt.Errorf("%s: %w", filepath.Join(w.Dir, MetadataFile), full(e)))
	}
	return err
}
