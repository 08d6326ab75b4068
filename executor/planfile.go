package executor

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"
)

// ReadPlan reads a plan from a YAML file:
//
//	lanes:
//	  control: {cpus: [3], policy: fifo, priority: 80, topics: [/left/joint_states]}
//	  balance: {cpus: [3], policy: fifo, priority: 70, mode: woken, topics: [/imu, /odom], timers: [balance]}
//	  vision:  {mode: woken, topics: [/cam/*/image, /cam/**]}
//	  bumper:  {isolate: process, part: safety, policy: deadline, runtime: 1ms, within: 5ms, period: 10ms, topics: [/bumper]}
//	background: {workers: 2, cpus: [0, 1, 2]}
//	topics:
//	  /left/joint_states: {rate: 1000, jitter: 50us, budget: 200us, deadline: 1ms}
//	  /cam/**: {priority: 5}
//	timers:
//	  balance: {rate: 500, budget: 300us, deadline: 1ms}
//	chains:
//	  reflex: {priority: 70, deadline: 5ms, hop: 50us, topics: [/imu, /left/joint_states, /left/command]}
//	parts:
//	  safety: {restart: on-failure, backoff: 100ms, stop: 2s}
//
// All keys are optional. Unknown and repeated ones are errors, as is all that Validate refuses; each
// is reported with file and line, all of them at once but for what may come from another: where a key is
// unknown or a value cannot be read, nothing is said to be missing there. A file that is not one YAML document
// has that error only.
func ReadPlan(file string) (*Plan, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxPlanFile+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxPlanFile {
		return nil, &Fault{File: file, Text: fmt.Sprintf("it is larger than %d MiB, which no plan is", maxPlanFile>>20)}
	}
	return ParsePlan(file, data)
}

// maxPlanFile keeps what is not a plan, such as a device that never ends, out of memory.
const maxPlanFile = 16 << 20

// ParsePlan is ReadPlan for text that has been read already; file is for messages only.
func ParsePlan(file string, data []byte) (*Plan, error) {
	doc, err := onlyDocument(file, data)
	if err != nil {
		return nil, err
	}
	p := &Plan{source: newPlanSource(file)}
	r := planReader{source: p.source}
	if len(doc.Content) > 0 {
		r.plan(doc.Content[0], p)
	}
	v := validator{plan: p}
	v.all()
	if faults := append(r.faults, v.faults...); len(faults) > 0 {
		slices.SortStableFunc(faults, func(a, b *Fault) int { return cmp.Compare(a.Line, b.Line) })
		return nil, joinFaults(faults)
	}
	return p, nil
}

// onlyDocument refuses what stands behind the end of the document, where nobody would read it.
func onlyDocument(file string, data []byte) (*yaml.Node, error) {
	var doc, second yaml.Node
	d := yaml.NewDecoder(bytes.NewReader(data))
	err := d.Decode(&doc)
	if err == nil {
		err = d.Decode(&second)
	}
	switch {
	case err == nil:
		return nil, &Fault{File: file, Line: second.Line, Text: "a second YAML document begins; a plan is one"}
	case !errors.Is(err, io.EOF):
		return nil, fmt.Errorf("%w: %s: %w", ErrPlan, file, err)
	}
	return &doc, nil
}

// A planSource knows on which line of a file the parts of a plan stand, and which could not be read. A part is
// named by the keys and list positions that lead to it.
type planSource struct {
	file    string
	lines   map[string]int
	bad     map[string]bool // could not be read, or is there twice
	partial map[string]bool // has unknown keys or items that could not be read
}

func newPlanSource(file string) *planSource {
	return &planSource{file: file, lines: map[string]int{}, bad: map[string]bool{}, partial: map[string]bool{}}
}

// doubtful tells whether the file may say something else about a part than the plan that was read from it.
func (s *planSource) doubtful(path ...any) bool {
	key := pathKey(path)
	for n := range len(path) + 1 {
		if s.bad[pathKey(path[:n])] {
			return true
		}
	}
	_, there := s.lines[key]
	return s.partial[key] || !there && s.partial[pathKey(path[:len(path)-1])]
}

