package bag

import (
	"encoding/json"
	"errors"
	"maps"
	"math"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/pinion-ros/pinion/msggen"
	"github.com/pinion-ros/pinion/msgs"
	"github.com/pinion-ros/pinion/pubsub"
	"github.com/pinion-ros/pinion/pubsub/pubsubtest"
)

var hello = []byte{0, 1, 0, 0, 6, 0, 0, 0, 'h', 'e', 'l', 'l', 'o', 0}

// writeBag writes a bag with two topics and three messages.
func writeBag(t testing.TB, format Format) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "bag")
	w, err := create(RecordConfig{Dir: dir, Format: format, Distro: "jazzy"})
	if err != nil {
		t.Fatal(err)
	}
	qos := pubsub.QoS{Reliability: pubsub.Reliable, Durability: pubsub.TransientLocal, Liveliness: pubsub.Automatic}
	for _, topic := range []Topic{
		{Name: "/chatter", Type: "std_msgs/msg/String", Encoding: "cdr", TypeHash: "RIHS01_00", Offered: []Profile{{qos, true}}},
		{Name: "/pose", Type: "geometry_msgs/msg/PoseStamped", Encoding: "cdr"},
	} {
		if err := w.addTopic(topic); err != nil {
			t.Fatal(err)
		}
	}
	var b batch
	b.add(0, 1000, hello)
	b.add(1, 3000, hello)
	b.add(0, 2000, hello)
	_, err = w.write(&b)
	if err := errors.Join(err, w.close()); err != nil {
		t.Fatal(err)
	}
	return dir
}

// python reads the tables with another SQLite: columns of every table, settings, and the rows of some.
const python = `
import json, sqlite3, sys
db = sqlite3.connect("file:" + sys.argv[1] + "?mode=ro", uri=True)
all = lambda query: [list(row) for row in db.execute(query)]
tables = [name for name, in db.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")]
print(json.dumps({
    "columns": {t: [c[1] + " " + c[2] + (" NOT NULL" if c[3] else "") + (" PRIMARY KEY" if c[5] else "")
        for c in db.execute("PRAGMA table_info(%s)" % t)] for t in tables},
    "index": [row[2] for row in db.execute("PRAGMA index_info(timestamp_idx)")],
    "journal": db.execute("PRAGMA journal_mode").fetchone()[0],
    "check": db.execute("PRAGMA integrity_check").fetchone()[0],
    "schema": all("SELECT * FROM schema"),
    "metadata": all("SELECT metadata_version FROM metadata ORDER BY id"),
    "topics": all("SELECT id, name, type, serialization_format FROM topics ORDER BY id"),
    "messages": all("SELECT id, topic_id, timestamp, hex(data) FROM messages ORDER BY timestamp"),
}))
`

type tables struct {
	Columns          map[string][]string
	Index            []string
	Journal, Check   string
	Schema, Metadata [][]any
	Topics, Messages [][]any
}

// The tables are those of rosbag2 (SqliteStorage::initialize in its branches humble and jazzy).
func TestTables(t *testing.T) {
	humble := map[string][]string{
		"schema":   {"schema_version INTEGER PRIMARY KEY", "ros_distro TEXT NOT NULL"},
		"metadata": {"id INTEGER PRIMARY KEY", "metadata_version INTEGER NOT NULL", "metadata TEXT NOT NULL"},
		"messages": {"id INTEGER PRIMARY KEY", "topic_id INTEGER NOT NULL", "timestamp INTEGER NOT NULL", "data BLOB NOT NULL"},
		"topics": {"id INTEGER PRIMARY KEY", "name TEXT NOT NULL", "type TEXT NOT NULL", "serialization_format TEXT NOT NULL",
			"offered_qos_profiles TEXT NOT NULL"},
	}
	jazzy := maps.Clone(humble)
	jazzy["topics"] = append(slices.Clone(humble["topics"]), "type_description_hash TEXT NOT NULL")
	jazzy["message_definitions"] = []string{"id INTEGER PRIMARY KEY", "topic_type TEXT NOT NULL", "encoding TEXT NOT NULL",
		"encoded_message_definition TEXT NOT NULL", "type_description_hash TEXT NOT NULL"}
	for format, columns := range map[Format]map[string][]string{FormatHumble: humble, FormatJazzy: jazzy} {
		name := filepath.Join(writeBag(t, format), "bag_0.db3")
		if format == FormatJazzy { // as it is read where nothing can be written
			if err := os.Chmod(filepath.Dir(name), 0o555); err != nil {
				t.Fatal(err)
			}
			defer os.Chmod(filepath.Dir(name), 0o755)
		}
		out, err := exec.Command("/usr/bin/python3", "-c", python, name).Output()
		if err != nil {
			t.Fatalf("python3, which \"make setup-test\" installs: %v", err)
		}
		var got tables
		if err := json.Unmarshal(out, &got); err != nil {
			t.Fatal(err)
		}
		version := float64(format.metadataVersion())
		want := tables{columns, []string{"timestamp"}, "delete", "ok",
			[][]any{{float64(format.schemaVersion()), "jazzy"}}, [][]any{{version}, {version}},
			[][]any{{1., "/chatter", "std_msgs/msg/String", "cdr"}, {2., "/pose", "geometry_msgs/msg/PoseStamped", "cdr"}},
			[][]any{{1., 1., 1000., "000100000600000068656C6C6F00"}, {3., 1., 2000., "000100000600000068656C6C6F00"}, {2., 2., 3000., "000100000600000068656C6C6F00"}}}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("format %d:\n%+v\nwant\n%+v", format, got, want)
		}
		entries, err := os.ReadDir(filepath.Dir(name))
		if err != nil || len(entries) != 2 {
			t.Errorf("files %v, %v", entries, err)
		}
	}
}

