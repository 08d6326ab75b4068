package msggen

import (
	"fmt"
	"io/fs"
	"os"
)

// maxSource is far more than any definition or manifest has, and little enough to read at once.
const maxSource = 4 << 20

// ReadFile reads an interface file. It fails on what is none for sure, and might have no end or never
// begin: devices, pipes and files of more than 4 MiB.
func ReadFile(path string) ([]byte, error) { return readSource(path, path, os.Stat, os.ReadFile) }

// readIn is ReadFile for a file of files. Display is its name for messages.
func readIn(files fs.FS, name, display string) ([]byte, error) {
	return readSource(name, display,
		func(name string) (fs.FileInfo, error) { return fs.Stat(files, name) },
		func(name string) ([]byte, error) { return fs.ReadFile(files, name) })
}

func readSource(name, display string, stat func(string) (fs.FileInfo, error), read func(string) ([]byte, error)) ([]byte, error) {
	info, err := stat(name)
	switch {
	case err != nil:
		return read(name) // which fails with words that people know better
	case info.IsDir():
		return nil, fmt.Errorf("%s is a folder where a file is wanted", display)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is no regular file", display)
	case info.Size() > maxSource:
		return nil, fmt.Errorf("%s has %d bytes, more than any definition; the limit is %d", display, info.Size(), maxSource)
	}
	return read(name)
}
