package contender

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pinion-ros/pinion/bench"
	"github.com/pinion-ros/pinion/msggen"
	"github.com/pinion-ros/pinion/msgs"
)

//go:embed peer
var peer embed.FS

// cTypes are the types of the C contender and what they contain.
var cTypes = []string{
	"std_msgs/msg/MultiArrayDimension", "std_msgs/msg/MultiArrayLayout", "std_msgs/msg/UInt8MultiArray",
	"builtin_interfaces/msg/Time", "gamepad_msgs/msg/GamepadState",
	"bench_msgs/msg/KeyedBytes",
}

// MissingError tells that a contender cannot take part, and what would have to be installed.
type MissingError struct{ What, Install string }

// Error says both.
func (e *MissingError) Error() string { return e.What + " is not installed: " + e.Install }

// BuildC compiles the C contender, with types by idlc from the IDL that msggen writes, and returns the
// path of the program. It is kept below the user's cache directory until sources or compilers change.
// Without the tools the error is a *MissingError.
func BuildC(ctx context.Context) (string, error) {
	for _, tool := range []string{"gcc", "idlc", "pkg-config"} {
		if _, err := exec.LookPath(tool); err != nil {
			return "", &MissingError{tool, "apt install gcc pkg-config cyclonedds-dev cyclonedds-tools"}
		}
	}
	sources, err := cSources()
	if err != nil {
		return "", fmt.Errorf("build the C contender: %w", err)
	}
	flags, err := run(ctx, ".", "pkg-config", "--cflags", "--libs", "--modversion", "CycloneDDS")
	if err != nil {
		return "", fmt.Errorf("build the C contender: %w", err)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	dir := filepath.Join(cache, "pinion-bench", sources.key(flags))
	program := filepath.Join(dir, "contender")
	if _, err := os.Stat(program); err == nil {
		return program, nil
	}
	if err := sources.build(ctx, dir); err != nil {
		return "", fmt.Errorf("build the C contender: %w", err)
	}
	return program, nil
}

// files maps names to contents.
type files map[string][]byte

func cSources() (files, error) {
	all := files{}
	err := fs.WalkDir(peer, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		all[filepath.Base(path)], err = peer.ReadFile(path)
		return err
	})
	if err != nil {
		return nil, err
	}
	loader := msggen.NewLoader(msggen.PlaceOf("the standard definitions", msgs.Definitions),
		msggen.PlaceOf("the bench's definitions", bench.Definitions))
	for _, name := range cTypes {
		typ, err := msggen.ParseTypeName(name)
		if err != nil {
			return nil, err
		}
		def, err := loader.Definition(typ)
		if err != nil {
			return nil, err
		}
		if all[msggen.IDLPath(typ, msggen.FlavourDDS)], err = msggen.IDL(def, msggen.FlavourDDS); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// key names a build of the files with these tools.
func (f files) key(tools string) string {
	sum := sha256.New()
	for _, name := range f.names() {
		fmt.Fprintf(sum, "%s %d\n%s", name, len(f[name]), f[name])
	}
	fmt.Fprint(sum, tools)
	return hex.EncodeToString(sum.Sum(nil)[:8])
}

// build compiles in a directory of its own and moves that to dir, so that dir is whole or not there.
func (f files) build(ctx context.Context, dir string) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o777); err != nil {
		return err
	}
	tmp, err := os.MkdirTemp(filepath.Dir(dir), "build")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	args := []string{"-O2", "-Wall", "-Wextra", "-Werror", "-D_GNU_SOURCE", "-o", "contender"}
	for _, name := range f.names() {
		if err := os.WriteFile(filepath.Join(tmp, name), f[name], 0o666); err != nil {
			return err
		}
	}
	for _, name := range f.names() {
		switch filepath.Ext(name) {
		case ".idl":
			if _, err := run(ctx, tmp, "idlc", name); err != nil {
				return err
			}
			args = append(args, strings.TrimSuffix(name, ".idl")+".c")
		case ".c":
			args = append(args, name)
		}
	}
	flags, err := run(ctx, tmp, "pkg-config", "--cflags", "--libs", "CycloneDDS")
	if err != nil {
		return err
	}
	if _, err := run(ctx, tmp, "gcc", append(append(args, strings.Fields(flags)...), "-pthread")...); err != nil {
		return err
	}
	err = os.Rename(tmp, dir)
	if errors.Is(err, fs.ErrExist) { // somebody else built the same
		return nil
	}
	return err
}

func (f files) names() []string { return slices.Sorted(maps.Keys(f)) }

// run returns the output of a command.
func run(ctx context.Context, dir, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w: %s%s", name, err, out, stderr.String())
	}
	return string(out), nil
}
