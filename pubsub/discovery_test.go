package pubsub

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestParseDomain(t *testing.T) {
	for _, tt := range []struct {
		text string
		want int // -1 for an error
	}{
		{"", 0}, {"0", 0}, {"42", 42}, {"232", 232}, {"233", -1},
		{"0x10", 16}, {"0X1f", 31}, {"010", 8}, {"00", 0}, {"+5", 5}, {" \t5", 5},
		{"5abc", 5}, {"5 ", 5}, {"0x10z", 16}, {"017.9", 15},
		{"0abc", -1}, {"0 ", -1}, {"08", -1}, {"0x", -1}, {"abc", -1}, {" ", -1}, {"-", -1}, {"+-1", -1},
		{"-1", 0}, {"-1x", 0}, {"18446744073709551615", 0}, {"-0", 0}, {"-0x", -1}, {"-5", -1},
		{"18446744073709551616", -1}, {"99999999999999999999999", -1}, {"4294967296", -1},
	} {
		got, err := parseDomain(tt.text)
		if (err != nil) != (tt.want < 0) || err == nil && int(got) != tt.want {
			t.Errorf("%q: %d, %v; want %d", tt.text, got, err, tt.want)
		}
		if err != nil && !strings.Contains(err.Error(), "ROS_DOMAIN_ID") {
			t.Errorf("%q: %v", tt.text, err)
		}
	}
}

func TestDiscoveryFrom(t *testing.T) {
	long := strings.Repeat("a", 256)
	for _, tt := range []struct {
		env      string
		distro   string
		want     Discovery
		warnings int
	}{
		{"", "", Discovery{}, 0},
		{"ROS_DOMAIN_ID=7", "", Discovery{Domain: 7}, 0},
		{"ROS_DOMAIN_ID=7a", "", Discovery{Domain: 7}, 1},
		{"ROS_DOMAIN_ID=010 ROS_LOCALHOST_ONLY=1", "", Discovery{Domain: 8, Range: RangeLocalhost}, 1},
		{"ROS_DOMAIN_ID=-1", "humble", Discovery{}, 1},
		{"ROS_LOCALHOST_ONLY=yes", "humble", Discovery{}, 1},
		{"ROS_AUTOMATIC_DISCOVERY_RANGE=SUBNET", "", Discovery{}, 0},
		{"ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST", "", Discovery{Range: RangeLocalhost}, 0},
		{"ROS_AUTOMATIC_DISCOVERY_RANGE=OFF", "", Discovery{Range: RangeOff}, 0},
		{"ROS_AUTOMATIC_DISCOVERY_RANGE=SYSTEM_DEFAULT", "", Discovery{Range: RangeSystemDefault}, 0},
		{"ROS_AUTOMATIC_DISCOVERY_RANGE=subnet", "", Discovery{Range: RangeLocalhost}, 1},
		{"ROS_STATIC_PEERS=;10.0.0.1;;b:7410;", "", Discovery{Peers: []string{"10.0.0.1", "b:7410"}}, 0},
		{"ROS_STATIC_PEERS=" + long + ";" + long[1:], "", Discovery{Peers: []string{long[1:]}}, 1},
		{"ROS_STATIC_PEERS=a ROS_AUTOMATIC_DISCOVERY_RANGE=OFF", "", Discovery{Range: RangeOff, Peers: []string{"a"}}, 1},
		{"ROS_LOCALHOST_ONLY=1 ROS_STATIC_PEERS=a ROS_AUTOMATIC_DISCOVERY_RANGE=OFF", "", Discovery{Range: RangeLocalhost}, 0},
		{"ROS_LOCALHOST_ONLY=10", "", Discovery{Range: RangeLocalhost}, 0},
		{"ROS_LOCALHOST_ONLY=0 ROS_STATIC_PEERS=a", "", Discovery{Peers: []string{"a"}}, 0},
		{"ROS_LOCALHOST_ONLY=true", "", Discovery{}, 1},
		{"ROS_LOCALHOST_ONLY=1", "humble", Discovery{Range: RangeLocalhost, Loopback: true}, 0},
		{"ROS_AUTOMATIC_DISCOVERY_RANGE=OFF ROS_STATIC_PEERS=a", "humble", Discovery{}, 0},
		{"CYCLONEDDS_URI=file:///x", "humble", Discovery{Config: "file:///x"}, 0},
	} {
		got, warnings, err := discoveryFrom(func(name string) string {
			for _, v := range strings.Fields(tt.env) {
				if value, ok := strings.CutPrefix(v, name+"="); ok {
					return value
				}
			}
			return ""
		}, tt.distro)
		if err != nil || !reflect.DeepEqual(got, tt.want) || len(warnings) != tt.warnings {
			t.Errorf("%.80s %s: %+v, %q, %v; want %+v", tt.env, tt.distro, got, warnings, err, tt.want)
		}
	}
}

