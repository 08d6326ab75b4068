package msggen

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestDiagnostics(t *testing.T) {
	tests := []struct {
		name, path, text string
		want             []string // place and words of each fault
	}{
		{"all faults in order", "p/msg/A.msg", "int32 A\nint3 b_\nint32 c\nint8 d 128\nint32 c\n", []string{
			"p/msg/A.msg:1:7: \"A\" field name",
			"p/msg/A.msg:2:1: \"int3\"",
			"p/msg/A.msg:2:6: \"b_\"",
			"p/msg/A.msg:4:8: 128 int8 -128 127",
			"p/msg/A.msg:5:7: c line 3",
		}},
		{"columns count characters, a tab is one", "p/msg/A.msg", "string\ta \"ハ\"ハ\" # c\n", []string{"p/msg/A.msg:1:12: quotes"}},
		{"element of an array", "p/msg/A.msg", "uint8[] a [1, 2, 300]\n", []string{"p/msg/A.msg:1:18: 300 uint8 255"}},
		{"other languages", "p/msg/A.msg", "double a\nInt32 b\nString s \"x\"\nstd_msgs::Header h\n", []string{
			"p/msg/A.msg:1:1: \"double\" use float64",
			"p/msg/A.msg:3:10: default",
			"p/msg/A.msg:4:1: package/Name",
		}},
		{"default written as constant", "p/msg/A.msg", "int32 a = 5\n", []string{"p/msg/A.msg:1:7: \"a\" leave out the ="}},
		{"bounds", "p/msg/A.msg", "string<=0 a\nint32[<=x] b\nint32[99999999999999999999] c\n", []string{
			"p/msg/A.msg:1:9: above 0", "p/msg/A.msg:2:9: \"x\" number", "p/msg/A.msg:3:7: 63 bits"}},
		{"comment of the idl stage", "p/msg/A.msg", "# fine\n# in C:\\users\n\nint32 a # \\n\n", []string{
			"p/msg/A.msg:2:1: idl stage: comment", "p/msg/A.msg:4:9: idl stage: line break"}},
		{"value of the idl stage", "p/msg/A.msg", "string a \"x\\ny\"\n", []string{"p/msg/A.msg:1:10: idl stage: line break"}},
		{"both stages", "p/msg/A.msg", "time a\nint32\n", []string{"p/msg/A.msg:1:1: idl stage", "p/msg/A.msg:2:1: \"int32\""}},
		{"too few sections", "p/srv/A.srv", "int32 a\n", []string{"p/srv/A.srv:1:1: 0 separators one"}},
		{"too many sections", "p/action/A.action", "---\n---\nint32 a\n---\n", []string{"p/action/A.action:1:1: 3 separators line 1, 2, 4 two"}},
		{"lines of a section", "p/srv/A.srv", "int32 a\n---\nint32 b\nint32 B\n", []string{"p/srv/A.srv:4:7: \"B\""}},
		{"names from outside", "P/msg/a.msg", "Foo a\n", []string{"P/msg/a.msg:1:1: \"P\" package", "P/msg/a.msg:1:1: \"a\" type"}},
		{"no interface file", "p/msg/A.txt", "", []string{"p/msg/A.txt:1:1: .msg .srv .action"}},
		{"not UTF-8", "p/msg/A.msg", "int32 a\nint32 \xff", []string{"p/msg/A.msg:2:7: UTF-8"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			pkg, _, _ := strings.Cut(tt.path, "/")
			_, diags := ParseFile(tt.path, []byte(tt.text), pkg)
			checkDiagnostics(t, diags, tt.want)
		})
	}
}

func TestDiagnosticsAreErrors(t *testing.T) {
	if err := Diagnostics(nil).Err(); err != nil {
		t.Errorf("no faults are the error %v", err)
	}
	err := fmt.Errorf("wrapped: %w", Diagnostics{{File: "f", Pos: Pos{2, 3}, Stage: StageIDL, Message: "m"}}.Err())
	var one *Diagnostic
	if !errors.As(err, &one) || one.Pos.Line != 2 || !strings.HasSuffix(err.Error(), "f:2:3: idl stage: m") {
		t.Errorf("error %v", err)
	}
}

func TestKeys(t *testing.T) {
	tests := []struct {
		name, path, text, keys string
		want                   []string
	}{
		{"on the line", "p/msg/A.msg", "int32 a # @key\nint32 b # the @key\n", "a", nil},
		{"above, with words", "p/msg/A.msg", "int32 a\n# note\n# @key the number\nuint8[4] b\nint32 c\n", "b", nil},
		{"below, indented", "p/msg/A.msg", "int32 a\n  # @key\nint32 b\n", "a", nil},
		{"on top, above the first field", "p/msg/A.msg", "# note\n# @key\nint32 a\n", "a", nil},
		{"two", "p/msg/A.msg", "Other a # @key\nbool b # @key\n", "a b", nil},
		{"other words", "p/msg/A.msg", "int32 a # @keyed\nint32 b # key\n", "", nil},
		{"of a message", "p/msg/A.msg", "# @key\n\nint32 a\n", "", []string{"p/msg/A.msg:1:1: @key field"}},
		{"at the end", "p/msg/A.msg", "int32 a\n# @key\n", "", []string{"p/msg/A.msg:2:1: @key field"}},
		{"of a constant", "p/msg/A.msg", "int32 A=1 # @key\n", "", []string{"p/msg/A.msg:1:11: @key constant"}},
		{"of a string", "p/msg/A.msg", "string a # @key\n", "", []string{"p/msg/A.msg:1:10: @key string fixed size"}},
		{"of a sequence", "p/msg/A.msg", "int32[<=3] a # @key\n", "", []string{"p/msg/A.msg:1:14: @key int32[<=3] fixed size"}},
		{"in a service", "p/srv/A.srv", "int32 a # @key\n---\n", "", []string{"p/srv/A.srv:1:9: @key srv"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			def, diags := ParseFile(tt.path, []byte(tt.text), "p")
			checkDiagnostics(t, diags, tt.want)
			if def == nil {
				return
			}
			var keys []string
			for _, f := range def.Sections[0].Fields {
				if f.Key {
					keys = append(keys, f.Name)
				}
			}
			if got := strings.Join(keys, " "); got != tt.keys {
				t.Errorf("keys %q, want %q", got, tt.keys)
			}
		})
	}
}
