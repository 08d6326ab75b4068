// Package atomicfile writes files that nobody sees in parts: they are on the disk before they have their
// names.
package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Create writes a file, and fails with fs.ErrExist where there is one.
func Create(name string, content []byte, mode fs.FileMode) error {
	return write(name, content, mode, os.Link)
}

// Replace is Create for what may be there already.
func Replace(name string, content []byte, mode fs.FileMode) error {
	return write(name, content, mode, os.Rename)
}

// write has put give the complete file its name. Until then others have no access.
func write(name string, content []byte, mode fs.FileMode, put func(from, to string) error) error {
	f, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(content)
	if err == nil {
		err = f.Chmod(mode)
	}
	if err == nil {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		return err
	}
	if err := put(f.Name(), name); errors.Is(err, fs.ErrExist) {
		return &fs.PathError{Op: "create", Path: name, Err: fs.ErrExist}
	} else if err != nil {
		return err
	}
	return nil
}
