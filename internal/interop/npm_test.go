package interop

import (
	"encoding/hex"
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/pinion-ros/pinion/cdr"
	"github.com/pinion-ros/pinion/internal/bag"
	"github.com/pinion-ros/pinion/msggen"
)

// npmLimits are what the packages cannot do or get wrong. The tests insist on each, so that a version
// that can do more is noticed.
var npmLimits = []struct {
	format  string // of the definitions, "" for all
	applies func(*cdr.Type) bool

	// What comes instead of a conversion, of reading and writing.
	definition, both string
}{
	{applies: func(t *cdr.Type) bool { return contains(t, isWide) }, both: "wstring is implementation-defined"},
	{format: "ros2msg", applies: func(t *cdr.Type) bool { return t.Name == "test_msgs/msg/Constants" }, // has no fields
		definition: "no root MessageDefinition"},
	{format: "ros2idl", applies: func(t *cdr.Type) bool { return contains(t, isKeyword) }, definition: "Unexpected sequence token"},
}

// isKeyword finds fields with a name that IDL has a meaning for. ROS 2 does not mind.
func isKeyword(f cdr.SchemaField) bool { return f.Name == "sequence" }

// npmWrites returns what the packages write for the text of a field. A string of theirs is as many bytes
// long as it has UTF-16 code units, and so ends early where it is not ASCII: behind the last character
// that fits are zeros. A NaN in an array loses its payload.
func npmWrites(text string) string {
	if text == "7ff8000000000001" {
		return "7ff8000000000000"
	}
	digits, ok := strings.CutPrefix(text, "s")
	if !ok {
		return text
	}
	s, err := hex.DecodeString(digits)
	if err != nil {
		panic(err)
	}
	units := len(utf16.Encode([]rune(string(s))))
	fits := 0
	for i, r := range string(s) {
		if end := i + len(string(r)); end <= units {
			fits = end
		}
	}
	return "s" + hex.EncodeToString(append(s[:fits], make([]byte, units-fits)...))
}

// ros2idl returns the IDL of a type and of all that it contains in the form in which files have it.
func ros2idl(t *testing.T, l *msggen.Loader, typ *cdr.Type) string {
	t.Helper()
	all := closure([]*cdr.Schema{get[*cdr.Schema](t)(typ.Schema())})
	var b strings.Builder
	for i := len(all) - 1; i >= 0; i-- { // the type itself comes first
		def := get[*msggen.Definition](t)(l.Definition(get[msggen.TypeName](t)(msggen.ParseTypeName(all[i].Name))))
		idl := get[[]byte](t)(msggen.IDL(def, msggen.FlavourROS))
		fmt.Fprintf(&b, "%s\nIDL: %s\n%s", strings.Repeat("=", 80), all[i].Name, idl)
	}
	return b.String()
}

// The packages read what we write and the other way round, by the definitions that recordings carry
// and by our IDL.
func TestNPM(t *testing.T) {
	peer := get[*NPM](t)(InstallNPM())
	l, all := newLoader(), types(t)
	var jobs []Conversion
	for _, typ := range all {
		job := Conversion{}
		for _, m := range values(typ) {
			job.Payloads = append(job.Payloads, get[[]byte](t)(cdr.Marshal(m)))
			job.Fields = append(job.Fields, texts(fields(t, m)))
		}
		job.Format, job.Text = bag.Definition(l, typ.Name) // ros2msg
		jobs = append(jobs, job)
		job.Format, job.Text = "ros2idl", ros2idl(t, l, typ)
		jobs = append(jobs, job)
	}
	for i, done := range get[[]Converted](t)(peer.Convert(jobs)) {
		typ, format := all[i/2], jobs[i].Format
		t.Run(strings.ReplaceAll(typ.Name, "/msg/", ".")+" "+format, func(t *testing.T) {
			definition, both := "", ""
			for _, limit := range npmLimits {
				if limit.applies(typ) && (limit.format == "" || limit.format == format) {
					definition, both = limit.definition, limit.both
				}
			}
			if failed(t, "the definition", done.Error, definition) {
				return
			}
			for k, m := range values(typ) {
				if r := done.Read[k]; !failed(t, fmt.Sprint("reading message ", k), r.Error, both) {
					if err := Compare(fields(t, m), strings.Join(r.Value, " ")); err != nil {
						t.Errorf("message %d is read wrong: %v", k, err)
					}
				}
				if w := done.Written[k]; !failed(t, fmt.Sprint("writing message ", k), w.Error, both) {
					compareWritten(t, m, w.Value)
				}
			}
		})
	}
}

// failed reports whether there was an error or should have been one.
func failed(t *testing.T, what, got, want string) bool {
	t.Helper()
	if (got == "") != (want == "") || !strings.Contains(got, want) {
		t.Errorf("%s: error %q, want %q", what, got, want)
	}
	return got != "" || want != ""
}

// compareWritten reads what the packages wrote for a message.
func compareWritten(t *testing.T, m cdr.Message, payload []byte) {
	t.Helper()
	got := m.CDRType().New()
	if err := cdr.Unmarshal(payload, got); err != nil {
		t.Errorf("%x: %v", payload, err)
		return
	}
	want, words := fields(t, m), texts(fields(t, got))
	for i := range want {
		want[i].Text = npmWrites(want[i].Text)
	}
	for i, word := range words {
		if word == "7ff8000000000001" { // where it is in no array
			words[i] = npmWrites(word)
		}
	}
	if err := Compare(want, strings.Join(words, " ")); err != nil {
		t.Error(err)
	}
}

// What the peer tells is what it was given and not what it would have liked to: a changed byte shows.
func TestNPMChanged(t *testing.T) {
	peer := get[*NPM](t)(InstallNPM())
	l := newLoader()
	typ := cdr.Lookup("sensor_msgs/msg/JointState")
	m := value(typ, 3)
	want := fields(t, m)
	job := Conversion{Format: "ros2idl", Text: ros2idl(t, l, typ)}
	payload := get[[]byte](t)(cdr.Marshal(m))
	for _, at := range []int{4, 8} { // header.stamp
		changed := append([]byte(nil), payload...)
		changed[at] ^= 1
		job.Payloads = append(job.Payloads, changed)
	}
	done := get[[]Converted](t)(peer.Convert([]Conversion{job}))
	for i, field := range []string{"header.stamp.sec", "header.stamp.nanosec"} {
		err := Compare(want, strings.Join(done[0].Read[i].Value, " "))
		if err == nil || !strings.HasPrefix(err.Error(), field+" is ") {
			t.Errorf("change of %s: %v", field, err)
		}
	}
	if bad := get[[]Converted](t)(peer.Convert([]Conversion{{Format: "ros2idl", Text: "struct"}})); bad[0].Error == "" {
		t.Error("a definition that is none is taken")
	}
}
