package codec

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/pinion-ros/pinion/internal/peerbuild"
	"github.com/pinion-ros/pinion/msggen"
	"github.com/pinion-ros/pinion/msgs"
)

//go:embed fastcdr/main.cpp
var fastCDRSource []byte

// fastCDR is the process that times Fast-CDR.
type fastCDR struct {
	cmd   *exec.Cmd
	stdin io.WriteCloser
	out   *bufio.Reader
}

// startFastCDR has fastddsgen make C++ of the IDL of the subjects, compiles that and starts the
// program, which is kept for the next time. The error is a *peerbuild.MissingError where it cannot be
// built.
func startFastCDR(ctx context.Context, subjects []subject) (*fastCDR, error) {
	if err := peerbuild.Need("apt install fastddsgen libfastcdr-dev g++", "fastddsgen", "g++"); err != nil {
		return nil, err
	}
	dir, err := buildFastCDR(ctx, subjects)
	if err != nil {
		return nil, fmt.Errorf("building the program that times Fast-CDR: %w", err)
	}
	p := &fastCDR{}
	return p, p.start(ctx, filepath.Join(dir, "timer"))
}

func buildFastCDR(ctx context.Context, subjects []subject) (string, error) {
	sources, err := fastCDRSources(subjects)
	if err != nil {
		return "", err
	}
	// The compiler's version and that of the library are among the macros.
	macros, err := peerbuild.Run(ctx, ".", nil, "g++", "-E", "-dM", "-include", "fastcdr/config.h", "-x", "c++", "-")
	if err != nil {
		return "", err
	}
	return sources.Build("fastcdr", string(macros), func(dir string) error {
		idl := sources.Names(".idl")
		if _, err := peerbuild.Run(ctx, dir, nil, "fastddsgen", append([]string{"-replace", "-cs"}, idl...)...); err != nil {
			return err
		}
		args := []string{"-O2", "-std=c++17", "-o", "timer", "main.cpp"}
		for _, file := range idl {
			args = append(args, strings.TrimSuffix(file, ".idl")+".cxx")
		}
		_, err := peerbuild.Run(ctx, dir, nil, "g++", append(args, "-lfastcdr")...)
		return err
	})
}

func fastCDRSources(subjects []subject) (peerbuild.Files, error) {
	sources := peerbuild.Files{"main.cpp": fastCDRSource}
	loader := msggen.NewLoader(msggen.PlaceOf("the standard definitions", msgs.Definitions))
	for _, s := range subjects {
		if err := sources.AddIDL(loader, s.message.CDRType().Name); err != nil {
			return nil, err
		}
	}
	return sources, nil
}

func (p *fastCDR) start(ctx context.Context, program string) error {
	p.cmd = exec.CommandContext(ctx, program)
	p.cmd.Stderr = os.Stderr
	var err error
	if p.stdin, err = p.cmd.StdinPipe(); err != nil {
		return err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	p.out = bufio.NewReader(out)
	return p.cmd.Start()
}

// close ends the process.
func (p *fastCDR) close() error {
	p.stdin.Close()
	return p.cmd.Wait()
}

// load gives the process the message to measure and returns the payload that it encodes it to.
func (p *fastCDR) load(name string, payload []byte) ([]byte, error) {
	if _, err := fmt.Fprintf(p.stdin, "load %s %d\n%s", name, len(payload), payload); err != nil {
		return nil, err
	}
	line, err := p.out.ReadString('\n')
	if err != nil {
		return nil, fmt.Errorf("Fast-CDR cannot decode %s: %w", name, err)
	}
	return hex.DecodeString(strings.TrimSpace(line))
}

// time lets the process do an operation n times.
func (p *fastCDR) time(op, name string, n int) (time.Duration, error) {
	if _, err := fmt.Fprintf(p.stdin, "%s %s %d\n", op, name, n); err != nil {
		return 0, err
	}
	var ns int64
	if _, err := fmt.Fscanln(p.out, &ns); err != nil {
		return 0, err
	}
	return time.Duration(ns), nil
}