func TestValidateDiscovery(t *testing.T) {
	for _, tt := range []struct {
		d  Discovery
		ok bool
	}{
		{Discovery{}, true},
		{Discovery{Domain: 232}, true},
		{Discovery{Domain: 233}, false},
		{Discovery{Range: 4}, false},
		{Discovery{MaxParticipants: -1}, false},
		{Discovery{MaxParticipants: 120}, true},
		{Discovery{MaxParticipants: 121}, false},
		{Discovery{Domain: 231, MaxParticipants: 120}, true},
		{Discovery{Domain: 232, MaxParticipants: 62}, true},
		{Discovery{Domain: 232, MaxParticipants: 63}, false},
	} {
		if err := tt.d.validate(); (err == nil) != tt.ok {
			t.Errorf("%+v: %v", tt.d, err)
		}
	}
}

func TestSplitConfig(t *testing.T) {
	for _, tt := range []struct {
		uri  string
		want []string
	}{
		{"", nil},
		{" , ", nil},
		{"file:///a.xml", []string{"file:///a.xml"}},
		{"a.xml, b.xml,,", []string{"a.xml", "b.xml"}},
		{"<a>x,y</a>", []string{"<a>x,y</a>"}},
		{"<a>x,y</a>,<b/>", []string{"<a>x,y</a>,<b/>"}},
		{"<a>x,y</a> , ,file:///c.xml,<d>e</d>", []string{"<a>x,y</a>", "file:///c.xml", "<d>e</d>"}},
		{"<a><b>c", []string{"<a><b>c"}},
	} {
		if got := splitConfig(tt.uri); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%q: %q, want %q", tt.uri, got, tt.want)
		}
	}
}

func TestRenameDomain(t *testing.T) {
	t.Setenv("PINION_TEST_DOMAIN", "5")
	for _, tt := range []struct{ text, want string }{
		{`<Domain Id="5"><General/></Domain>`, `<Domain Id="1000"><General/></Domain>`},
		{`<domain  ID = '5'>`, `<domain  ID = "1000">`},
		{"<Domain\n  xmlns='x'\n  id=' 5 '>", "<Domain\n  xmlns='x'\n  id=\"1000\">"},
		{`<Domain Id="${PINION_TEST_DOMAIN}">`, `<Domain Id="1000">`},
		{`<Domain><Id>5</Id></Domain>`, `<Domain><Id>1000</Id></Domain>`},
		{`<Domain><Id>50</Id></Domain>`, `<Domain><Id>50</Id></Domain>`},
		{`<Domain Id="6">`, `<Domain Id="6">`},
		{`<Domain Id="any">`, `<Domain Id="any">`},
		{`<Domain Id="05">`, `<Domain Id="1000">`},
		{`<DomainX Id="5">`, `<DomainX Id="5">`},
		{`<Tracing Id="5">`, `<Tracing Id="5">`},
		{`<Domain Id="5"/><Domain Id="6"/><Domain Id="5"/>`, `<Domain Id="1000"/><Domain Id="6"/><Domain Id="1000"/>`},
	} {
		if got := renameDomain(tt.text, 5, 1000); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.text, got, tt.want)
		}
	}
}

