package atomicfile_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/pinion-ros/pinion/internal/atomicfile"
)

func TestCreateAndReplace(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "key.pem")
	check := func(want string) {
		t.Helper()
		got, err := os.ReadFile(name)
		if err != nil || string(got) != want {
			t.Errorf("%q, %v; want %q", got, err, want)
		}
		info, err := os.Stat(name)
		if err != nil || info.Mode() != 0o600 {
			t.Errorf("%v, %v", info.Mode(), err)
		}
		if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
			t.Errorf("%v, %v; want the file alone", entries, err)
		}
	}
	if err := atomicfile.Create(name, []byte("first"), 0o600); err != nil {
		t.Fatal(err)
	}
	check("first")
	if err := atomicfile.Create(name, []byte("second"), 0o600); !errors.Is(err, fs.ErrExist) {
		t.Errorf("created twice: %v", err)
	}
	check("first")
	if err := atomicfile.Replace(name, []byte("second"), 0o600); err != nil {
		t.Fatal(err)
	}
	check("second")
	if err := atomicfile.Replace(filepath.Join(dir, "none", "x"), nil, 0o600); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without a folder: %v", err)
	}
}
