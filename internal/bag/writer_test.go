package bag

import (
	"bytes"
	"context"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// writeMessages writes a bag of one topic with messages of a size, a second apart.
func writeMessages(t testing.TB, c RecordConfig, n, size int) *Bag {
	t.Helper()
	c.Dir = filepath.Join(t.TempDir(), "bag")
	w, err := create(c)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.addTopic(Topic{Name: "/chatter", Type: "std_msgs/msg/String", Encoding: "cdr"}); err != nil {
		t.Fatal(err)
	}
	var b batch
	for i := range n {
		b.add(0, int64(i)*int64(time.Second), message(i, size))
		if i%3 == 2 || i == n-1 { // more than one message, and fewer than fit into a file
			if got, err := w.write(&b); err != nil || got != len(b.entries) {
				t.Fatalf("%d messages of %d written: %v", got, len(b.entries), err)
			}
			b.reset()
		}
	}
	if err := w.close(); err != nil {
		t.Fatal(err)
	}
	bag, err := Open(c.Dir)
	if err != nil {
		t.Fatal(err)
	}
	return bag
}

// message returns bytes that cannot be compressed much.
func message(i, size int) []byte {
	data := []byte{0, 1, 0, 0}
	for x := uint32(i + 1); len(data) < size; {
		x = x*1664525 + 1013904223
		data = append(data, byte(x>>24))
	}
	return data
}

// checkMessages reads all messages of writeMessages.
func checkMessages(t testing.TB, b *Bag, n, size int) {
	t.Helper()
	i := 0
	err := b.messages(context.Background(), selection{index: map[string]int{"/chatter": 0}, until: math.MaxInt64}, func(_ int, at int64, data []byte) error {
		if at != int64(i)*int64(time.Second) || !bytes.Equal(data, message(i, size)) {
			t.Errorf("message %d at %d ns has %d bytes", i, at, len(data))
		}
		i++
		return nil
	})
	if err != nil || i != n {
		t.Errorf("read %d messages of %d: %v", i, n, err)
	}
}

func TestSplit(t *testing.T) {
	for _, c := range []struct {
		name  string
		split Split
		size  int
		want  []uint64 // messages in each file
	}{
		{"not", Split{}, 10, []uint64{20}},
		{"duration", Split{Duration: 5 * time.Second}, 10, []uint64{6, 6, 6, 2}},
		{"each", Split{Duration: 1}, 10, slices.Repeat([]uint64{1}, 20)},
		{"larger than the limit", Split{Size: MinSplitSize}, 2 * MinSplitSize, slices.Repeat([]uint64{1}, 20)},
		{"whichever comes first", Split{Size: 1 << 30, Duration: 9 * time.Second}, 10, []uint64{10, 10}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := writeMessages(t, RecordConfig{Split: c.split}, 20, c.size)
			var got []uint64
			for _, f := range b.Files {
				got = append(got, f.Messages)
			}
			if !slices.Equal(got, c.want) || b.Messages != 20 || b.Duration != 19*time.Second || b.Topics[0].Messages != 20 {
				t.Errorf("files of %v, want %v; %+v", got, c.want, b.Metadata)
			}
			checkMessages(t, b, 20, c.size)
			checkRebuilt(t, b)
		})
	}
}

// checkRebuilt compares the description with the one that is made from the files.
func checkRebuilt(t testing.TB, b *Bag) {
	t.Helper()
	if err := os.Remove(filepath.Join(b.Path, MetadataFile)); err != nil {
		t.Fatal(err)
	}
	again, err := Open(b.Path)
	if err != nil {
		t.Fatal(err)
	}
	b.Rebuilt = true
	if !reflect.DeepEqual(again, b) {
		t.Errorf("from the files\n%+v\nwant\n%+v", again, b)
	}
}