func pathKey(path []any) string {
	var key strings.Builder
	for _, part := range path {
		fmt.Fprintf(&key, "%v\n", part) // no key of a plan holds a line break
	}
	return key.String()
}

// line returns the line of a part, or of the nearest one that it is in.
func (s *planSource) line(path ...any) int {
	for n := len(path); n >= 0; n-- {
		if line, ok := s.lines[pathKey(path[:n])]; ok {
			return line
		}
	}
	return 1
}

// A planReader walks the YAML tree, notes lines and collects what is wrong.
type planReader struct {
	source *planSource
	path   []any
	faults []*Fault
}

// fault is about the part that is being read.
func (r *planReader) fault(n *yaml.Node, format string, args ...any) {
	r.source.bad[pathKey(r.path)] = true
	r.faults = append(r.faults, &Fault{File: r.source.file, Line: n.Line, Text: fmt.Sprintf(format, args...)})
}

// within notes the line of a part and reads it.
func (r *planReader) within(part any, n *yaml.Node, line int, read func(*yaml.Node)) {
	r.path = append(r.path, part)
	defer func() { r.path = r.path[:len(r.path)-1] }()
	r.source.lines[pathKey(r.path)] = line
	read(n)
}

// mapping calls the function of each key.
func (r *planReader) mapping(n *yaml.Node, what string, keys map[string]func(*yaml.Node)) {
	part := pathKey(r.path)
	r.entries(n, what, func(key, value *yaml.Node) {
		read, ok := keys[key.Value]
		if !ok {
			r.source.partial[part] = true
			r.fault(key, "%s has no key %q; there are %s", what, key.Value, strings.Join(slices.Sorted(maps.Keys(keys)), ", "))
			return
		}
		read(value)
	})
}

// entries calls f for each entry of a mapping without twice the same key.
func (r *planReader) entries(n *yaml.Node, what string, f func(key, value *yaml.Node)) {
	if n.Kind != yaml.MappingNode {
		r.fault(n, "%s must be a mapping", what)
		return
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if seen[key.Value] {
			r.within(key.Value, n.Content[i+1], r.source.line(append(r.path, key.Value)...), func(*yaml.Node) {
				r.fault(key, "%s has the key %q twice", what, key.Value)
			})
			continue
		}
		seen[key.Value] = true
		r.within(key.Value, n.Content[i+1], key.Line, func(value *yaml.Node) { f(key, value) })
	}
}

// scalar reads a value.
func (r *planReader) scalar(v any, want string) func(*yaml.Node) {
	return func(n *yaml.Node) { r.read(n, v, want) }
}

func (r *planReader) read(n *yaml.Node, v any, want string) (ok bool) {
	if err := n.Decode(v); err != nil || n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
		r.fault(n, "%s: %s expected", r.where(), want)
		return false
	}
	return true
}

// where names the value that is being read, such as "topic /imu: budget".
func (r *planReader) where() string {
	what, keys := fmt.Sprint(r.path[0]), r.path[1:]
	if what != "background" {
		what, keys = strings.TrimSuffix(what, "s")+" "+fmt.Sprint(keys[0]), keys[1:]
	}
	for _, key := range keys {
		if name, ok := key.(string); ok {
			what += ": " + name
		}
	}
	return what
}

// duration reads a time as Go writes it.
func (r *planReader) duration(d *time.Duration) func(*yaml.Node) {
	return func(n *yaml.Node) {
		var err error
		if *d, err = time.ParseDuration(n.Value); err != nil || n.Kind != yaml.ScalarNode {
			r.fault(n, "%s: a time with its unit expected, such as 1.5ms or 200us", r.where())
		}
	}
}

// list reads a list of values.
func list[T any](r *planReader, out *[]T, what, want string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		if n.Kind != yaml.SequenceNode {
			r.fault(n, "%s: %s expected", r.where(), what)
			return
		}
		list := pathKey(r.path)
		for _, item := range n.Content {
			r.within(len(*out), item, item.Line, func(item *yaml.Node) {
				var v T
				if r.read(item, &v, want) {
					*out = append(*out, v)
				} else {
					r.source.partial[list] = true
				}
			})
		}
	}
}

