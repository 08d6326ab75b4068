package security

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// createFile writes a file that nobody sees in parts, and fails with fs.ErrExist where there is one.
func createFile(name string, content []byte) error { return writeFile(name, content, 0o644, os.Link) }

// createSecret is createFile for what only the owner may read.
func createSecret(name string, content []byte) error { return writeFile(name, content, 0o600, os.Link) }

// replaceFile is createFile for what may be there already.
func replaceFile(name string, content []byte) error {
	return writeFile(name, content, 0o644, os.Rename)
}

// writeFile has put give the complete file its name. Until then others have no access.
func writeFile(name string, content []byte, mode os.FileMode, put func(from, to string) error) error {
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
