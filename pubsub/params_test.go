package pubsub

import (
	"errors"
	"reflect"
	"testing"
)

func newParams(t *testing.T, values map[string]any) Params {
	t.Helper()
	p, err := NewParams(values)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// check reads a parameter as a T and compares with want, or expects an error if want is nil.
func check[T ParamValue](t *testing.T, p Params, name string, want any) {
	t.Helper()
	got, err := Param[T](p, name)
	if want == nil {
		if !errors.As(err, new(*ParamTypeError)) {
			t.Errorf("%s as %T: %v, %v", name, got, got, err)
		}
		return
	}
	if err != nil || !reflect.DeepEqual(any(got), want) {
		t.Errorf("%s as %T: %v, %v, want %v", name, got, got, err, want)
	}
}

func TestParam(t *testing.T) {
	p := newParams(t, map[string]any{
		"b": true, "i": int64(7), "d": 1.5, "s": "x",
		"bs": []bool{true}, "is": []int64{0, 255}, "ds": []float64{1}, "ss": []string{"x"},
		"bytes": []byte{1}, "far": []int64{256}, "none": []any{},
	})
	check[bool](t, p, "b", true)
	check[int64](t, p, "i", int64(7))
	check[float64](t, p, "d", 1.5)
	check[string](t, p, "s", "x")
	check[[]bool](t, p, "bs", []bool{true})
	check[[]int64](t, p, "is", []int64{0, 255})
	check[[]float64](t, p, "ds", []float64{1})
	check[[]string](t, p, "ss", []string{"x"})
	check[[]byte](t, p, "bytes", []byte{1})
	check[[]byte](t, p, "is", []byte{0, 255})
	check[[]string](t, p, "none", []string(nil))
	check[[]byte](t, p, "none", []byte(nil))

	check[bool](t, p, "i", nil)
	check[int64](t, p, "d", nil)
	check[float64](t, p, "i", nil)
	check[string](t, p, "b", nil)
	check[[]byte](t, p, "far", nil)
	check[[]bool](t, p, "b", nil)
	check[[]float64](t, p, "is", nil)
	check[string](t, p, "none", nil)
}

func TestParamIsReadOnly(t *testing.T) {
	values := map[string]any{"a": []int64{1}}
	p := newParams(t, values)
	values["b"] = true
	list, err := Param[[]int64](p, "a")
	if err != nil {
		t.Fatal(err)
	}
	list[0] = 2
	check[[]int64](t, p, "a", []int64{1})
	if _, err := Param[bool](p, "b"); !errors.Is(err, ErrParamNotSet) {
		t.Error(err)
	}
}

func TestParamOr(t *testing.T) {
	p := newParams(t, map[string]any{"a": int64(1)})
	if v, err := ParamOr(p, "a", int64(5)); v != 1 || err != nil {
		t.Error(v, err)
	}
	if v, err := ParamOr(p, "b", int64(5)); v != 5 || err != nil {
		t.Error(v, err)
	}
	if v, err := ParamOr(p, "a", "x"); v != "" || !errors.As(err, new(*ParamTypeError)) {
		t.Error(v, err)
	}
}

func TestParamErrorText(t *testing.T) {
	p := newParams(t, map[string]any{"rate": int64(10), "on": true})
	_, err := Param[float64](p, "rate")
	if want := `parameter "rate": integer 10 where double is wanted, write 10.0`; err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	_, err = Param[string](p, "on")
	if want := `parameter "on": bool true where string is wanted, put it in quotes`; err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

func TestNewParamsRefuses(t *testing.T) {
	for _, v := range []any{nil, 1, float32(1), []int{1}, map[string]any{}, []any{1}} {
		if _, err := NewParams(map[string]any{"a": v}); err == nil {
			t.Errorf("%T is accepted", v)
		}
	}
}

func TestParamsAll(t *testing.T) {
	var names []string
	for name := range newParams(t, map[string]any{"b": true, "a": "x", "c": 1.0}).All() {
		names = append(names, name)
		if name == "b" {
			break
		}
	}
	if !reflect.DeepEqual(names, []string{"a", "b"}) {
		t.Error(names)
	}
}
