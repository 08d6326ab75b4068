package cli

import (
	"errors"
	"math"
	"strconv"
	"time"
)

// seconds is a flag's value: a number of seconds, as the tools of ROS 2 take it, or a duration of Go.
type seconds time.Duration

func (s *seconds) String() string {
	return strconv.FormatFloat(time.Duration(*s).Seconds(), 'f', -1, 64)
}

func (s *seconds) Set(text string) error {
	d, err := time.ParseDuration(text)
	if err != nil {
		n, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(n) || math.Abs(n) > 1e9 {
			return errors.New("a number of seconds or a duration like 500ms is wanted")
		}
		d = time.Duration(n * float64(time.Second))
	}
	if d < 0 {
		return errors.New("it must not be negative")
	}
	*s = seconds(d)
	return nil
}

func (s *seconds) Type() string { return "seconds" }

func (s seconds) duration() time.Duration { return time.Duration(s) }
