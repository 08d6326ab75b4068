package msggencli

import (
	"io"
	"io/fs"
	"testing"

	"github.com/pinion-ros/pinion/msgs"
)

// BenchmarkGen compiles all standard definitions to Go code and both flavours of IDL. The files are
// there already and do not change, so that it is not the disk that counts.
func BenchmarkGen(b *testing.B) {
	entries, err := fs.ReadDir(msgs.Definitions, ".")
	if err != nil {
		b.Fatal(err)
	}
	out := b.TempDir()
	commands := [][]string{
		{"gen", "-out", out, "-module", "example.com/msgs"},
		{"idl", "-flavour", "ros", "-out", out + "/ros"},
		{"idl", "-flavour", "dds", "-out", out + "/dds"},
	}
	for i := range commands {
		for _, e := range entries {
			commands[i] = append(commands[i], e.Name())
		}
	}
	compile := func(b *testing.B, args []string) {
		env := Env{Stdout: io.Discard, Stderr: b.Output(), Getenv: func(string) string { return "" }}
		if code := Main(args, env); code != exitOK {
			b.Fatalf("exit code %d", code)
		}
	}
	for _, args := range commands {
		name := args[0]
		if name == "idl" {
			name += "-" + args[2]
		}
		b.Run(name, func(b *testing.B) {
			compile(b, args)
			for b.Loop() {
				compile(b, args)
			}
		})
	}
}
