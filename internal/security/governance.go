package security

import (
	"bytes"
	"encoding/xml"
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
