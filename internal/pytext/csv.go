package pytext

import (
	"fmt"
	"unicode/utf8"

	"github.com/pinion-ros/pinion/cdr"
	"github.com/pinion-ros/pinion/cdr/dynamic"
)

// CSV says what of a message becomes comma-separated values. They are not quoted, as in ROS 2: a
// string with a comma looks like two values.
type CSV struct {
	NoArrays  bool // arrays are replaced by their type and length
	NoStrings bool // strings are replaced by their length
	Truncate  int  // most elements of an array and characters of a string
}

// Append appends the values of all fields, those of messages within in their place.
func (c CSV) Append(dst []byte, m *dynamic.Message) []byte {
	s := m.Type().Schema()
	for i := range s.Fields {
		if i > 0 {
			dst = append(dst, ',')
		}
		f := &s.Fields[i]
		dst = c.AppendValue(dst, value(m, f), f)
	}
	return dst
}

// AppendValue appends the value v of a field.
func (c CSV) AppendValue(dst []byte, v any, f *cdr.SchemaField) []byte {
	if isScalar(v) {
		return c.appendScalar(dst, v, f)
	}
	if c.NoArrays {
		return append(dst, f.Abbreviate(length(v))...)
	}
	i := 0
	each(v, func(e any) bool {
		if i > 0 {
			dst = append(dst, ',')
		}
		if i == c.Truncate {
			dst = append(dst, "..."...)
			return false
		}
		i++
		dst = c.appendScalar(dst, e, f)
		return true
	})
	return dst
}

func (c CSV) appendScalar(dst []byte, v any, f *cdr.SchemaField) []byte {
	switch v := v.(type) {
	case *dynamic.Message:
		return c.Append(dst, v)
	case string:
		return append(dst, c.text(v)...)
	}
	if v, ok := v.(float32); ok && f.Form == cdr.ArrayStep {
		return appendNumPyFloat32(dst, v)
	}
	return appendPlain(dst, v, f.Element == cdr.ByteType)
}

func (c CSV) text(s string) string {
	n := utf8.RuneCountInString(s)
	if c.NoStrings {
		return fmt.Sprintf("<string length: <%d>>", n)
	}
	if n <= c.Truncate {
		return s
	}
	return string([]rune(s)[:c.Truncate]) + "..."
}
