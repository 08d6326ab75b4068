package dynamic

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// mismatch reports a node of a kind that the field cannot take.
func mismatch(n *Node, want string) error {
	switch n.Kind {
	case Number, Plain, foreign:
		return fmt.Errorf("%s is not %s", n.Text, want)
	case String, Quoted:
		return fmt.Errorf("%q is not %s", n.Text, want)
	}
	return fmt.Errorf("%s is not %s", n.Kind, want)
}

// base is the radix in which an integer is read: JSON knows decimal only, YAML the prefixes
// that strconv knows as 0.
func (n *Node) base() int {
	if n.Kind == Plain {
		return 0
	}
	return 10
}

// numberError tells why strconv refused text.
func numberError(n *Node, err error, want string) error {
	if errors.Is(err, strconv.ErrRange) {
		return fmt.Errorf("%s is outside the range of %s", n.Text, want)
	}
	return mismatch(n, "an integer")
}

func parseInt(n *Node, bits int) (int64, error) {
	want := "int" + strconv.Itoa(bits)
	if !holdsInteger(n, bits) {
		return 0, mismatch(n, want)
	}
	v, err := strconv.ParseInt(n.Text, n.base(), bits)
	if err != nil {
		return 0, numberError(n, err, want)
	}
	return v, nil
}

func parseUint(n *Node, bits int) (uint64, error) {
	want := "uint" + strconv.Itoa(bits)
	if !holdsInteger(n, bits) {
		return 0, mismatch(n, want)
	}
	v, err := strconv.ParseUint(strings.TrimPrefix(n.Text, "+"), n.base(), bits)
	if err == nil {
		return v, nil
	}
	if signed, notSigned := strconv.ParseInt(n.Text, n.base(), 64); notSigned == nil {
		if signed == 0 { // -0
			return 0, nil
		}
		err = strconv.ErrRange // a negative number
	}
	return 0, numberError(n, err, want)
}

// holdsInteger tells whether n may stand for an integer. Those of 64 bits may be strings,
// because many JSON readers keep numbers as float64.
func holdsInteger(n *Node, bits int) bool {
	return n.Kind == Number || n.Kind == Plain || bits == 64 && (n.Kind == String || n.Kind == Quoted)
}

func parseFloat(n *Node, bits int) (float64, error) {
	want := "float" + strconv.Itoa(bits)
	text := n.Text
	switch n.Kind {
	case Number:
	case Plain:
		text = plainFloat(text)
	case String, Quoted:
		if text != "NaN" && text != "Infinity" && text != "-Infinity" && text != "-0" {
			return 0, mismatch(n, want)
		}
	default:
		return 0, mismatch(n, want)
	}
	v, err := strconv.ParseFloat(text, bits)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return 0, fmt.Errorf("%s is outside the range of %s", n.Text, want)
	case err != nil:
		return 0, mismatch(n, "a number")
	case math.IsNaN(v):
		return quietNaN, nil
	}
	return v, nil
}

// plainFloat returns a number from YAML as strconv reads it: .inf as inf, and integers, which have
// the same value for every type, in decimal.
func plainFloat(text string) string {
	if i, err := strconv.ParseInt(text, 0, 64); err == nil {
		return strconv.FormatInt(i, 10)
	}
	sign := text[:len(text)-len(strings.TrimLeft(text, "+-"))]
	if rest := strings.ToLower(text[len(sign):]); rest == ".inf" || rest == ".nan" {
		return sign + rest[1:]
	}
	return text
}

// quietNaN has no payload, unlike that of package math, as in other languages.
var quietNaN = math.Float64frombits(0x7ff8 << 48)

func parseBool(n *Node) (bool, error) {
	if n.Kind == Bool || n.Kind == Plain {
		switch strings.ToLower(n.Text) {
		case "true", "yes", "on":
			return true, nil
		case "false", "no", "off":
			return false, nil
		case "0", "1":
			return n.Text == "1", nil
		}
	}
	return false, mismatch(n, "true or false")
}

func parseString(n *Node) (string, error) {
	if n.Kind != String && n.Kind != Quoted && n.Kind != Plain {
		return "", mismatch(n, "a string")
	}
	return n.Text, nil
}

// parseByte reads a number, or in YAML the character that stands for a byte where ROS 2 tools
// print one.
func parseByte(n *Node) (uint8, error) {
	if n.Kind == Plain || n.Kind == Quoted {
		if r, size := utf8.DecodeRuneInString(n.Text); size == len(n.Text) && r <= 0xFF &&
			(n.Kind == Quoted || r < '0' || r > '9') {
			return uint8(r), nil
		}
	}
	v, err := parseUint(n, 8)
	return uint8(v), err
}
