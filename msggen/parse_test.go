package msggen

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"reflect"
	"strings"
	"testing"
)

// rows reads a table whose first line names the columns.
func rows(t testing.TB, path string) []map[string]string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var header []string
	var all []map[string]string
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		cells := strings.Split(lines.Text(), "\t")
		if header == nil {
			header = cells
			continue
		}
		row := make(map[string]string)
		for i, cell := range cells {
			row[header[i]] = cell
		}
		all = append(all, row)
	}
	if err := lines.Err(); err != nil || len(all) == 0 {
		t.Fatalf("%s: %d rows, %v", path, len(all), err)
	}
	return all
}

func unquote(t *testing.T, s string) string {
	t.Helper()
	var text string
	if err := json.Unmarshal([]byte(s), &text); err != nil {
		t.Fatalf("%s: %v", s, err)
	}
	return text
}

// plain turns a value into what encoding/json makes of its text in the tables.
func plain(v Value) any {
	switch v := v.(type) {
	case int64:
		return json.Number(fmt.Sprint(v))
	case uint64:
		return json.Number(fmt.Sprint(v))
	case float64:
		switch {
		case math.IsNaN(v):
			return "NaN"
		case math.IsInf(v, 1):
			return "Infinity"
		case math.IsInf(v, -1):
			return "-Infinity"
		}
		return v
	case []Value:
		list := []any{}
		for _, e := range v {
			list = append(list, plain(e))
		}
		return list
	}
	return v
}

// numbers makes the numbers of a decoded table cell comparable to what plain returns.
func numbers(v any, float bool) any {
	switch v := v.(type) {
	case json.Number:
		if f, err := v.Float64(); float && err == nil {
			return f
		}
	case []any:
		for i := range v {
			v[i] = numbers(v[i], float)
		}
	}
	return v
}

