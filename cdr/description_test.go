package cdr

import (
	"slices"
	"testing"
)

func TestDescriptionText(t *testing.T) {
	d := NewTypeDescription(StructDescription{"std_msgs/msg/String", []FieldDescription{
		{Name: "data", Type: FieldType{ID: StringType}, Default: "not part of the text"},
	}})
	const text = `{"type_description": {"type_name": "std_msgs/msg/String", "fields": [{"name": "data", ` +
		`"type": {"type_id": 17, "capacity": 0, "string_capacity": 0, "nested_type_name": ""}}]}, "referenced_type_descriptions": []}`
	if got := string(d.appendText(nil)); got != text {
		t.Errorf("text\n%s, want\n%s", got, text)
	}
	const hash = "RIHS01_df668c740482bbd48fb39d76a70dfd4bd59db1288021743503259e948f6b1a18"
	if got := d.Hash(); got != hash {
		t.Errorf("hash %s, want %s", got, hash)
	}
}

func TestDescriptionIsASCII(t *testing.T) {
	got := string(appendASCII(nil, "a\"\\\n\x7fé\U0001f600"))
	if want := `"a\"\\\u000a\u007f\u00e9\ud83d\ude00"`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestReferencedOnceInOrder(t *testing.T) {
	a := NewTypeDescription(StructDescription{Name: "a/msg/A"})
	b := NewTypeDescription(StructDescription{Name: "b/msg/B"}, a)
	c := NewTypeDescription(StructDescription{Name: "c/msg/C"}, b, a, b)
	var names []string
	for _, r := range c.Referenced {
		names = append(names, r.Name)
	}
	if want := []string{"a/msg/A", "b/msg/B"}; !slices.Equal(names, want) {
		t.Errorf("referenced %v, want %v", names, want)
	}
}

func TestTypeID(t *testing.T) {
	for _, element := range []TypeID{NestedType, Uint8Type, BoundedWStringType} {
		for _, step := range []TypeID{0, ArrayStep, BoundedSequenceStep, UnboundedSequenceStep} {
			id := element + step
			if id.Element() != element || id.Form() != step {
				t.Errorf("%d is element %d and form %d, want %d and %d", id, id.Element(), id.Form(), element, step)
			}
		}
	}
}