// The limit holds for the files within what a page and the last message add.
func TestSplitSize(t *testing.T) {
	const limit = 1 << 20
	b := writeMessages(t, RecordConfig{Split: Split{Size: limit}}, 100, 100_000)
	if len(b.Files) < 9 || len(b.Files) > 12 {
		t.Errorf("%d files for 10 MB", len(b.Files))
	}
	for i, name := range b.files {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if info.Size() > limit+200_000 || i < len(b.files)-1 && info.Size() < limit-200_000 {
			t.Errorf("%s has %d bytes", name, info.Size())
		}
	}
	checkMessages(t, b, 100, 100_000)
}

func TestCompression(t *testing.T) {
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	for _, mode := range []Mode{FileMode, MessageMode} {
		for _, format := range []Format{FormatHumble, FormatJazzy} {
			b := writeMessages(t, RecordConfig{Mode: mode, Format: format, Split: Split{Duration: 5 * time.Second}}, 20, 1000)
			if b.Mode != mode || b.Compression != Zstd || len(b.Files) != 4 || b.Messages != 20 {
				t.Fatalf("%+v", b.Metadata)
			}
			for _, f := range b.Files {
				if isCompressedFile(f.Name) != (mode == FileMode) {
					t.Errorf("a file is called %s", f.Name)
				}
			}
			checkMessages(t, b, 20, 1000)
			checkRebuilt(t, b)
		}
	}
	if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// The bags in testdata were compressed with libzstd and have a metadata.yaml as rosbag2 writes it: only
// one of two lists of files has the names of the compressed files.
func TestReadCompressed(t *testing.T) {
	for mode, name := range map[Mode]string{FileMode: "compressed_0.db3.zstd", MessageMode: "compressed_0.db3"} {
		b, err := Open(filepath.Join("testdata", "compressed", string(mode)))
		if err != nil {
			t.Fatal(err)
		}
		if b.Mode != mode || b.Files[0].Name != name || b.Files[0].Messages != 5 || b.Version != 5 {
			t.Errorf("%+v", b.Metadata)
		}
		checkMessages(t, b, 5, 300)
	}
}

// A file that is damaged, or a message, is an error that names it.
func TestDamagedCompression(t *testing.T) {
	for _, mode := range []Mode{FileMode, MessageMode} {
		b := writeMessages(t, RecordConfig{Mode: mode}, 3, 1000)
		file, err := os.ReadFile(b.files[0])
		if err != nil {
			t.Fatal(err)
		}
		at := bytes.LastIndex(file, []byte{0x28, 0xb5, 0x2f, 0xfd}) + 20
		file[at] ^= 0xff
		if err := os.WriteFile(b.files[0], file, 0o644); err != nil {
			t.Fatal(err)
		}
		err = b.messages(t.Context(), selection{index: map[string]int{"/chatter": 0}, until: math.MaxInt64}, func(int, int64, []byte) error { return nil })
		if err == nil || !strings.Contains(err.Error(), filepath.Base(b.files[0])) {
			t.Errorf("%s: %v", mode, err)
		}
	}
}

// A file of which a program that was killed left only part of the compressed form is still there itself.
func TestInterruptedCompression(t *testing.T) {
	b := writeMessages(t, RecordConfig{Split: Split{Duration: 5 * time.Second}}, 20, 100)
	if err := os.WriteFile(b.files[1]+"."+Zstd, []byte("half"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := compressFile(b.files[0]); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(b.Path, MetadataFile)); err != nil {
		t.Fatal(err)
	}
	b, err := Open(b.Path)
	if err != nil {
		t.Fatal(err)
	}
	if b.Mode != FileMode || len(b.Files) != 4 || b.Files[0].Name != "bag_0.db3.zstd" || b.Files[1].Name != "bag_1.db3" {
		t.Errorf("%+v", b.Metadata)
	}
	checkMessages(t, b, 20, 100)
	if _, err := Reindex(b.Path); err != nil {
		t.Fatal(err)
	}
	if b, err = Open(b.Path); err != nil {
		t.Fatal(err)
	}
	for i, f := range b.Files {
		if !isCompressedFile(f.Name) || f.Messages != []uint64{6, 6, 6, 2}[i] {
			t.Errorf("after reindex %+v", f)
		}
	}
	checkMessages(t, b, 20, 100)
}