func decode(t *testing.T, text string) any {
	t.Helper()
	var v any
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

func arrayColumn(t Type) string {
	switch t.Array {
	case Fixed:
		return fmt.Sprintf("fixed:%d", t.Len)
	case Bounded:
		return fmt.Sprintf("bounded:%d", t.Len)
	case Unbounded:
		return "unbounded"
	}
	return "-"
}

func TestLines(t *testing.T) {
	for _, row := range rows(t, "testdata/msg-cases.tsv") {
		t.Run(row["n"], func(t *testing.T) {
			input := unquote(t, row["input"])
			def, diags := ParseFile("msg/Case.msg", []byte(input), "pkg")
			if got := def != nil; got != (row["accepted"] == "yes") {
				t.Fatalf("%q: accepted %v, want %s: %v", input, got, row["accepted"], diags)
			}
			if got := len(diags) == 0; got != (row["idl_accepted"] == "yes") && row["member_kind"] != "none" {
				t.Errorf("%q: accepted by both stages %v, want %q: %v", input, got, row["idl_accepted"], diags)
			}
			if def != nil {
				checkMembers(t, def.Sections[0], row)
			}
		})
	}
}

func checkMembers(t *testing.T, m *Message, row map[string]string) {
	t.Helper()
	if row["member_kind"] == "none" {
		if len(m.Order) != 0 {
			t.Errorf("members %v, want none", m.Order)
		}
		return
	}
	var kinds, types, arrays, names []string
	var values []Value
	for _, e := range m.Order {
		var typ Type
		switch e := e.(type) {
		case *Field:
			kinds, names, values, typ = append(kinds, "field"), append(names, e.Name), append(values, e.Default), e.Type
		case *Constant:
			kinds, names, values, typ = append(kinds, "constant"), append(names, e.Name), append(values, e.Value), e.Type
		}
		types, arrays = append(types, typ.Element().String()), append(arrays, arrayColumn(typ))
	}
	for column, got := range map[string][]string{"member_kind": kinds, "type": types, "array": arrays, "name": names} {
		if joined := strings.Join(got, ";"); joined != row[column] {
			t.Errorf("%s %q, want %q", column, joined, row[column])
		}
	}
	if len(values) > 1 {
		return // no row with several members has values
	}
	if row["value"] == "" {
		if values[0] != nil {
			t.Errorf("value %v, want none", values[0])
		}
		return
	}
	float := strings.HasPrefix(row["type"], "float")
	if got, want := plain(values[0]), numbers(decode(t, row["value"]), float); !reflect.DeepEqual(got, want) {
		t.Errorf("value %#v, want %#v", got, want)
	}
	checkFinal(t, Final(values[0]), row)
}

// checkFinal compares a string with what the second stage makes of it.
func checkFinal(t *testing.T, v Value, row map[string]string) {
	t.Helper()
	s, ok := v.(string)
	if !ok || row["idl_accepted"] != "yes" {
		return
	}
	if want := unquote(t, row["idl_value"]); s != want {
		t.Errorf("final value %q, want %q", s, want)
	}
}

func TestFiles(t *testing.T) {
	for _, row := range rows(t, "testdata/msg-file-cases.tsv") {
		t.Run(row["n"], func(t *testing.T) {
			input := unquote(t, row["input"])
			path := row["kind"] + "/" + row["name"] + "." + row["kind"]
			def, diags := ParseFile(path, []byte(input), row["package"])
			if got := def != nil; got != (row["accepted"] == "yes") {
				t.Fatalf("%q: accepted %v, want %s: %v", input, got, row["accepted"], diags)
			}
			if def == nil {
				return
			}
			if got := len(diags) == 0; got != (row["idl_accepted"] == "yes") {
				t.Errorf("%q: accepted by both stages %v, want %q: %v", input, got, row["idl_accepted"], diags)
			}
			want := decode(t, row["result"])
			if got := decode(t, describeSections(t, def)); !reflect.DeepEqual(got, want) {
				t.Errorf("%q:\ngot  %v\nwant %v", input, got, want)
			}
		})
	}
}

// describeSections writes a definition as the result column of the table does.
func describeSections(t *testing.T, def *Definition) string {
	t.Helper()
	result := make(map[string]any)
	names := [...][]string{Msg: {"message"}, Srv: {"request", "response"}, Action: {"goal", "result", "feedback"}}
	for i, m := range def.Sections {
		fields, constants := []any{}, []any{}
		for _, f := range m.Fields {
			fields = append(fields, map[string]any{"name": f.Name, "type": f.Type.String(),
				"default": pythonNumber(f.Default), "comment": noNil(f.Comment), "unit": orNull(f.Unit)})
		}
		for _, c := range m.Const {
			constants = append(constants, map[string]any{"name": c.Name, "type": c.Type.String(),
				"value": pythonNumber(c.Value), "comment": noNil(c.Comment), "unit": orNull(c.Unit)})
		}
		section := map[string]any{"fields": fields, "constants": constants, "comment": noNil(m.Comment)}
		if m.Unit != "" {
			section["unit"] = m.Unit
		}
		result[names[def.Name.Kind][i]] = section
	}
	text, err := json.Marshal(result)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// pythonNumber writes floats as Python does, so that 1.0 and 1 stay apart.
func pythonNumber(v Value) any {
	switch v := plain(v).(type) {
	case float64:
		text := fmt.Sprint(v)
		if v == math.Trunc(v) && !strings.Contains(text, "e") {
			text += ".0"
		}
		return json.RawMessage(text)
	case []any:
		for i := range v {
			v[i] = pythonNumber(v[i])
		}
		return v
	default:
		return v
	}
}

func noNil(lines []string) []string { return append([]string{}, lines...) }

func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// TestLongDefault parses a default whose length nobody foresees: the time must grow with the
// length, not with its square, or this test takes minutes.
func TestLongDefault(t *testing.T) {
	const n = 100_000
	elements := strings.Repeat(`"abc", `, n-1) + `"e\"x"`
	def, diags := ParseFile("A.msg", []byte("string[] a ["+elements+"]\n"), "p")
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	values := def.Sections[0].Fields[0].Default.([]Value)
	if len(values) != n || values[0] != "abc" || values[n-1] != `e"x` {
		t.Errorf("%d elements, the last %q", len(values), values[len(values)-1])
	}
	text := newGoWriter().listLiteral(Type{Base: String, Array: Unbounded}, values)
	if want := `[]string{` + strings.Repeat(`"abc", `, n-1) + `"e\"x"}`; text != want {
		t.Errorf("literal of %d bytes, want %d", len(text), len(want))
	}
}
