package dynamic_test

import (
	"fmt"
	"log"

	"github.com/pinion-ros/pinion/cdr"
	"github.com/pinion-ros/pinion/cdr/dynamic"
	"github.com/pinion-ros/pinion/msggen"
	"github.com/pinion-ros/pinion/msgs"
)

// A type that nobody has generated, from the text of its definition.
func Example() {
	loader := msggen.NewLoader(msggen.PlaceOf("standard definitions", msgs.Definitions))
	if loader.Add("arm_msgs/msg/Grip.msg", []byte("geometry_msgs/Point at\nfloat32[<=2] force\nstring tool \"jaw\"\n"), "arm_msgs") == nil {
		log.Fatal(loader.Check())
	}
	description, err := loader.Describe(msggen.TypeName{Package: "arm_msgs", Kind: msggen.Msg, Name: "Grip"})
	if err != nil {
		log.Fatal(err)
	}
	grip, err := dynamic.NewType(description)
	if err != nil {
		log.Fatal(err)
	}
	m, err := grip.FromJSON([]byte(`{"at": {"z": 0.25}, "force": [1.5]}`))
	if err != nil {
		log.Fatal(err)
	}
	if err := m.Set("at.x", -1); err != nil {
		log.Fatal(err)
	}
	payload, err := cdr.Marshal(m)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(m)
	fmt.Println(len(payload), "bytes")
	_, err = grip.FromJSON([]byte(`{"force": [1, 2, 3]}`))
	fmt.Println(err)
	// Output:
	// at:
	//   x: -1.0
	//   y: 0.0
	//   z: 0.25
	// force:
	// - 1.5
	// tool: jaw
	// 44 bytes
	// line 1: force: bound exceeded: 3 elements, at most 2
}
