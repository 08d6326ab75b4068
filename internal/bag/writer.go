package bag

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
)

// writer writes a bag of one file.
type writer struct {
	dir string

	mu   sync.Mutex
	file *fileWriter
	meta Metadata
	ids  []int64 // in the file, by the topics' indices
}

// create makes the directory, which must not exist, and in it a file without messages.
func create(dir string, format Format, distro string) (*writer, error) {
	if err := os.MkdirAll(filepath.Dir(dir), 0o777); err != nil {
		return nil, err
	}
	if err := os.Mkdir(dir, 0o777); err != nil {
		return nil, err
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	name := filepath.Base(abs) + "_0.db3"
	file, err := createFile(filepath.Join(dir, name), format, distro)
	if err != nil {
		return nil, err
	}
	return &writer{dir: dir, file: file, meta: Metadata{
		Version: format.metadataVersion(), Storage: "sqlite3", Distro: distro,
		Files: []FileInfo{{Name: name}},
	}}, nil
}

// addTopic adds a topic, whose index is the number of topics so far.
func (w *writer) addTopic(t Topic) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	id, err := w.file.addTopic(t)
	if err != nil {
		return err
	}
	w.ids = append(w.ids, id)
	w.meta.Topics = append(w.meta.Topics, TopicCount{Topic: t})
	return nil
}

// setOffered replaces the profiles of a topic.
func (w *writer) setOffered(topic int, offered []Profile) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.meta.Topics[topic].Offered = offered
	return w.file.setOffered(w.ids[topic], offered)
}

// write writes all of the messages or, where it returns an error, none.
func (w *writer) write(b *batch) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.file.write(b, w.ids); err != nil {
		return err
	}
	m := &w.meta
	for _, e := range b.entries {
		end := e.time
		if m.Messages > 0 {
			end = max(end, m.end())
			m.Start = min(m.Start, e.time)
		} else {
			m.Start = e.time
		}
		m.Duration = span(m.Start, end)
		m.Messages++
		m.Topics[e.topic].Messages++
	}
	return nil
}

// close finishes the file and writes the description. Where the disk has no space for it, what was
// written is still there: Open makes the description from the file.
func (w *writer) close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	f := &w.meta.Files[0]
	f.Start, f.Duration, f.Messages = w.meta.Start, w.meta.Duration, w.meta.Messages
	err := w.file.close(&w.meta)
	if e := w.meta.write(w.dir); e != nil {
		err = errors.Join(err, fmt.Errorf("%s: %w", filepath.Join(w.dir, MetadataFile), e))
	}
	return err
}
