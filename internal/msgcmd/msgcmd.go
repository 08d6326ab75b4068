// Package msgcmd shows the definitions of message types: the command pinion msg.
package msgcmd

import (
	"fmt"
	"io"

	"github.com/pinion-ros/pinion/internal/interfaces"
	"github.com/pinion-ros/pinion/msggen"
)

// List is the names of types by their kinds.
type List struct {
	Messages []string `json:"messages"`
	Services []string `json:"services"`
	Actions  []string `json:"actions"`
}

// ListTypes returns the types of the packages, of all packages for none.
func ListTypes(f *interfaces.Finder, packages ...string) (*List, error) {
	names, err := f.Names(packages...)
	if err != nil {
		return nil, err
	}
	l := &List{[]string{}, []string{}, []string{}}
	for _, n := range names {
		of := l.of(n.Kind)
		*of = append(*of, n.String())
	}
	return l, nil
}

func (l *List) of(k msggen.Kind) *[]string {
	return [...]*[]string{msggen.Msg: &l.Messages, msggen.Srv: &l.Services, msggen.Action: &l.Actions}[k]
}

// Keep removes all kinds but those given; none given means all.
func (l *List) Keep(kinds ...msggen.Kind) {
	if len(kinds) == 0 {
		return
	}
	old := *l
	*l = List{[]string{}, []string{}, []string{}}
	for _, k := range kinds {
		*l.of(k) = *old.of(k)
	}
}

// Print writes the list as `ros2 interface list` does. Kinds without types have no heading.
func (l *List) Print(w io.Writer) error {
	headings := [...]string{"Messages:", "Services:", "Actions:"}
	for k := msggen.Msg; k <= msggen.Action; k++ {
		for i, name := range *l.of(k) {
			if i == 0 {
				if _, err := fmt.Fprintln(w, headings[k]); err != nil {
					return err
				}
			}
			if _, err := fmt.Fprintf(w, "    %s\n", name); err != nil {
				return err
			}
		}
	}
	return nil
}

// Hash is a type with its RIHS01 hash.
type Hash struct {
	Type string `json:"type"`
	Hash string `json:"hash"`
}

// Hashes returns the hashes of types, of services and actions as a whole too.
func Hashes(f *interfaces.Finder, types []string) ([]Hash, error) {
	var hashes []Hash
	for _, t := range types {
		d, err := f.Describe(t)
		if err != nil {
			return nil, err
		}
		hashes = append(hashes, Hash{t, d.Hash()})
	}
	return hashes, nil
}
