package security

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestPolicy(t *testing.T) {
	for _, tt := range []struct {
		enclave string
		want    Permissions
	}{
		{"/robot/arm", Permissions{
			Allow: Topics{
				Publish: []string{"rq/mapRequest", "rr/robot/arm/resetReply", "rr/robot/grip/_action/cancel_goalReply",
					"rr/robot/grip/_action/get_resultReply", "rr/robot/grip/_action/send_goalReply",
					"rt/robot/arm/state", "rt/robot/grip/_action/feedback", "rt/robot/grip/_action/status", "rt/rosout"},
				Subscribe: []string{"rq/robot/arm/resetRequest", "rq/robot/grip/_action/cancel_goalRequest",
					"rq/robot/grip/_action/get_resultRequest", "rq/robot/grip/_action/send_goalRequest",
					"rr/mapReply", "rt/clock", "rt/robot/command"},
			},
			Deny: Topics{
				Publish: []string{"rq/drive/_action/cancel_goalRequest", "rq/drive/_action/get_resultRequest", "rq/drive/_action/send_goalRequest"},
				Subscribe: []string{"rr/drive/_action/cancel_goalReply", "rr/drive/_action/get_resultReply", "rr/drive/_action/send_goalReply",
					"rt/drive/_action/feedback", "rt/drive/_action/status", "rt/robot/arm/state"},
			},
		}},
		{"/eye", Permissions{Allow: Topics{Publish: []string{"rt/image"}}}},
	} {
		got, err := ReadPolicy("testdata/policies/robot.policy.xml", tt.enclave)
		if err != nil {
			t.Error(err)
		}
		for _, list := range []*[]string{&got.Allow.Publish, &got.Allow.Subscribe, &got.Deny.Publish, &got.Deny.Subscribe} {
			slices.Sort(*list)
		}
		if !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s:\n%+v, want\n%+v", tt.enclave, got, tt.want)
		}
	}
}

func TestFaultyPolicy(t *testing.T) {
	const head, tail = `<policy><enclaves><enclave path="/e"><profiles><profile ns="/" node="n">`, `</profile></profiles></enclave></enclaves></policy>`
	for _, tt := range []struct{ text, reason string }{
		{"", "no XML element"},
		{"<policy>", "unexpected EOF"},
		{"<dds/>", "the outermost element is <dds>"},
		{"<policy/>", `nothing on enclave /e: add an <enclave path="/e">`},
		{head + "<topics publish='allow'><topic>a</topic></topics>" + tail, `<topics publish="allow">: it is ALLOW or DENY`},
		{head + "<topics request='ALLOW'><topic>a</topic></topics>" + tail, "<topics> has publish and subscribe, not request"},
		{head + "<topics publish='ALLOW'><service>a</service></topics>" + tail, "<topics> has <topic>s with a name each, not <service>a"},
		{head + "<topics publish='ALLOW'><topic/></topics>" + tail, "<topics> has <topic>s with a name each"},
		{head + "<nodes/>" + tail, "not <nodes>"},
		{head + "<include/>" + tail, "policy.xml:1: the include has no href"},
		{head + "<include href='nowhere.xml'/>" + tail, "nowhere.xml"},
		{head + "<include href='other.xml' xpointer='element(/1)'/>" + tail, "only paths like xpointer(/profile/*) are understood"},
		{head + "<include href='other.xml' xpointer='xpointer(/profile/*)'/>" + tail, "its outermost element is <other>, not <profile>"},
		{head + "<include href='policy.xml'/>" + tail, "does the file include itself?"},
		{strings.Repeat("<a>", 100), "elements are more than 32 deep"},
		{"<policy><include href='double0.xml'/></policy>", "there are more than 65536 elements"},
		{head + tail + "<policy/>", "<policy> follows the outermost element"},
		{head + tail + "<policy", "unexpected EOF"},
		// Nothing that may deny is overlooked.
		{"<policy><enclave path='/e'/></policy>", "<policy> has <enclaves>, not <enclave>"},
		{"<policy><enclaves><encalve path='/e'/></enclaves></policy>", "<enclaves> has <enclave>, not <encalve>"},
		{"<policy><enclaves><enclave name='/e'/></enclaves></policy>", "<enclave> has no path"},
		{"<policy><enclaves><enclave path='/e'/><enclave path='/e'/></enclaves></policy>", `<enclave path="/e"> is there twice`},
		{"<policy><enclaves><enclave path='/e'><profile/></enclave></enclaves></policy>", "enclave /e: <enclave> has <profiles>, not <profile>"},
		{head + "</profile><proflie>" + strings.Replace(tail, "profile", "proflie", 1), "<profiles> has <profile> and <metadata>, not <proflie>"},
		{strings.Replace(head, "ns=", "namespace=", 1) + tail, "<profile> has no ns"},
		{strings.Replace(head, "ns=", "deny='a' ns=", 1) + tail, "<profile> has ns and node, not deny"},
	} {
		files := map[string]string{"policy.xml": tt.text, "other.xml": "<other/>", "double20.xml": "<a/>"}
		for i := range 20 {
			next := fmt.Sprintf("<include href='double%d.xml'/>", i+1)
			files[fmt.Sprintf("double%d.xml", i)] = "<a>" + next + next + "</a>"
		}
		dir := t.TempDir()
		for name, text := range files {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		_, err := ReadPolicy(filepath.Join(dir, "policy.xml"), "/e")
		if err == nil || !strings.Contains(err.Error(), tt.reason) || !strings.Contains(err.Error(), ".xml") {
			t.Errorf("%s: %v, want %q", tt.text, err, tt.reason)
		}
	}
}
