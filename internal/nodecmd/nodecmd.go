// Package nodecmd is what the commands pinion node do, as functions of a node.
package nodecmd

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/pinion-ros/pinion/pubsub"
)

// Node is a node of the domain.
type Node struct {
	FullName  string `json:"full_name"`
	Name      string `json:"name"`
	Namespace string `json:"namespace"`
	Enclave   string `json:"enclave"`
	Hidden    bool   `json:"hidden"`
}

// List returns the nodes of the domain in the order of their full names, without the node that looks.
func List(n *pubsub.Node, hidden bool) ([]Node, error) {
	found, err := n.Nodes()
	if err != nil {
		return nil, err
	}
	nodes := []Node{}
	for _, i := range found {
		if i.FullName() != n.FullName() && (hidden || !i.Hidden()) {
			nodes = append(nodes, Node{i.FullName(), i.Name, i.Namespace, i.Enclave, i.Hidden()})
		}
	}
	return nodes, nil
}

// Duplicates returns the names that several nodes have, each once.
func Duplicates(nodes []Node) []string {
	var names []string
	for i := 1; i < len(nodes); i++ {
		if name := nodes[i].FullName; name == nodes[i-1].FullName && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// Info is a node with what it offers and uses.
type Info struct {
	Node           string  `json:"node"`
	Subscribers    []Typed `json:"subscribers"`
	Publishers     []Typed `json:"publishers"`
	ServiceServers []Typed `json:"service_servers"`
	ServiceClients []Typed `json:"service_clients"`
	ActionServers  []Typed `json:"action_servers"`
	ActionClients  []Typed `json:"action_clients"`
}

// Typed is a topic, service or action with its types.
type Typed struct {
	Name  string   `json:"name"`
	Types []string `json:"types"`
}

// NewInfo sorts the endpoints of a node, as pubsub.Node.NodeEndpoints returns them, into what they
// serve for. hidden keeps those of which a part of the name begins with an underscore.
func NewInfo(node string, endpoints []pubsub.EndpointInfo, hidden bool) *Info {
	i := &Info{node, []Typed{}, []Typed{}, []Typed{}, []Typed{}, []Typed{}, []Typed{}}
	for _, e := range endpoints {
		i.addAction(&e)
		if !hidden && strings.Contains(e.Name, "/_") {
			continue
		}
		switch {
		case e.Role == pubsub.RoleTopic && e.Publisher:
			add(&i.Publishers, e.Name, e.Type)
		case e.Role == pubsub.RoleTopic:
			add(&i.Subscribers, e.Name, e.Type)
		case e.Role == pubsub.RoleRequest && !e.Publisher:
			add(&i.ServiceServers, e.Name, strings.TrimSuffix(e.Type, "_Request"))
		case e.Role == pubsub.RoleRequest:
			add(&i.ServiceClients, e.Name, strings.TrimSuffix(e.Type, "_Request"))
		}
	}
	for _, list := range i.lists() {
		slices.SortFunc(*list.typed, func(a, b Typed) int { return strings.Compare(a.Name, b.Name) })
	}
	return i
}

// addAction finds actions as ROS 2 does: by the topic of their feedback, which the server publishes.
func (i *Info) addAction(e *pubsub.EndpointInfo) {
	name, ok := strings.CutSuffix(e.Name, "/_action/feedback")
	typeName, isFeedback := strings.CutSuffix(e.Type, "_FeedbackMessage")
	if !ok || !isFeedback || e.Role != pubsub.RoleTopic {
		return
	}
	to := &i.ActionClients
	if e.Publisher {
		to = &i.ActionServers
	}
	add(to, name, typeName)
}

// add adds a type to the entry of a name.
func add(list *[]Typed, name, typeName string) {
	for i := range *list {
		if t := &(*list)[i]; t.Name == name {
			if !slices.Contains(t.Types, typeName) {
				t.Types = append(t.Types, typeName)
			}
			return
		}
	}
	*list = append(*list, Typed{name, []string{typeName}})
}

type titled struct {
	title string
	typed *[]Typed
}

func (i *Info) lists() []titled {
	return []titled{
		{"Subscribers", &i.Subscribers}, {"Publishers", &i.Publishers},
		{"Service Servers", &i.ServiceServers}, {"Service Clients", &i.ServiceClients},
		{"Action Servers", &i.ActionServers}, {"Action Clients", &i.ActionClients},
	}
}

// Print writes the information as `ros2 node info` does.
func (i *Info) Print(w io.Writer) error {
	var b strings.Builder
	b.WriteString(i.Node + "\n")
	for _, list := range i.lists() {
		fmt.Fprintf(&b, "  %s:\n", list.title)
		for _, t := range *list.typed {
			fmt.Fprintf(&b, "    %s: %s\n", t.Name, strings.Join(t.Types, ", "))
		}
		if len(*list.typed) == 0 {
			b.WriteByte('\n')
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