func TestUserConfig(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	plain := write("plain.xml", "<CycloneDDS><Domain><Tracing/></Domain></CycloneDDS><!-- <Domain Id=\"5\"> -->\n")
	mine := write("mine.xml", "<CycloneDDS><!-- 5 --><Domain Id=\"5\"/></CycloneDDS>\n")
	c, err := readConfig("<Domain Id='5'/>," + plain + ",file://" + mine)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := c.text(5, 5), "<Domain Id='5'/>,"+plain+",file://"+mine; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := c.text(5, 1000), `<Domain Id="1000"/>,`+plain+`,<CycloneDDS><Domain Id="1000"/></CycloneDDS>`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if _, err := readConfig("file:///nowhere/to/be.found"); err == nil || !strings.Contains(err.Error(), "CYCLONEDDS_URI") {
		t.Errorf("a file that is not there: %v", err)
	}
}

// The user's text comes last, and nothing behind it.
func TestDomainConfig(t *testing.T) {
	for _, tt := range []struct {
		d        Discovery
		id       uint32
		has, not []string
	}{
		{Discovery{Domain: 5}, 5, []string{"<GenerateKeyhash>true<", "<ParticipantIndex>auto<", "<MaxAutoParticipantIndex>32<"}, []string{"AllowMulticast", "Peers", "Interfaces", "ExternalDomainId"}},
		{Discovery{Domain: 5}, 1000, []string{"<ExternalDomainId>5<"}, nil},
		{Discovery{Peers: []string{`a"<`}}, 0, []string{`<Peers><Peer Address="a&#34;&lt;"/></Peers>`}, nil},
		{Discovery{Range: RangeLocalhost, Peers: []string{"b"}}, 0, []string{`Address="localhost"/><Peer Address="b"`, "<AllowMulticast>false<"}, nil},
		{Discovery{Range: RangeLocalhost, Loopback: true, MaxParticipants: 7}, 0, []string{`"127.0.0.1"`, "<MaxAutoParticipantIndex>7<"}, []string{"autodetermine", "LeaseDuration", "HeartbeatInterval"}},
		{Discovery{MaxParticipants: 120}, 0, []string{"<LeaseDuration>140s<", "<HeartbeatInterval>3004ms<"}, nil},
		{Discovery{Range: RangeOff, Peers: []string{"b"}}, 0, []string{fmt.Sprintf("<Tag>ros_discovery_off_%d<", os.Getpid()), "<AllowMulticast>false<"}, []string{`"b"`}},
		{Discovery{Range: RangeSystemDefault, Peers: []string{"b"}}, 0, nil, []string{`"b"`, "ParticipantIndex", "AllowMulticast"}},
		{Discovery{Loopback: true, Config: "<General><Interfaces><networkInterface name='x'/>"}, 0, nil, []string{`"127.0.0.1"`}},
		{Discovery{Domain: 5, Config: "<General><AllowMulticast>true"}, 5, nil, []string{"spdp", "MulticastDataOffset"}},
	} {
		got, err := tt.d.config(tt.id, false)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range tt.has {
			if !strings.Contains(got, s) {
				t.Errorf("%+v: no %s in %s", tt.d, s, got)
			}
		}
		for _, s := range tt.not {
			if strings.Contains(got, s) {
				t.Errorf("%+v: %s in %s", tt.d, s, got)
			}
		}
		if !strings.HasSuffix(got, ","+tt.d.Config) {
			t.Errorf("%+v: the user's text is not last in %s", tt.d, got)
		}
	}
}

