package link

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A key is a setting in text.
type key struct {
	name  string
	want  string
	parse func(*Settings, string) error
	text  func(Settings) string // "" for the default
}

// keys are in the order in which String writes them.
var keys = []key{
	share("loss", func(s *Settings) *float64 { return &s.Loss }),
	share("dup", func(s *Settings) *float64 { return &s.Duplicate }),
	share("reorder", func(s *Settings) *float64 { return &s.Reorder }),
	span("gap", func(s *Settings) *time.Duration { return &s.Gap }),
	span("delay", func(s *Settings) *time.Duration { return &s.Delay }),
	span("jitter", func(s *Settings) *time.Duration { return &s.Jitter }),
	{"rate", "bits per second with a unit, such as 500kbit, 1.5mbit or 1gbit",
		func(s *Settings, text string) (err error) { s.Rate, err = parseRate(text); return err },
		func(s Settings) string { return unlessZero(s.Rate, bits) }},
	number("queue", "a number of bytes", func(s *Settings) *int { return &s.Queue }),
	number("mtu", "a number of bytes", func(s *Settings) *int { return &s.MTU }),
	{"seed", "a number from 1",
		func(s *Settings, text string) (err error) {
			if s.Seed, err = strconv.ParseUint(text, 10, 64); err == nil && s.Seed == 0 {
				err = strconv.ErrRange
			}
			return err
		},
		func(s Settings) string {
			return unlessZero(s.Seed, func(n uint64) string { return strconv.FormatUint(n, 10) })
		}},
}

// Parse reads settings such as "loss=1%,delay=50ms,jitter=10ms,rate=1mbit,seed=1". The keys, each at most
// once, are those of Names; "" is a cable without faults.
func Parse(text string) (Settings, error) {
	s, err := parse(text)
	if err == nil {
		err = s.Validate()
	}
	if err != nil {
		return Settings{}, fmt.Errorf("link %q: %w", text, err)
	}
	return s, nil
}

func parse(text string) (s Settings, err error) {
	if text == "" {
		return s, nil
	}
	seen := map[string]bool{}
	for part := range strings.SplitSeq(text, ",") {
		name, value, ok := strings.Cut(part, "=")
		if !ok {
			return s, fmt.Errorf("%q is not of the form KEY=VALUE", part)
		}
		i := slices.IndexFunc(keys, func(k key) bool { return k.name == name })
		if i < 0 {
			return s, fmt.Errorf("there is no key %q; there are %s", name, strings.Join(Names(), ", "))
		}
		if seen[name] {
			return s, fmt.Errorf("%s is set twice", name)
		}
		seen[name] = true
		if keys[i].parse(&s, value) != nil {
			return s, fmt.Errorf("%s is %q, want %s", name, value, keys[i].want)
		}
	}
	return s, nil
}

// Names returns the keys that Parse knows.
func Names() []string {
	names := make([]string, len(keys))
	for i, k := range keys {
		names[i] = k.name
	}
	return names
}

// String returns the settings as Parse reads them.
func (s Settings) String() string {
	var parts []string
	for _, k := range keys {
		if text := k.text(s); text != "" {
			parts = append(parts, k.name+"="+text)
		}
	}
	return strings.Join(parts, ",")
}

// Set is Parse into s, for flags.
func (s *Settings) Set(text string) (err error) {
	*s, err = Parse(text)
	return err
}

// Type is for flags.
func (s *Settings) Type() string { return "link" }

func share(name string, field func(*Settings) *float64) key {
	return key{name, "a share such as 0.5%", func(s *Settings, text string) error {
		number, ok := strings.CutSuffix(text, "%")
		if !ok {
			return strconv.ErrSyntax
		}
		value, err := strconv.ParseFloat(number, 64)
		*field(s) = value / 100
		return err
	}, func(s Settings) string { return unlessZero(*field(&s), percent) }}
}

func span(name string, field func(*Settings) *time.Duration) key {
	return key{name, "a duration such as 50ms", func(s *Settings, text string) (err error) {
		*field(s), err = time.ParseDuration(text)
		return err
	}, func(s Settings) string { return unlessZero(*field(&s), time.Duration.String) }}
}

func number(name, want string, field func(*Settings) *int) key {
	return key{name, want, func(s *Settings, text string) (err error) {
		*field(s), err = strconv.Atoi(text)
		return err
	}, func(s Settings) string { return unlessZero(*field(&s), strconv.Itoa) }}
}

func unlessZero[T comparable](v T, text func(T) string) string {
	if v == *new(T) {
		return ""
	}
	return text(v)
}

// units are those of rates, the smaller ones last because "kbit" ends in "bit".
var units = []struct {
	name  string
	worth float64
}{{"gbit", 1e9}, {"mbit", 1e6}, {"kbit", 1e3}, {"bit", 1}}

func parseRate(text string) (uint64, error) {
	for _, u := range units {
		number, ok := strings.CutSuffix(text, u.name)
		if !ok {
			continue
		}
		value, err := strconv.ParseFloat(number, 64)
		if err != nil {
			return 0, err
		}
		if value *= u.worth; !(value >= 1 && value <= MaxRate) {
			return 0, strconv.ErrRange
		}
		return uint64(value + 0.5), nil
	}
	return 0, strconv.ErrSyntax
}

func bits(rate uint64) string {
	for _, u := range units {
		if value := float64(rate) / u.worth; value >= 1 {
			return strconv.FormatFloat(value, 'f', -1, 64) + u.name
		}
	}
	return "0bit"
}

func percent(share float64) string {
	return strconv.FormatFloat(share*100, 'g', 15, 64) + "%" // not all digits, of which the last come from * 100
}
