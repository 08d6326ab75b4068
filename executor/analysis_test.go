package executor

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

const ms = time.Millisecond

// independent returns loads on lanes of their own on one CPU, the most urgent first.
func independent(costs, periods []float64) []*load {
	var loads []*load
	for i := range costs {
		loads = append(loads, &load{
			name: fmt.Sprint(i), lane: i, kernel: 90 - i,
			cost: time.Duration(costs[i] * float64(ms)), period: time.Duration(periods[i] * float64(ms)),
		})
	}
	return loads
}

// Task sets of the literature with their response times, in milliseconds.
func TestPublishedResponses(t *testing.T) {
	for _, tt := range []struct {
		source         string
		costs, periods []float64
		want           []float64 // 0 for unbounded
	}{
		{"Burns and Wellings, Real-Time Systems and Programming Languages, response time analysis, task set D",
			[]float64{3, 3, 5}, []float64{7, 12, 20}, []float64{3, 6, 20}},
		{"the same, task set C, with a utilisation of 1",
			[]float64{5, 10, 40}, []float64{20, 40, 80}, []float64{5, 15, 80}},
		{"the same, the set whose deadlines are below the periods",
			[]float64{3, 3, 4, 3}, []float64{20, 15, 10, 20}, []float64{3, 6, 10, 20}},
		{"Lehoczky 1990: the fifth of seven jobs of a busy period is the worst",
			[]float64{26, 62}, []float64{70, 100}, []float64{26, 118}},
		{"more than one CPU",
			[]float64{5, 6, 1}, []float64{10, 10, 100}, []float64{5, 0, 0}},
	} {
		loads := independent(tt.costs, tt.periods)
		for i, l := range loads {
			r := l.respond(loads)
			if want := time.Duration(tt.want[i] * float64(ms)); want == 0 && r.why == "" || want != 0 && r.arrival != want {
				t.Errorf("%s: task %d: %v (%s), want %v", tt.source, i, r.arrival, r.why, want)
			}
		}
	}
}

// The message set with which Davis, Burns, Bril and Lukkien, "Controller Area Network (CAN)
// schedulability analysis: refuted, revisited and revised" (Real-Time Systems 35, 2007), show that the
// second message of a busy period can be the worst where nothing preempts: 3.5 for the last.
func TestNoPreemption(t *testing.T) {
	var loads []*load
	for i, period := range []float64{2.5, 3.5, 3.5} {
		loads = append(loads, &load{name: fmt.Sprint(i), priority: 9 - i, woken: true, cost: ms, period: time.Duration(period * float64(ms))})
	}
	if r := loads[2].respond(loads); r.arrival < 3500*time.Microsecond {
		t.Errorf("bound %v is below the known response of 3.5ms", r.arrival)
	}
	if r := loads[0].respond(loads); r.blocking != ms || r.arrival != 2*ms {
		t.Errorf("the first waits for %v and takes %v, want 1ms and 2ms", r.blocking, r.arrival)
	}
}

func TestUnknownLoads(t *testing.T) {
	loads := independent([]float64{1, 1, 1}, []float64{10, 10, 10})
	loads[1].why = "the rate is not known"
	for i, want := range []bool{true, false, false} {
		if r := loads[i].respond(loads); (r.why == "") != want {
			t.Errorf("load %d: %q", i, r.why)
		}
	}
}

// A job is a message in the simulation.
type job struct {
	load                  *load
	nominal, arrival, end time.Duration
	left                  time.Duration
}

// simulate runs all jobs on one CPU as lanes do and fills in when they end.
func simulate(jobs []*job) {
	slices.SortStableFunc(jobs, func(a, b *job) int { return cmp.Compare(a.arrival, b.arrival) })
	started := map[int]*job{}        // by lane: what its thread is in the middle of
	awake := map[int]time.Duration{} // by lane: since when its thread has had something to do
	rounds := map[int]string{}       // by lane: the timer that ran last in this round
	var ready []*job
	next, now := 0, time.Duration(0)
	for next < len(jobs) || len(ready) > 0 {
		for next < len(jobs) && jobs[next].arrival <= now {
			ready = append(ready, jobs[next])
			if lane := jobs[next].load.lane; !slices.ContainsFunc(ready[:len(ready)-1], func(k *job) bool { return k.load.lane == lane }) {
				awake[lane] = jobs[next].arrival
			}
			next++
		}
		if len(ready) == 0 {
			now = jobs[next].arrival
			continue
		}
		j := choose(ready, started, awake, rounds)
		started[j.load.lane] = j
		run := j.left
		if next < len(jobs) {
			run = min(run, jobs[next].arrival-now)
		}
		now += run
		if j.left -= run; j.left == 0 {
			j.end = now
			delete(started, j.load.lane)
			ready = slices.DeleteFunc(ready, func(k *job) bool { return k == j })
		}
	}
}

