package bag

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"
)

// fileReader reads one file.
type fileReader struct {
	name   string
	db     *sql.DB
	topics map[int64]Topic

	temporary string // the file that is read instead, "" for none
}

// openFile opens a file for reading. One that a killed program left behind gets what its WAL holds,
// for which the directory must be writable. A compressed one is decompressed into the folder for
// temporary files first.
func openFile(ctx context.Context, name string) (_ *fileReader, err error) {
	if _, err := os.Stat(name); err != nil {
		return nil, err
	}
	r := &fileReader{name: name, topics: map[int64]Topic{}}
	file := name
	if isCompressedFile(name) {
		if r.temporary, err = decompressFile(ctx, name); err != nil {
			return nil, err
		}
		file = r.temporary
	}
	r.db, err = database(file, url.Values{"mode": {"ro"}, "_query_only": {"true"}})
	if err == nil {
		err = r.readTopics()
	}
	if err != nil {
		r.close()
		return nil, wrap(name, err)
	}
	return r, nil
}

func (r *fileReader) close() error {
	var err error
	if r.db != nil {
		err = r.db.Close()
	}
	if r.temporary != "" {
		err = errors.Join(err, os.Remove(r.temporary))
	}
	return err
}

// columns returns the names of a table's columns, none where there is no such table.
func (r *fileReader) columns(table string) ([]string, error) {
	rows, err := r.db.Query(`SELECT name FROM pragma_table_info(?)`, table)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var names []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return names, rows.Err()
}

// readTopics reads the table of topics, which has grown columns over time.
func (r *fileReader) readTopics() error {
	columns, err := r.columns("topics")
	if err != nil {
		return err
	}
	if len(columns) == 0 {
		return errors.New("has no table of topics, so it is no file of a bag")
	}
	optional := func(column string) string {
		if slices.Contains(columns, column) {
			return column
		}
		return "''"
	}
	rows, err := r.db.Query(`SELECT id, name, type, serialization_format, ` + optional("offered_qos_profiles") + `, ` +
		optional("type_description_hash") + ` FROM topics ORDER BY id`)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var id int64
		var t Topic
		var qos string
		if err := rows.Scan(&id, &t.Name, &t.Type, &t.Encoding, &qos, &t.TypeHash); err != nil {
			return fmt.Errorf("topics: %w", err)
		}
		if t.Offered, err = parseProfiles(qos); err != nil {
			return fmt.Errorf("topic %s: %w", t.Name, err)
		}
		r.topics[id] = t
	}
	return rows.Err()
}

// describe counts the messages.
func (r *fileReader) describe(name string) (FileInfo, []TopicCount, error) {
	info := FileInfo{Name: name}
	counts := map[int64]uint64{}
	rows, err := r.db.Query(`SELECT topic_id, COUNT(*) FROM messages GROUP BY topic_id`)
	if err != nil {
		return info, nil, wrap(r.name, err)
	}
	defer rows.Close()
	for rows.Next() {
		var id int64
		var n uint64
		if err := rows.Scan(&id, &n); err != nil {
			return info, nil, fmt.Errorf("%s: messages: %w", r.name, err)
		}
		if _, ok := r.topics[id]; ok {
			counts[id] = n
			info.Messages += n
		}
	}
	if err := rows.Err(); err != nil {
		return info, nil, wrap(r.name, err)
	}
	if info.Messages > 0 {
		var end int64
		err := r.db.QueryRow(`SELECT MIN(timestamp), MAX(timestamp) FROM messages WHERE topic_id IN (SELECT id FROM topics)`).Scan(&info.Start, &end)
		if err != nil {
			return info, nil, wrap(r.name, err)
		}
		info.Duration = span(info.Start, end)
	}
	var topics []TopicCount
	for id, t := range r.topics {
		topics = append(topics, TopicCount{t, counts[id]})
	}
	slices.SortFunc(topics, func(a, b TopicCount) int { return cmp.Compare(a.Name, b.Name) })
	return info, topics, nil
}

// format returns the format that files of these tables are from. Those of older distributions than Humble
// have the description of Humble, too.
func (r *fileReader) format() Format {
	var version int
	if err := r.db.QueryRow(`SELECT schema_version FROM schema`).Scan(&version); err != nil || version < FormatJazzy.schemaVersion() {
		return FormatHumble
	}
	return FormatJazzy
}

// distro returns what the file says about the distribution it was written with.
func (r *fileReader) distro() string {
	var distro string
	if err := r.db.QueryRow(`SELECT ros_distro FROM schema`).Scan(&distro); err != nil {
		return "" // there is no such table before schema 3
	}
	return distro
}

// holdsCompressed reports whether the messages are compressed, by the first.
func (r *fileReader) holdsCompressed() bool {
	var start []byte
	err := r.db.QueryRow(`SELECT substr(data, 1, 4) FROM messages ORDER BY id LIMIT 1`).Scan(&start)
	return err == nil && isCompressed(start)
}

// messageFunc takes a message; data is valid until it returns.
type messageFunc func(topic int, time int64, data []byte) error

// selection says which messages are read.
type selection struct {
	index       map[string]int  // of topics, by their names
	latched     map[string]bool // topics whose messages from before are read, too
	from, until int64           // times, both included
}

// messages calls f with the messages that are selected, in the order of their times.
func (r *fileReader) messages(ctx context.Context, s selection, f messageFunc) error {
	var ids, early []string
	topics := map[int64]int{}
	for id, t := range r.topics {
		i, ok := s.index[t.Name]
		if !ok {
			continue
		}
		topics[id] = i
		ids = append(ids, fmt.Sprint(id))
		if s.latched[t.Name] {
			early = append(early, fmt.Sprint(id))
		}
	}
	rows, err := r.db.QueryContext(ctx, `SELECT topic_id, timestamp, data FROM messages WHERE topic_id IN (`+strings.Join(ids, ",")+
		`) AND (timestamp >= ? OR topic_id IN (`+strings.Join(early, ",")+`)) AND timestamp <= ? ORDER BY timestamp, id`, s.from, s.until)
	if err != nil {
		return wrap(r.name, err)
	}
	defer rows.Close()
	for rows.Next() {
		var id, time int64
		var data sql.RawBytes
		if err := rows.Scan(&id, &time, &data); err != nil {
			return fmt.Errorf("%s: messages: %w", r.name, err)
		}
		if err := f(topics[id], time, data); err != nil {
			return fmt.Errorf("%s: %w", r.name, err)
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return wrap(r.name, rows.Err())
}
