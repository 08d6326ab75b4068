package interop

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/pinion-ros/pinion/cdr"
	"github.com/pinion-ros/pinion/msggen"
)

// BuildFastDDS compiles the peer on Fast DDS for the types, whose definitions loader has to find.
// Because that takes long the result is kept in the user's cache folder, under a hash of all that it
// is made from, and found there the next time.
func BuildFastDDS(loader *msggen.Loader, types []*cdr.Type) (*Program, error) {
	src, err := newSource(loader, types)
	if err != nil {
		return nil, err
	}
	key, err := fastKey(src)
	if err != nil {
		return nil, err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, fmt.Errorf("no folder for compiled peers: %w", err)
	}
	cache = filepath.Join(cache, "pinion", "interop")
	dir := filepath.Join(cache, key)
	program := &Program{filepath.Join(dir, "peer"), []string{"FASTRTPS_DEFAULT_PROFILES_FILE=" + filepath.Join(dir, "fastdds.xml")}}
	if _, err := os.Stat(program.Path); err == nil {
		return program, nil
	}
	if err := os.MkdirAll(cache, 0o777); err != nil {
		return nil, err
	}
	prune(cache)
	temp, err := os.MkdirTemp(cache, "build")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(temp)
	if err := compileFast(temp, src); err != nil {
		return nil, err
	}
	// Where others built the same meanwhile, theirs is as good.
	if err := os.Rename(temp, dir); err != nil && !errors.Is(err, os.ErrExist) {
		return nil, err
	}
	return program, nil
}

// fastFiles are what the peer on Fast DDS consists of besides the types.
var fastFiles = []string{"fastdds.cpp", "fastdds.xml"}

// fastKey returns a hash of sources, compilers and library.
func fastKey(src *source) (string, error) {
	h := sha256.New()
	parts := [][]byte{src.idl, src.list}
	for _, name := range fastFiles {
		text, err := peers.ReadFile("peers/" + name)
		if err != nil {
			return "", err
		}
		parts = append(parts, text)
	}
	// The compiler's version and that of the library are among the macros.
	macros, err := run(".", nil, "g++", "-E", "-dM", "-include", "fastrtps/config.h", "-x", "c++", "-")
	if err != nil {
		return "", err
	}
	generator, err := run(".", nil, "fastddsgen", "-version")
	if err != nil {
		return "", err
	}
	for _, part := range append(parts, macros, generator) {
		fmt.Fprintf(h, "%d\n%s", len(part), part)
	}
	return hex.EncodeToString(h.Sum(nil)[:16]), nil
}

// compileFast builds the program in dir and leaves only what it takes to run it.
func compileFast(dir string, src *source) error {
	if err := src.write(dir, fastFiles...); err != nil {
		return err
	}
	if _, err := run(dir, nil, "fastddsgen", "-cs", "interop.idl"); err != nil {
		return err
	}
	sources := []string{"fastdds.cpp", "interop.cxx", "interopPubSubTypes.cxx"}
	errs := make([]error, len(sources))
	var wait sync.WaitGroup
	for i, name := range sources {
		wait.Go(func() { _, errs[i] = run(dir, nil, "g++", "-std=c++17", "-O0", "-c", name) })
	}
	wait.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	if _, err := run(dir, nil, "g++", "-o", "peer", "fastdds.o", "interop.o", "interopPubSubTypes.o", "-lfastrtps", "-lfastcdr"); err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Name() != "peer" && e.Name() != "fastdds.xml" {
			if err := os.Remove(filepath.Join(dir, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// prune removes programs that were built long ago, and with them the remains of interrupted builds.
// It is no harm if it fails.
func prune(cache string) {
	entries, _ := os.ReadDir(cache)
	for _, e := range entries {
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > 14*24*time.Hour {
			os.RemoveAll(filepath.Join(cache, e.Name()))
		}
	}
}
