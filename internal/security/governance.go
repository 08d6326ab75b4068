package security

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"os"
	"slices"
	"strings"
)

// The elements of a governance document (DDS Security 1.1, 9.4.1.2).
type (
	governanceRoot struct {
		XMLName xml.Name   `xml:"dds"`
		XSI     string     `xml:"xmlns:xsi,attr"`
		Schema  string     `xml:"xsi:noNamespaceSchemaLocation,attr"`
		Rule    domainRule `xml:"domain_access_rules>domain_rule"`
	}

	domainRule struct {
		Domains              domains   `xml:"domains"`
		AllowUnauthenticated bool      `xml:"allow_unauthenticated_participants"`
		JoinAccessControl    bool      `xml:"enable_join_access_control"`
		Discovery            string    `xml:"discovery_protection_kind"`
		Liveliness           string    `xml:"liveliness_protection_kind"`
		RTPS                 string    `xml:"rtps_protection_kind"`
		Topic                topicRule `xml:"topic_access_rules>topic_rule"`
	}

	topicRule struct {
		Expression           string `xml:"topic_expression"`
		DiscoveryProtection  bool   `xml:"enable_discovery_protection"`
		LivelinessProtection bool   `xml:"enable_liveliness_protection"`
		ReadAccessControl    bool   `xml:"enable_read_access_control"`
		WriteAccessControl   bool   `xml:"enable_write_access_control"`
		Metadata             string `xml:"metadata_protection_kind"`
		Data                 string `xml:"data_protection_kind"`
	}

	domains struct {
		ID uint32 `xml:"id"`
	}
)

const (
	schemaInstance    = "http://www.w3.org/2001/XMLSchema-instance"
	governanceSchema  = "http://www.omg.org/spec/DDS-SECURITY/20170901/omg_shared_ca_governance.xsd"
	permissionsSchema = "http://www.omg.org/spec/DDS-SECURITY/20170901/omg_shared_ca_permissions.xsd"
)

// governanceDocument protects everything, as sros2's does (sros2/policy/defaults/dds/governance.xml).
func governanceDocument(domain uint32) ([]byte, error) {
	return document(governanceRoot{XSI: schemaInstance, Schema: governanceSchema, Rule: domainRule{
		Domains:           domains{domain},
		JoinAccessControl: true,
		Discovery:         "ENCRYPT",
		Liveliness:        "ENCRYPT",
		RTPS:              "SIGN",
		Topic: topicRule{
			Expression:           "*",
			DiscoveryProtection:  true,
			LivelinessProtection: true,
			ReadAccessControl:    true,
			WriteAccessControl:   true,
			Metadata:             "ENCRYPT",
			Data:                 "ENCRYPT",
		},
	}})
}

// A scope is what a governance document says of domains.
type scope struct {
	Rules []struct {
		IDs    []uint32 `xml:"domains>id"`
		Ranges []struct {
			Min uint32  `xml:"min"`
			Max *uint32 `xml:"max"` // nil for no end
		} `xml:"domains>id_range"`
	} `xml:"domain_access_rules>domain_rule"`
}

// String returns "0, 5 to 7".
func (s *scope) String() string {
	var all []string
	for _, r := range s.Rules {
		for _, id := range r.IDs {
			all = append(all, fmt.Sprint(id))
		}
		for _, x := range r.Ranges {
			if x.Max == nil {
				all = append(all, fmt.Sprintf("%d and above", x.Min))
			} else {
				all = append(all, fmt.Sprintf("%d to %d", x.Min, *x.Max))
			}
		}
	}
	return strings.Join(all, ", ")
}

func (s *scope) has(domain uint32) bool {
	for _, r := range s.Rules {
		if slices.Contains(r.IDs, domain) {
			return true
		}
		for _, x := range r.Ranges {
			if domain >= x.Min && (x.Max == nil || domain <= *x.Max) {
				return true
			}
		}
	}
	return false
}

// governs fails where the keystore's governance has no rule for the domain: nodes could not be made in it.
// It reads what is signed, as they do.
func (k *Keystore) governs(domain uint32) error {
	text, err := os.ReadFile(k.path(governance))
	if err != nil {
		return err
	}
	begin, end := bytes.Index(text, []byte("<dds")), bytes.LastIndex(text, []byte("</dds>"))
	if begin < 0 || end < begin {
		return nil // a form of S/MIME in which the text is not plain
	}
	var s scope
	if err := xml.Unmarshal(text[begin:end+len("</dds>")], &s); err != nil {
		return fmt.Errorf("%s: %w", k.path(governance), err)
	}
	if !s.has(domain) {
		return fmt.Errorf("domain %d is not the keystore's: %s is for domain %s; set ROS_DOMAIN_ID or --domain to that, or make another keystore", domain, k.path(governance), &s)
	}
	return nil
}

func document(root any) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(xml.Header)
	e := xml.NewEncoder(&b)
	e.Indent("", "  ")
	if err := e.Encode(root); err != nil {
		return nil, err
	}
	b.WriteByte('\n')
	return b.Bytes(), nil
}