func TestDefinition(t *testing.T) {
	l := msggen.NewLoader(msggen.PlaceOf("msgs", msgs.Definitions))
	encoding, text := Definition(l, "geometry_msgs/msg/PoseStamped")
	if encoding != "ros2msg" {
		t.Errorf("encoding %q", encoding)
	}
	var parts []string
	for line := range strings.Lines(text) {
		if name, ok := strings.CutPrefix(line, "MSG: "); ok {
			parts = append(parts, strings.TrimSpace(name))
		}
	}
	want := []string{"geometry_msgs/Pose", "geometry_msgs/Point", "geometry_msgs/Quaternion", "std_msgs/Header", "builtin_interfaces/Time"}
	if !slices.Equal(parts, want) || !strings.Contains(text, "frame_id") {
		t.Errorf("types %q, want %q", parts, want)
	}
	for _, name := range []string{"my_msgs/msg/Own", "std_srvs/srv/SetBool", "x", ""} {
		if encoding, text := Definition(l, name); encoding != "unknown" || text != "" {
			t.Errorf("%q: %q, %q", name, encoding, text)
		}
	}
}

func TestRead(t *testing.T) {
	for _, format := range []Format{FormatHumble, FormatJazzy} {
		dir := writeBag(t, format)
		b, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(filepath.Join(dir, MetadataFile)); err != nil {
			t.Fatal(err)
		}
		rebuilt, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		file, err := Open(filepath.Join(dir, "bag_0.db3"))
		if err != nil {
			t.Fatal(err)
		}
		if b.Rebuilt || !rebuilt.Rebuilt || !file.Rebuilt {
			t.Error("it is not told how the description came about")
		}
		for _, other := range []*Bag{rebuilt, file} {
			if b.Messages != 3 || b.Start != 1000 || b.Duration != 2000 || other.Messages != b.Messages || other.Start != b.Start ||
				other.Duration != b.Duration || !reflect.DeepEqual(other.Topics, b.Topics) || !reflect.DeepEqual(other.Files, b.Files) {
				t.Errorf("format %d: %+v, rebuilt %+v", format, b.Metadata, other.Metadata)
			}
		}
		for _, c := range []struct {
			from, until int64
			latched     map[string]bool
			want        []int64
		}{
			{0, 9000, nil, []int64{1000, 2000, 3000}},
			{2500, 9000, nil, []int64{3000}},
			{2500, 9000, map[string]bool{"/chatter": true}, []int64{1000, 2000, 3000}},
			{0, 2000, nil, []int64{1000, 2000}},
			{1500, 1999, map[string]bool{"/chatter": true}, []int64{1000}},
		} {
			var times []int64
			err := b.messages(pubsubtest.Context(t), selection{map[string]int{"/chatter": 0, "/pose": 1}, c.latched, c.from, c.until},
				func(_ int, time int64, data []byte) error {
					times = append(times, time)
					if string(data) != string(hello) {
						t.Errorf("message %x", data)
					}
					return nil
				})
			if err != nil || !slices.Equal(times, c.want) {
				t.Errorf("from %d to %d: %v, %v, want %v", c.from, c.until, times, err, c.want)
			}
		}
	}
}

