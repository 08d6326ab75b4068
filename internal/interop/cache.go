package interop

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// cached returns a folder in the user's cache folder that build has filled, now or earlier. identity
// is all that the content depends on.
func cached(identity [][]byte, build func(dir string) error) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no folder for peers: %w", err)
	}
	cache = filepath.Join(cache, "pinion", "interop")
	h := sha256.New()
	for _, part := range identity {
		fmt.Fprintf(h, "%d\n%s", len(part), part)
	}
	dir := filepath.Join(cache, hex.EncodeToString(h.Sum(nil)[:16]))
	if _, err := os.Stat(dir); err == nil {
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
	if err := build(temp); err != nil {
		return "", err
	}
	// Where others built the same meanwhile, theirs is as good.
	if err := os.Rename(temp, dir); err != nil && !errors.Is(err, os.ErrExist) {
		return "", err
	}
	return dir, nil
}

// prune removes what was built long ago, and with it the remains of interrupted builds. It is no harm
// if it fails.
func prune(cache string) {
	entries, _ := os.ReadDir(cache)
	for _, e := range entries {
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > 14*24*time.Hour {
			os.RemoveAll(filepath.Join(cache, e.Name()))
		}
	}
}
