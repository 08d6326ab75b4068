package pubsub

import (
	"errors"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
)

// ParamValue is a type that a parameter of ROS 2 can have.
type ParamValue interface {
	bool | int64 | float64 | string | []byte | []bool | []int64 | []float64 | []string
}

// ErrParamNotSet is returned for a parameter that was given no value.
var ErrParamNotSet = errors.New("parameter not set")

// ParamTypeError reports a parameter whose value is of another type than the one asked for.
type ParamTypeError struct {
	Name  string
	Value any
	Want  string // the type asked for, as ROS 2 calls it
}

func (e *ParamTypeError) Error() string {
	return fmt.Sprintf("parameter %q: %s %.60s where %s is wanted%s",
		e.Name, paramType(e.Value), fmt.Sprint(e.Value), e.Want, e.advice())
}

func (e *ParamTypeError) advice() string {
	_, isInt := e.Value.(int64)
	_, isString := e.Value.(string)
	switch {
	case isInt && e.Want == "double":
		return fmt.Sprintf(", write %d.0", e.Value)
	case !isString && e.Want == "string":
		return ", put it in quotes"
	}
	return ""
}

// Params holds the values that the parameters of a node were given from outside. It is read-only
// and safe for concurrent use; the zero value is empty.
type Params struct {
	values map[string]any
}

// NewParams returns parameters with those values, each of a type of [ParamValue]. An empty []any
// is an empty list of whatever type is asked for. NewParams copies the map but not the lists in
// it, which must not change afterwards.
func NewParams(values map[string]any) (Params, error) {
	for name, v := range values {
		if list, ok := v.([]any); paramType(v) == "" || ok && len(list) > 0 {
			return Params{}, fmt.Errorf("parameter %q: ROS 2 has no parameters of type %T", name, v)
		}
	}
	return Params{maps.Clone(values)}, nil
}

// All returns names and values in the order of the names. Lists must not be changed.
func (p Params) All() iter.Seq2[string, any] {
	return func(yield func(string, any) bool) {
		for _, name := range slices.Sorted(maps.Keys(p.values)) {
			if !yield(name, p.values[name]) {
				return
			}
		}
	}
}

// Param returns the value of a parameter. Types are not converted, with one exception: YAML has no
// notation for bytes, so that a list of integers from 0 to 255 can be read as []byte. The error
// is [ErrParamNotSet] or a [*ParamTypeError]. A list is the caller's own.
func Param[T ParamValue](p Params, name string) (T, error) {
	var result T
	v, ok := p.values[name]
	if !ok {
		return result, fmt.Errorf("parameter %q: %w", name, ErrParamNotSet)
	}
	if !assign(any(&result), v) {
		return result, &ParamTypeError{name, v, paramType(any(result))}
	}
	return result, nil
}

// ParamOr is [Param] with a value for a parameter that is not set.
func ParamOr[T ParamValue](p Params, name string, fallback T) (T, error) {
	v, err := Param[T](p, name)
	if errors.Is(err, ErrParamNotSet) {
		return fallback, nil
	}
	return v, err
}

// assign stores v behind dst, a pointer to a ParamValue, if it is of that type.
func assign(dst, v any) bool {
	switch dst := dst.(type) {
	case *bool:
		return set(dst, v)
	case *int64:
		return set(dst, v)
	case *float64:
		return set(dst, v)
	case *string:
		return set(dst, v)
	case *[]byte:
		return setBytes(dst, v)
	case *[]bool:
		return setList(dst, v)
	case *[]int64:
		return setList(dst, v)
	case *[]float64:
		return setList(dst, v)
	case *[]string:
		return setList(dst, v)
	}
	return false
}

func set[T any](dst *T, v any) (ok bool) {
	*dst, ok = v.(T)
	return ok
}

func setList[E any](dst *[]E, v any) bool {
	if _, open := v.([]any); open {
		return true
	}
	list, ok := v.([]E)
	*dst = slices.Clone(list)
	return ok
}

func setBytes(dst *[]byte, v any) bool {
	numbers, ok := v.([]int64)
	if !ok {
		return setList(dst, v)
	}
	bytes := make([]byte, len(numbers))
	for i, n := range numbers {
		if n < 0 || n > math.MaxUint8 {
			return false
		}
		bytes[i] = byte(n)
	}
	*dst = bytes
	return true
}

// paramType returns what ROS 2 calls the type of a parameter's value, "" if it has none.
func paramType(v any) string {
	switch v.(type) {
	case bool:
		return "bool"
	case int64:
		return "integer"
	case float64:
		return "double"
	case string:
		return "string"
	case []byte:
		return "byte array"
	case []bool:
		return "bool array"
	case []int64:
		return "integer array"
	case []float64:
		return "double array"
	case []string:
		return "string array"
	case []any:
		return "empty array"
	}
	return ""
}