// The tables of distributions before Humble had fewer columns.
func TestOldTables(t *testing.T) {
	const first = `CREATE TABLE topics(id INTEGER PRIMARY KEY, name TEXT NOT NULL, type TEXT NOT NULL, serialization_format TEXT NOT NULL`
	for version, columns := range map[int]string{1: ")", 2: ", offered_qos_profiles TEXT NOT NULL DEFAULT '')"} {
		name := filepath.Join(t.TempDir(), "old_0.db3")
		db, err := database(name, url.Values{"mode": {"rwc"}})
		if err != nil {
			t.Fatal(err)
		}
		for _, statement := range []string{first + columns,
			`CREATE TABLE messages(id INTEGER PRIMARY KEY, topic_id INTEGER NOT NULL, timestamp INTEGER NOT NULL, data BLOB NOT NULL)`,
			`INSERT INTO topics(name, type, serialization_format) VALUES ('/chatter', 'std_msgs/msg/String', 'cdr')`,
			`INSERT INTO messages(topic_id, timestamp, data) VALUES (1, 7, x'00010000')`,
		} {
			if _, err := db.Exec(statement); err != nil {
				t.Fatal(err)
			}
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		b, err := Open(name)
		if err != nil || b.Messages != 1 || b.Start != 7 || b.Version != 5 || b.Distro != "" || b.Topics[0].Name != "/chatter" {
			t.Errorf("tables %d: %+v, %v", version, b, err)
		}
	}
}

func TestOpenErrors(t *testing.T) {
	write := func(name, text string) string {
		t.Helper()
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	for path, want := range map[string]string{
		filepath.Join(t.TempDir(), "none"):      "no such file",
		t.TempDir():                             "so it is no bag",
		write("x_0.db3", ""):                    "has no table of topics",
		write("x_0.db3", "no database, is it?"): "file is not a database",
		write(MetadataFile, "a: ["):             MetadataFile,
		write(MetadataFile, "rosbag2_bagfile_information: {version: 9, storage_identifier: mcap}"):                                                     "ros2 bag convert",
		write(MetadataFile, "rosbag2_bagfile_information: {version: 5, storage_identifier: sqlite3, compression_format: lz4, compression_mode: FILE}"): `is compressed as "lz4"`,
		write(MetadataFile, "rosbag2_bagfile_information: {version: 5, storage_identifier: sqlite3, compression_mode: STREAM}"):                        `mode "STREAM" is none of`,
		filepath.Join(write("x_0.mcap", ""), "x_0.mcap"):                                                                                               "ros2 bag convert",
		write("x_0.mcap", ""):      "ros2 bag convert",
		write("x_0.db3.zstd", "x"): "decompress ",
		write(MetadataFile, "rosbag2_bagfile_information: {version: 5, storage_identifier: sqlite3}"): "names no files",
	} {
		if _, err := Open(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	dir := writeBag(t, FormatJazzy)
	if _, err := create(RecordConfig{Dir: dir}); !errors.Is(err, os.ErrExist) {
		t.Errorf("a bag is overwritten: %v", err)
	}
}

// FuzzFile reads files that are damaged: whatever is in them, there is an error or there are messages.
func FuzzFile(f *testing.F) {
	for _, format := range []Format{FormatHumble, FormatJazzy} {
		file, err := os.ReadFile(filepath.Join(writeBag(f, format), "bag_0.db3"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(file)
		f.Add(file[:len(file)/2])
		for _, at := range []int{18, 28, 100, len(file) / 3, len(file) - 200} {
			damaged := slices.Clone(file)
			for i := range 16 {
				damaged[at+i] ^= 0xa5
			}
			f.Add(damaged)
		}
	}
	f.Add([]byte("SQLite format 3\x00"))
	f.Fuzz(func(t *testing.T, file []byte) {
		name := filepath.Join(t.TempDir(), "x_0.db3")
		if err := os.WriteFile(name, file, 0o644); err != nil {
			t.Fatal(err)
		}
		b, err := Open(name)
		if err != nil {
			return
		}
		index := map[string]int{}
		for i, topic := range b.Topics {
			index[topic.Name] = i
		}
		b.messages(t.Context(), selection{index: index, until: math.MaxInt64}, func(topic int, _ int64, data []byte) error {
			if topic >= len(b.Topics) || len(data) > len(file) {
				t.Errorf("topic %d of %d, %d bytes out of %d", topic, len(b.Topics), len(data), len(file))
			}
			return nil
		})
	})
}

func FuzzMetadata(f *testing.F) {
	for _, version := range []int{5, 9} {
		text, err := sample(version).Text()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := parseMetadata(text)
		if err != nil {
			return
		}
		if _, err := m.Text(); err != nil {
			t.Errorf("what was read cannot be written: %v", err)
		}
	})
}
