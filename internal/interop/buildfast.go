package interop

import (
	"errors"
	"os"
	"path/filepath"
	"sync"

	"github.com/pinion-ros/pinion/cdr"
	"github.com/pinion-ros/pinion/msggen"
)

// BuildFastDDS compiles the peer on Fast DDS for the types, whose definitions loader has to find.
// Because that takes long the result is kept in the user's cache folder and found there the next time.
func BuildFastDDS(loader *msggen.Loader, types []*cdr.Type) (*Program, error) {
	src, err := newSource(loader, types)
	if err != nil {
		return nil, err
	}
	if err := addPeer(src, "fastdds.cpp", "fastdds.xml"); err != nil {
		return nil, err
	}
	// The compiler's version and that of the library are among the macros.
	macros, err := run(".", nil, "g++", "-E", "-dM", "-include", "fastrtps/config.h", "-x", "c++", "-")
	if err != nil {
		return nil, err
	}
	generator, err := run(".", nil, "fastddsgen", "-version")
	if err != nil {
		return nil, err
	}
	dir, err := src.Build("fastdds", string(macros)+string(generator), compileFast)
	if err != nil {
		return nil, err
	}
	return &Program{filepath.Join(dir, "peer"), []string{"FASTRTPS_DEFAULT_PROFILES_FILE=" + filepath.Join(dir, "fastdds.xml")}}, nil
}

// compileFast builds the program in dir and leaves only what it takes to run it.
func compileFast(dir string) error {
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
