package suite

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/pinion-ros/pinion/bench/contender"
)

// Matrix measures messages of each size at each rate, reliable and best effort, as a publication did
// that compared middlewares: what rate is reached, what is lost, and how late messages are.
func Matrix(ctx context.Context, o Options) (*Result, error) {
	roster, err := newRoster(ctx, o.Program, o.Peers)
	if err != nil {
		return nil, err
	}
	s := scenario{name: "matrix", run: oneWay, limited: true, warmup: 200 * time.Millisecond,
		duration: cmp.Or(o.Duration, 2*time.Second), rounds: cmp.Or(o.Rounds, 1)}
	sizes, rates := doubling(1<<10, 16<<20), []float64{10, 21, 46, 100, 215, 463, 1000, 2150, 4630, 10000, 21500}
	reliabilities := []string{"reliable", "best_effort"}
	if o.Quick {
		sizes, rates, reliabilities = []int{1 << 10, 64 << 10, 1 << 20}, []float64{100, 1000, 10000}, reliabilities[:1]
		s.duration, s.limit = cmp.Or(o.Duration, 700*time.Millisecond), 50*time.Second
	}
	if s.contenders, err = roster.choose(o.Contenders, []string{"pinion/critical", "c/listener", "rclcpp/single"}); err != nil {
		return nil, err
	}
	s.count = func(p Params) int { return int(p.Rate * s.duration.Seconds()) }
	for _, reliability := range or(o.Reliabilities, reliabilities) {
		if reliability != "reliable" && reliability != "best_effort" {
			return nil, fmt.Errorf("there is no reliability %q; there are reliable and best_effort", reliability)
		}
		for _, size := range or(o.Sizes, sizes) {
			if err := checkSize(size); err != nil {
				return nil, err
			}
			for _, rate := range or(o.Rates, rates) {
				if rate <= 0 || rate > 1e6 {
					return nil, fmt.Errorf("rate %g: above 0 to 1e6 are possible", rate)
				}
				s.cases = append(s.cases, Params{Topics: 1, Type: contender.Bytes, Size: size, Rate: rate, Variant: "plain", Phase: "spread",
					Reliability: reliability, Depth: 10, Placement: cmp.Or(o.Placement, Split)})
			}
		}
	}
	return s.execute(ctx, o, roster)
}

// stampSize is what a message needs for its number and times.
const stampSize = 24

func checkSize(size int) error {
	if size < stampSize || size > 64<<20 {
		return fmt.Errorf("size %d: %d bytes to 64 MiB are possible", size, stampSize)
	}
	return nil
}

func doubling(from, to int) []int {
	var all []int
	for ; from <= to; from *= 2 {
		all = append(all, from)
	}
	return all
}