// Data of a path comes by unicast, whatever the user allows the rest; all else of the user's stays.
func TestPathConfig(t *testing.T) {
	const offset = "<MulticastDataOffset>2<"
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	asm, plain := write("asm.xml", "<General><AllowMulticast>asm</AllowMulticast></General>"), write("plain.xml", "<Tracing/>")
	for _, tt := range []struct {
		d   Discovery
		has string
		end string // instead of the user's text
	}{
		{Discovery{}, "<AllowMulticast>spdp<", ""},
		{Discovery{Range: RangeSystemDefault}, "<AllowMulticast>spdp<", ""},
		{Discovery{Range: RangeLocalhost}, "<AllowMulticast>false<", ""},
		{Discovery{Config: "<General><AllowMulticast>true</><MaxMessageSize>14000B"}, offset, "<General><AllowMulticast>spdp</><MaxMessageSize>14000B"},
		{Discovery{Config: "<General><allowmulticast> default </>"}, offset, "<General><allowmulticast>spdp</>"},
		{Discovery{Config: "<General><AllowMulticast>spdp,asm</>"}, offset, "<General><AllowMulticast>spdp</>"},
		{Discovery{Config: "<General><AllowMulticast>asm, SSM</>"}, offset, "<General><AllowMulticast>false</>"},
		{Discovery{Config: "<General><AllowMulticast>false</>"}, offset, "<General><AllowMulticast>false</>"},
		{Discovery{Config: "<NetworkInterface multicast='true' allow_multicast='asm,spdp'/>"}, offset, `<NetworkInterface multicast='true' allow_multicast="spdp"/>`},
		{Discovery{Config: "<!-- <AllowMulticast>true --><Tracing/>"}, offset, "<Tracing/>"},
		{Discovery{Config: asm + "," + plain}, offset, "<General><AllowMulticast>false</AllowMulticast></General>," + plain},
	} {
		got, err := tt.d.config(1000, true)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(got, tt.has) || !strings.Contains(got, pathSizing) || !strings.HasSuffix(got, "</Domain>,"+tt.end) {
			t.Errorf("%+v: want %s, %s and at the end %s, got %s", tt.d, tt.has, pathSizing, tt.end, got)
		}
	}
}

// Interfaces that are selected for other domains leave ours in force.
func TestInterfaces(t *testing.T) {
	t.Setenv("PINION_TEST_INTERFACE", "eth7")
	const chosen = `<General><Interfaces><NetworkInterface name="x"/></Interfaces></General>`
	for _, tt := range []struct {
		config string
		want   []string
	}{
		{"", nil},
		{chosen, []string{"x"}},
		{"<General><NetworkInterfaceAddress>x</></>", []string{"x"}},
		{"<General><NetworkInterfaceAddress>x, auto</></>", []string{"x", ""}},
		{`<networkinterface priority="1" Address='192.0.2.7' /><NetworkInterface autodetermine="true"/>`, []string{"192.0.2.7", ""}},
		{`<NetworkInterface name="${PINION_TEST_INTERFACE}"/>`, []string{"eth7"}},
		{"<!--" + chosen + "--><Tracing/>", nil},
		{`<Domain Id="5">` + chosen + `</Domain>`, []string{"x"}},
		{`<Domain Id="any">` + chosen + `</Domain>`, []string{"x"}},
		{`<Domain>` + chosen + `</Domain>`, []string{"x"}},
		{`<Domain Id="6">` + chosen + `</Domain>`, nil},
		{`<domain><id> 6 </id>` + chosen + `</domain>`, nil},
		{`<Domain Id="6">` + chosen + `</Domain><Domain Id="5">` + chosen + `</Domain>`, []string{"x"}},
		{`<Domain Id="5"/><Domain Id="6">` + chosen, nil},
	} {
		got, err := Discovery{Domain: 5, Config: tt.config}.Interfaces()
		if err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, %v, want %q", tt.config, got, err, tt.want)
		}
	}
	if _, err := (Discovery{Config: "/no/such/file"}).Interfaces(); err == nil {
		t.Error("a file that is not there is read")
	}
}
