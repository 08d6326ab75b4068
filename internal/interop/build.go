package interop

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/pinion-ros/pinion/cdr"
	"github.com/pinion-ros/pinion/internal/peerbuild"
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
	if err := addPeer(src, "cyclone.c"); err != nil {
		return nil, err
	}
	if err := src.Write(dir); err != nil {
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

// addPeer adds files of the folder peers, which are to lie beside what they include.
func addPeer(src peerbuild.Files, names ...string) error {
	folder, err := fs.Sub(peers, "peers")
	if err != nil {
		return err
	}
	return src.Add(folder, names...)
}

// run returns the output of a command.
func run(dir string, stdin []byte, name string, args ...string) ([]byte, error) {
	out, err := peerbuild.Run(context.Background(), dir, stdin, name, args...)
	if err != nil {
		return nil, fmt.Errorf("%w\nmake setup-test installs what peers need", err)
	}
	return out, nil
}
