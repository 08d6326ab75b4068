package interop

import (
	"embed"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/pinion-ros/pinion/cdr"
	"github.com/pinion-ros/pinion/msggen"
)

//go:embed peers
var programs embed.FS

// BuildCyclone compiles the peer on Cyclone DDS for the types into dir and returns its path. loader
// has to find the types' definitions.
func BuildCyclone(dir string, loader *msggen.Loader, types []*cdr.Type) (string, error) {
	src, err := newSource(loader, types)
	if err != nil {
		return "", fmt.Errorf("build the Cyclone DDS peer: %w", err)
	}
	if err := src.write(dir, "peers/cyclone.c"); err != nil {
		return "", err
	}
	if _, err := run(dir, nil, "idlc", "interop.idl"); err != nil {
		return "", err
	}
	flags, err := run(dir, nil, "pkg-config", "--cflags", "--libs", "CycloneDDS")
	if err != nil {
		return "", err
	}
	args := []string{"-Wall", "-Wextra", "-Werror", "-D_GNU_SOURCE", "-o", "cyclone", "cyclone.c", "interop.c"}
	if _, err := run(dir, nil, "gcc", append(args, strings.Fields(string(flags))...)...); err != nil {
		return "", err
	}
	return filepath.Join(dir, "cyclone"), nil
}

// write puts the files that the compilers read into dir.
func (s *source) write(dir, program string) error {
	text, err := programs.ReadFile(program)
	if err != nil {
		return err
	}
	for name, content := range map[string][]byte{
		"interop.idl": s.idl, "interop.list": s.list, filepath.Base(program): text,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o666); err != nil {
			return err
		}
	}
	return nil
}
