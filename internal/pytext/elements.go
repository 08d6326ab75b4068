package pytext

import "reflect"

// isScalar tells whether a value of a message is no array or sequence.
func isScalar(v any) bool { return reflect.TypeOf(v).Kind() != reflect.Slice }

// each calls f for the elements of an array or sequence, until it returns false.
func each(v any, f func(any) bool) {
	s := reflect.ValueOf(v)
	for i := range s.Len() {
		if !f(s.Index(i).Interface()) {
			return
		}
	}
}

func length(v any) int { return reflect.ValueOf(v).Len() }
