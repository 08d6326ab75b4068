package msggencli

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"io"

	"github.com/pinion-ros/pinion/cdr"
	"github.com/pinion-ros/pinion/cdr/dynamic"
	"github.com/pinion-ros/pinion/internal/interfaces"
)

// encode turns the JSON of a message into the hexadecimal digits of its CDR.
func (a *app) encode() command {
	return command{
		usage: "encode [-I DIR]... TYPE <JSON",
		run: func(args []string) error {
			return a.convert(args, func(t *dynamic.Type, input []byte) ([]byte, error) {
				m, err := t.FromJSON(input)
				if err != nil {
					return nil, err
				}
				payload, err := cdr.Marshal(m)
				return hex.AppendEncode(nil, payload), err
			})
		},
	}
}

// decode turns the hexadecimal digits of a message's CDR into its JSON.
func (a *app) decode() command {
	return command{
		usage: "decode [-I DIR]... TYPE <HEX",
		run: func(args []string) error {
			return a.convert(args, func(t *dynamic.Type, input []byte) ([]byte, error) {
				payload, err := hex.AppendDecode(nil, bytes.Join(bytes.Fields(input), nil))
				if err != nil {
					return nil, fmt.Errorf("the input is not hexadecimal: %w", err)
				}
				m := t.New()
				if err := cdr.Unmarshal(payload, m); err != nil {
					return nil, err
				}
				return cdr.AppendJSON(nil, m)
			})
		},
	}
}

// convert reads a message of the type that args name and prints what f makes of it.
func (a *app) convert(args []string, f func(*dynamic.Type, []byte) ([]byte, error)) error {
	if len(args) != 1 {
		return usagef("name one type, like std_msgs/msg/String")
	}
	t, err := a.messageType(args[0])
	if err != nil {
		return err
	}
	input, err := io.ReadAll(a.Stdin)
	if err != nil {
		return fmt.Errorf("standard input: %w", err)
	}
	output, err := f(t, input)
	if err != nil {
		return fmt.Errorf("%s: %w", args[0], err)
	}
	_, err = a.Stdout.Write(append(output, '\n'))
	return err
}

func (a *app) messageType(name string) (*dynamic.Type, error) {
	finder, err := interfaces.NewFinder(a.include, a.Getenv)
	if err != nil {
		return nil, err
	}
	return finder.Message(name)
}
