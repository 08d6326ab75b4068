package interop

import (
	"embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/pinion-ros/pinion/cdr"
	"github.com/pinion-ros/pinion/msggen"
)

//go:embed peers
var peers embed.FS

// Program is a compiled peer.
type Program struct {
	Path string
	Env  []string // what it needs in its environment
}

// cycloneLoopback keeps Cyclone DDS on the loopback interface. It finds others by index, as
// pubsub.RangeLocalhost does.
const cycloneLoopback = `<Domain Id="any">` +
	`<General><Interfaces><NetworkInterface address="127.0.0.1"/></Interfaces><AllowMulticast>false</AllowMulticast></General>` +
	`<Discovery><ParticipantIndex>auto</ParticipantIndex><MaxAutoParticipantIndex>32</MaxAutoParticipantIndex>` +
	`<Peers><Peer Address="127.0.0.1"/></Peers></Discovery></Domain>`

// BuildCyclone compiles the peer on Cyclone DDS for the types into dir. loader has to find the
// types' definitions; a wstring must not be among what they contain, since idlc has none.
func BuildCyclone(dir string, loader *msggen.Loader, types []*cdr.Type) (*Program, error) {
	src, err := newSource(loader, types)
	if err != nil {
		return nil, err
	}
	if err := src.write(dir, "cyclone.c"); err != nil {
		return nil, err
	}
	if _, err := run(dir, nil, "idlc", "interop.idl"); err != nil {
		return nil, err
	}
	flags, err := run(dir, nil, "pkg-config", "--cflags", "--libs", "CycloneDDS")
	if err != nil {
		return nil, err
	}
	args := []string{"-std=gnu11", "-Wall", "-Wextra", "-Werror", "-o", "peer", "cyclone.c", "interop.c"}
	if _, err := run(dir, nil, "gcc", append(args, strings.Fields(string(flags))...)...); err != nil {
		return nil, err
	}
	return &Program{filepath.Join(dir, "peer"), []string{"CYCLONEDDS_URI=" + cycloneLoopback}}, nil
}

// write puts the files that the compilers read, some of them from folder peers, into dir.
func (s *source) write(dir string, files ...string) error {
	contents := map[string][]byte{"interop.idl": s.idl, "interop.list": s.list}
	for _, name := range files {
		text, err := peers.ReadFile("peers/" + name)
		if err != nil {
			return err
		}
		contents[name] = text
	}
	for name, content := range contents {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// run returns the output of a command.
func run(dir string, stdin []byte, name string, args ...string) ([]byte, error) {
	if _, err := exec.LookPath(name); err != nil {
		return nil, fmt.Errorf("a tool for peers is missing, install it with make setup-test: %w", err)
	}
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Stdin = strings.NewReader(string(stdin))
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w (make setup-test installs what peers need)\n%s%s", cmd, err, out, stderr.String())
	}
	return out, nil
}
