package cdr_test

import (
	"os"
	"strings"
	"testing"

	"github.com/pinion-ros/pinion/cdr/dynamic"
	"github.com/pinion-ros/pinion/msggen"
	"github.com/pinion-ros/pinion/msgs"
)

// typeSource makes dynamic types of the standard definitions.
type typeSource struct {
	loader *msggen.Loader
	types  map[string]*dynamic.Type
}

func newTypeSource() *typeSource {
	return &typeSource{msggen.NewLoader(msggen.PlaceOf("msgs", msgs.Definitions)), map[string]*dynamic.Type{}}
}

func (s *typeSource) get(t testing.TB, name string) *dynamic.Type {
	t.Helper()
	if typ := s.types[name]; typ != nil {
		return typ
	}
	part := strings.Split(name, "/")
	kind := map[string]msggen.Kind{"msg": msggen.Msg, "srv": msggen.Srv, "action": msggen.Action}[part[1]]
	d, err := s.loader.Describe(msggen.TypeName{Package: part[0], Kind: kind, Name: part[2]})
	if err != nil {
		t.Fatal(err)
	}
	typ, err := dynamic.NewType(d)
	if err != nil {
		t.Fatal(err)
	}
	s.types[name] = typ
	return typ
}

// vector is a row of cdr-vectors.tsv.
type vector struct{ name, json, hex string }

func vectors(t testing.TB) []vector {
	t.Helper()
	data, err := os.ReadFile("testdata/cdr-vectors.tsv")
	if err != nil {
		t.Fatal(err)
	}
	var rows []vector
	for line := range strings.Lines(string(data)) {
		if c := strings.Split(line, "\t"); !strings.HasPrefix(line, "#") {
			rows = append(rows, vector{c[0], c[1], c[2]})
		}
	}
	return rows
}
