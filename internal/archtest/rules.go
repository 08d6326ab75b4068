package archtest

const module = "github.com/pinion-ros/pinion"

// A rule says what the packages of one part of the module may import besides the standard
// library. Parts and packages are named without the module path; "x/..." means x and all below.
type rule struct {
	part     string
	ours     []string // packages of this module
	external []string // packages of other modules
}

var (
	libraries = []string{"cdr/...", "msgs/...", "msggen/...", "pubsub/...", "executor/..."}

	// The messages that the ROS 2 protocol itself needs.
	protocol = []string{"msgs/rmw_dds_common", "msgs/rcl_interfaces", "msgs/builtin_interfaces"}

	none       []string
	everything = []string{"..."}
	sysAndZap  = []string{"golang.org/x/sys/...", "go.uber.org/zap/..."}
	yamlParser = []string{"go.yaml.in/yaml/..."}
	planAndHDR = join(yamlParser, "github.com/HdrHistogram/hdrhistogram-go")
)

// imports is the dependency rule. The first part that holds a package decides.
var imports = []rule{
	{"cdr", none, none},
	{"cdr/...", join("cdr/..."), none},
	{"msgs/...", join("cdr", "msgs/..."), none},
	{"msggen/...", join("cdr", "msggen/..."), none},

	{"internal/cyclone", none, sysAndZap},
	{"internal/cyclone/timerslack", none, sysAndZap},
	{"pubsub/rosargs", join("pubsub/..."), join(yamlParser, sysAndZap)},
	{"pubsub/pubsubtest", join("pubsub", "internal/cyclone", "internal/leaktest"), none},
	{"pubsub/...", join("pubsub/...", "cdr", "internal/cyclone", protocol), sysAndZap},
	{"executor/...", join("executor/...", "pubsub", "internal/cyclone/timerslack", "msgs/statistics_msgs"), join(sysAndZap, planAndHDR)},

	{"internal/leaktest", none, none},
	{"internal/cli", everything, everything}, // the commands of cmd/pinion
	{"internal/...", join(libraries, "internal/...", "bench/gamepad_msgs", "bench/machine"), everything},
	{"bench/...", join(libraries, "internal/...", "bench/..."), everything},
	{"cmd/...", everything, everything},
}

// cgo lists who may import "C".
var cgo = []string{"internal/cyclone/...", "bench/peers/..."}

// pure lists who must build without cgo, whatever they import.
var pure = []string{"cdr/...", "msgs/...", "msggen/...", "cmd/msggen/..."}

// dds is the package whose entities tests must not leave behind.
const dds = "internal/cyclone"

// topLevel is all that may lie in the root directory.
var topLevel = []string{"msggen", "cdr", "pubsub", "executor", "msgs", "bench", "cmd", "internal", "docs",
	".ci", ".gitignore", "go.mod", "go.sum", "Makefile", "README.md", "LICENSE"}

// join makes one list of strings and lists of them.
func join(parts ...any) []string {
	var all []string
	for _, p := range parts {
		switch p := p.(type) {
		case string:
			all = append(all, p)
		case []string:
			all = append(all, p...)
		}
	}
	return all
}
