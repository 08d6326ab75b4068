// Command codecbench prints how long messages take to encode and decode, compared with Fast-CDR and
// with copying the same bytes. Arguments name the messages to measure, all if there are none.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"

	"github.com/pinion-ros/pinion/bench/codec"
)

func main() {
	var o codec.Options
	flag.IntVar(&o.Rounds, "rounds", 0, "rounds per row (default 31)")
	flag.DurationVar(&o.Slice, "slice", 0, "time per contender and round (default 2ms)")
	flag.StringVar(&o.Dir, "dir", "", "folder that keeps the program for Fast-CDR from run to run")
	flag.Parse()
	o.Messages = flag.Args()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	result, err := codec.Run(ctx, o)
	if err == nil {
		err = result.WriteTable(os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "codecbench:", err)
		os.Exit(1)
	}
}
