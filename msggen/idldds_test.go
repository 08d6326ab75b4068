package msggen

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// writeDDS writes definitions in the DDS flavour into a folder and returns its path.
func writeDDS(t testing.TB, defs ...*Definition) string {
	t.Helper()
	dir := t.TempDir()
	for _, def := range defs {
		writeFile(t, filepath.Join(dir, IDLPath(def.Name, FlavourDDS)), writeIDL(t, def, FlavourDDS))
	}
	return dir
}

func writeFile(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func readFile(t testing.TB, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// usesWString reports whether a definition is beyond idlc, which knows no wstring.
func usesWString(def *Definition) bool {
	for _, m := range def.Sections {
		for _, f := range m.Fields {
			if f.Type.Base == WString {
				return true
			}
		}
		for _, c := range m.Const {
			if c.Type.Base == WString {
				return true
			}
		}
	}
	return false
}

// joined returns the definitions as the text of a single IDL file, each behind those it includes.
// fastddsgen reads one large file many times faster than small ones that include each other.
func joined(t testing.TB, defs []*Definition) string {
	t.Helper()
	byName := make(map[TypeName]*Definition)
	for _, def := range defs {
		byName[def.Name] = def
	}
	var b strings.Builder
	done := make(map[*Definition]bool)
	var add func(def *Definition)
	add = func(def *Definition) {
		if def == nil || done[def] {
			return
		}
		done[def] = true
		for _, m := range Derive(def) {
			for _, f := range m.Fields {
				if f.Type.Base == Nested {
					add(byName[f.Type.Nested])
				}
			}
		}
		for line := range strings.Lines(writeIDL(t, def, FlavourDDS)) {
			if !strings.HasPrefix(line, "#") {
				b.WriteString(line)
			}
		}
	}
	for _, def := range defs {
		add(def)
	}
	return b.String()
}

// wireNames returns the DDS names of all types of the definitions.
func wireNames(defs []*Definition) []string {
	var names []string
	for _, def := range defs {
		for _, m := range Derive(def) {
			names = append(names, strings.Join([]string{m.Name.Package, m.Name.Kind.String(), "dds_", m.Name.Name + "_"}, "::"))
		}
	}
	return names
}

func checkNames(t *testing.T, defs []*Definition, quoted func(name string) string, generated string) {
	t.Helper()
	for _, name := range wireNames(defs) {
		if !strings.Contains(generated, quoted(name)) {
			t.Errorf("the compiler has made no type %s", name)
		}
	}
}

func TestIDLC(t *testing.T) {
	defs := slices.DeleteFunc(standardDefs(t), usesWString)
	dir := writeDDS(t, defs...)
	var code strings.Builder
	for _, def := range defs {
		file := IDLPath(def.Name, FlavourDDS)
		runTool(t, "idlc", "-I", dir, "-o", dir, filepath.Join(dir, file))
		code.WriteString(readFile(t, filepath.Join(dir, strings.TrimSuffix(file, ".idl")+".c")))
	}
	checkNames(t, defs, func(name string) string { return `.m_typename = "` + name + `"` }, code.String())
}

func TestFastDDSGen(t *testing.T) {
	defs := standardDefs(t)
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "all.idl"), joined(t, defs))
	runTool(t, "fastddsgen", "-d", dir, filepath.Join(dir, "all.idl"))
	code := readFile(t, filepath.Join(dir, "allPubSubTypes.cxx"))
	checkNames(t, defs, func(name string) string { return `setName("` + name + `")` }, code)
}

