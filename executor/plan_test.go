package executor

import "testing"

// Exact names win over patterns, more literal patterns over others, the first over its equals.
func TestPrecedence(t *testing.T) {
	p := Plan{
		Lanes: []Lane{
			{Name: "all", Topics: []string{"/**"}},
			{Name: "left", Topics: []string{"/left/*"}, Timers: []string{"fast*"}},
			{Name: "same", Topics: []string{"/*/left"}},
			{Name: "arm", Topics: []string{"/left/arm"}, Timers: []string{"fast2"}},
		},
		Topics: []Topic{{Name: "/**", Priority: 1}, {Name: "/left/*", Priority: 2, Rate: 5}, {Name: "/left/arm", Priority: 3}},
		Chains: []Chain{{Name: "c", Topics: []string{"/left/arm", "/left/leg"}, Priority: 9}},
	}
	for topic, want := range map[string]string{"/left/arm": "arm", "/left/leg": "left", "/left/left": "left", "/right/left": "same", "/x/y/z": "all"} {
		if l := p.LaneOf(topic); l == nil || l.Name != want {
			t.Errorf("%s is on %+v, want %s", topic, l, want)
		}
	}
	for timer, want := range map[string]string{"fast1": "left", "fast2": "arm"} {
		if l := p.LaneOfTimer(timer); l == nil || l.Name != want {
			t.Errorf("%s is on %+v, want %s", timer, l, want)
		}
	}
	if l := p.LaneOfTimer("slow"); l != nil {
		t.Errorf("slow is on %+v", l)
	}
	for name, want := range map[string]Topic{
		"/x": {Name: "/x", Priority: 1}, "/left/a": {Name: "/left/a", Priority: 2, Rate: 5},
		"/left/arm": {Name: "/left/arm", Priority: 9}, "/left/leg": {Name: "/left/leg", Priority: 9, Rate: 5},
	} {
		if got := p.TopicOf(name); got != want {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
}

func TestKernelPriority(t *testing.T) {
	p := Plan{
		Lanes: []Lane{
			{Name: "a", Policy: FIFO, Topics: []string{"/imu"}},
			{Name: "b", Policy: RR, Priority: 90, Topics: []string{"/state"}},
			{Name: "c", Topics: []string{"/command"}},
		},
		Chains: []Chain{{Name: "c", Topics: []string{"/imu", "/state", "/command"}, Priority: 80}},
	}
	if err := p.Validate(); err != nil {
		t.Fatal(err)
	}
	for i, want := range []int{80, 90, 0} {
		if got := p.kernelPriority(&p.Lanes[i]); got != want {
			t.Errorf("lane %d: %d, want %d", i, got, want)
		}
	}
}
