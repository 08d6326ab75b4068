package bag

import (
	"math"
	"regexp"
	"testing"
	"time"
)

func TestFilter(t *testing.T) {
	re := regexp.MustCompile
	for _, c := range []struct {
		filter Filter
		yes    []string
		no     []string
	}{
		{Filter{}, nil, []string{"/a"}},
		{Filter{All: true}, []string{"/a", "/b/c"}, []string{"/_hidden", "/a/_hidden/b"}},
		{Filter{All: true, IncludeHidden: true}, []string{"/a", "/_hidden"}, nil},
		{Filter{Topics: []string{"/a", "/_hidden"}}, []string{"/a", "/_hidden"}, []string{"/a/b", "/b"}},
		{Filter{Regex: re("cam")}, []string{"/camera", "/left/cam"}, []string{"/lidar"}},
		{Filter{Regex: re("^/cam"), Topics: []string{"/lidar"}}, []string{"/camera", "/lidar"}, []string{"/left/cam"}},
		{Filter{All: true, Exclude: []string{"/a"}}, []string{"/a/b"}, []string{"/a"}},
		{Filter{Topics: []string{"/a"}, Exclude: []string{"/a"}}, nil, []string{"/a"}},
		{Filter{All: true, ExcludeRegex: re("image")}, []string{"/a"}, []string{"/image_raw"}},
	} {
		for _, topic := range c.yes {
			if !c.filter.selects(topic) {
				t.Errorf("%+v does not select %s", c.filter, topic)
			}
		}
		for _, topic := range c.no {
			if c.filter.selects(topic) {
				t.Errorf("%+v selects %s", c.filter, topic)
			}
		}
	}
}

func TestTimeline(t *testing.T) {
	const far = math.MaxInt64
	for _, c := range []struct {
		line timeline
		time int64
		want int64
	}{
		{timeline{1000, 50, 1}, 50, 1000},
		{timeline{1000, 50, 1}, 10, 1000}, // latched, from before
		{timeline{1000, 1700000000123456789, 1}, 1700000000123456790, 1001},
		{timeline{1000, 0, 2}, 500, 1250},
		{timeline{1000, 0, 0.5}, 500, 2000},
		{timeline{1000, math.MinInt64, 1}, far, far},
		{timeline{1000, 0, 1e-9}, far, far},
		{timeline{1000, 0, 1}, far, far},
		{timeline{1000, math.MinInt64, 1e8}, far, 1000 + 184467440737},
	} {
		if got := c.line.due(c.time); got != c.want {
			t.Errorf("%+v: %d is due at %d, want %d", c.line, c.time, got, c.want)
		}
	}
}

// What is due at a time is what the clock shows then.
func TestTimelineAt(t *testing.T) {
	const far = math.MaxInt64
	for _, c := range []struct {
		line      timeline
		now, want int64
	}{
		{timeline{1000, 50, 1}, 1000, 50},
		{timeline{1000, 1700000000123456789, 1}, 1001, 1700000000123456790},
		{timeline{1000, 0, 2}, 1250, 500},
		{timeline{1000, 0, 0.5}, 2000, 500},
		{timeline{1000, far - 5, 1}, 2000, far},
		{timeline{1000, 0, 1e8}, far, far},
	} {
		if got := c.line.at(c.now); got != c.want {
			t.Errorf("%+v: at %d it is %d, want %d", c.line, c.now, got, c.want)
		}
	}
}

func TestQueue(t *testing.T) {
	q := newQueue(1000)
	if !q.push(1, 10, make([]byte, 400)) || !q.push(2, 20, make([]byte, 400)) {
		t.Fatal("no space at the beginning")
	}
	if q.push(3, 30, make([]byte, 400)) {
		t.Fatal("more than the limit")
	}
	var b batch
	if !q.next(&b, time.Hour) { // half full, so nothing is waited for
		t.Fatal("ended")
	}
	if len(b.entries) != 2 || b.entries[1].topic != 2 || b.entries[1].time != 20 || len(b.message(b.entries[1])) != 400 {
		t.Errorf("got %+v", b.entries)
	}
	b.reset()
	if !q.push(3, 30, []byte("x")) {
		t.Error("no space after the queue was emptied")
	}
	q.close()
	if !q.next(&b, time.Hour) || string(b.message(b.entries[0])) != "x" {
		t.Error("what was there at the end is lost")
	}
	b.reset()
	if q.next(&b, time.Hour) {
		t.Error("goes on after the end")
	}
}