// TestDDSHazards compiles what compilers are known to stumble over, down to object code.
func TestDDSHazards(t *testing.T) {
	words := slices.Sorted(maps.Keys(idlWords))
	words = append(words, slices.Sorted(maps.Keys(headerWords))...)
	words = append(words, "p", "q", "msg", "dds", "eprosima", "std", "serialize", "deserialize", "x", "m_x", "m_m_x")
	var fields strings.Builder
	for _, word := range words {
		if ValidPackageName(word) {
			fields.WriteString("int32 " + word + "\n")
		}
	}
	texts := map[string]string{
		"Words": fields.String(),
		"Twins": "int32[] x\nint32[] m_x\nstring y\nstring m_y\nq/Pose pose\nq/Pose m_pose\n",
		"Pose":  "q/Pose pose # the same name in another package\n",
		"Types": "bool a\nbyte b\nchar c\nfloat32 d\nfloat64 e\nint8 f\nuint8 g\nint16 h\nuint16 i\nint32 j\nuint32 k\n" +
			"int64 l\nuint64 m\nstring n\nstring<=3 o\nstring<=3[2] pp\nstring<=3[<=2] qq\nstring<=3[] r\n" +
			"q/Pose[2] s\nq/Pose[<=2] t\nq/Pose[] u\nbool[2] v\nbyte[] w\nbool[] x\nbool[<=3] y\n",
		"Names": "uint8 NULL=0\nuint8 EOF=1\nbool TRUE=true\nuint8 FIXED=1\nuint8 ERROR=2\nuint8 DELETE=3\nuint8 NAN=4\n" +
			"uint8 INFINITY=5\nuint8 INT8_MAX=6\nuint8 DOMAIN=7\nuint8 STRING=8\nuint8 OBJECT=9\nuint8 E=10\nuint8 SIGINT=11\nuint8 M_PI=3\n",
		"Values": "int8 A=-128\nint64 B=-9223372036854775808\nuint64 C=18446744073709551615\nint32 D=-2147483648\n" +
			"float32 E=1e39\nfloat32 F=3.4028234e38\nfloat32 G=1e-45\nfloat64 H=1e-320\nfloat64 I=inf\nfloat64 J=-inf\nfloat64 K=nan\n" +
			"float64 L=1e16\nfloat64 M=1e-7\nfloat64 N=123456789.125\nbyte O=255\nchar P=200\nbool Q=false\n",
		"Texts": "string A=\nstring B=say \"hi\"\nstring C=back\\slash\nstring D=tab\\there\nstring E=\"it's // no /* comment\"\n" +
			"string F=é ハ\nstring G=100%d\nstring H=a\\\\\\x62c\nstring I=??/\n",
		"Missing": "string A=\nfloat64 B=inf # a unit [of\n     # two lines]\nfloat32 C=1e39\n",
		"Unit":    "int32 A=1 # a unit [of\n     # two lines]\n",
		"Comments": "# opens {\n# closes }\n# */ /* // \" '\n# é ハ\n\n# #include <nowhere.h>\nint32 a\n# ends in four \\\\\\\\\nint32 b\n" +
			"# };\nint32 c # [m]\nint32 A=1 # {\n",
	}
	var defs []*Definition
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		defs = append(defs, parseText(t, name+".msg", "p", texts[name]))
	}
	defs = append(defs, parseText(t, "Pose.msg", "q", "float64 x\n"))
	for name, text := range map[string]string{"Map": "string map\nstring set\n", "Atlas": "Map map\nMap[] set\nMap x\n"} {
		defs = append(defs, parseText(t, name+".msg", "r", text))
	}
	dir := writeDDS(t, defs...)
	for _, def := range defs {
		base := filepath.Join(dir, strings.TrimSuffix(IDLPath(def.Name, FlavourDDS), ".idl"))
		runTool(t, "idlc", "-I", dir, "-o", dir, base+".idl")
		if def.Name == (TypeName{"p", Msg, "Words"}) {
			checkMemberNames(t, def, readFile(t, base+".h"))
		}
	}
	for _, def := range defs {
		runTool(t, "gcc", "-fsyntax-only", filepath.Join(dir, strings.TrimSuffix(IDLPath(def.Name, FlavourDDS), "idl")+"c"))
	}
	wide := parseText(t, "Wide.msg", "p", "wstring A=é \"ハ\"\nwstring b\nwstring<=3[] c\nwstring[2] d\nwstring<=3 e\n")
	all := joined(t, append(defs, wide))
	writeFile(t, filepath.Join(dir, "all.idl"), all)
	runTool(t, "fastddsgen", "-d", dir, filepath.Join(dir, "all.idl"))
	for _, file := range []string{"all.cxx", "allPubSubTypes.cxx"} {
		runTool(t, "g++", "-fsyntax-only", filepath.Join(dir, file))
	}
}

// checkMemberNames tells apart the names that must keep their form from those that must not.
func checkMemberNames(t *testing.T, def *Definition, header string) {
	t.Helper()
	for _, f := range def.Sections[0].Fields {
		want := f.Name
		if idlWords[f.Name] || headerWords[f.Name] || f.Name == "m_x" {
			want += "_"
		}
		if !strings.Contains(header, "int32_t "+want+";") {
			t.Errorf("the struct has no member %s", want)
		}
	}
}

func TestDDSKeys(t *testing.T) {
	def := parseText(t, "Keyed.msg", "p", "int32 id # @key\nuint8[4] part # @key\nstring name\n")
	idl := writeIDL(t, def, FlavourDDS)
	for _, want := range []string{"@key int32 id;", "@key uint8 part[4];", "  string name;"} {
		if !strings.Contains(idl, want) {
			t.Errorf("%q is missing in\n%s", want, idl)
		}
	}
	if idl := writeIDL(t, def, FlavourROS); strings.Contains(idl, "@key int32") {
		t.Errorf("the ROS flavour has a key:\n%s", idl)
	}
	dir := writeDDS(t, def)
	file := filepath.Join(dir, "p__msg__Keyed")
	runTool(t, "idlc", "-o", dir, file+".idl")
	if code := readFile(t, file+".c"); !strings.Contains(code, ".m_nkeys = 2u") {
		t.Errorf("idlc has not found both keys:\n%s", code)
	}
	runTool(t, "fastddsgen", "-d", dir, file+".idl")
	code := readFile(t, file+"PubSubTypes.cxx") + readFile(t, file+".cxx")
	if !strings.Contains(code, "isKeyDefined()\n{\n    return true;") {
		t.Errorf("fastddsgen has found no key:\n%s", code)
	}
}
