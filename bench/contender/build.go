package contender

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/pinion-ros/pinion/bench"
	"github.com/pinion-ros/pinion/internal/peerbuild"
	"github.com/pinion-ros/pinion/msggen"
	"github.com/pinion-ros/pinion/msgs"
)

//go:embed peer
var peer embed.FS

// cTypes are the types of the topics of the C contender.
var cTypes = []string{"std_msgs/msg/UInt8MultiArray", "gamepad_msgs/msg/GamepadState", "bench_msgs/msg/KeyedBytes"}

// BuildC compiles the C contender, with types by idlc from the IDL that msggen writes, and returns the
// path of the program. It is kept below the user's cache directory until sources or library change.
// Without the tools the error is a *peerbuild.MissingError.
func BuildC(ctx context.Context) (string, error) {
	if err := peerbuild.Need("apt install gcc pkg-config cyclonedds-dev cyclonedds-tools", "gcc", "idlc", "pkg-config"); err != nil {
		return "", err
	}
	dir, err := buildC(ctx)
	if err != nil {
		return "", fmt.Errorf("build the C contender: %w", err)
	}
	return filepath.Join(dir, "contender"), nil
}

func buildC(ctx context.Context) (string, error) {
	sources, err := cSources()
	if err != nil {
		return "", err
	}
	library, err := peerbuild.Run(ctx, ".", nil, "pkg-config", "--cflags", "--libs", "--modversion", "CycloneDDS")
	if err != nil {
		return "", err
	}
	return sources.Build("c", string(library), func(dir string) error { return compileC(ctx, dir, sources) })
}

func cSources() (peerbuild.Files, error) {
	all := peerbuild.Files{}
	programs, err := fs.Sub(peer, "peer")
	if err != nil {
		return nil, err
	}
	if err := all.Add(programs, "."); err != nil {
		return nil, err
	}
	loader := msggen.NewLoader(msggen.PlaceOf("the standard definitions", msgs.Definitions),
		msggen.PlaceOf("the bench's definitions", bench.Definitions))
	return all, all.AddIDL(loader, cTypes...)
}

func compileC(ctx context.Context, dir string, sources peerbuild.Files) error {
	args := append([]string{"-O2", "-Wall", "-Wextra", "-Werror", "-D_GNU_SOURCE", "-pthread", "-o", "contender"}, sources.Names(".c")...)
	for _, name := range sources.Names(".idl") {
		if _, err := peerbuild.Run(ctx, dir, nil, "idlc", name); err != nil {
			return err
		}
		args = append(args, strings.TrimSuffix(name, ".idl")+".c")
	}
	flags, err := peerbuild.Run(ctx, dir, nil, "pkg-config", "--cflags", "--libs", "CycloneDDS")
	if err != nil {
		return err
	}
	_, err = peerbuild.Run(ctx, dir, nil, "gcc", append(args, strings.Fields(string(flags))...)...)
	return err
}
