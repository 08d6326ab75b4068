package doctor

import (
	"fmt"
	"strings"
)

// size prints a number of bytes in the largest unit that it has one of: "208 KiB", "1.5 MiB".
func size(n int64) string {
	units := [...]string{"GiB", "MiB", "KiB"}
	for i, unit := range units {
		if one := int64(1) << (10 * (len(units) - i)); n >= one {
			return strings.TrimSuffix(fmt.Sprintf("%.1f", float64(n)/float64(one)), ".0") + " " + unit
		}
	}
	return fmt.Sprintf("%d bytes", n)
}
