package cdr

import "sync/atomic"

// Message is one ROS 2 message. Pointers to generated structs implement it, and so do the
// messages of package dynamic. None of the methods may keep the message, the encoder or the
// decoder after it returns: callers pass messages that live on their stack.
type Message interface {
	// CDRType returns the description of the message's type. Every value of a generated type
	// returns the same pointer.
	CDRType() *Type

	// SizeCDR returns how many bytes EncodeCDR writes, padding in front included, when the
	// encoding starts at off bytes behind the encapsulation header.
	SizeCDR(off int) int

	// EncodeCDR appends the message to e. A value that its type does not allow (a bound that
	// is exceeded) is reported through e.Fail with the name of the field.
	EncodeCDR(e *Encoder)

	// DecodeCDR fills the message from d and leaves faults of the data in d.
	DecodeCDR(d *Decoder)
}

// Type describes a message type to those who handle messages without knowing them.
type Type struct {
	// Name is the ROS name: "sensor_msgs/msg/JointState", "std_srvs/srv/SetBool_Request".
	Name string
	// Hash is the RIHS01 type hash (REP-2016): "RIHS01_" and 64 hexadecimal digits.
	Hash string
	// New returns a message of the type with the default values of its definition.
	New func() Message
	// Describe returns the description of the type, which it builds when it is called. It is nil
	// where there is none.
	Describe func() *TypeDescription
	// Key tells where the members that make up the key lie in the encoded message. It is nil for
	// types without a key, which are those that ROS 2 knows.
	Key KeyLayout

	schema atomic.Pointer[Schema] // nil until Schema has made it
}