// choose returns the job that the CPU runs: of the most urgent thread the callback that it is in, or
// else the one that it takes next. Threads of one priority run in the order in which they woke up, each
// until it has nothing to do.
func choose(ready []*job, started map[int]*job, awake map[int]time.Duration, rounds map[int]string) *job {
	lane := slices.MinFunc(ready, func(a, b *job) int {
		return cmp.Or(cmp.Compare(b.load.kernel, a.load.kernel), cmp.Compare(awake[a.load.lane], awake[b.load.lane]), cmp.Compare(a.load.lane, b.load.lane))
	}).load.lane
	if j := started[lane]; j != nil {
		return j
	}
	mine := slices.DeleteFunc(slices.Clone(ready), func(j *job) bool { return j.load.lane != lane })
	if j := inRound(mine, rounds[lane]); j != nil {
		rounds[lane] = j.load.name
		return j
	}
	// After a round of timers comes a message, if there is one.
	if topics := slices.DeleteFunc(slices.Clone(mine), func(j *job) bool { return j.load.timer }); len(topics) > 0 {
		mine = topics
	}
	j := slices.MinFunc(mine, func(a, b *job) int {
		switch {
		case a.load.timer:
			return cmp.Or(cmp.Compare(a.load.name, b.load.name), cmp.Compare(a.arrival, b.arrival))
		case a.load.woken:
			return cmp.Or(cmp.Compare(b.load.priority, a.load.priority), cmp.Compare(a.arrival, b.arrival))
		default:
			return cmp.Compare(a.arrival, b.arrival)
		}
	})
	rounds[lane] = ""
	if j.load.timer {
		rounds[lane] = j.load.name
	}
	return j
}

// inRound returns the next timer of a lane behind the last one that ran in this round.
func inRound(mine []*job, last string) *job {
	var next *job
	for _, j := range mine {
		if j.load.timer && j.load.name > last && (next == nil || j.load.name < next.load.name) {
			next = j
		}
	}
	return next
}

// randomLoads puts 2 to 7 topics on lanes, inline and woken, some of equal priority.
func randomLoads(r *rand.Rand) []*load {
	var loads []*load
	lanes := 1 + r.IntN(4)
	for range 2 + r.IntN(6) {
		lane := r.IntN(lanes)
		period := time.Duration(1+r.IntN(40)) * 250 * time.Microsecond
		loads = append(loads, &load{
			name: fmt.Sprint(len(loads)), lane: lane, kernel: 50 + lane/2, woken: lane%2 == 1, priority: r.IntN(4),
			period: period, jitter: time.Duration(r.Int64N(int64(period) * 3 / 2)),
			cost: 1 + time.Duration(r.Int64N(int64(period)/3)),
		})
		l := loads[len(loads)-1]
		if r.IntN(2) == 0 {
			l.jitter = 0
		}
		if l.woken && r.IntN(3) == 0 {
			l.timer, l.priority = true, timerPriority
		}
	}
	return loads
}

// randomJobs has every load start somewhere and come no faster than it may. Half of the runs start at
// the same time with full cost and lateness first, which is where the worst cases are.
func randomJobs(r *rand.Rand, loads []*load, until time.Duration) []*job {
	var jobs []*job
	sharp := r.IntN(2) == 0
	for _, l := range loads {
		nominal := time.Duration(r.Int64N(int64(l.period)))
		if sharp {
			nominal = -l.jitter
		}
		last := time.Duration(0)
		for nominal < until {
			late := time.Duration(r.Int64N(int64(l.jitter) + 1))
			cost := l.cost
			if sharp {
				late = max(0, -nominal)
			} else if r.IntN(4) == 0 {
				cost = 1 + time.Duration(r.Int64N(int64(l.cost)))
			}
			last = max(last, nominal+late) // messages do not overtake each other
			jobs = append(jobs, &job{load: l, nominal: nominal, arrival: last, left: cost})
			nominal += l.period
			if !sharp && r.IntN(3) == 0 {
				nominal += time.Duration(r.Int64N(int64(l.period)))
			}
		}
	}
	return jobs
}

