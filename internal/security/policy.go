package security

import (
	"fmt"
	"path/filepath"
	"strings"
)

// ReadPolicy returns what an enclave may do according to a policy file of sros2 (design.ros2.org, "ROS 2
// Access Control Policies"), includes as in ROS 2's examples resolved.
func ReadPolicy(file, enclave string) (Permissions, error) {
	root, err := readElement(file)
	if err != nil {
		return Permissions{}, err
	}
	if root.name != "policy" {
		return Permissions{}, fmt.Errorf("%s: the outermost element is <%s>, where a policy has <policy>", file, root.name)
	}
	e, err := root.enclave(enclave)
	if err != nil {
		return Permissions{}, fmt.Errorf("%s: %w", file, err)
	}
	if e == nil {
		return Permissions{}, fmt.Errorf("%s has nothing on enclave %s: add an <enclave path=%q>", filepath.Base(file), enclave, enclave)
	}
	p, err := e.permissions()
	if err != nil {
		return Permissions{}, fmt.Errorf("%s: enclave %s: %w", file, enclave, err)
	}
	return p, nil
}

// enclave returns what a policy has on an enclave, nil for nothing.
func (e *element) enclave(path string) (found *element, err error) {
	if err := e.only("enclaves"); err != nil {
		return nil, err
	}
	for _, list := range e.children {
		if err := list.only("enclave"); err != nil {
			return nil, err
		}
		for _, enclave := range list.children {
			if err := enclave.require("path"); err != nil {
				return nil, err
			}
			if enclave.attr["path"] == path && found != nil {
				return nil, fmt.Errorf("<enclave path=%q> is there twice", path)
			}
			if enclave.attr["path"] == path {
				found = enclave
			}
		}
	}
	return found, nil
}

func (e *element) permissions() (p Permissions, err error) {
	if err := e.only("profiles"); err != nil {
		return Permissions{}, err
	}
	for _, profiles := range e.children {
		if err := profiles.only("profile", "metadata"); err != nil {
			return Permissions{}, err
		}
		for _, profile := range profiles.below("profile") {
			if err := profile.require("ns", "node"); err != nil {
				return Permissions{}, err
			}
			for _, list := range profile.children {
				if err := p.add(profile, list); err != nil {
					return Permissions{}, err
				}
			}
		}
	}
	return p, nil
}

// kinds are the lists of a profile: what an entry is called, what can be said of it, and what follows.
var kinds = map[string]struct {
	entry, first, second string
	add                  func(t *Topics, name string, first, second bool)
}{
	"topics":   {"topic", "publish", "subscribe", (*Topics).topic},
	"services": {"service", "request", "reply", (*Topics).service},
	"actions":  {"action", "call", "execute", (*Topics).action},
}

// add adds a list of topics, services or actions.
func (p *Permissions) add(profile, list *element) error {
	kind, ok := kinds[list.name]
	if !ok {
		return fmt.Errorf("a profile has <topics>, <services> and <actions>, not <%s>", list.name)
	}
	for name, value := range list.attr {
		if name != kind.first && name != kind.second && name != "base" {
			return fmt.Errorf("<%s> has %s and %s, not %s", list.name, kind.first, kind.second, name)
		}
		if name != "base" && value != "ALLOW" && value != "DENY" {
			return fmt.Errorf("<%s %s=%q>: it is ALLOW or DENY", list.name, name, value)
		}
	}
	for _, e := range list.children {
		if e.name != kind.entry || e.text == "" {
			return fmt.Errorf("<%s> has <%s>s with a name each, not <%s>%s", list.name, kind.entry, e.name, e.text)
		}
		name := qualify(e.text, profile.attr["ns"], profile.attr["node"])
		for qualifier, t := range map[string]*Topics{"ALLOW": &p.Allow, "DENY": &p.Deny} {
			kind.add(t, name, list.attr[kind.first] == qualifier, list.attr[kind.second] == qualifier)
		}
	}
	return nil
}

// qualify makes a name absolute: one that begins with ~ is in the node's own namespace.
func qualify(name, namespace, node string) string {
	namespace = strings.TrimSuffix(namespace, "/") + "/"
	if private, ok := strings.CutPrefix(name, "~"); ok {
		return namespace + node + private
	}
	if strings.HasPrefix(name, "/") {
		return name
	}
	return namespace + name
}
