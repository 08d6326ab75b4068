package cdr_test

import (
	"fmt"
	"log"

	"github.com/pinion-ros/pinion/cdr"
	"github.com/pinion-ros/pinion/msgs/geometry_msgs"
	"github.com/pinion-ros/pinion/msgs/std_msgs"
)

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func Example() {
	data, err := cdr.Marshal(&std_msgs.String{Data: "hi"})
	check(err)
	fmt.Printf("% x\n", data)
	var m std_msgs.String
	check(cdr.Unmarshal(data, &m))
	fmt.Println(m.Data)
	// Output:
	// 00 01 00 00 03 00 00 00 68 69 00
	// hi
}

// A buffer that is used again makes encoding free of allocations.
func ExampleMarshalTo() {
	buf := make([]byte, 0, 64)
	for _, x := range []float64{1, 2} {
		m := &geometry_msgs.Point{X: x}
		buf = buf[:cdr.Size(m)]
		n, err := cdr.MarshalTo(buf, m)
		check(err)
		fmt.Println(n, "bytes")
	}
	// Output:
	// 28 bytes
	// 28 bytes
}

// Numbers are not copied where they lie well; the message is good as long as data is.
func ExampleUnmarshalView() {
	data, err := cdr.Marshal(&std_msgs.Float32MultiArray{Data: []float32{1, 2, 3}})
	check(err)
	var m std_msgs.Float32MultiArray
	check(cdr.UnmarshalView(data, &m))
	kept := m.Clone() // for later
	fmt.Println(m.Data, kept.Data)
	// Output: [1 2 3] [1 2 3]
}

// What is not a message, or not all of it, is an error that tells where.
func ExampleError() {
	data, err := cdr.Marshal(&std_msgs.Header{FrameId: "map"})
	check(err)
	var m std_msgs.Header
	fmt.Println(cdr.Unmarshal(data[:len(data)-2], &m))
	// Output: std_msgs/msg/Header: frame_id: unexpected EOF: string of 4 bytes, 2 left (at byte 12 of the body)
}

// A program finds types of the packages that are linked into it by their names.
func ExampleLookup() {
	t := cdr.Lookup("geometry_msgs/msg/Point")
	fmt.Println(t.Name, t.Hash)
	fmt.Println(cdr.Lookup("no_msgs/msg/Such"))
	// Output:
	// geometry_msgs/msg/Point RIHS01_6963084842a9b04494d6b2941d11444708d892da2f4b09843b9c43f42a7f6881
	// <nil>
}

func ExampleText() {
	fmt.Println(cdr.Text(&geometry_msgs.Point{X: 1, Y: 0.5}))
	// Output:
	// x: 1.0
	// y: 0.5
	// z: 0.0
}

func ExampleAppendJSON() {
	text, err := cdr.AppendJSON(nil, &geometry_msgs.Point{X: 1, Y: 0.5})
	check(err)
	fmt.Printf("%s\n", text)
	// Output: {"x":1,"y":0.5,"z":0}
}