// No message may take longer than its bound, whatever the lanes are, and the bound must be met exactly
// where it is known to be exact.
func TestSimulationNeverExceedsBound(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	bounded, tight := 0, 0
	for round := range 3000 {
		loads := randomLoads(r)
		responses := respondAll(loads, nil)
		jobs := randomJobs(r, loads, 60*ms)
		simulate(jobs)
		worst := map[*load]time.Duration{}
		for _, j := range jobs {
			bound := responses[j.load]
			if bound.why != "" {
				continue
			}
			if j.end-j.arrival > bound.arrival || j.end-j.nominal > bound.schedule {
				t.Fatalf("round %d: %+v: %v after arrival, %v after schedule; bounds %v and %v\n%s",
					round, j.load, j.end-j.arrival, j.end-j.nominal, bound.arrival, bound.schedule, describe(loads))
			}
			worst[j.load] = max(worst[j.load], j.end-j.arrival)
		}
		for l, w := range worst {
			bounded++
			if w == responses[l].arrival {
				tight++
			}
		}
	}
	if bounded < 5000 || tight < bounded/10 {
		t.Errorf("%d loads were bounded and %d of the bounds reached: the test is too easy", bounded, tight)
	}
}

func describe(loads []*load) string {
	var text string
	for _, l := range loads {
		text += fmt.Sprintf("%+v\n", *l)
	}
	return text
}

// With a topic on each lane, started together, the first messages reach the bound exactly.
func TestSimulationReachesBound(t *testing.T) {
	loads := independent([]float64{3, 3, 5}, []float64{7, 12, 20})
	var jobs []*job
	for _, l := range loads {
		for at := time.Duration(0); at < 420*ms; at += l.period {
			jobs = append(jobs, &job{load: l, nominal: at, arrival: at, left: l.cost})
		}
	}
	simulate(jobs)
	worst := map[*load]time.Duration{}
	for _, j := range jobs {
		worst[j.load] = max(worst[j.load], j.end-j.arrival)
	}
	for _, l := range loads {
		if bound := l.respond(loads).arrival; worst[l] != bound {
			t.Errorf("%s: %v in the simulation, bound %v", l.name, worst[l], bound)
		}
	}
}

// A chain over two CPUs: each stage starts when the one before has ended.
func TestChainSimulationNeverExceedsBound(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	bounded := 0
	for round := range 1000 {
		var loads []*load
		for cpu := range 2 {
			for _, l := range randomLoads(r) {
				l.cpu = cpu
				l.lane += 10 * cpu
				loads = append(loads, l)
			}
		}
		f := chainOf(r, loads)
		responses := respondAll(loads, []flow{f})
		source, jobs := simulateChain(r, loads, f)
		for i, j := range jobs {
			bound := responses[j.load]
			if bound.why != "" {
				continue
			}
			bounded++
			if j.end-source[i] > bound.schedule || j.end-j.arrival > bound.arrival {
				t.Fatalf("round %d: stage %s: %v after the source, bound %v\n%s", round, j.load.name, j.end-source[i], bound.schedule, describe(loads))
			}
		}
	}
	if bounded < 1000 {
		t.Errorf("only %d messages of chains were bounded", bounded)
	}
}

// chainOf makes the first loads of the two CPUs a chain of one period.
func chainOf(r *rand.Rand, loads []*load) flow {
	f := flow{hop: time.Duration(r.IntN(200)) * time.Microsecond}
	for _, l := range loads {
		if l.cpu == len(f.stages) {
			f.stages = append(f.stages, l)
		}
		if len(f.stages) == 2 {
			break
		}
	}
	f.stages[1].period, f.stages[1].jitter = f.stages[0].period, 0
	f.stages[1].cost = min(f.stages[1].cost, f.stages[1].period/3)
	return f
}

// simulateChain returns the messages of the chain and when their source was due.
func simulateChain(r *rand.Rand, loads []*load, f flow) (source []time.Duration, jobs []*job) {
	on := func(cpu int) []*load {
		return slices.DeleteFunc(slices.Clone(loads), func(l *load) bool { return l.cpu != cpu || l == f.stages[1] })
	}
	first := randomJobs(r, on(0), 40*ms)
	simulate(first)
	second := randomJobs(r, on(1), 40*ms)
	last := time.Duration(0)
	for _, j := range first {
		if j.load == f.stages[0] {
			last = max(last, j.end+time.Duration(r.Int64N(int64(f.hop)+1)))
			k := &job{load: f.stages[1], arrival: last, left: f.stages[1].cost}
			second = append(second, k)
			source, jobs = append(source, j.nominal, j.nominal), append(jobs, j, k)
		}
	}
	simulate(second)
	return source, jobs
}
