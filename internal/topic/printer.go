package topic

import (
	"bytes"
	"fmt"
	"math"
	"strconv"

	"github.com/pinion-ros/pinion/cdr"
	"github.com/pinion-ros/pinion/cdr/dynamic"
	"github.com/pinion-ros/pinion/internal/pytext"
	"github.com/pinion-ros/pinion/pubsub"
)

// Format says how messages are printed.
type Format int

// The formats of `ros2 topic echo`, and JSON.
const (
	YAML Format = iota
	CSV
	JSON // an object a line
	Raw  // the bytes as they came
)

// Style says how and what of messages is printed.
type Style struct {
	Format    Format
	Field     string // path of the field that is printed, "" for the whole message
	Info      bool   // print the message's times and number, too
	NoArrays  bool
	NoStrings bool
	Flow      bool // arrays on one line
	Truncate  int  // most elements of an array and characters of a string, negative for all
}

// A printer turns payloads of a type into text.
type printer struct {
	style Style
	field *field // nil for the whole message
	m     *dynamic.Message
	text  []cdr.TextOption
	csv   pytext.CSV
	buf   []byte
}

func newPrinter(t *dynamic.Type, s Style) (*printer, error) {
	p := &printer{style: s, m: t.New(), csv: pytext.CSV{NoArrays: s.NoArrays, NoStrings: s.NoStrings, Truncate: s.Truncate}}
	if s.Truncate < 0 {
		p.csv.Truncate = math.MaxInt
	} else {
		p.text = append(p.text, cdr.TruncateLength(s.Truncate))
	}
	if s.NoArrays {
		p.text = append(p.text, cdr.NoArrays())
	}
	if s.NoStrings {
		p.text = append(p.text, cdr.NoStrings())
	}
	if s.Flow {
		p.text = append(p.text, cdr.FlowStyle())
	}
	if s.Field == "" {
		return p, nil
	}
	f, err := findField(t.Schema(), s.Field)
	p.field = f
	return p, err
}

// print returns the text of a message, valid until the next call.
func (p *printer) print(payload []byte, info *pubsub.MessageInfo) ([]byte, error) {
	p.buf = p.buf[:0]
	if p.style.Format == Raw {
		p.yamlInfo(info)
		p.buf = append(pytext.AppendBytes(p.buf, payload), "\n---\n"...)
		return p.buf, nil
	}
	err := cdr.UnmarshalView(payload, p.m)
	if err != nil {
		return nil, err
	}
	switch p.style.Format {
	case JSON:
		err = p.json(info)
	case CSV:
		err = p.commas(info)
	default:
		err = p.yaml(info)
	}
	return p.buf, err
}

// value returns what is printed of the message.
func (p *printer) value() (any, error) {
	if p.field == nil {
		return p.m, nil
	}
	return p.m.Get(p.style.Field)
}

func (p *printer) yaml(info *pubsub.MessageInfo) error {
	v, err := p.value()
	if err != nil {
		return err
	}
	p.yamlInfo(info)
	if m, ok := v.(*dynamic.Message); ok {
		if p.buf, err = cdr.AppendText(p.buf, m, p.text...); err != nil {
			return err
		}
	} else {
		p.buf = append(p.buf, pytext.Str(v, p.field.schema, p.field.element)...)
	}
	p.buf = append(p.buf, "\n---\n"...)
	return nil
}

// yamlInfo appends what is known about a message, if that is wanted.
func (p *printer) yamlInfo(info *pubsub.MessageInfo) {
	if p.style.Info {
		p.buf = fmt.Appendf(p.buf, "publication_sequence_number: %d\nreceived_timestamp: %d\nreception_sequence_number: null\nsource_timestamp: %d\n---\n",
			info.Sequence, info.ReceptionTime().UnixNano(), info.SourceTime.UnixNano())
	}
}

func (p *printer) commas(info *pubsub.MessageInfo) error {
	v, err := p.value()
	if err != nil {
		return err
	}
	if p.style.Info {
		p.buf = fmt.Appendf(p.buf, "%d,%d,%d,None,", info.SourceTime.UnixNano(), info.ReceptionTime().UnixNano(), info.Sequence)
	}
	if m, ok := v.(*dynamic.Message); ok {
		p.buf = p.csv.Append(p.buf, m)
	} else {
		p.buf = p.csv.AppendValue(p.buf, v, p.field.schema)
	}
	p.buf = append(p.buf, '\n')
	return nil
}

func (p *printer) json(info *pubsub.MessageInfo) error {
	text, err := cdr.AppendJSON(nil, p.m)
	if err != nil {
		return err
	}
	if p.field != nil {
		if text, err = p.field.json(text); err != nil {
			return err
		}
	}
	if !p.style.Info {
		p.buf = append(append(p.buf, text...), '\n')
		return nil
	}
	// Nanoseconds are strings, as all integers of 64 bits are in the message.
	p.buf = append(p.buf, `{"source_timestamp":"`...)
	p.buf = strconv.AppendInt(p.buf, info.SourceTime.UnixNano(), 10)
	p.buf = append(p.buf, `","received_timestamp":"`...)
	p.buf = strconv.AppendInt(p.buf, info.ReceptionTime().UnixNano(), 10)
	p.buf = append(p.buf, `","publication_sequence_number":"`...)
	p.buf = strconv.AppendUint(p.buf, info.Sequence, 10)
	p.buf = append(p.buf, `","publisher":"`+info.Publisher.String()+`","message":`...)
	p.buf = append(append(p.buf, bytes.TrimSpace(text)...), "}\n"...)
	return nil
}
