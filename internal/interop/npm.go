package interop

import (
	"encoding/json"
	"fmt"
	"io/fs"

	"github.com/pinion-ros/pinion/internal/peerbuild"
)

// NPM is the peer on the npm packages that read and write ROS 2 messages in browsers. It takes no part
// in DDS: messages go in and out as the bytes that travel there.
type NPM struct{ dir string }

// Conversion is what NPM is asked to do for a message type.
type Conversion struct {
	Format   string     `json:"format"` // of Text: "ros2msg" or "ros2idl"
	Text     string     `json:"text"`   // definitions of the type and of all that it contains
	Payloads [][]byte   `json:"payloads"`
	Fields   [][]string `json:"fields"` // the texts of Fields
}

// Converted is what NPM has made of a Conversion.
type Converted struct {
	Read    []Outcome[[]string] // the payloads
	Written []Outcome[[]byte]   // the fields
	Error   string              // why it takes no such definition
}

// Outcome is a value, or the error with which a package failed to make it.
type Outcome[T any] struct {
	Value T
	Error string
}

// InstallNPM installs the peer into the user's cache folder, or finds it there. The first time it
// needs the npm registry.
func InstallNPM() (*NPM, error) {
	folder, err := fs.Sub(peers, "peers/npm")
	if err != nil {
		return nil, err
	}
	files := peerbuild.Files{}
	if err := files.Add(folder, "."); err != nil {
		return nil, err
	}
	dir, err := files.Build("npm", "", func(dir string) error {
		_, err := run(dir, nil, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
		return err
	})
	if err != nil {
		return nil, err
	}
	return &NPM{dir}, nil
}

// Convert has the peer do the conversions.
func (p *NPM) Convert(jobs []Conversion) ([]Converted, error) {
	in, err := json.Marshal(jobs)
	if err != nil {
		return nil, err
	}
	out, err := run(p.dir, in, "node", "peer.js")
	if err != nil {
		return nil, err
	}
	var done []Converted
	if err := json.Unmarshal(out, &done); err != nil {
		return nil, fmt.Errorf("the peer printed %.80q: %w", out, err)
	}
	if len(done) != len(jobs) {
		return nil, fmt.Errorf("the peer did %d conversions of %d", len(done), len(jobs))
	}
	return done, nil
}
