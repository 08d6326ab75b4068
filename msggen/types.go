package msggen

import (
	"fmt"
	"strings"
)

// fault is what is wrong with a piece of a line.
type fault struct {
	at  span
	msg string
}

func faultf(at span, format string, args ...any) *fault {
	return &fault{at, fmt.Sprintf(format, args...)}
}

var primitives = func() map[string]Base {
	m := make(map[string]Base)
	for b, name := range baseNames {
		if Base(b) != Nested {
			m[name] = Base(b)
		}
	}
	return m
}()

// similar holds what to write instead of names that other languages use.
var similar = map[string]string{
	"boolean": "bool", "double": "float64", "float": "float32 or float64", "int": "int32",
	"long": "int64", "octet": "byte", "short": "int16", "str": "string", "uchar": "uint8",
	"uint": "uint32", "wchar": "uint16",
}

// builtin holds what ROS 2 has in place of two types of ROS 1.
var builtin = map[Base]string{Time: "builtin_interfaces/Time", Duration: "builtin_interfaces/Duration"}

// parseType reads the type of a field. Messages without a package are those of package pkg.
func parseType(s span, pkg string) (Type, *fault) {
	element, t, f := parseArray(s)
	if f != nil {
		return Type{}, f
	}
	if t.Base, t.Bound, t.Nested, f = parseElement(element, pkg); f != nil {
		return Type{}, f
	}
	return t, nil
}

// parseArray reads the array part of a type and returns what is in front of it.
func parseArray(s span) (element span, t Type, f *fault) {
	if !strings.HasSuffix(s.text, "]") {
		return s, Type{}, nil
	}
	open := strings.LastIndexByte(s.text, '[')
	if open < 0 {
		return s, t, faultf(s, "type %q ends with ] but has no [; write T[], T[N] or T[<=N]", s.text)
	}
	element = s.to(open)
	size := s.to(len(s.text) - 1).from(open + 1)
	if size.text == "" {
		return element, Type{Array: Unbounded}, nil
	}
	t.Array = Fixed
	if bound, found := strings.CutPrefix(size.text, "<="); found {
		t.Array, size = Bounded, span{bound, size.start + 2}
	}
	if t.Len, f = parseLimit(size, "size of an array"); f != nil {
		return element, t, f
	}
	return element, t, nil
}

func parseElement(s span, pkg string) (base Base, bound int, nested TypeName, f *fault) {
	if base, ok := primitives[s.text]; ok {
		return base, 0, nested, nil
	}
	for _, base := range [...]Base{String, WString} {
		if limit, found := strings.CutPrefix(s.text, base.String()+"<="); found {
			at := s.from(len(s.text) - len(limit))
			bound, f = parseLimit(at, "bound of a string")
			return base, bound, nested, f
		}
	}
	nested, f = parseNested(s, pkg)
	return Nested, 0, nested, f
}

// parseLimit reads the N of string<=N, T[N] and T[<=N].
func parseLimit(s span, what string) (int, *fault) {
	n, ok := parseInteger(s.text, false)
	if !ok {
		return 0, faultf(s, "the %s is %q; write a whole decimal number above 0", what, s.text)
	}
	limit, ok := n.positive()
	if !ok {
		return 0, faultf(s, "the %s is %s; it must be above 0 and fit 63 bits", what, s.text)
	}
	return limit, nil
}

func parseNested(s span, pkg string) (TypeName, *fault) {
	pkgPart, name, full := s.cut("/")
	switch {
	case !full:
		pkgPart, name = span{pkg, s.start}, s
	case strings.Contains(name.text, "/"):
		return TypeName{}, faultf(s, "type %q has more than one slash; write package/Name", s.text)
	case !ValidPackageName(pkgPart.text):
		return TypeName{}, faultf(pkgPart, "%q is no package name; %s", pkgPart.text, lowerNameRule)
	}
	if !validTypeName(name.text) {
		return TypeName{}, faultf(name, "%q is neither a primitive type nor the name of a message; %s",
			name.text, typeHint(name.text))
	}
	return TypeName{pkgPart.text, Msg, name.text}, nil
}

func typeHint(name string) string {
	if known, ok := similar[name]; ok {
		return "use " + known
	}
	if _, ok := primitives[strings.ToLower(name)]; ok {
		return "use " + strings.ToLower(name)
	}
	if strings.Contains(name, "::") {
		return "write package/Name"
	}
	return typeNameRule
}
