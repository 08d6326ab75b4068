package doctest

import (
	"slices"
	"strings"
	"testing"

	"github.com/pinion-ros/pinion/executor"
	"github.com/pinion-ros/pinion/msggen"
	"github.com/pinion-ros/pinion/msgs"
)

// checkPlan reads a plan. Whether its deadlines hold is for the document to show.
func checkPlan(t *testing.T, d *document, b block) {
	if _, err := executor.ParsePlan(b.document, []byte(b.text)); err != nil {
		t.Errorf("%s: %v", b.place(), err)
	}
}

// checkDefinition compiles a definition whose path, arm_msgs/msg/Grip.msg, is the name of its file.
func checkDefinition(t *testing.T, d *document, b block) {
	loader := msggen.NewLoader(msggen.PlaceOf("standard definitions", msgs.Definitions))
	pkg, _, _ := strings.Cut(b.file(), "/")
	if loader.Add(b.file(), []byte(b.text), pkg) == nil || loader.Check() != nil {
		t.Errorf("%s: %v", b.place(), loader.Check())
	}
}

// directives are those of systemd.unit(5), systemd.service(5) and systemd.exec(5) that the documents
// may use, by their sections.
var directives = map[string][]string{
	"[Unit]": {"Description", "After", "Wants"},
	"[Service]": {"User", "WorkingDirectory", "ExecStart", "Environment", "Restart", "RestartSec", "AmbientCapabilities", "CapabilityBoundingSet",
		"LimitMEMLOCK", "LimitRTPRIO", "NoNewPrivileges", "CPUAffinity", "KillMode", "OOMScoreAdjust"},
	"[Install]": {"WantedBy"},
}

func checkUnit(t *testing.T, d *document, b block) {
	section := ""
	for line := range strings.Lines(b.text) {
		line = strings.TrimSpace(line)
		key, _, assignment := strings.Cut(line, "=")
		switch {
		case line == "" || line[0] == '#':
		case directives[line] != nil:
			section = line
		case !assignment || !slices.Contains(directives[section], key):
			t.Errorf("%s: %q is not known in section %s", b.place(), line, section)
		}
	}
}
