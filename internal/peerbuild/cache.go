package peerbuild

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// Build returns a folder with the files and what build has made of them there, now or earlier. tools
// are those that it is made with: their versions, settings, libraries. The folder was another one
// when it was built. Its name begins with kind.
func (f Files) Build(kind, tools string, build func(dir string) error) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no folder to keep %s in: %w", kind, err)
	}
	cache = filepath.Join(cache, "pinion", "peers")
	dir := filepath.Join(cache, kind+"-"+f.sum(tools))
	now := time.Now()
	if os.Chtimes(dir, now, now) == nil { // what is in use stays
		return dir, nil
	}
	if err := os.MkdirAll(cache, 0o777); err != nil {
		return "", err
	}
	prune(cache)
	temp, err := os.MkdirTemp(cache, "build")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(temp)
	if err := f.Write(temp); err != nil {
		return "", err
	}
	if err := build(temp); err != nil {
		return "", err
	}
	// Where others built the same meanwhile, theirs is as good.
	if err := os.Rename(temp, dir); err != nil && !errors.Is(err, os.ErrExist) {
		return "", err
	}
	return dir, nil
}

// sum stands for all that a build depends on.
func (f Files) sum(tools string) string {
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(f)) {
		fmt.Fprintf(h, "%s %d\n%s", name, len(f[name]), f[name])
	}
	fmt.Fprint(h, tools)
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// prune removes what nobody has used for long, and with it the remains of interrupted builds. It is
// no harm if it fails.
func prune(cache string) {
	entries, _ := os.ReadDir(cache)
	for _, e := range entries {
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > 14*24*time.Hour {
			os.RemoveAll(filepath.Join(cache, e.Name()))
		}
	}
}
