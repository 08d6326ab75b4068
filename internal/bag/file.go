package bag

import (
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"

	"github.com/mattn/go-sqlite3"
	"github.com/pinion-ros/pinion/msggen"
	"golang.org/x/sys/unix"
)

// ErrFull matches the error of a recording that ended because the disk was full.
var ErrFull = errors.New("no space left on the disk")

// database opens a file with options of the driver (github.com/mattn/go-sqlite3).
func database(name string, options url.Values) (*sql.DB, error) {
	u := url.URL{Scheme: "file", Opaque: (&url.URL{Path: name}).EscapedPath(), RawQuery: options.Encode()}
	db, err := sql.Open("sqlite3", u.String())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1) // the settings are those of a connection
	return db, nil
}

// wrap names the file.
func wrap(name string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", name, full(err))
}

// full makes a full disk recognizable.
func full(err error) error {
	var e sqlite3.Error
	if errors.As(err, &e) && e.Code == sqlite3.ErrFull || errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT) {
		return fmt.Errorf("%w (%w)", ErrFull, err)
	}
	return err
}

// fileWriter writes one file. It is for one goroutine.
type fileWriter struct {
	name        string
	format      Format
	db          *sql.DB
	insert      *sql.Stmt
	types       map[string]bool // whose definitions are there
	definitions *msggen.Loader
}

// createFile makes a new file with empty tables. Until close it is in WAL mode: what a transaction
// has committed is there whenever the program is killed, and for whoever reads meanwhile.
// m is the description so far.
func createFile(name string, format Format, m *Metadata, definitions *msggen.Loader) (*fileWriter, error) {
	if _, err := os.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w", name, fs.ErrExist)
	}
	db, err := database(name, url.Values{
		"mode": {"rwc"}, "_journal_mode": {"WAL"}, "_synchronous": {"NORMAL"}, "_locking_mode": {"NORMAL"},
	})
	if err != nil {
		return nil, wrap(name, err)
	}
	w := &fileWriter{name: name, format: format, db: db, types: map[string]bool{},
		definitions: definitions}
	if err := w.init(m); err != nil {
		db.Close()
		return nil, wrap(name, err)
	}
	return w, nil
}

func (w *fileWriter) init(m *Metadata) (err error) {
	tx, err := w.db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	for _, statement := range w.format.tables() {
		if _, err := tx.Exec(statement); err != nil {
			return err
		}
	}
	if _, err := tx.Exec(`INSERT INTO schema (schema_version, ros_distro) VALUES (?, ?)`, w.format.schemaVersion(), m.Distro); err != nil {
		return err
	}
	if err := describe(tx, m); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	w.insert, err = w.db.Prepare(`INSERT INTO messages (timestamp, topic_id, data) VALUES (?, ?, ?)`)
	return err
}

// describe puts the description into the file, the last of which counts. By its version readers know
// the form of the profiles of topics, also where a program was killed.
func describe(db interface {
	Exec(query string, args ...any) (sql.Result, error)
}, m *Metadata) error {
	text, err := m.innerText()
	if err == nil {
		_, err = db.Exec(`INSERT INTO metadata (metadata_version, metadata) VALUES (?, ?)`, m.Version, string(text))
	}
	return err
}

// write inserts messages of b in one transaction, all of them or none, and returns the size of the
// file. ids are those of the topics.
func (w *fileWriter) write(b *batch, entries []entry, ids []int64) (size int64, err error) {
	tx, err := w.db.Begin()
	if err != nil {
		return 0, wrap(w.name, err)
	}
	defer tx.Rollback()
	insert := tx.Stmt(w.insert)
	defer insert.Close()
	for _, e := range entries {
		if _, err := insert.Exec(e.time, ids[e.topic], b.message(e)); err != nil {
			return 0, wrap(w.name, err)
		}
	}
	err = tx.QueryRow(`SELECT page_count * page_size FROM pragma_page_count, pragma_page_size`).Scan(&size)
	if err == nil {
		err = tx.Commit()
	}
	return size, wrap(w.name, err)
}

// addTopic inserts a topic and the definition of its type and returns its id.
func (w *fileWriter) addTopic(t Topic) (int64, error) {
	qos, err := profilesYAML{t.Offered, w.format.metadataVersion()}.text()
	if err != nil {
		return 0, wrap(w.name, err)
	}
	tx, err := w.db.Begin()
	if err != nil {
		return 0, wrap(w.name, err)
	}
	defer tx.Rollback()
	columns, values := "name, type, serialization_format, offered_qos_profiles", []any{t.Name, t.Type, t.Encoding, qos}
	marks := "?, ?, ?, ?"
	if w.format == FormatJazzy {
		columns, marks, values = columns+", type_description_hash", marks+", ?", append(values, t.TypeHash)
	}
	r, err := tx.Exec(`INSERT INTO topics (`+columns+`) VALUES (`+marks+`)`, values...)
	if err == nil {
		err = w.addDefinition(tx, t)
	}
	if err == nil {
		err = tx.Commit()
	}
	if err != nil {
		return 0, wrap(w.name, err)
	}
	w.types[t.Type] = true
	return r.LastInsertId()
}

func (w *fileWriter) addDefinition(tx *sql.Tx, t Topic) error {
	if w.format == FormatHumble || w.types[t.Type] {
		return nil
	}
	encoding, text := Definition(w.definitions, t.Type)
	_, err := tx.Exec(`INSERT INTO message_definitions (topic_type, encoding, encoded_message_definition, type_description_hash)
		VALUES (?, ?, ?, ?)`, t.Type, encoding, text, t.TypeHash)
	return err
}

// setOffered replaces the profiles of a topic.
func (w *fileWriter) setOffered(id int64, offered []Profile) error {
	qos, err := profilesYAML{offered, w.format.metadataVersion()}.text()
	if err == nil {
		_, err = w.db.Exec(`UPDATE topics SET offered_qos_profiles = ? WHERE id = ?`, qos, id)
	}
	return wrap(w.name, err)
}

// close puts the description into the file, which it makes one without WAL, as rosbag2 writes it:
// such a file can be read where nothing can be written.
func (w *fileWriter) close(m *Metadata) error {
	return wrap(w.name, errors.Join(describe(w.db, m), w.insert.Close(), endWAL(w.db), w.db.Close()))
}

// walSuffix is what the name of the file's log ends in besides.
const walSuffix = "-wal"

// endWAL moves into the file what is in the log, and removes that.
func endWAL(db *sql.DB) error {
	var mode string
	if err := db.QueryRow(`PRAGMA journal_mode = DELETE`).Scan(&mode); err != nil {
		return err
	}
	if mode != "delete" {
		return errors.New("the file is in use")
	}
	return nil
}

// settle does so with a file that a killed program left behind.
func settle(name string) error {
	db, err := database(name, url.Values{"mode": {"rw"}})
	if err == nil {
		err = errors.Join(endWAL(db), db.Close())
	}
	return wrap(name, err)
}
