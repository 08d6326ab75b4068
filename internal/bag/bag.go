package bag

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/klauspost/compress/zstd"
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
		if filepath.Ext(path) == mcapExtension {
			return nil, storageError(path, "mcap")
		}
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
		return storageError(b.Path, b.Storage)
	}
	if b.Mode != Uncompressed && b.Compression != Zstd {
		return fmt.Errorf("%s: is compressed as %q, zstd can be read; \"ros2 bag convert\" makes it one that is not compressed", b.Path, b.Compression)
	}
	for _, f := range b.Files {
		name := filepath.Join(b.Path, f.Name)
		if _, err := os.Stat(name); err != nil && b.Version <= 4 {
			// The name of the directory stood in front, for compressed bags in version 4, too.
			name = filepath.Join(b.Path, filepath.Base(f.Name))
		}
		b.files = append(b.files, name)
	}
	if len(b.files) == 0 {
		return fmt.Errorf("%s: names no files", filepath.Join(b.Path, MetadataFile))
	}
	return nil
}

// mcapExtension is what names of MCAP files end in.
const mcapExtension = ".mcap"

func storageError(path, storage string) error {
	return fmt.Errorf("%s: files of storage %q cannot be read, sqlite3 can; \"ros2 bag convert\" makes one of the other", path, storage)
}

// Reindex writes the metadata.yaml of a bag anew from what its files hold. Files that a killed program
// left behind become ones that can be read where nothing can be written, and where others are
// compressed they are, too: rosbag2 wants all of a bag or none.
func Reindex(dir string) (*Bag, error) {
	files, err := find(dir)
	if err != nil {
		return nil, err
	}
	for _, name := range files {
		if _, err := os.Stat(name + walSuffix); err != nil {
			continue
		}
		if err := settle(name); err != nil {
			return nil, err
		}
	}
	b, err := rebuild(dir, files)
	if err != nil {
		return nil, err
	}
	if b.Mode == FileMode {
		err = b.compressRest()
	}
	if err = errors.Join(err, b.write(dir)); err != nil {
		return nil, err
	}
	b.Rebuilt = false
	return b, nil
}

// compressRest compresses the files that are not.
func (b *Bag) compressRest() error {
	for i, name := range b.files {
		if isCompressedFile(name) {
			continue
		}
		if err := os.Remove(name + "." + Zstd); err != nil && !errors.Is(err, fs.ErrNotExist) { // an attempt
			return err
		}
		compressed, err := compressFile(name)
		if err != nil {
			return err
		}
		b.files[i], b.Files[i].Name = compressed, filepath.Base(compressed)
	}
	return nil
}

var trailingNumber = regexp.MustCompile(`(\d+)\.db3(\.zstd)?$`)

// find returns the files of a bag in the order in which they were recorded: that of their numbers.
func find(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var files []string
	for _, e := range entries { // sorted
		name := filepath.Join(dir, e.Name())
		original := strings.TrimSuffix(name, "."+Zstd)
		switch {
		case filepath.Ext(name) == mcapExtension:
			return nil, storageError(dir, "mcap")
		case filepath.Ext(original) != ".db3" || slices.Contains(files, original): // its compression did not end
		default:
			files = append(files, name)
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
		Metadata: Metadata{Storage: "sqlite3"}}
	for _, name := range files {
		r, err := openFile(context.Background(), name)
		if err != nil {
			return nil, err
		}
		err = b.describe(r, filepath.Base(name))
		if err = errors.Join(err, r.close()); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// describe adds what a file holds.
func (b *Bag) describe(r *fileReader, name string) error {
	info, topics, err := r.describe(name)
	if err != nil {
		return err
	}
	b.add(info, topics)
	b.Distro, b.Version = r.distro(), r.format().metadataVersion()
	switch {
	case isCompressedFile(name):
		b.Mode, b.Compression = FileMode, Zstd
	case b.Mode == Uncompressed && r.holdsCompressed():
		b.Mode, b.Compression = MessageMode, Zstd
	}
	return nil
}

// Size returns how many bytes the files take.
func (b *Bag) Size() int64 {
	var sum int64
	for _, name := range b.files {
		for _, suffix := range []string{"", walSuffix} {
			if info, err := os.Stat(name + suffix); err == nil {
				sum += info.Size()
			}
		}
	}
	return sum
}

// messages calls f with the messages that are selected, file by file, in the order of their times. A
// compressed file is decompressed while the one before it is read.
func (b *Bag) messages(ctx context.Context, s selection, f messageFunc) error {
	if b.Mode == MessageMode {
		var err error
		if f, err = decompressing(f); err != nil {
			return err
		}
	}
	for r, err := range b.readers(ctx) {
		if err != nil {
			return err
		}
		if err := errors.Join(r.messages(ctx, s, f), r.close()); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// readers opens the files one after the other, each while the one before it is used. Whoever gets a
// reader closes it.
func (b *Bag) readers(ctx context.Context) iter.Seq2[*fileReader, error] {
	type opened struct {
		r   *fileReader
		err error
	}
	return func(yield func(*fileReader, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		ready := make(chan opened)
		go func() {
			defer close(ready)
			for _, name := range b.files {
				r, err := openFile(ctx, name)
				select {
				case ready <- opened{r, err}:
				case <-ctx.Done():
					if err == nil {
						r.close()
					}
					return
				}
			}
		}()
		defer func() {
			cancel()
			for o := range ready {
				if o.err == nil {
					o.r.close()
				}
			}
		}()
		for o := range ready {
			if !yield(o.r, o.err) {
				return
			}
		}
	}
}

// decompressing returns a function that hands decompressed messages to f.
func decompressing(f messageFunc) (messageFunc, error) {
	d, err := newDecoder(nil, zstd.WithDecoderMaxMemory(maxMessage))
	if err != nil {
		return nil, err
	}
	var buffer []byte
	return func(topic int, time int64, data []byte) error {
		if buffer, err = d.DecodeAll(data, buffer[:0]); err != nil {
			return fmt.Errorf("message at %d ns: %w", time, err)
		}
		return f(topic, time, buffer)
	}, nil
}
