package cdr

import (
	"maps"
	"slices"
	"sync"
)

// registry holds the types of all generated packages that are linked into the program.
var registry = struct {
	sync.RWMutex
	types map[string]*Type
}{types: map[string]*Type{}}

// Register makes types available to Lookup. Generated packages call it when the program starts.
// If a name is registered again, the first type stays, for programs may link two generated packages
// of one definition. It may be called by several goroutines.
func Register(types ...*Type) {
	registry.Lock()
	defer registry.Unlock()
	for _, t := range types {
		if _, known := registry.types[t.Name]; !known {
			registry.types[t.Name] = t
		}
	}
}

// Lookup returns the type with the given ROS name, "sensor_msgs/msg/JointState", and nil if no
// package that is linked into the program defines it. It may be called by several goroutines.
func Lookup(name string) *Type {
	registry.RLock()
	defer registry.RUnlock()
	return registry.types[name]
}

// Types returns the names of all registered types in alphabetical order.
func Types() []string {
	registry.RLock()
	defer registry.RUnlock()
	return slices.Sorted(maps.Keys(registry.types))
}

// Describe returns the description of a struct with the given fields. Types that the fields name
// must be registered, as those of imported generated packages are. Where one is not, the
// description lacks it.
func Describe(name string, fields []FieldDescription) *TypeDescription {
	var nested []*TypeDescription
	for _, f := range fields {
		if t := Lookup(f.Type.Nested); t != nil && t.Describe != nil {
			nested = append(nested, t.Describe())
		}
	}
	return NewTypeDescription(StructDescription{Name: name, Fields: fields}, nested...)
}
