package pubsub

import (
	"bytes"
	"reflect"
	"testing"

	"github.com/pinion-ros/pinion/cdr"
	"github.com/pinion-ros/pinion/msgs/rmw_dds_common"
)

func guid(b byte) (g GUID) {
	for i := range g {
		g[i] = b + byte(i)
	}
	return g
}

func TestEntities(t *testing.T) {
	lists := [][]nodeEntities{
		{},
		{{namespace: "/", name: "a", readers: []GUID{}, writers: []GUID{}}},
		{
			{namespace: "/left/arm", name: "b", readers: []GUID{guid(1), guid(2)}, writers: []GUID{guid(3)}},
			{namespace: "/", name: "_c", readers: []GUID{}, writers: []GUID{guid(4), guid(5)}},
		},
	}
	for _, form := range []graphForm{humbleForm, newerForm} {
		for i, nodes := range lists {
			m := &entities{form, guid(100), nodes}
			data, err := cdr.Marshal(m)
			if err != nil {
				t.Fatal(err)
			}
			for pad := range 4 { // what Cyclone DDS adds
				padded := append(bytes.Clone(data), make([]byte, pad)...)
				if got := detectForm(padded); got != form {
					t.Errorf("list %d with %d bytes of padding: form %d, want %d", i, pad, got, form)
				}
				got := &entities{form: form}
				if err := cdr.Unmarshal(padded, got); err != nil {
					t.Fatal(err)
				}
				if !reflect.DeepEqual(got, m) {
					t.Errorf("got %+v, want %+v", got, m)
				}
			}
			for n := range data {
				if err := cdr.Unmarshal(data[:n], &entities{form: form}); err == nil {
					t.Errorf("list %d cut to %d of %d bytes is accepted", i, n, len(data))
				}
				detectForm(data[:n])
			}
		}
	}
}

// The newer form is that of the generated type.
func TestEntitiesNewer(t *testing.T) {
	m := &entities{newerForm, guid(9), []nodeEntities{{"/ns", "node", []GUID{guid(1)}, []GUID{guid(2), guid(3)}}}}
	want := &rmw_dds_common.ParticipantEntitiesInfo{
		Gid: rmw_dds_common.Gid{Data: guid(9)},
		NodeEntitiesInfoSeq: []rmw_dds_common.NodeEntitiesInfo{{
			NodeNamespace: "/ns", NodeName: "node",
			ReaderGidSeq: []rmw_dds_common.Gid{{Data: guid(1)}},
			WriterGidSeq: []rmw_dds_common.Gid{{Data: guid(2)}, {Data: guid(3)}},
		}},
	}
	got, err := cdr.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	data, err := cdr.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, data) {
		t.Errorf("got\n% x, want\n% x", got, data)
	}
}

func TestParseUserData(t *testing.T) {
	for _, tt := range []struct {
		text string
		want map[string]string
	}{
		{"", map[string]string{}},
		{"enclave=/;", map[string]string{"enclave": "/"}},
		{"enclave=/;\x00", map[string]string{"enclave": "/"}},
		{"enclave=/;\x00\x00=", map[string]string{"enclave": "/"}},
		{"enclave=/", map[string]string{"enclave": "/"}},
		{"a=1;b=2;", map[string]string{"a": "1", "b": "2"}},
		{"a=1;;b=2;;;", map[string]string{"a": "1;", "b": "2;;"}},
		{"a=x=y;", map[string]string{"a": "x=y"}},
		{"clientid= 1.f.10;typehash=RIHS01_00;", map[string]string{"clientid": " 1.f.10", "typehash": "RIHS01_00"}},
		{"a=1; b=2;", map[string]string{"a": "1", "b": "2"}},
		{"a=;;", map[string]string{"a": ";"}},
		{"a=1;  b=2;", nil},
		{"a=;", nil},
		{"a=", nil},
		{"a", nil},
		{"=1;", nil},
		{"a=1;=2;", nil},
		{"a_b=1;", nil},
		{";a=1;", nil},
		{"\x00", nil},
	} {
		if got := parseUserData(tt.text); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%q: %v, want %v", tt.text, got, tt.want)
		}
	}
}
