package executor

import (
	"errors"
	"fmt"
	"os"

	"go.yaml.in/yaml/v4"
)

// ReadPlan reads a plan from a YAML file:
//
//	lanes:
//	  control: {cpus: [3], policy: fifo, priority: 80, topics: [/left/joint_states]}
//	background: {workers: 2, cpus: [0, 1, 2]}
//
// Unknown keys are errors. Faults are reported as file:line.
func ReadPlan(file string) (*Plan, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return ParsePlan(file, data)
}

// ParsePlan is ReadPlan for text that has been read already; file is for messages only.
func ParsePlan(file string, data []byte) (*Plan, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrPlan, file, err)
	}
	r := planReader{file: file}
	plan := &Plan{}
	if len(doc.Content) > 0 {
		r.plan(doc.Content[0], plan)
	}
	if len(r.errs) == 0 {
		if err := plan.Validate(); err != nil {
			r.errs = append(r.errs, fmt.Errorf("%s: %w", file, err))
		}
	}
	if err := errors.Join(r.errs...); err != nil {
		return nil, err
	}
	return plan, nil
}

// A planReader walks the YAML tree and collects what is wrong with it.
type planReader struct {
	file string
	errs []error
}

func (r *planReader) fault(n *yaml.Node, format string, args ...any) {
	r.errs = append(r.errs, fmt.Errorf("%w: %s:%d: %s", ErrPlan, r.file, n.Line, fmt.Sprintf(format, args...)))
}

// mapping calls the function of each key.
func (r *planReader) mapping(n *yaml.Node, what string, keys map[string]func(*yaml.Node)) {
	r.entries(n, what, func(key, value *yaml.Node) {
		read, ok := keys[key.Value]
		if !ok {
			r.fault(key, "%s has no key %q", what, key.Value)
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
			r.fault(key, "%s has the key %q twice", what, key.Value)
			continue
		}
		seen[key.Value] = true
		f(key, n.Content[i+1])
	}
}

// decode reads a scalar or a list of scalars.
func (r *planReader) decode(v any, want string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		if err := n.Decode(v); err != nil {
			r.fault(n, "%s expected", want)
		}
	}
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
				"workers": r.decode(&p.Background.Workers, "a number"),
				"cpus":    r.decode(&p.Background.CPUs, "a list of CPU numbers"),
			})
		},
	})
}

func (r *planReader) lane(n *yaml.Node, l *Lane) {
	r.mapping(n, "lane "+l.Name, map[string]func(*yaml.Node){
		"topics":   r.decode(&l.Topics, "a list of topic names"),
		"cpus":     r.decode(&l.CPUs, "a list of CPU numbers"),
		"policy":   r.decode(&l.Policy, "a policy"),
		"priority": r.decode(&l.Priority, "a number"),
	})
	if err := l.validate(); err != nil && len(r.errs) == 0 {
		r.fault(n, "lane %s: %v", l.Name, err)
	}
}
