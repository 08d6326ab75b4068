package msgs_test

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strconv"
	"testing"

	"github.com/pinion-ros/pinion/cdr"
)

// message is what every generated type implements besides cdr.Message.
type message interface {
	cdr.Message
	Reset()
	SetDefaults()
	String() string
}

// newMessage returns a message of a registered type.
func newMessage(t testing.TB, name string) (message, *cdr.Schema) {
	t.Helper()
	typ := cdr.Lookup(name)
	if typ == nil {
		t.Fatalf("%s is not registered", name)
	}
	schema, err := typ.Schema()
	if err != nil {
		t.Fatal(err)
	}
	return typ.New().(message), schema
}

// equal calls the method Equal of generated types.
func equal(a, b cdr.Message) bool {
	return reflect.ValueOf(a).MethodByName("Equal").Call([]reflect.Value{reflect.ValueOf(b)})[0].Bool()
}

// clone calls the method Clone of generated types.
func clone(m cdr.Message) message {
	return reflect.ValueOf(m).MethodByName("Clone").Call(nil)[0].Interface().(message)
}

// eachElement calls f for the elements of a field, after it has made a sequence n elements long.
func eachElement(field reflect.Value, f *cdr.SchemaField, n int, each func(v reflect.Value, i int)) {
	switch f.Form {
	case 0:
		each(field, 0)
		return
	case cdr.ArrayStep:
		n = f.Len
	default:
		field.Set(reflect.MakeSlice(field.Type(), n, n))
	}
	for i := range n {
		each(field.Index(i), i)
	}
}

// fill sets a message to a random value that its type allows. Every number may have any bits.
func fill(r *rand.Rand, v reflect.Value, s *cdr.Schema) {
	for i := range s.Fields {
		f := &s.Fields[i]
		n := r.IntN(min(f.Len, 4) + 1)
		eachElement(v.Field(i), f, n, func(v reflect.Value, _ int) { fillElement(r, v, f) })
	}
}

func fillElement(r *rand.Rand, v reflect.Value, f *cdr.SchemaField) {
	switch {
	case f.Element == cdr.NestedType:
		fill(r, v, f.Nested)
	case v.Kind() == reflect.Bool:
		v.SetBool(r.IntN(2) == 1)
	case v.Kind() == reflect.String:
		v.SetString(text(r, min(f.Bound, 20)))
	case v.CanInt():
		v.SetInt(int64(r.Uint64()) >> (64 - v.Type().Bits()))
	case v.CanUint():
		v.SetUint(r.Uint64() >> (64 - v.Type().Bits()))
	case v.Kind() == reflect.Float32:
		*(v.Addr().Interface().(*float32)) = math.Float32frombits(r.Uint32())
	default:
		v.SetFloat(math.Float64frombits(r.Uint64()))
	}
}

func text(r *rand.Rand, bound int) string {
	s := make([]rune, r.IntN(bound+1))
	for i := range s {
		s[i] = []rune{'a', 'Z', ' ', 0, 'é', '€', '🌍'}[r.IntN(7)]
	}
	return string(s)
}

// set sets a message to a value in the JSON form of the vectors.
func set(v reflect.Value, s *cdr.Schema, value any) error {
	object, ok := value.(map[string]any)
	if !ok || len(object) != len(s.Fields) {
		return fmt.Errorf("%s: %v has not its %d fields", s.Name, value, len(s.Fields))
	}
	for i := range s.Fields {
		f := &s.Fields[i]
		value, ok := object[f.Name]
		if !ok {
			return fmt.Errorf("%s: no field %s", s.Name, f.Name)
		}
		list := []any{value}
		if f.Form != 0 {
			list = value.([]any)
		}
		var err error
		eachElement(v.Field(i), f, len(list), func(v reflect.Value, i int) {
			if e := setElement(v, f, list[i]); e != nil {
				err = fmt.Errorf("%s: %w", f.Name, e)
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func setElement(v reflect.Value, f *cdr.SchemaField, value any) error {
	if f.Element == cdr.NestedType {
		return set(v, f.Nested, value)
	}
	switch value := value.(type) {
	case bool:
		v.SetBool(value)
		return nil
	case json.Number:
		return setNumber(v, string(value))
	case string:
		if v.Kind() == reflect.String {
			v.SetString(value)
			return nil
		}
		return setNumber(v, value)
	}
	return fmt.Errorf("value of type %T", value)
}

func setNumber(v reflect.Value, text string) (err error) {
	switch {
	case v.CanInt():
		var n int64
		n, err = strconv.ParseInt(text, 10, v.Type().Bits())
		v.SetInt(n)
	case v.CanUint():
		var n uint64
		n, err = strconv.ParseUint(text, 10, v.Type().Bits())
		v.SetUint(n)
	case text == "NaN" && v.Kind() == reflect.Float32:
		*(v.Addr().Interface().(*float32)) = math.Float32frombits(0x7fc00000)
	case text == "NaN":
		v.SetFloat(math.Float64frombits(0x7ff8000000000000))
	default:
		var n float64
		n, err = strconv.ParseFloat(text, v.Type().Bits())
		v.SetFloat(n)
	}
	return err
}

// bigEndian returns a little-endian payload in the other byte order. It knows the encoding from the
// schema alone.
func bigEndian(payload []byte, s *cdr.Schema) []byte {
	out := append([]byte{0, 0, 0, 0}, payload[cdr.HeaderSize:]...)
	b := swapper{out[cdr.HeaderSize:], 0}
	b.fields(s)
	return out
}

// swapper reverses the bytes of every number in a body.
type swapper struct {
	body []byte
	off  int
}

// number reverses a number and returns what it was.
func (b *swapper) number(width int) int {
	b.off = cdr.Align(b.off, width)
	n := b.body[b.off : b.off+width]
	b.off += width
	value := 0
	if width == 4 {
		value = int(binary.LittleEndian.Uint32(n))
	}
	for i, j := 0, width-1; i < j; i, j = i+1, j-1 {
		n[i], n[j] = n[j], n[i]
	}
	return value
}

func (b *swapper) fields(s *cdr.Schema) {
	for i := range s.Fields {
		f := &s.Fields[i]
		n := 1
		switch f.Form {
		case 0:
		case cdr.ArrayStep:
			n = f.Len
		default:
			n = b.number(4)
		}
		for range n {
			b.element(f)
		}
	}
	if len(s.Fields) == 0 {
		b.off++
	}
}

func (b *swapper) element(f *cdr.SchemaField) {
	switch f.Element {
	case cdr.NestedType:
		b.fields(f.Nested)
	case cdr.StringType:
		b.off += b.number(4)
	case cdr.WStringType:
		for range b.number(4) {
			b.number(4)
		}
	case cdr.BoolType, cdr.ByteType, cdr.Int8Type, cdr.Uint8Type:
		b.off++
	case cdr.Int16Type, cdr.Uint16Type:
		b.number(2)
	case cdr.Int32Type, cdr.Uint32Type, cdr.Float32Type:
		b.number(4)
	default:
		b.number(8)
	}
}
