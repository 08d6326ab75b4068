package measure

import (
	"math/rand/v2"
	"slices"
)

// Ratio is the median, least and greatest of a ratio over rounds.
type Ratio struct {
	Median float64 `json:"median"`
	Min    float64 `json:"min"`
	Max    float64 `json:"max"`
}

// Ratios forms the ratio a/b of each round that has both and returns nil if none has.
func Ratios(a, b map[int]float64) *Ratio {
	var all []float64
	for round, x := range a {
		if y, ok := b[round]; ok && y > 0 {
			all = append(all, x/y)
		}
	}
	if len(all) == 0 {
		return nil
	}
	return &Ratio{Median: Median(all), Min: slices.Min(all), Max: slices.Max(all)}
}

// Median returns the middle of values, which must not be empty.
func Median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// Orders returns the order of n contenders for each round: all orders begin with another contender as
// long as there are enough, and each contender follows varying others. seed makes it repeatable.
func Orders(n, rounds int, seed uint64) [][]int {
	random := rand.New(rand.NewPCG(seed, 0))
	starts := random.Perm(n)
	orders := make([][]int, rounds)
	for r := range orders {
		order := random.Perm(n)
		if n > 0 {
			first := slices.Index(order, starts[r%n])
			order[0], order[first] = order[first], order[0]
		}
		orders[r] = order
	}
	return orders
}
