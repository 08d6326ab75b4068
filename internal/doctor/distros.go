package doctor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pinion-ros/pinion/pubsub"
)

// Listen looks for nodes in the node's domain for a time, and for what does not go together there.
func Listen(ctx context.Context, n *pubsub.Node, d time.Duration) (Result, error) {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	<-ctx.Done()
	if err := ctx.Err(); !errors.Is(err, context.DeadlineExceeded) {
		return Result{}, err
	}
	topics, err := n.Topics()
	if err != nil {
		return Result{}, err
	}
	var all []pubsub.EndpointInfo
	for _, t := range topics {
		endpoints, err := n.Endpoints(t.Name)
		if err != nil {
			return Result{}, err
		}
		all = append(all, endpoints...)
	}
	all = slices.DeleteFunc(all, func(e pubsub.EndpointInfo) bool { return e.FullNodeName() == n.FullName() })
	return distros(all), nil
}

// NoNode is what Listen would have found where a node cannot be opened.
func NoNode(err error) Result {
	return Result{Check: "nodes", Status: Bad, Found: err.Error(), Why: "no node starts here"}
}

// distros tells Humble from what came after it by the type hashes, which Humble does not announce.
func distros(endpoints []pubsub.EndpointInfo) Result {
	r := Result{Check: "ROS distributions", Status: Good}
	nodes := map[bool][]string{} // by whether they announce hashes
	for _, e := range endpoints {
		name, newer := e.FullNodeName(), e.TypeHash != ""
		if e.Node != "" && !slices.Contains(nodes[newer], name) {
			nodes[newer] = append(nodes[newer], name)
		}
	}
	humble, newer := nodes[false], nodes[true]
	slices.Sort(humble)
	switch {
	case len(humble) > 0 && len(newer) > 0:
		r.Status = Warning
		r.Found = fmt.Sprintf("%s of Humble or older beside %d newer: %s", countNodes(len(humble)), len(newer), brief(humble))
		r.Why = "their topics work together, but neither kind sees the other's nodes, and services may not work"
		r.Fix = []string{"# run one distribution in a domain, or give each a ROS_DOMAIN_ID of its own"}
	case len(humble) > 0:
		r.Found = countNodes(len(humble)) + " here, of Humble or older"
		r.Why = "pinion's nodes show up there with ROS_DISTRO=humble"
	case len(newer) > 0:
		r.Found = countNodes(len(newer)) + " here, none of Humble or older"
	default:
		r.Found = "no other nodes here"
	}
	return r
}

func countNodes(n int) string {
	if n == 1 {
		return "1 node"
	}
	return fmt.Sprintf("%d nodes", n)
}

// brief names the first few.
func brief(names []string) string {
	const few = 5
	if len(names) > few {
		return strings.Join(names[:few], ", ") + ", ..."
	}
	return strings.Join(names, ", ")
}
