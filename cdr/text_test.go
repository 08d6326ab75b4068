package cdr_test

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/pinion-ros/pinion/cdr"
)

// The rows are those of cdr-vectors.tsv, whose head tells about them.
func TestJSONVectors(t *testing.T) {
	source := newTypeSource()
	for _, v := range vectors(t) {
		typ := source.get(t, v.name)
		m, err := typ.FromJSON([]byte(v.json))
		if err != nil {
			t.Errorf("%s: %v\n%s", v.name, err, v.json)
			continue
		}
		payload, err := cdr.Marshal(m)
		if got := hex.EncodeToString(payload); err != nil || got != v.hex {
			t.Errorf("%s: encoded %s, %v\n%s, want\n%s", v.name, v.json, err, got, v.hex)
		}
		want, err := hex.DecodeString(v.hex)
		if err != nil {
			t.Fatal(err)
		}
		back := typ.New()
		if err := cdr.Unmarshal(want, back); err != nil || !back.Equal(m) {
			t.Errorf("%s: decoded %s: %v\n%s, want\n%s", v.name, v.hex, err, back, m)
		}
		if text, err := cdr.AppendJSON(nil, back); err != nil || string(text) != v.json {
			t.Errorf("%s: printed %v\n%s, want\n%s", v.name, err, text, v.json)
		}
	}
}

// texts.json was made with PyYAML 6.0.3 from values prepared by the rules of rosidl_runtime_py:
// what message_to_yaml prints for them.
func TestText(t *testing.T) {
	data, err := os.ReadFile("testdata/texts.json")
	if err != nil {
		t.Fatal(err)
	}
	var rows []struct {
		Type, JSON, Text string
		Options          struct {
			Flow     bool
			NoArr    bool `json:"no_arr"`
			NoStr    bool `json:"no_str"`
			Truncate *int
		}
	}
	if err := json.Unmarshal(data, &rows); err != nil {
		t.Fatal(err)
	}
	source := newTypeSource()
	for _, row := range rows {
		m, err := source.get(t, row.Type).FromJSON([]byte(row.JSON))
		if err != nil {
			t.Fatal(err)
		}
		var options []cdr.TextOption
		if row.Options.Flow {
			options = append(options, cdr.FlowStyle())
		}
		if row.Options.NoArr {
			options = append(options, cdr.NoArrays())
		}
		if row.Options.NoStr {
			options = append(options, cdr.NoStrings())
		}
		if n := row.Options.Truncate; n != nil {
			options = append(options, cdr.TruncateLength(*n))
		}
		got, err := cdr.AppendText(nil, m, options...)
		if want := strings.TrimSuffix(row.Text, "\n"); err != nil || string(got) != want {
			t.Errorf("%s %+v: %v\n%s, want\n%s", row.Type, row.Options, err, got, want)
		}
		if text := cdr.Text(m); len(options) == 0 && text != string(got) {
			t.Errorf("Text of %s differs from AppendText:\n%s", row.Type, text)
		}
	}
}
