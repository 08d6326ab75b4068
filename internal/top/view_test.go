package top

import (
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// styles are what a terminal does not show.
var styles = regexp.MustCompile("\x1b\\[[0-9]*m")

func shown(v *view) []string {
	return strings.Split(styles.ReplaceAllString(strings.Join(v.render(), "\n"), ""), "\n")
}

func someTopics() *Frame {
	return &Frame{Domain: 7, Topics: []Topic{
		{Name: "/a", Type: "a_msgs/msg/A", Rate: 10, Bandwidth: 1e6, Publishers: 1, Lost: 3, trend: []float64{1, 2, 10}, Latency: &Latency{time.Millisecond, 2 * time.Second}},
		{Name: "/b", Rate: 1000, Warnings: []string{"QoS: do not fit"}},
		{Name: "/a/name/that/is/much/too/long/for/its/column", Rate: 0.5, Latency: &Latency{-20 * time.Microsecond, 50 * time.Microsecond}},
	}}
}

func TestScreen(t *testing.T) {
	v := newView(80, 24, true)
	v.update(someTopics())
	lines := shown(v)
	if len(lines) != 24 {
		t.Fatalf("%d lines", len(lines))
	}
	for i, want := range []string{
		"pinion top  domain 7  3 topics  1010 msg/s  1.00M B/s  1 with warnings",
		"TOPIC▾                            HZ    B/s     P50     P99   LOST TREND       !",
		"/a                              10.0  1.00M  1.00ms   2.00s      3        ▂▂█",
		"…uch/too/long/for/its/column    0.50      0 -20.0µs  50.0µs      0",
		"/b                              1000      0       -       -      0             1",
	} {
		if got := strings.TrimRight(lines[i], " "); got != want {
			t.Errorf("line %d:\n%s\n%s", i, got, want)
		}
	}
	if got := lines[22]; got != "a_msgs/msg/A  1 pub, 0 sub" {
		t.Errorf("detail: %q", got)
	}
	if !strings.Contains(v.render()[4], warned) {
		t.Error("a topic with a warning is not marked")
	}
}

func TestSizes(t *testing.T) {
	for width := range 130 {
		for height := range 12 {
			for _, keys := range []string{"", "l", "?"} {
				v := newView(width, height, true)
				v.update(someTopics())
				for _, k := range parseKeys([]byte(keys + "G")) {
					v.press(k)
				}
				lines := v.render()
				if len(lines) != height {
					t.Fatalf("%d×%d: %d lines", width, height, len(lines))
				}
				for _, l := range lines {
					if n := utf8.RuneCountInString(styles.ReplaceAllString(l, "")); n > width {
						t.Errorf("%d×%d: a line of %d: %q", width, height, n, l)
					}
				}
			}
		}
	}
}

// order returns the names of the visible topics.
func order(v *view) string {
	var names []string
	rows, _ := v.topics.visible(v.page())
	for _, r := range rows {
		names = append(names, r.Name[:2])
	}
	return strings.Join(names, " ")
}

func TestKeys(t *testing.T) {
	v := newView(80, 24, false)
	f := someTopics()
	f.Topics[2].Name = "/c"
	v.update(f)
	for _, step := range []struct {
		keys     string
		order    string
		selected string
	}{
		{"", "/a /b /c", "/a"},
		{"r", "/c /b /a", "/c"}, // nothing was selected, so the first is
		{"r\x1b[B", "/a /b /c", "/b"},
		{"s", "/b /a /c", "/b"},       // by rate
		{"s", "/a /b /c", "/b"},       // by bandwidth
		{"s", "/a /c /b", "/b"},       // by p50, unknown ones last
		{"j", "/a /c /b", "/b"},       // at the end
		{"k\x1bOA", "/a /c /b", "/a"}, //
		{"\x1b[6~", "/a /c /b", "/b"}, //
		{"g", "/a /c /b", "/a"},       //
		{"SSS", "/a /b /c", "/a"},     //
		{"\x1b[1;5A\x1b\x00", "/a /b /c", "/a"},
	} {
		for _, k := range parseKeys([]byte(step.keys)) {
			if v.press(k) {
				t.Fatalf("%q ends", step.keys)
			}
		}
		if got := order(v); got != step.order || v.topics.current().Name != step.selected {
			t.Errorf("%q: %s, %s selected, want %s, %s", step.keys, got, v.topics.current().Name, step.order, step.selected)
		}
	}
	v.press(' ')
	v.update(&Frame{})
	if order(v) == "" || !strings.Contains(v.summary(), "PAUSED") {
		t.Error("a paused view changes")
	}
	v.press(' ')
	v.update(&Frame{})
	if order(v) != "" || v.topicDetail() != "domain 0 has no topics" {
		t.Error("a view stays paused")
	}
	v.press('?')
	if v.press('q') || v.help {
		t.Error("q does not close the help, or ends")
	}
	if !v.press('q') || !v.press(keyInterrupt) {
		t.Error("q or Ctrl-C does not end")
	}
}

func TestScrolling(t *testing.T) {
	f := &Frame{}
	for i := range 26 {
		f.Topics = append(f.Topics, Topic{Name: "/" + string(rune('a'+i))})
	}
	v := newView(80, frameLines+3, false)
	v.update(f)
	for _, step := range []struct{ keys, want string }{
		{"", "/a /b /c"}, {"jj", "/a /b /c"}, {"j", "/b /c /d"}, {"kk", "/b /c /d"}, {"k", "/a /b /c"},
		{"\x1b[6~", "/b /c /d"}, {"G", "/x /y /z"}, {"\x1b[5~", "/w /x /y"}, {"g", "/a /b /c"},
	} {
		for _, k := range parseKeys([]byte(step.keys)) {
			v.press(k)
		}
		if got := order(v); got != step.want {
			t.Errorf("%q: %s, want %s", step.keys, got, step.want)
		}
	}
	v.press('G')
	v.update(&Frame{Topics: f.Topics[:4]})
	if got := order(v); got != "/a /b /c" {
		t.Errorf("the selected row is gone: %s", got)
	}
}

func TestTextFromOutsideIsHarmless(t *testing.T) {
	v := newView(80, 24, true)
	evil := "\x1b]0;x\a\x1b[2J\u009b5m"
	v.update(&Frame{
		Topics:  []Topic{{Name: evil, Type: evil, Warnings: []string{evil}}},
		Metrics: []Metric{{Source: evil, Name: evil, Unit: evil, Mean: new(float64)}},
	})
	for _, key := range []key{'x', 'l'} {
		v.press(key)
		for _, l := range shown(v) {
			if strings.ContainsAny(l, "\x1b\a\u009b") {
				t.Errorf("%q", l)
			}
		}
	}
	if text := string(v.frame.text()); strings.ContainsAny(text, "\x1b\a\u009b") {
		t.Errorf("%q", text)
	}
}
