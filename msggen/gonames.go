package msggen

import (
	"cmp"
	"go/token"
	"slices"
	"strconv"
	"strings"
)

// The rule by which Go names are made is part of what users rely on; docs/generated-go.md has it.

// goPackageName returns the name of the Go package for a ROS package.
func goPackageName(pkg string) string {
	if token.IsKeyword(pkg) || pkg == "main" || pkg == "init" || pkg == "internal" || pkg == "vendor" {
		return pkg + "_"
	}
	return pkg
}

// goFieldName returns the name of a field in Go.
func goFieldName(name string) string {
	var b strings.Builder
	for part := range strings.SplitSeq(name, "_") {
		if part[0] <= '9' {
			b.WriteByte('_')
		}
		b.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	if goMethods[b.String()] {
		b.WriteByte('_')
	}
	return b.String()
}

// goMethods holds the methods of generated types.
var goMethods = map[string]bool{
	"CDRType": true, "SizeCDR": true, "EncodeCDR": true, "DecodeCDR": true,
	"SizeKeyCDR": true, "EncodeKeyCDR": true, "DecodeKeyCDR": true,
	"Clone": true, "Equal": true, "Reset": true, "SetDefaults": true, "String": true,
}

// goNames maps the types of one package and their constants to their names in Go.
type goNames struct {
	types        map[TypeName]string
	constructors map[TypeName]string
	constants    map[constantOf]string
}

// constantOf is a constant by its name and that of its type.
type constantOf struct {
	typ  TypeName
	name string
}

// newGoNames names the given messages of one package, which should be all it has.
func newGoNames(messages []*Message) *goNames {
	messages = slices.Clone(messages)
	slices.SortFunc(messages, func(a, b *Message) int {
		return cmp.Or(cmp.Compare(a.Name.Kind, b.Name.Kind), strings.Compare(a.Name.Name, b.Name.Name))
	})
	n := &goNames{map[TypeName]string{}, map[TypeName]string{}, map[constantOf]string{}}
	taken := map[string]bool{}
	claim := func(name string) string {
		for taken[name] {
			name += "_"
		}
		taken[name] = true
		return name
	}
	for _, m := range messages {
		n.types[m.Name] = claim(goTypeName(m.Name))
	}
	for _, m := range messages {
		n.constructors[m.Name] = claim("New" + n.types[m.Name])
	}
	for _, m := range messages {
		for _, c := range m.Const {
			n.constants[constantOf{m.Name, c.Name}] = claim(n.types[m.Name] + "_" + c.Name)
		}
	}
	return n
}

// goTypeName returns the name of a type in Go unless it is taken. Since the names of messages are
// the first to be given, it holds for all of them: files that refer to a message of another package
// need not know what else there is in it.
func goTypeName(t TypeName) string {
	if t.Kind == Msg {
		return t.Name
	}
	return strings.ReplaceAll(t.Name, "_", "")
}

// goTypeVar returns the name of the variable that holds the description of a type.
func goTypeVar(goType string) string { return strings.ToLower(goType[:1]) + goType[1:] + "Type" }

// goFieldsVar returns the name of the variable that lists the fields of a type.
func goFieldsVar(goType string) string { return strings.ToLower(goType[:1]) + goType[1:] + "Fields" }

// goFileNames gives every definition of a package a file. The names end in the kind, so that Go
// never takes them for files of one system only or for tests. Definitions whose names differ only
// in case or underscores are numbered.
func goFileNames(defs []TypeName) map[TypeName]string {
	files := map[TypeName]string{}
	taken := map[string]bool{}
	for _, def := range slices.SortedFunc(slices.Values(defs), func(a, b TypeName) int {
		return strings.Compare(a.String(), b.String())
	}) {
		base := snakeCase(def.Name)
		file := base + "_" + def.Kind.String() + ".go"
		for i := 2; taken[file]; i++ {
			file = base + "_" + strconv.Itoa(i) + "_" + def.Kind.String() + ".go"
		}
		taken[file] = true
		files[def] = file
	}
	return files
}

// snakeCase puts underscores between the words of a name in camel case and lowers it:
// TwistStamped is twist_stamped, RGBAColor is rgba_color.
func snakeCase(name string) string {
	var b strings.Builder
	for i := range len(name) {
		c := name[i]
		upper := isUpper(c)
		if i > 0 && upper && name[i-1] != '_' {
			afterLower := !isUpper(name[i-1])
			beforeLower := i+1 < len(name) && name[i+1] >= 'a' && name[i+1] <= 'z'
			if afterLower || beforeLower {
				b.WriteByte('_')
			}
		}
		b.WriteByte(c)
	}
	return strings.ToLower(b.String())
}

func isUpper(c byte) bool { return c >= 'A' && c <= 'Z' }
