package top

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pinion-ros/pinion/pubsub"
)

// maxWarnings is how many a topic has at the most. Of pairs of endpoints there can be very many.
const maxWarnings = 20

// warnings tells why endpoints of a topic do not get each other's messages.
func warnings(endpoints []pubsub.EndpointInfo) []string {
	found := []string{}
	add := func(text string) {
		if len(found) <= maxWarnings && !slices.Contains(found, text) {
			found = append(found, text)
		}
	}
	for i, p := range endpoints {
		if len(found) > maxWarnings {
			break
		}
		for _, s := range endpoints {
			if !p.Publisher || s.Publisher {
				continue
			}
			if policies := p.QoS.Incompatible(s.QoS); len(policies) > 0 {
				add(fmt.Sprintf("QoS: %s offers less than %s asks for: %s", owner(p), owner(s), strings.Join(policies, ", ")))
			}
		}
		for _, o := range endpoints[:i] {
			switch {
			case o.Type != p.Type:
				add(fmt.Sprintf("types: %s has %s, %s has %s", owner(o), o.Type, owner(p), p.Type))
			case o.TypeHash != "" && p.TypeHash != "" && o.TypeHash != p.TypeHash:
				add(fmt.Sprintf("types: %s and %s define %s differently", owner(o), owner(p), p.Type))
			}
		}
	}
	if len(found) > maxWarnings {
		found = append(found[:maxWarnings], "and more")
	}
	return found
}

// owner names the node of an endpoint.
func owner(e pubsub.EndpointInfo) string {
	if name := e.FullNodeName(); name != "" {
		return name
	}
	return "an unknown node"
}
