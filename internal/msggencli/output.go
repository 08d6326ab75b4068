package msggencli

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
)

// outFile is a file to write.
type outFile struct {
	path string
	data []byte
}

// writeFiles writes all files whose content changes. Each appears at once in full, and none does
// where one of them cannot be written.
func writeFiles(files []outFile) (err error) {
	type move struct{ from, to string }
	var moves []move
	defer func() {
		for _, m := range moves { // what was moved is not there any more
			os.Remove(m.from)
		}
	}()
	for _, f := range files {
		old, err := os.ReadFile(f.path)
		if err == nil && bytes.Equal(old, f.data) {
			continue
		}
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		temp, err := writeTemp(f)
		if err != nil {
			return err
		}
		moves = append(moves, move{temp, f.path})
	}
	for _, m := range moves {
		if err := os.Rename(m.from, m.to); err != nil {
			return err
		}
	}
	return nil
}

// writeTemp writes the file under another name in its folder.
func writeTemp(f outFile) (string, error) {
	if err := os.MkdirAll(filepath.Dir(f.path), 0o777); err != nil {
		return "", err
	}
	// The dot keeps Go from seeing the file.
	temp, err := os.CreateTemp(filepath.Dir(f.path), "."+filepath.Base(f.path)+".*")
	if err != nil {
		return "", err
	}
	_, err = temp.Write(f.data)
	err = errors.Join(err, temp.Chmod(0o644), temp.Close())
	if err != nil {
		os.Remove(temp.Name())
		return "", err
	}
	return temp.Name(), nil
}
