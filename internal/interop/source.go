package interop

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"strings"

	"github.com/pinion-ros/pinion/cdr"
	"github.com/pinion-ros/pinion/internal/peerbuild"
	"github.com/pinion-ros/pinion/msggen"
)

// newSource returns what a peer is compiled from besides its program: interop.idl, with all types in
// one file, because each file costs a C++ compiler seconds, and interop.list, which describes the types
// to the program in terms of macros. loader has to find the types' definitions.
func newSource(loader *msggen.Loader, types []*cdr.Type) (peerbuild.Files, error) {
	files := peerbuild.Files{}
	var schemas []*cdr.Schema
	for _, t := range types {
		s, err := t.Schema()
		if err != nil {
			return nil, err
		}
		schemas = append(schemas, s)
		if err := files.AddIDL(loader, s.Name); err != nil {
			return nil, err
		}
	}
	idl, err := join(files)
	if err != nil {
		return nil, err
	}
	list, err := typeList(idl, schemas)
	return peerbuild.Files{"interop.idl": idl, "interop.list": list}, err
}

// join makes one file of files of IDL that include each other.
func join(files peerbuild.Files) ([]byte, error) {
	dir, err := os.MkdirTemp("", "interop")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if err := files.Write(dir); err != nil {
		return nil, err
	}
	var includes bytes.Buffer
	for _, name := range files.Names(".idl") {
		fmt.Fprintf(&includes, "#include %q\n", name)
	}
	// Without -undef the compiler would replace names such as linux.
	return run(dir, includes.Bytes(), "gcc", "-E", "-P", "-undef", "-x", "c", "-I", dir, "-")
}

// closure returns the schemas and all that they contain, each once and behind what it contains.
func closure(schemas []*cdr.Schema) []*cdr.Schema {
	var all []*cdr.Schema
	seen := map[string]bool{}
	var add func(s *cdr.Schema)
	add = func(s *cdr.Schema) {
		if seen[s.Name] {
			return
		}
		seen[s.Name] = true
		for _, f := range s.Fields {
			if f.Nested != nil {
				add(f.Nested)
			}
		}
		all = append(all, s)
	}
	for _, s := range schemas {
		add(s)
	}
	return all
}

// typeList writes
//
//	STRUCT(id, cpp)             a type with its names in C and in C++
//	FIELD(kind, name)           a field, ARRAY(kind, name, length), SEQUENCE(kind, name)
//	END
//	TYPE("ros name", id, cpp)   a type that topics can have
//
// for the structs in idl, with the names that the fields have there.
func typeList(idl []byte, schemas []*cdr.Schema) ([]byte, error) {
	var b bytes.Buffer
	for _, s := range closure(schemas) {
		names, err := members(idl, s)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "STRUCT(%s, %s)\n", identifier(s.Name), scoped(s.Name))
		for i := range s.Fields {
			writeMember(&b, &s.Fields[i], names[i])
		}
		b.WriteString("END\n")
	}
	for _, s := range schemas {
		fmt.Fprintf(&b, "TYPE(%q, %s, %s)\n", s.Name, identifier(s.Name), scoped(s.Name))
	}
	return b.Bytes(), nil
}

func writeMember(b *bytes.Buffer, f *cdr.SchemaField, name string) {
	switch f.Form {
	case 0:
		fmt.Fprintf(b, "FIELD(%s, %s)\n", kind(f), name)
	case cdr.ArrayStep:
		fmt.Fprintf(b, "ARRAY(%s, %s, %d)\n", kind(f), name, f.Len)
	default:
		fmt.Fprintf(b, "SEQUENCE(%s, %s)\n", kind(f), name)
	}
}

var kinds = map[cdr.TypeID]string{
	cdr.BoolType: "bool", cdr.ByteType: "uint8", cdr.Int8Type: "int8", cdr.Uint8Type: "uint8",
	cdr.Int16Type: "int16", cdr.Uint16Type: "uint16", cdr.Int32Type: "int32", cdr.Uint32Type: "uint32",
	cdr.Int64Type: "int64", cdr.Uint64Type: "uint64", cdr.Float32Type: "float32", cdr.Float64Type: "float64",
	cdr.StringType: "string", cdr.WStringType: "wstring",
}

func kind(f *cdr.SchemaField) string {
	switch {
	case f.Element == cdr.NestedType:
		return identifier(f.Nested.Name)
	case f.Element == cdr.StringType && f.Bound != cdr.Unbounded:
		return "bounded"
	}
	return kinds[f.Element]
}

// scoped returns the name of a type in IDL and C++, which is the one on the wire.
func scoped(name string) string {
	part := strings.Split(name, "/")
	return part[0] + "::" + part[1] + "::dds_::" + part[2] + "_"
}

// identifier returns the name of a type in C.
func identifier(name string) string { return strings.ReplaceAll(scoped(name), "::", "_") }

var member = regexp.MustCompile(`(\w+)(?:\[\d+\])?;`)

// members finds the names of a struct's fields in IDL, which are not those of the schema where these
// mean something else to a compiler.
func members(idl []byte, s *cdr.Schema) ([]string, error) {
	modules := strings.Split(s.Name, "/")
	head := fmt.Sprintf(`module %s \{\s+module %s \{\s+module dds_ \{\s+(?:module \w+ \{[^}]*\};\s+)?@final\s+struct %s_ \{([^}]*)\}`,
		modules[0], modules[1], modules[2])
	body := regexp.MustCompile(head).FindSubmatch(idl)
	if body == nil {
		return nil, fmt.Errorf("the IDL of %s is not in the form that is expected here", s.Name)
	}
	var names []string
	for _, m := range member.FindAllSubmatch(body[1], -1) {
		names = append(names, string(m[1]))
	}
	if len(names) != max(len(s.Fields), 1) {
		return nil, fmt.Errorf("%s has %d fields, but %d in IDL", s.Name, len(s.Fields), len(names))
	}
	return names, nil
}
