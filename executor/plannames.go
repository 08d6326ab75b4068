package executor

// A census is what is known of the topics, or of the timers, of a program.
type census struct {
	names    []string // each once, no patterns
	on       map[*Lane][]string
	complete bool // there are no others
}

// topicCensus takes the topics that the plan names and those that are subscribed to, which may be all.
func (p *Plan) topicCensus(subscribed []string, complete bool) *census {
	c := &census{on: map[*Lane][]string{}, complete: complete}
	seen := map[string]bool{}
	add := func(names ...string) { c.add(seen, p.LaneOf, names) }
	for _, l := range p.Lanes {
		add(l.Topics...)
	}
	for _, t := range p.Topics {
		add(t.Name)
	}
	for _, chain := range p.Chains { // the last topic may have no subscription
		add(chain.Topics[:max(0, len(chain.Topics)-1)]...)
	}
	add(subscribed...)
	return c
}

// timerCensus takes the timers that the plan names.
func (p *Plan) timerCensus() *census {
	c := &census{on: map[*Lane][]string{}}
	seen := map[string]bool{}
	for _, l := range p.Lanes {
		c.add(seen, p.LaneOfTimer, l.Timers)
	}
	for _, t := range p.Timers {
		c.add(seen, p.LaneOfTimer, []string{t.Name})
	}
	return c
}

func (c *census) add(seen map[string]bool, laneOf func(string) *Lane, names []string) {
	for _, name := range names {
		if isPattern(name) || seen[name] {
			continue
		}
		seen[name] = true
		c.names = append(c.names, name)
		lane := laneOf(name)
		c.on[lane] = append(c.on[lane], name)
	}
}

// has tells whether one of the names matches a pattern.
func (c *census) has(pattern string) bool {
	for _, name := range c.names {
		if matchScore(pattern, name) != noMatch {
			return true
		}
	}
	return false
}
