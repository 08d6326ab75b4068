package interop

import (
	"encoding/hex"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/pinion-ros/pinion/cdr"
)

// Field is one value of a message, or the length of a sequence, in the form that peers read and
// print: integers in decimal, booleans as 0 and 1, floating point numbers as the hexadecimal digits
// of their bits, a string as s and two digits for each byte, a wstring as w and four digits for each
// UTF-16 code unit, a length as [ and the number.
type Field struct {
	Path string // "header.stamp.sec", "name[2]"
	Text string
}

// Fields returns the values of a message of a generated type in the order of its definition. It reads
// the Go struct, so that it does not depend on the encoder.
func Fields(m cdr.Message) ([]Field, error) {
	s, err := m.CDRType().Schema()
	if err != nil {
		return nil, err
	}
	v := reflect.Indirect(reflect.ValueOf(m))
	if v.Kind() != reflect.Struct {
		return nil, fmt.Errorf("%s is not a generated type", s.Name)
	}
	return appendMessage(nil, "", v, s), nil
}

func appendMessage(fields []Field, path string, v reflect.Value, s *cdr.Schema) []Field {
	if path != "" {
		path += "."
	}
	for i := range s.Fields {
		f := &s.Fields[i]
		path := path + f.Name
		if f.Form == 0 {
			fields = appendElement(fields, path, v.Field(i), f)
			continue
		}
		n := v.Field(i).Len()
		if f.Form != cdr.ArrayStep {
			fields = append(fields, Field{"len(" + path + ")", "[" + strconv.Itoa(n)})
		}
		for k := range n {
			fields = appendElement(fields, fmt.Sprintf("%s[%d]", path, k), v.Field(i).Index(k), f)
		}
	}
	return fields
}

func appendElement(fields []Field, path string, v reflect.Value, f *cdr.SchemaField) []Field {
	if f.Element == cdr.NestedType {
		return appendMessage(fields, path, v, f.Nested)
	}
	return append(fields, Field{path, text(v, f.Element == cdr.WStringType)})
}

func text(v reflect.Value, wide bool) string {
	switch v.Kind() {
	case reflect.Bool:
		return strconv.Itoa(int(cdr.BoolByte(v.Bool())))
	case reflect.Float32:
		// Not v.Float, which would make every NaN a quiet one.
		return fmt.Sprintf("%08x", math.Float32bits(v.Interface().(float32)))
	case reflect.Float64:
		return fmt.Sprintf("%016x", math.Float64bits(v.Float()))
	case reflect.String:
		if !wide {
			return "s" + hex.EncodeToString([]byte(v.String()))
		}
		var b strings.Builder
		b.WriteByte('w')
		for _, unit := range utf16.Encode([]rune(v.String())) {
			fmt.Fprintf(&b, "%04x", unit)
		}
		return b.String()
	}
	return fmt.Sprint(v.Interface())
}

// texts returns what a peer reads and prints.
func texts(fields []Field) []string {
	words := make([]string, len(fields))
	for i, f := range fields {
		words[i] = f.Text
	}
	return words
}

// Compare tells whether a peer printed the fields of want, and names the first that differs.
func Compare(want []Field, printed string) error {
	got := strings.Fields(printed)
	for i, f := range want {
		if i == len(got) {
			return fmt.Errorf("%s is missing, as is what follows", f.Path)
		}
		if got[i] != f.Text {
			return fmt.Errorf("%s is %s, want %s", f.Path, got[i], f.Text)
		}
	}
	if len(got) > len(want) {
		return fmt.Errorf("%d fields more than the %d of the type", len(got)-len(want), len(want))
	}
	return nil
}
