package pubsub

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
)

// A nameCase is a row of testdata/name-cases.tsv, what the reference implementation made of a
// name. For topics that are remapped, input is the rule.
type nameCase struct {
	kind, input, topic, node, namespace string
	code                                int
	result                              string
}

func readNameCases(t testing.TB, kinds ...string) []nameCase {
	t.Helper()
	data, err := os.ReadFile("testdata/name-cases.tsv")
	if err != nil {
		t.Fatal(err)
	}
	var cases []nameCase
	for i, line := range strings.Split(strings.TrimSpace(string(data)), "\n") {
		if strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Split(line+"\t", "\t")
		if len(f) < 6 {
			t.Fatalf("line %d: %d columns", i+1, len(f))
		}
		c := nameCase{kind: f[0], node: f[2], namespace: f[3], result: f[5]}
		input, topic, _ := strings.Cut(f[1], " on ")
		c.input = unquote(t, input)
		if topic != "" {
			c.topic = unquote(t, topic)
		}
		if c.code, err = strconv.Atoi(f[4]); err != nil {
			t.Fatalf("line %d: %v", i+1, err)
		}
		for _, kind := range kinds {
			if kind == c.kind {
				cases = append(cases, c)
			}
		}
	}
	if len(cases) == 0 {
		t.Fatal("no cases of", kinds)
	}
	return cases
}

func unquote(t testing.TB, text string) string {
	t.Helper()
	var s string
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return s
}

func TestValidateReference(t *testing.T) {
	validators := map[string]func(string) error{
		"input_name": ValidateTopicName,
		"full_name":  ValidateFullTopicName,
		"namespace":  ValidateNamespace,
		"node_name":  ValidateNodeName,
	}
	for kind, validate := range validators {
		for _, c := range readNameCases(t, kind) {
			code, result := 0, ""
			if err := validate(c.input); err != nil {
				var fault *NameError
				if !errors.As(err, &fault) || !errors.Is(err, ErrInvalidName) {
					t.Fatalf("%s %q: error of type %T", kind, c.input, err)
				}
				code, result = fault.Code(), fmt.Sprintf("index %d", fault.Index)
			}
			if code != c.code || result != c.result {
				t.Errorf("%s %q: code %d %s, want %d %s", kind, c.input, code, result, c.code, c.result)
			}
		}
	}
}

// Rules that the reference's table does not show, as rcl_validate_topic_name and its siblings
// have them.
func TestValidateOrder(t *testing.T) {
	long := strings.Repeat("a", 300)
	for _, c := range []struct {
		name     string
		validate func(string) error
		code     int
		index    int
	}{
		{"~1", ValidateTopicName, 0, 0},
		{"~/1", ValidateTopicName, 4, 2},
		{"~ab/1", ValidateTopicName, 7, 1},
		{"~{", ValidateTopicName, 5, 1},
		{"~{a}", ValidateTopicName, 7, 1},
		{"a/1 b", ValidateTopicName, 3, 3},
		{"1 /", ValidateTopicName, 4, 0},
		{"a{~}", ValidateTopicName, 6, 2},
		{"{a b}", ValidateTopicName, 8, 2},
		{"{a}b}", ValidateTopicName, 5, 4},
		{"{a}1", ValidateTopicName, 0, 0},
		{"a\xff", ValidateTopicName, 3, 1},
		{long, ValidateTopicName, 0, 0},
		{"/1//a", ValidateFullTopicName, 6, 1},
		{"/a//1", ValidateFullTopicName, 5, 3},
		{"//" + long, ValidateFullTopicName, 5, 1},
		{"/" + long, ValidateNamespace, 7, 244},
		{"1n", ValidateNodeName, 3, 0},
		{"1 ", ValidateNodeName, 2, 1},
		{"1" + long, ValidateNodeName, 3, 0},
		{"/", ValidateEnclave, 0, 0},
		{"", ValidateEnclave, 1, 0},
		{"/" + strings.Repeat("a", 254), ValidateEnclave, 0, 0},
		{"/" + strings.Repeat("a", 255), ValidateEnclave, 7, 254},
	} {
		code, index := 0, 0
		var fault *NameError
		if errors.As(c.validate(c.name), &fault) {
			code, index = fault.Code(), fault.Index
		}
		if code != c.code || index != c.index {
			t.Errorf("%.20q: code %d at %d, want %d at %d", c.name, code, index, c.code, c.index)
		}
	}
}

func TestNameErrorText(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{ValidateNodeName("n-m"), `node name "n-m": "-" at byte 1 is not allowed, use letters, digits and "_"`},
		{ValidateNodeName("aé"), `node name "aé": "é" at byte 1 is not allowed, use letters, digits and "_"`},
		{ValidateNamespace("a"), `namespace "a": it starts with "a" at byte 0 and has to start with "/"`},
		{ValidateEnclave(""), `enclave "": it is empty, give it at least one letter`},
		{ValidateTopicName("~foo"), `topic name "~foo": "f" at byte 1 follows "~", write "~/" in front of the name`},
		{ValidateFullTopicName("/a//b"), `full topic name "/a//b": "/" at byte 3 repeats the one before, use a single one`},
		{ValidateFullTopicName("/" + strings.Repeat("a", 247)),
			`full topic name "/` + strings.Repeat("a", 247) + `": it has 248 bytes, use at most 247`},
	} {
		if c.err == nil || c.err.Error() != c.want {
			t.Errorf("got  %v\nwant %s", c.err, c.want)
		}
	}
}
