package dynamic

import (
	"fmt"

	"github.com/pinion-ros/pinion/cdr"
)

// Convert gives dst the values of src. One may be generated and the other dynamic, but both are of
// one type, told by its hash. dst shares no memory with src.
func Convert(dst, src cdr.Message) error {
	if d, s := dst.CDRType(), src.CDRType(); d.Hash != s.Hash {
		return fmt.Errorf("%w: %s (%s) does not convert to %s (%s)", cdr.ErrInvalid, s.Name, s.Hash, d.Name, d.Hash)
	}
	payload, err := cdr.Marshal(src)
	if err != nil {
		return err
	}
	return cdr.Unmarshal(payload, dst)
}

// UnmarshalJSON gives m, mostly a generated message, the values of a JSON object. See
// Type.FromJSON, which is faster where several texts are read.
func UnmarshalJSON(data []byte, m cdr.Message) error {
	t, err := TypeOf(m.CDRType())
	if err != nil {
		return err
	}
	src, err := t.FromJSON(data)
	if err != nil {
		return err
	}
	return Convert(m, src)
}
