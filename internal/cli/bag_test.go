package cli

import (
	"reflect"
	"testing"
)

func TestPlayWords(t *testing.T) {
	there := t.TempDir()
	for _, c := range []struct {
		args          []string
		topics, clock bool
		want          playWords
		fault         bool
	}{
		{args: []string{"bag"}, want: playWords{bag: "bag"}},
		{args: []string{"bag", "/a:=/b", "c:=d"}, want: playWords{bag: "bag", remap: []string{"/a:=/b", "c:=d"}}},
		{args: []string{"100", "bag"}, clock: true, want: playWords{bag: "bag", clock: 100}},
		{args: []string{"bag", "0.5"}, clock: true, want: playWords{bag: "bag", clock: 0.5}},
		{args: []string{"bag", "/a", "/b"}, topics: true, want: playWords{bag: "bag", topics: []string{"/a", "/b"}}},
		{args: []string{"/a", there}, topics: true, want: playWords{bag: there, topics: []string{"/a"}}},
		{args: []string{"100"}, want: playWords{bag: "100"}},
		{args: []string{"bag", "100"}, fault: true},
		{args: []string{"bag", "0"}, clock: true, fault: true},
		{args: []string{"bag", "nan"}, clock: true, fault: true},
		{args: []string{"bag", "/a"}, fault: true},
		{args: []string{"/a"}, topics: true, fault: true},
		{args: []string{"a:=b"}, fault: true},
	} {
		got, err := readPlayWords(c.args, c.topics, c.clock)
		if (err != nil) != c.fault || err == nil && !reflect.DeepEqual(got, c.want) {
			t.Errorf("%q: %+v, %v, want %+v", c.args, got, err, c.want)
		}
	}
}
