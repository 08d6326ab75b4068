package msggen

import (
	"math"
	"reflect"
	"slices"
	"testing"
	"unicode"
)

func TestSplitLines(t *testing.T) {
	tests := []struct {
		text string
		want []string
	}{
		{"", nil},
		{"\n", []string{""}},
		{"a", []string{"a"}},
		{"a\n\nb", []string{"a", "", "b"}},
		{"a\r\nb\rc\n\rd", []string{"a", "b", "c", "", "d"}},
		{"a\x0bb\x0cc\x1cd\x1de\x1ef\u0085g\u2028h\u2029i\x1fj", []string{"a", "b", "c", "d", "e", "f", "g", "h", "i\x1fj"}},
	}
	for _, tt := range tests {
		if got := splitLines(tt.text); !slices.Equal(got, tt.want) {
			t.Errorf("%q: %q, want %q", tt.text, got, tt.want)
		}
	}
}

// TestDecimalDigits relies on what Unicode guarantees: digits of a script are ten in a row.
func TestDecimalDigits(t *testing.T) {
	next := byte(0)
	for r := rune(0); r <= unicode.MaxRune; r++ {
		d, ok := decimalDigit(r)
		if ok != unicode.Is(unicode.Nd, r) {
			t.Fatalf("%U: digit %v", r, ok)
		}
		if !ok {
			continue
		}
		if d != next {
			t.Fatalf("%U: digit %d, want %d", r, d, next)
		}
		next = (next + 1) % 10
	}
}

func TestParseInteger(t *testing.T) {
	tests := []struct {
		text     string
		prefixes bool
		want     integer
		ok       bool
	}{
		{"12", false, integer{size: 12}, true},
		{"-0", false, integer{}, true},
		{"0x10", false, integer{}, false},
		{"-0X_1f", true, integer{negative: true, size: 31}, true},
		{"0x", true, integer{}, false},
		{"0_7", true, integer{size: 7}, true},
		{"1__0", true, integer{}, false},
		{"+-1", true, integer{}, false},
		{"\u00a0\u0661\u0662\u2003", false, integer{size: 12}, true},
		{"\u00b2", false, integer{}, false}, // superscript two is a digit, not a decimal one
		{"18446744073709551616", false, integer{size: math.MaxUint64, huge: true}, true},
		{"", true, integer{}, false},
	}
	for _, tt := range tests {
		got, ok := parseInteger(tt.text, tt.prefixes)
		if ok != tt.ok || ok && got != tt.want {
			t.Errorf("%q: %+v, %v, want %+v, %v", tt.text, got, ok, tt.want, tt.ok)
		}
	}
}

func TestParseFloat(t *testing.T) {
	good := map[string]float64{
		"1_0.2_5e1_0": 10.25e10, ".5": 0.5, "5.": 5, "-.5E-3": -0.0005, "+inf": math.Inf(1), "-InFinity": math.Inf(-1),
		"1e400": math.Inf(1), "1e-400": 0, "\uff11.\uff15": 1.5,
	}
	for text, want := range good {
		if got, ok := parseFloat(text); !ok || got != want {
			t.Errorf("%q: %v, %v, want %v", text, got, ok, want)
		}
	}
	if got, ok := parseFloat("-NaN"); !ok || !math.IsNaN(got) {
		t.Errorf("-NaN: %v, %v", got, ok)
	}
	for _, text := range []string{"", ".", "e5", "1e", "1e5.0", "1_.5", "1._5", "_1", "1_", "1__0", "0x1p3", "1.5f", "infi", "1 5", "--1"} {
		if got, ok := parseFloat(text); ok {
			t.Errorf("%q: %v, want a fault", text, got)
		}
	}
}

func TestPythonText(t *testing.T) {
	tests := []struct {
		value Value
		want  string
	}{
		{nil, ""},
		{true, "True"},
		{int64(-5), "-5"},
		{uint64(math.MaxUint64), "18446744073709551615"},
		{1e-7, "1e-07"}, {1e16, "1e+16"}, {1e15, "1000000000000000.0"}, {0.0001, "0.0001"}, {1e100, "1e+100"},
		{math.Inf(-1), "-inf"}, {math.NaN(), "nan"},
		{`a\tb`, "a\tb"},
		{[]Value{}, "()"},
		{[]Value{int64(1)}, "(1,)"},
		{[]Value{1.0, 2.5}, "(1.0, 2.5)"},
		{[]Value{"a'b", `a"b`, `a'"\`, "\n\x01\u00ad\u2028\U000e0001"}, `("a'b", 'a"b', 'a\'"\', '\n\x01\xad\u2028\U000e0001')`},
		{[]Value{`a\tb`, "Ã©"}, `('a\tb', 'é')`},
	}
	for _, tt := range tests {
		if got := defaultText(tt.value); got != tt.want {
			t.Errorf("%v: %s, want %s", tt.value, got, tt.want)
		}
	}
}

func TestFinal(t *testing.T) {
	for text, want := range map[string]string{
		`plain 'a' "b"`:  `plain 'a' "b"`,
		`a\tb\q\\`:       "a\tb\\q\\",
		`\x41\u2022\101`: "A•A",
		`it\'s`:          "it's",
		"Ã©":             "é",
		"a\u00ad":        "a\u00ad",
		`\`:              `\`, // the literal does not end
		`\N{BULLET}`:     `\N{BULLET}`,
		`\ud800`:         `\ud800`,
		`\'"`:            `\'"`,
	} {
		got := Final([]Value{text, int64(1)})
		if want := []Value{want, int64(1)}; !reflect.DeepEqual(got, Value(want)) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestIDLString(t *testing.T) {
	good := map[string]string{
		`plain "quoted" é`: `plain "quoted" é`,
		`back\slash`:       `back\slash`,
		`a\\b`:             "a\b",
		`\xc3\xa9`:         "é",
		`\u0041\U00000042`: "AB",
		`\101\7`:           "A\a",
		`\\101`:            "A",
		`\\x41 \\q`:        `A \q`,
		`\\\\`:             `\`,
		`\"`:               `"`,
		"x\\\ny":           "xy",
	}
	for text, want := range good {
		if got, problem := idlString(text); problem != "" || got != want {
			t.Errorf("%q: %q, %s, want %q", text, got, problem, want)
		}
	}
	for _, text := range []string{`\`, `\\`, `\n`, `\r`, "\n", `\x4`, `\\x4g`, `\u00e9`, `\u12`, `\U00110000`, `\xe9`, `\777`, `\N{DASH}`, `\\"`, `C:\users`} {
		if got, problem := idlString(text); problem == "" {
			t.Errorf("%q: %q, want a fault", text, got)
		}
	}
}
