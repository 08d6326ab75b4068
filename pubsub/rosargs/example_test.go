package rosargs_test

import (
	"fmt"
	"log"

	"github.com/pinion-ros/pinion/pubsub/rosargs"
)

// What ros2 launch hands to a program; usually os.Args[1:].
func ExampleParse() {
	args, rest, err := rosargs.Parse([]string{"--speed", "3", "--ros-args", "-r", "__ns:=/left", "-p", "rate:=250.0"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(rest, len(args.Options()) > 0) // the options go to pubsub.NewNode
	// Output: [--speed 3] true
}
