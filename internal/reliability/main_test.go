//go:build long

package reliability

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/pinion-ros/pinion/pubsub/pubsubtest"
)

var (
	full = flag.Bool("full", false, "run at the size that docs/reliability.md reports")
	keep = flag.String("keep", "", "`file` in which figures replace those of earlier runs")
)

// roles are what a worker can be.
var roles = map[string]func(*console) error{
	"echo":         echo,
	"publisher":    publishStream,
	"subscriber":   subscribeStream,
	"relay":        relayLane,
	"victim":       victim,
	"mallory":      mallory,
	"impostor":     impostor,
	"friend":       friend,
	"talk":         talk,
	"hearken":      hearken,
	"exhaust":      exhaust,
	"timers":       keepTime,
	"own clock":    keepOwnTime,
	"hoard":        hoard,
	"receive load": receiveLoad,
	"send load":    sendLoad,
	"gather":       gather,
}

func TestMain(m *testing.M) {
	if name := os.Getenv(roleVariable); name != "" {
		os.Exit(work(name))
	}
	flag.Parse()
	if *keep != "" && !*full {
		fmt.Fprintln(os.Stderr, "-keep needs -full: only figures of whole runs are kept")
		os.Exit(2)
	}
	code := pubsubtest.Run(m)
	if err := kept.write(os.Stdout, *keep); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}