func (r *planReader) names(out *[]string) func(*yaml.Node) {
	return list(r, out, "a list of names", "a name")
}

func (r *planReader) cpus(out *[]int) func(*yaml.Node) {
	return list(r, out, "a list of CPU numbers", "a CPU number")
}

func (r *planReader) plan(n *yaml.Node, p *Plan) {
	r.mapping(n, "the plan", map[string]func(*yaml.Node){
		"lanes": func(n *yaml.Node) {
			r.entries(n, "lanes", func(key, value *yaml.Node) {
				p.Lanes = append(p.Lanes, Lane{Name: key.Value})
				r.lane(value, &p.Lanes[len(p.Lanes)-1])
			})
		},
		"background": func(n *yaml.Node) {
			r.mapping(n, "background", map[string]func(*yaml.Node){
				"workers": r.scalar(&p.Background.Workers, "a number"),
				"cpus":    r.cpus(&p.Background.CPUs),
			})
		},
		"topics": r.topics("topic", &p.Topics),
		"timers": r.topics("timer", &p.Timers),
		"chains": func(n *yaml.Node) {
			r.entries(n, "chains", func(key, value *yaml.Node) {
				p.Chains = append(p.Chains, Chain{Name: key.Value})
				r.chain(value, &p.Chains[len(p.Chains)-1])
			})
		},
		"parts": func(n *yaml.Node) {
			r.entries(n, "parts", func(key, value *yaml.Node) {
				p.Parts = append(p.Parts, PartPlan{Name: key.Value})
				r.part(value, &p.Parts[len(p.Parts)-1])
			})
		},
	})
}

func (r *planReader) lane(n *yaml.Node, l *Lane) {
	r.mapping(n, "lane "+l.Name, map[string]func(*yaml.Node){
		"topics":   r.names(&l.Topics),
		"timers":   r.names(&l.Timers),
		"mode":     r.scalar(&l.Mode, "a mode"),
		"isolate":  r.scalar(&l.Isolate, "an isolation"),
		"part":     r.scalar(&l.Part, "the name of a part"),
		"cpus":     r.cpus(&l.CPUs),
		"policy":   r.scalar(&l.Policy, "a policy"),
		"priority": r.scalar(&l.Priority, "a number"),
		"runtime":  r.duration(&l.Runtime),
		"within":   r.duration(&l.Within),
		"period":   r.duration(&l.Period),
	})
}

func (r *planReader) topics(kind string, out *[]Topic) func(*yaml.Node) {
	return func(n *yaml.Node) {
		r.entries(n, kind+"s", func(key, value *yaml.Node) {
			*out = append(*out, Topic{Name: key.Value})
			r.topic(value, kind, &(*out)[len(*out)-1])
		})
	}
}

func (r *planReader) topic(n *yaml.Node, kind string, t *Topic) {
	r.mapping(n, kind+" "+t.Name, map[string]func(*yaml.Node){
		"priority": r.scalar(&t.Priority, "a number"),
		"rate":     r.scalar(&t.Rate, "a number of messages per second"),
		"jitter":   r.duration(&t.Jitter),
		"budget":   r.duration(&t.Budget),
		"deadline": r.duration(&t.Deadline),
	})
}

func (r *planReader) chain(n *yaml.Node, c *Chain) {
	r.mapping(n, "chain "+c.Name, map[string]func(*yaml.Node){
		"topics":   r.names(&c.Topics),
		"priority": r.scalar(&c.Priority, "a number"),
		"deadline": r.duration(&c.Deadline),
		"hop":      r.duration(&c.Hop),
	})
}

func (r *planReader) part(n *yaml.Node, p *PartPlan) {
	r.mapping(n, "part "+p.Name, map[string]func(*yaml.Node){
		"restart": r.scalar(&p.Restart, "a word that says when"),
		"backoff": r.duration(&p.Backoff),
		"stop":    r.duration(&p.Stop),
	})
}
