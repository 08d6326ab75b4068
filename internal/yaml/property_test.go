package yaml_test

import (
	"bytes"
	"errors"
	"math/rand"
	"reflect"
	"strings"
	"testing"
	"testing/quick"

	"github.com/pinion-ros/pinion/cdr"
)

// Random values of all types that this package imports, printed and read again. Strings hold any
// code point that both sides take for the same.
func TestRandomRoundTrip(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	tried := 0
	for _, name := range cdr.Types() {
		typ := cdr.Lookup(name)
		for range 10 {
			value, ok := quick.Value(reflect.TypeOf(typ.New()).Elem(), random)
			if !ok {
				t.Fatalf("no value of %s", name)
			}
			p := reflect.New(value.Type())
			p.Elem().Set(value)
			m := p.Interface().(cdr.Message)
			want, err := cdr.Marshal(m)
			if errors.Is(err, cdr.ErrBound) {
				continue
			} else if err != nil {
				t.Fatal(err)
			}
			text := cdr.Text(m)
			if strings.ContainsAny(text, "\u0085\u2028\u2029") {
				continue
			}
			tried++
			back := typ.New()
			if err := read(back, text); err != nil {
				t.Fatalf("%s: %v\n%s", name, err, text)
			}
			if got, err := cdr.Marshal(back); err != nil || !bytes.Equal(got, want) {
				t.Fatalf("%s: %v\n%s\ngives\n%s", name, err, text, cdr.Text(back))
			}
		}
	}
	if tried < 500 {
		t.Errorf("only %d values fit their types", tried)
	}
}
