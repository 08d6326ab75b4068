package pubsub

import (
	"testing"

	"github.com/pinion-ros/pinion/cdr"
	"github.com/pinion-ros/pinion/internal/cyclone"
	"go.uber.org/zap"
)

func TestPrintable(t *testing.T) {
	for s, want := range map[string]string{
		"":                       "",
		"/a_b/Ärm 1":             "/a_b/Ärm 1",
		"a\x1b[31mb\r\nc\x00":    "a?[31mb??c?",
		"\u0085\u202eevil\u200b": "??evil?",
		"\xff":                   "\ufffd",
	} {
		if got := printable(s); got != want {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
	}
}

// Whatever others announce, nothing of it gets to a terminal that obeys it.
func TestGraphIsPrintable(t *testing.T) {
	const evil = "\x1b[2J\a"
	writer, owner := GUID{1, 15: 2}, GUID{1}.participant()
	g := &graph{
		form: newerForm, log: zap.NewNop(),
		participants: map[GUID]*participant{}, endpoints: map[GUID]*endpoint{}, handles: map[uint64]GUID{}, local: map[string][]*announced{},
	}
	g.foundParticipant(cyclone.FoundParticipant, &cyclone.Found{Alive: true, GUID: cyclone.GUID(owner), QoS: cyclone.QoS{UserData: "enclave=/e" + evil + ";"}})
	g.foundEndpoint(cyclone.FoundWriter, &cyclone.Found{
		Alive: true, GUID: cyclone.GUID(writer), Participant: cyclone.GUID(owner),
		Topic: "rt/t" + evil, Type: "T" + evil, QoS: cyclone.QoS{UserData: "typehash=h" + evil + ";"},
	})
	list, err := cdr.Marshal(&entities{newerForm, owner, []nodeEntities{{"/s" + evil, "n" + evil, nil, []GUID{writer}}}})
	if err != nil {
		t.Fatal(err)
	}
	g.list(list, writer)

	if got, want := g.participants[owner].enclave, "/e?[2J?"; got != want {
		t.Errorf("enclave %q, want %q", got, want)
	}
	e := g.endpoints[writer].info(g.owners())
	got := [...]string{e.Name, e.Type, e.TypeHash, e.Namespace, e.Node}
	if want := [...]string{"/t?[2J?", "T?[2J?", "h?[2J?", "/s?[2J?", "n?[2J?"}; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
