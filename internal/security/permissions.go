package security

import (
	"encoding/xml"
	"slices"
	"time"
)

// Permissions say which topics an enclave may publish and subscribe to. What is denied is denied even
// where it is allowed as well; what is neither is denied. Beyond them every node may take part in the ROS
// graph.
type Permissions struct{ Deny, Allow Topics }

// Topics are patterns of names on the wire ("rt/chatter"), in which * and ? stand for any characters and
// for one, as in fnmatch(3).
type Topics struct{ Publish, Subscribe []string }

// Everything allows all topics, services and actions, as sros2 does for a new enclave.
func Everything() Permissions {
	var p Permissions
	p.Allow.topic("/*", true, true)
	p.Allow.service("/*", true, true)
	p.Allow.action("/*", true, true)
	return p
}

// graphTopic is where ROS 2 announces nodes.
const graphTopic = "ros_discovery_info"

// topic adds a ROS topic.
func (t *Topics) topic(name string, publish, subscribe bool) {
	if publish {
		t.Publish = append(t.Publish, "rt"+name)
	}
	if subscribe {
		t.Subscribe = append(t.Subscribe, "rt"+name)
	}
}

// service adds the two topics of a service: a client publishes requests, a server replies.
func (t *Topics) service(name string, request, reply bool) {
	requests, replies := "rq"+name+"Request", "rr"+name+"Reply"
	if request {
		t.Publish, t.Subscribe = append(t.Publish, requests), append(t.Subscribe, replies)
	}
	if reply {
		t.Publish, t.Subscribe = append(t.Publish, replies), append(t.Subscribe, requests)
	}
}

// action adds the services and topics of an action.
func (t *Topics) action(name string, call, execute bool) {
	for _, s := range []string{"cancel_goal", "get_result", "send_goal"} {
		t.service(name+"/_action/"+s, call, execute)
	}
	for _, s := range []string{"feedback", "status"} {
		t.topic(name+"/_action/"+s, execute, call)
	}
}

// The elements of a permissions document (DDS Security 1.1, 9.4.1.3).
type (
	permissionsRoot struct {
		XMLName xml.Name `xml:"dds"`
		XSI     string   `xml:"xmlns:xsi,attr"`
		Schema  string   `xml:"xsi:noNamespaceSchemaLocation,attr"`
		Grant   grant    `xml:"permissions>grant"`
	}

	grant struct {
		Name      string `xml:"name,attr"`
		Subject   string `xml:"subject_name"`
		NotBefore string `xml:"validity>not_before"`
		NotAfter  string `xml:"validity>not_after"`
		Deny      *rule  `xml:"deny_rule"`
		Allow     []rule `xml:"allow_rule"`
		Default   string `xml:"default"`
	}

	rule struct {
		Domains   domains   `xml:"domains"`
		Publish   *criteria `xml:"publish"`
		Subscribe *criteria `xml:"subscribe"`
	}

	criteria struct {
		Topics []string `xml:"topics>topic"`
	}
)

func (p Permissions) document(enclave string, domain uint32, notBefore, notAfter time.Time) ([]byte, error) {
	const dateTime = "2006-01-02T15:04:05"
	g := grant{
		Name:      enclave,
		Subject:   "CN=" + enclave,
		NotBefore: notBefore.UTC().Format(dateTime),
		NotAfter:  notAfter.UTC().Format(dateTime),
		Deny:      p.Deny.rule(domain),
		Default:   "DENY",
	}
	graph := Topics{Publish: []string{graphTopic}, Subscribe: []string{graphTopic}}
	for _, r := range []*rule{p.Allow.rule(domain), graph.rule(domain)} {
		if r != nil {
			g.Allow = append(g.Allow, *r)
		}
	}
	return document(permissionsRoot{XSI: schemaInstance, Schema: permissionsSchema, Grant: g})
}

// rule returns nil for no topics.
func (t Topics) rule(domain uint32) *rule {
	if len(t.Publish)+len(t.Subscribe) == 0 {
		return nil
	}
	return &rule{domains{domain}, newCriteria(t.Publish), newCriteria(t.Subscribe)}
}

func newCriteria(topics []string) *criteria {
	if len(topics) == 0 {
		return nil
	}
	sorted := slices.Sorted(slices.Values(topics))
	return &criteria{slices.Compact(sorted)}
}
