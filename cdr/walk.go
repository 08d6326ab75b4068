package cdr

import "strconv"

// walk has visit read the encoding of m by its schema. That is how messages are printed: it works
// for whatever type of Go a message has, and costs generated code nothing.
func walk(m Message, visit func(*Decoder, *Schema)) error {
	s, err := m.CDRType().Schema()
	if err != nil {
		return err
	}
	data, err := Marshal(m)
	if err != nil {
		return err
	}
	var d Decoder
	d.Reset(data, true)
	visit(&d, s)
	return d.Err()
}

// length reads how many elements the array or sequence f has.
func (d *Decoder) length(f *SchemaField) int {
	if f.Form == ArrayStep {
		return f.Len
	}
	return d.Count(f.Name, f.Len, f.elementSize())
}

// textOf reads the string or wstring f.
func (d *Decoder) textOf(f *SchemaField) (s string) {
	if f.Element == WStringType {
		d.WString(f.Name, &s, f.Bound)
	} else {
		d.String(f.Name, &s, f.Bound)
	}
	return s
}

// endOf reads the byte that stands for fields where there are none.
func (d *Decoder) endOf(s *Schema) {
	if len(s.Fields) == 0 {
		d.Uint8("")
	}
}

// appendInteger reads a boolean or an integer and appends it as all text forms write it.
func appendInteger(dst []byte, d *Decoder, f *SchemaField) []byte {
	switch f.Element {
	case BoolType:
		return strconv.AppendBool(dst, d.Bool(f.Name))
	case Int8Type:
		return strconv.AppendInt(dst, int64(d.Int8(f.Name)), 10)
	case Int16Type:
		return strconv.AppendInt(dst, int64(d.Int16(f.Name)), 10)
	case Uint16Type:
		return strconv.AppendUint(dst, uint64(d.Uint16(f.Name)), 10)
	case Int32Type:
		return strconv.AppendInt(dst, int64(d.Int32(f.Name)), 10)
	case Uint32Type:
		return strconv.AppendUint(dst, uint64(d.Uint32(f.Name)), 10)
	case Int64Type:
		return strconv.AppendInt(dst, d.Int64(f.Name), 10)
	case Uint64Type:
		return strconv.AppendUint(dst, d.Uint64(f.Name), 10)
	}
	return strconv.AppendUint(dst, uint64(d.Uint8(f.Name)), 10)
}
