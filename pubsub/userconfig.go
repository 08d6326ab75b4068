package pubsub

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
)

// userConfig is what CYCLONEDDS_URI holds.
type userConfig struct {
	parts []configPart
}

// A configPart is a piece of XML, or a file with some.
type configPart struct {
	file string // empty for XML
	xml  string
}

// readConfig reads the files as Cyclone DDS would.
func readConfig(uri string) (userConfig, error) {
	var c userConfig
	for _, part := range splitConfig(uri) {
		if strings.HasPrefix(part, "<") {
			c.parts = append(c.parts, configPart{xml: part})
			continue
		}
		data, err := os.ReadFile(part)
		if err != nil && strings.HasPrefix(part, "file://") {
			data, err = os.ReadFile(part[len("file://"):])
		}
		if err != nil {
			return userConfig{}, fmt.Errorf("CYCLONEDDS_URI: %w", err)
		}
		c.parts = append(c.parts, configPart{part, string(data)})
	}
	return c, nil
}

// splitConfig separates files from each other and from XML, in which commas are text.
func splitConfig(uri string) []string {
	var parts []string
	for uri = trimConfig(uri); uri != ""; uri = trimConfig(uri) {
		end := strings.IndexByte(uri, ',')
		if uri[0] == '<' {
			end = len(uri)
			if i := fileAfterXML.FindStringIndex(uri); i != nil {
				end = i[0] + 1
			}
		}
		if end < 0 {
			end = len(uri)
		}
		parts = append(parts, strings.TrimSpace(uri[:end]))
		uri = uri[end:]
	}
	return parts
}

func trimConfig(uri string) string { return strings.TrimLeft(uri, " \t\r\n\v\f,") }

// Cyclone DDS takes the names of elements and attributes in any case.
var (
	fileAfterXML     = regexp.MustCompile(`>\s*,[\s,]*[^<,\s]`)
	comment          = regexp.MustCompile(`(?s)<!--.*?-->`)
	networkInterface = regexp.MustCompile(`(?i)<\s*NetworkInterface(?:Address\s*>([^<]*)|\b([^>]*))`)
	interfaceKey     = regexp.MustCompile(`(?i)\b(?:name|address)\s*=\s*(?:"([^"]*)"|'([^']*)')`)
	domainID         = regexp.MustCompile(`(?i)(<\s*Domain\b[^>]*?\sid\s*=\s*)("[^"]*"|'[^']*')`)
	domainElement    = regexp.MustCompile(`(?is)<\s*Domain\b[^>]*?(?:/>|>.*?(?:</\s*Domain\s*>|$))`)
	domainIDChild    = regexp.MustCompile(`(?i)(<\s*Domain\s*>\s*<\s*Id\s*>)([^<]*)`)

	allowMulticast          = regexp.MustCompile(`(?i)(<\s*AllowMulticast\s*>)([^<]*)`)
	allowMulticastAttribute = regexp.MustCompile(`(?i)(\sallow_multicast\s*=\s*)("[^"]*"|'[^']*')`)
)

// unicast returns the configuration without leave for data to come by multicast.
func (c userConfig) unicast() userConfig {
	var u userConfig
	for _, p := range c.parts {
		before := comment.ReplaceAllString(p.xml, "")
		if after := restrictMulticast(before); after != before {
			p = configPart{xml: after}
		}
		u.parts = append(u.parts, p)
	}
	return u
}

func restrictMulticast(text string) string {
	text = allowMulticast.ReplaceAllStringFunc(text, func(s string) string {
		m := allowMulticast.FindStringSubmatch(s)
		return m[1] + onlyDiscovery(m[2])
	})
	return allowMulticastAttribute.ReplaceAllStringFunc(text, func(s string) string {
		m := allowMulticastAttribute.FindStringSubmatch(s)
		return m[1] + strconv.Quote(onlyDiscovery(m[2][1:len(m[2])-1]))
	})
}

// onlyDiscovery leaves from what multicast may be used for the discovery of participants.
func onlyDiscovery(uses string) string {
	for use := range strings.SplitSeq(strings.ToLower(os.ExpandEnv(uses)), ",") {
		switch strings.TrimSpace(use) {
		case "spdp", "true", "default":
			return "spdp"
		}
	}
	return "false"
}

// interfaces returns the network interfaces that the user selects for a domain, by name or address,
// "" for one that Cyclone DDS determines by itself.
func (c userConfig) interfaces(domain uint32) []string {
	var selected []string
	for _, p := range c.parts {
		text := domainElement.ReplaceAllStringFunc(comment.ReplaceAllString(p.xml, ""), func(element string) string {
			if id := elementID(element); id != "" && !strings.EqualFold(id, "any") && !isDomain(id, domain) {
				return ""
			}
			return element
		})
		for _, m := range networkInterface.FindAllStringSubmatch(text, -1) {
			names := strings.Split(m[1], ",") // NetworkInterfaceAddress, the old form, has a list
			if key := interfaceKey.FindStringSubmatch(m[2]); key != nil {
				names = []string{key[1] + key[2]}
			}
			for _, name := range names {
				if name = strings.TrimSpace(os.ExpandEnv(name)); strings.EqualFold(name, "auto") {
					name = ""
				}
				selected = append(selected, name)
			}
		}
	}
	return selected
}

// elementID returns the id of a Domain element, empty where there is none.
func elementID(element string) string {
	if m := domainID.FindStringSubmatch(element); m != nil {
		return strings.TrimSpace(m[2][1 : len(m[2])-1])
	}
	if m := domainIDChild.FindStringSubmatch(element); m != nil {
		return strings.TrimSpace(m[2])
	}
	return ""
}

// text returns the configuration for an instance that is called id inside the process: where it
// addresses the domain id on the wire, it means this instance as well. Files that need no change are
// left to Cyclone DDS, which names them in its messages.
func (c userConfig) text(wire, id uint32) string {
	var texts []string
	for _, p := range c.parts {
		text := p.xml
		if wire != id {
			text = renameDomain(comment.ReplaceAllString(p.xml, ""), wire, id)
		}
		if p.file != "" && (wire == id || text == comment.ReplaceAllString(p.xml, "")) {
			text = p.file
		}
		texts = append(texts, strings.TrimSpace(text))
	}
	return strings.Join(texts, ",")
}

// renameDomain lets Domain elements for the wire's id address the instance called id.
func renameDomain(text string, wire, id uint32) string {
	attribute := func(s string) string {
		m := domainID.FindStringSubmatch(s)
		if !isDomain(m[2][1:len(m[2])-1], wire) {
			return s
		}
		return m[1] + strconv.Quote(strconv.FormatUint(uint64(id), 10))
	}
	child := func(s string) string {
		m := domainIDChild.FindStringSubmatch(s)
		if !isDomain(m[2], wire) {
			return s
		}
		return m[1] + strconv.FormatUint(uint64(id), 10)
	}
	return domainIDChild.ReplaceAllStringFunc(domainID.ReplaceAllStringFunc(text, attribute), child)
}

// isDomain compares as Cyclone DDS does, which also replaces variables of the environment.
func isDomain(text string, wire uint32) bool {
	n, err := strconv.ParseUint(strings.TrimSpace(os.ExpandEnv(text)), 10, 32)
	return err == nil && uint32(n) == wire
}
