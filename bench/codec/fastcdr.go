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

	"github.com/pinion-ros/pinion/msggen"
	"github.com/pinion-ros/pinion/msgs"
)

//go:embed fastcdr/main.cpp
var fastCDRSource []byte

// fastCDR is the process that times Fast-CDR.
type fastCDR struct {
	dir   string
	keep  bool // the folder is the caller's
	cmd   *exec.Cmd
	stdin io.WriteCloser
	out   *bufio.Reader
}

// MissingError tells that the comparison with Fast-CDR needs a program that is not installed.
type MissingError struct{ Program string }

// Error says what to install.
func (e *MissingError) Error() string {
	return e.Program + " is not installed; on Debian and Ubuntu: apt install fastddsgen libfastcdr-dev g++"
}

// startFastCDR writes the IDL of the subjects, has fastddsgen make C++ of it, compiles that and
// starts the program. If dir is not empty, the program is kept there, or used from there.
func startFastCDR(ctx context.Context, subjects []subject, dir string) (*fastCDR, error) {
	p := &fastCDR{dir: dir, keep: dir != ""}
	if p.keep {
		if _, err := os.Stat(p.program()); err == nil {
			return p, p.start(ctx)
		}
	}
	for _, program := range []string{"fastddsgen", "g++"} {
		if _, err := exec.LookPath(program); err != nil {
			return nil, &MissingError{program}
		}
	}
	var err error
	if p.keep {
		err = os.MkdirAll(dir, 0o777)
	} else {
		p.dir, err = os.MkdirTemp("", "codec")
	}
	if err != nil {
		return nil, err
	}
	if err := p.build(ctx, subjects); err != nil {
		p.remove()
		return nil, fmt.Errorf("building the program that times Fast-CDR: %w", err)
	}
	if err := p.start(ctx); err != nil {
		p.remove()
		return nil, err
	}
	return p, nil
}

// program returns the path of the program.
func (p *fastCDR) program() string { return filepath.Join(p.dir, "timer") }

func (p *fastCDR) remove() {
	if !p.keep {
		os.RemoveAll(p.dir)
	}
}

func (p *fastCDR) build(ctx context.Context, subjects []subject) error {
	idl, err := writeIDL(p.dir, subjects)
	if err != nil {
		return err
	}
	if err := p.run(ctx, "fastddsgen", append([]string{"-replace", "-cs", "-d", p.dir}, idl...)...); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(p.dir, "main.cpp"), fastCDRSource, 0o666); err != nil {
		return err
	}
	sources := []string{"main.cpp"}
	for _, file := range idl {
		sources = append(sources, strings.TrimSuffix(file, ".idl")+".cxx")
	}
	return p.run(ctx, "g++", append(append([]string{"-O2", "-std=c++17", "-o", "timer"}, sources...), "-lfastcdr")...)
}

// run runs a program in the folder of p.
func (p *fastCDR) run(ctx context.Context, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = p.dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", name, err, out[:min(len(out), 2000)])
	}
	return nil
}

// writeIDL writes the IDL of the subjects and of all they contain to dir and returns the names of the
// files.
func writeIDL(dir string, subjects []subject) ([]string, error) {
	loader := msggen.NewLoader(msggen.PlaceOf("the standard definitions", msgs.Definitions))
	var names []string
	seen := map[string]bool{}
	for _, s := range subjects {
		description := s.message.CDRType().Describe()
		for _, d := range append(description.Referenced, description.Type) {
			if !seen[d.Name] {
				seen[d.Name] = true
				names = append(names, d.Name)
			}
		}
	}
	var files []string
	for _, name := range names {
		typ, err := msggen.ParseTypeName(name)
		if err != nil {
			return nil, err
		}
		def, err := loader.Definition(typ)
		if err != nil {
			return nil, err
		}
		text, err := msggen.IDL(def, msggen.FlavourDDS)
		if err != nil {
			return nil, err
		}
		file := msggen.IDLPath(typ, msggen.FlavourDDS)
		if err := os.WriteFile(filepath.Join(dir, file), text, 0o666); err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	return files, nil
}

func (p *fastCDR) start(ctx context.Context) error {
	p.cmd = exec.CommandContext(ctx, p.program())
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

// close ends the process and removes what it was built from.
func (p *fastCDR) close() error {
	p.stdin.Close()
	err := p.cmd.Wait()
	p.remove()
	return err
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
