package topic

import (
	"math"
	"testing"

	"github.com/pinion-ros/pinion/cdr"
	"github.com/pinion-ros/pinion/internal/interfaces"
	"github.com/pinion-ros/pinion/pubsub"
)

func TestWindow(t *testing.T) {
	w := window{size: 3}
	for i, want := range []Summary{
		{Mean: 1, Min: 1, Max: 1, Window: 1},
		{Mean: 1.5, Min: 1, Max: 2, StdDev: 0.5, Window: 2},
		{Mean: 2, Min: 1, Max: 3, StdDev: math.Sqrt(2. / 3), Window: 3},
		{Mean: 3, Min: 2, Max: 4, StdDev: math.Sqrt(2. / 3), Window: 3},
		{Mean: 4, Min: 3, Max: 5, StdDev: math.Sqrt(2. / 3), Window: 3},
	} {
		w.add(float64(i + 1))
		if got := w.summary(); got != want {
			t.Errorf("after %d values: %+v, want %+v", i+1, got, want)
		}
	}
}

// arrivals has m see messages of the sizes, one each 10 ms.
func arrivals(t *testing.T, m meter, sizes ...int) (last int64) {
	t.Helper()
	for i, n := range sizes {
		last = int64(i+1) * 10e6
		if err := m.add(make([]byte, n), &pubsub.MessageInfo{Arrival: last}); err != nil {
			t.Fatal(err)
		}
	}
	return last
}

func TestRate(t *testing.T) {
	r := newRate(10)
	arrivals(t, r, 1)
	if r.report(0) != nil {
		t.Error("one message has a rate")
	}
	arrivals(t, newRate(10))
	r = newRate(10)
	arrivals(t, r, 1, 1, 1)
	if got := r.report(0).text(); got != "average rate: 100.000\n\tmin: 0.010s max: 0.010s std dev: 0.00000s window: 2\n" {
		t.Errorf("%s", got)
	}
	if r.report(0) != nil {
		t.Error("a report without news")
	}
}

func TestRateTable(t *testing.T) {
	got := rateTable([]string{"/a", "/long/name"}, []report{rateReport{Mean: 0.1, Min: 0.05, Max: 0.2, StdDev: 0.01, Window: 7}, rateReport{Mean: 0.001, Window: 10000}})
	const want = "topic        rate       min_delta   max_delta   std_dev   window\n" +
		"================================================================\n" +
		"/a           10.000     0.050       0.200       0.01000   7\n" +
		"/long/name   1000.000   0.000       0.000       0.00000   10000\n\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestBandwidth(t *testing.T) {
	for _, c := range []struct {
		sizes []int
		want  string
	}{
		{[]int{1, 2, 3}, "200 B/s from 3 messages\n\tMessage size mean: 2 B min: 1 B max: 3 B\n"},
		{[]int{10, 20, 30}, "2.00 KB/s from 3 messages\n\tMessage size mean: 0.02 KB min: 0.01 KB max: 0.03 KB\n"},
		{[]int{10000, 20000, 30000}, "2.00 MB/s from 3 messages\n\tMessage size mean: 0.02 MB min: 0.01 MB max: 0.03 MB\n"},
	} {
		b := newBandwidth(10)
		last := arrivals(t, b, c.sizes...)
		if got := b.report(last + 10e6).text(); got != c.want {
			t.Errorf("got\n%s\nwant\n%s", got, c.want)
		}
	}
}

func TestDelayNeedsAHeader(t *testing.T) {
	f, err := interfaces.NewFinder(nil, func(string) string { return "" })
	if err != nil {
		t.Fatal(err)
	}
	for name, ok := range map[string]bool{"geometry_msgs/msg/PointStamped": true, "std_msgs/msg/Header": false, "std_msgs/msg/String": false} {
		typ, err := f.Message(name)
		if err != nil {
			t.Fatal(err)
		}
		d, err := newDelay(10, typ)
		if (err == nil) != ok {
			t.Errorf("%s: %v", name, err)
		}
		if !ok {
			continue
		}
		payload, err := cdr.Marshal(typ.New())
		if err != nil {
			t.Fatal(err)
		}
		if err := d.add(payload, &pubsub.MessageInfo{Arrival: pubsub.Monotonic()}); err != nil {
			t.Fatal(err)
		}
		if r := d.report(0).(delayReport); r.delay.Mean < 1e9 || !r.news { // since 1970
			t.Errorf("%+v", r)
		}
		if got := d.report(0).text(); got != "no new messages\n" {
			t.Errorf("%s", got)
		}
		if err := d.add(payload[:6], &pubsub.MessageInfo{}); err == nil {
			t.Error("half a message is accepted")
		}
	}
}
