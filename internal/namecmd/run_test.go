package namecmd

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"
)

func run(args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = Run(args, &out, &errs)
	return code, out.String(), errs.String()
}

func unquote(t *testing.T, text string) string {
	t.Helper()
	var s string
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return s
}

// Each row of the table is what the reference implementation made of a name.
func TestReference(t *testing.T) {
	table, err := os.ReadFile("testdata/name-cases.tsv")
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for _, line := range strings.Split(strings.TrimSpace(string(table)), "\n") {
		if strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Split(line+"\t", "\t")
		args := []string{f[0]}
		input, topic, hasTopic := strings.Cut(f[1], " on ")
		for _, flag := range [][2]string{{"--node", f[2]}, {"--ns", f[3]}} {
			if flag[1] != "" {
				args = append(args, flag[:]...)
			}
		}
		if hasTopic {
			args = append(args, "--topic", unquote(t, topic))
		}
		args = append(args, "--", unquote(t, input))

		code, stdout, stderr := run(args...)
		first, explanation, _ := strings.Cut(stdout, "\n")
		if want := f[4] + "\t" + f[5]; code != 0 || stderr != "" || first != want {
			t.Errorf("%q: exit %d, %q %s, want %q", args, code, first, stderr, want)
		}
		if strings.TrimSpace(explanation) == "" || strings.Count(explanation, "\n") != 1 {
			t.Errorf("%q: explanation %q", args, explanation)
		}
		rows++
	}
	if rows < 200 {
		t.Errorf("only %d rows", rows)
	}
}

func TestExplanation(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"node_name n-m", "2\tindex 1\nnode name \"n-m\": \"-\" at byte 1 is not allowed, use letters, digits and \"_\"\n"},
		{"full_name /add", "0\t\nvalid; on DDS the topic is \"rt/add\", the service \"rq/addRequest\" and \"rr/addReply\"\n"},
		{"expand x", "0\t\"/x\"\nthe name is relative to the namespace, so node /node finds it at /x\n"},
		{"expand --ns=/a ~/{node} --node n", "0\t\"/a/n/n\"\n\"~\" is the full name of the node and what is in braces is replaced, so node /a/n finds it at /a/n/n\n"},
		{"expand {ns}/x", "0\t\"//x\" (not a valid full name, code 5)\nnode \"node\" in \"/\" cannot use it: topic name \"{ns}/x\" becomes a full topic name \"//x\": \"/\" at byte 1 repeats the one before, use a single one\n"},
		{"remap_rule n:__ns:=/x", "0\tnamespace node=\"n\" to=\"/x\"\nthe node moves to the namespace /x, if the node's name is n\n"},
		{"remap_topic a:=b --topic /c", "0\tunchanged\nthe rule does not fit: in this node a stands for /a\n"},
		{"remap_topic __node:=b --topic /c", "0\tunchanged\nthe rule does not fit: it is not for topics\n"},
		{"remap_topic a:=b -topic /a -node 1n", "201\t\nnode name \"1n\": \"1\" at byte 0 starts a part of the name, start it with a letter or \"_\"\n"},
		{"param_rule a:=1.0", "0\tnode=\"/**\" name=\"a\" value=\"1.0\"\nthe value is a float64: 1\n"},
		{"param_rule a:=", "0\tnode=\"/**\" name=\"a\" value=\"\"\nthe rule is complete, but no node starts with this value: the value is missing, an empty string is written as ''\n"},
	} {
		if code, stdout, _ := run(strings.Fields(c.args)...); code != 0 || stdout != c.want {
			t.Errorf("%s: exit %d\ngot  %s\nwant %s", c.args, code, stdout, c.want)
		}
	}
}

func TestUsage(t *testing.T) {
	for args, want := range map[string]string{
		"":                           "KIND and INPUT are wanted, not 0 arguments",
		"node_name":                  "KIND and INPUT are wanted, not 1 arguments",
		"node_name a b":              "KIND and INPUT are wanted, not 3 arguments",
		"name a":                     "there is no KIND \"name\"",
		"node_name -a":               "unknown flag -a, put \"--\" in front of an INPUT with a dash",
		"node_name a --ns":           "flag --ns wants a value",
		"remap_topic a:=b":           "remap_topic wants the name that the rule is applied to: --topic /name",
		"node_name --nodes=a a":      "unknown flag --nodes, put \"--\" in front of an INPUT with a dash",
		"node_name -- a --topic /a ": "KIND and INPUT are wanted, not 4 arguments",
	} {
		code, stdout, stderr := run(strings.Fields(args)...)
		if first, _, _ := strings.Cut(stderr, "\n"); code != 2 || stdout != "" || first != "pinion name: "+want {
			t.Errorf("%q: exit %d, %q, want %q", args, code, first, want)
		}
	}
	if code, stdout, _ := run("--help"); code != 0 || stdout != usage {
		t.Errorf("--help: exit %d, %q", code, stdout)
	}
	if code, stdout, _ := run("node_name", "--", "--help"); code != 0 || !strings.HasPrefix(stdout, "2\tindex 0\n") {
		t.Errorf("-- --help: exit %d, %q", code, stdout)
	}
}

func TestQuote(t *testing.T) {
	for text, want := range map[string]string{
		"a":                  `"a"`,
		"\"\\/<>&":           `"\"\\/<>&"`,
		"\n\t\r\b\f\x01\x7f": `"\n\t\r\b\f\u0001\u007f"`,
		"é€😀":                `"\u00e9\u20ac\ud83d\ude00"`,
	} {
		if got := quote(text); got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
}
