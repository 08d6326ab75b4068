// Package cdr is the runtime of generated messages: it encodes and decodes them as ROS 2 does, in
// the XCDR1 representation of DDS, and describes their types to programs that do not know them.
//
// A payload is an encapsulation header of 4 bytes and the body. Numbers stand in it at multiples of
// their size, counted from the end of the header. What is written is little endian with padding of
// zeros; what is read may have either byte order and anything in its padding.
//
// [Marshal], [MarshalTo] and [Append] write payloads; [Unmarshal] and [UnmarshalView] read them.
// [Lookup] finds the types of the generated packages that are linked into the program by their ROS
// names. [Text] and [AppendJSON] print messages; package dynamic reads them from JSON and handles
// types that nobody has generated.
//
// # Strings
//
// A string goes over the wire as the bytes it has, which should be UTF-8 but are not checked. The
// bounds of strings count code points, as the .msg format does. A wstring is UTF-16 on the wire and
// UTF-8 in Go. A surrogate without its partner, which UTF-8 does not know, becomes the three bytes
// that UTF-8 would give its number, so it survives decoding and encoding. A string that is not
// UTF-8 otherwise cannot be encoded as a wstring.
//
// # Equality
//
// The method Equal of generated messages tells whether two messages encode to the same bytes: floats
// are compared by their bits, so that a NaN equals itself and 0 differs from -0, and a nil slice
// equals an empty one.
package cdr
