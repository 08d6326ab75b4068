package suite

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/pinion-ros/pinion/bench/contender"
)

// Variants of the multitopic scenario: what differs in the process of the subscriber.
var variants = map[string]struct {
	what string
	set  func(*contender.Config)
}{
	"plain":   {"nothing", func(*contender.Config) {}},
	"large":   {"background messages of 64 KiB", func(*contender.Config) {}}, // see multitopicCases
	"alloc":   {"each background callback allocates 16 KiB", func(c *contender.Config) { c.AllocateBytes = 16 << 10 }},
	"busy":    {"four goroutines compute beside the executor", func(c *contender.Config) { c.BusyThreads = 4 }},
	"garbage": {"a goroutine allocates 200 MB/s", func(c *contender.Config) { c.GarbageMBs = 200 }},
}

func variantNames() []string { return slices.Sorted(maps.Keys(variants)) }

// Multitopic measures a critical topic at 1 kHz beside background topics at 300 Hz.
func Multitopic(ctx context.Context, o Options) (*Result, error) {
	roster, err := newRoster(ctx, o.Program, o.Peers)
	if err != nil {
		return nil, err
	}
	s := scenario{
		name: "multitopic", run: oneWay, warmup: 200 * time.Millisecond,
		duration: cmp.Or(o.Duration, 3*time.Second), rounds: cmp.Or(o.Rounds, 5),
		variant: func(name string, c *contender.Config) { variants[name].set(c) },
		// What happens beside the executor is written in Go, and only there.
		skip: func(c competitor, p Params) bool {
			return p.Variant != "plain" && p.Variant != "large" && c.Name != "pinion"
		},
	}
	topics, work, phases, names := []int{1, 2, 4, 8, 16, 32}, []float64{0, 20, 100}, []string{"spread", "aligned"}, variantNames()
	wanted := []string{"pinion", "c/listener", "c/waitset", "rclcpp", "rclgo"}
	if o.Quick {
		topics, work, phases, names = []int{1, 32}, []float64{20}, []string{"spread"}, []string{"plain"}
		wanted = []string{"pinion/critical", "pinion/shared", "pinion/loop", "c/listener"}
		s.duration, s.rounds, s.limit = cmp.Or(o.Duration, 1100*time.Millisecond), cmp.Or(o.Rounds, 3), 46*time.Second
	}
	if s.contenders, err = roster.choose(o.Contenders, wanted); err != nil {
		return nil, err
	}
	s.count = func(p Params) int { return int(p.Rate * s.duration.Seconds()) }
	s.cases, err = multitopicCases(or(o.Topics, topics), or(o.Work, work), or(o.Phases, phases), or(o.Variants, names), cmp.Or(o.Placement, Same))
	if err != nil {
		return nil, err
	}
	return s.execute(ctx, o, roster)
}

func or[T any](list, otherwise []T) []T {
	if len(list) == 0 {
		return otherwise
	}
	return list
}

// multitopicCases combines what the options allow. The variants other than plain are about background
// topics: they run with the most topics alone.
func multitopicCases(topics []int, work []float64, phases, names []string, placement string) ([]Params, error) {
	base := Params{Type: contender.Bytes, Size: 64, BackgroundSize: 64, Rate: 1000, BackgroundRate: 300,
		Reliability: "reliable", Depth: 10, Placement: placement}
	var cases []Params
	for _, name := range names {
		if _, ok := variants[name]; !ok {
			return nil, fmt.Errorf("there is no variant %q; there are %s", name, strings.Join(variantNames(), ", "))
		}
		for _, phase := range phases {
			if phase != "spread" && phase != "aligned" {
				return nil, fmt.Errorf("there is no phase %q; there are spread and aligned", phase)
			}
			for _, w := range work {
				for _, n := range topics {
					if n < 1 || n > 1000 {
						return nil, fmt.Errorf("%d topics: 1 to 1000 are possible", n)
					}
					p := base
					p.Variant, p.Phase, p.Work, p.Topics = name, phase, w, n
					if name == "large" {
						p.BackgroundSize = 64 << 10
					}
					if name == "plain" || n == slices.Max(topics) && w == work[len(work)/2] && phase == phases[0] {
						cases = append(cases, p)
					}
				}
			}
		}
	}
	return cases, nil
}
