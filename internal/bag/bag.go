package bag

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Bag is a bag that is there to be read.
type Bag struct {
	Metadata
	// Path is the directory, or the single file.
	Path string
	// Rebuilt is whether there was no metadata.yaml, so that the description comes from the files.
	Rebuilt bool
	files   []string
}

// Open opens a bag: a directory or one of its files. Where the description is missing or of an
// earlier state, it is made from the files; nothing is written.
func Open(path string) (*Bag, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return rebuild(path, []string{path})
	}
	m, err := readMetadata(path)
	if errors.Is(err, fs.ErrNotExist) {
		files, err := find(path)
		if err != nil {
			return nil, err
		}
		return rebuild(path, files)
	}
	if err != nil {
		return nil, fmt.Errorf("%w; without that file the description is made from the others", err)
	}
	b := &Bag{Metadata: *m, Path: path}
	return b, b.locate()
}

// locate finds the files that the metadata names.
func (b *Bag) locate() error {
	if b.Storage != "sqlite3" {
		return fmt.Errorf("%s: files of storage %q cannot be read, sqlite3 can; \"ros2 bag convert\" makes one of the other", b.Path, b.Storage)
	}
	if b.Compression != "" {
		return fmt.Errorf("%s: is compressed (%s); \"ros2 bag convert\" makes it one that is not", b.Path, b.Compression)
	}
	for _, f := range b.Files {
		name := filepath.Join(b.Path, f.Name)
		if _, err := os.Stat(name); err != nil && b.Version < 4 {
			name = filepath.Join(b.Path, filepath.Base(f.Name)) // the name of the directory stood in front
		}
		b.files = append(b.files, name)
	}
	if len(b.files) == 0 {
		return fmt.Errorf("%s: names no files", filepath.Join(b.Path, MetadataFile))
	}
	return nil
}

// Reindex writes the metadata.yaml of a bag anew from what its files hold.
func Reindex(dir string) (*Bag, error) {
	files, err := find(dir)
	if err != nil {
		return nil, err
	}
	b, err := rebuild(dir, files)
	if err != nil {
		return nil, err
	}
	return b, b.write(dir)
}

var trailingNumber = regexp.MustCompile(`(\d+)\.db3$`)

// find returns the files of a bag in the order in which they were recorded: that of their numbers.
func find(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var files []string
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".db3") {
			files = append(files, filepath.Join(dir, e.Name()))
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s: holds no %s and no .db3 file, so it is no bag", dir, MetadataFile)
	}
	number := func(name string) int {
		if m := trailingNumber.FindStringSubmatch(name); m != nil {
			n, _ := strconv.Atoi(m[1])
			return n
		}
		return 0
	}
	slices.SortStableFunc(files, func(a, b string) int { return number(a) - number(b) })
	return files, nil
}

// rebuild describes a bag by what its files hold.
func rebuild(path string, files []string) (*Bag, error) {
	b := &Bag{Path: path, Rebuilt: true, files: files,
		Metadata: Metadata{Version: FormatJazzy.metadataVersion(), Storage: "sqlite3"}}
	for _, name := range files {
		r, err := openFile(name)
		if err != nil {
			return nil, err
		}
		info, topics, err := r.describe(filepath.Base(name))
		if err == nil {
			b.add(info, topics)
			b.Distro = r.distro()
		}
		if err = errors.Join(err, r.close()); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// Size returns how many bytes the files take.
func (b *Bag) Size() int64 {
	var sum int64
	for _, name := range b.files {
		for _, suffix := range []string{"", "-wal"} {
			if info, err := os.Stat(name + suffix); err == nil {
				sum += info.Size()
			}
		}
	}
	return sum
}

// messages calls f with the messages of the topics that index has, file by file, in the order of
// their times; see fileReader.messages.
func (b *Bag) messages(ctx context.Context, index map[string]int, latched map[string]bool, from int64, f messageFunc) error {
	for _, name := range b.files {
		r, err := openFile(name)
		if err != nil {
			return err
		}
		if err := errors.Join(r.messages(ctx, index, latched, from, f), r.close()); err != nil {
			return err
		}
	}
	return nil
}
