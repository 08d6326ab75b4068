package pubsub

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// The lengths that ROS 2 allows, in bytes.
const (
	maxNodeName  = 255
	maxTopicName = 255 - 8 // leaves room for what a topic's name gets on DDS
	maxNamespace = maxTopicName - 2
	maxEnclave   = 255
)

// NameKind says what a name stands for; each kind has rules of its own.
type NameKind int

// The kinds of names. The full names are those after expansion and remapping.
const (
	NodeName NameKind = iota
	NamespaceName
	EnclaveName
	TopicName
	ServiceName
	FullTopicName
	FullServiceName
	FullNodeName
	NamePattern // see [MatchName]
)

var kindNames = [...]string{
	NodeName:        "node name",
	NamespaceName:   "namespace",
	EnclaveName:     "enclave",
	TopicName:       "topic name",
	ServiceName:     "service name",
	FullTopicName:   "full topic name",
	FullServiceName: "full service name",
	FullNodeName:    "full node name",
	NamePattern:     "name or pattern",
}

func (k NameKind) String() string {
	if k < 0 || int(k) >= len(kindNames) {
		return fmt.Sprintf("NameKind(%d)", int(k))
	}
	return kindNames[k]
}

// problem is what can be wrong with a name.
type problem int

const (
	empty problem = iota
	notAbsolute
	endsWithSlash
	badCharacter
	repeatedSlash
	startsWithDigit
	tooLong
	unmatchedBrace
	misplacedTilde
	tildeWithoutSlash
	badCharacterInBraces
	bracesStartWithDigit
	gluedStars
)

// The problems of each kind of name in the order in which ROS 2 numbers them, from 1.
var (
	nodeProblems  = []problem{empty, badCharacter, startsWithDigit, tooLong}
	pathProblems  = []problem{empty, notAbsolute, endsWithSlash, badCharacter, repeatedSlash, startsWithDigit, tooLong}
	inputProblems = []problem{empty, endsWithSlash, badCharacter, startsWithDigit, unmatchedBrace, misplacedTilde,
		tildeWithoutSlash, badCharacterInBraces, bracesStartWithDigit}
)

// ErrInvalidName matches every [NameError].
var ErrInvalidName = errors.New("invalid name")

// NameError reports a name that ROS 2 does not allow.
type NameError struct {
	Kind  NameKind
	Name  string
	Index int // position in Name of the byte at fault, as ROS 2 reports it

	problem problem
}

// Code returns the result code that ROS 2 gives the fault, 0 where it has none. The same number means
// different things for nodes, for names before expansion and for all others.
// (rmw/validate_node_name.h, rmw/validate_full_topic_name.h, rmw/validate_namespace.h,
// rcl/validate_topic_name.h, rcl/validate_enclave_name.h)
func (e *NameError) Code() int {
	problems := pathProblems
	switch e.Kind {
	case NodeName:
		problems = nodeProblems
	case TopicName, ServiceName:
		problems = inputProblems
	}
	return slices.Index(problems, e.problem) + 1
}

// Character returns the character at fault, "" if the name is empty.
func (e *NameError) Character() string {
	_, n := utf8.DecodeRuneInString(e.Name[e.Index:])
	return e.Name[e.Index : e.Index+n]
}

// Is reports whether target is [ErrInvalidName].
func (e *NameError) Is(target error) bool { return target == ErrInvalidName }

func (e *NameError) Error() string {
	return fmt.Sprintf("%s %.300q: %s", e.Kind, e.Name, e.explain())
}

func (e *NameError) explain() string {
	at := fmt.Sprintf("%q at byte %d", e.Character(), e.Index)
	switch e.problem {
	case empty:
		return "it is empty, give it at least one letter"
	case notAbsolute:
		return "it starts with " + at + " and has to start with \"/\""
	case endsWithSlash:
		return "it ends with " + at + ", remove it or add a name behind it"
	case badCharacter:
		return at + " is not allowed, use " + e.alphabet()
	case repeatedSlash:
		return at + " repeats the one before, use a single one"
	case startsWithDigit:
		return at + " starts a part of the name, start it with a letter or \"_\""
	case tooLong:
		return fmt.Sprintf("it has %d bytes, use at most %d", len(e.Name), e.Index+1)
	case unmatchedBrace:
		return at + " has no counterpart, write substitutions as {node} or {ns}"
	case misplacedTilde:
		return at + " is not allowed, \"~\" may only start the name"
	case tildeWithoutSlash:
		return at + " follows \"~\", write \"~/\" in front of the name"
	case badCharacterInBraces:
		return at + " is not allowed in braces, use letters, digits and \"_\""
	case gluedStars:
		return at + ": \"**\" stands for whole parts, write it between slashes"
	default:
		return at + " starts the text in braces, start it with a letter or \"_\""
	}
}

func (e *NameError) alphabet() string {
	switch e.Kind {
	case NodeName:
		return "letters, digits and \"_\""
	case TopicName, ServiceName:
		return "letters, digits, \"_\" and \"/\", a leading \"~\" and substitutions in braces"
	case NamePattern:
		return "letters, digits, \"_\", \"/\" and \"*\""
	default:
		return "letters, digits, \"_\" and \"/\""
	}
}

// ValidateNodeName checks the name of a node without its namespace. An error is a [*NameError],
// as with all functions of this kind.
func ValidateNodeName(name string) error {
	fault := func(p problem, i int) error { return &NameError{NodeName, name, i, p} }
	if name == "" {
		return fault(empty, 0)
	}
	for i := range len(name) {
		if !isWord(name[i]) {
			return fault(badCharacter, i)
		}
	}
	if isDigit(name[0]) {
		return fault(startsWithDigit, 0)
	}
	if len(name) > maxNodeName {
		return fault(tooLong, maxNodeName-1)
	}
	return nil
}

// ValidateNamespace checks the namespace of a node: "/" or a name like "/a/b".
func ValidateNamespace(namespace string) error {
	if namespace == "/" {
		return nil
	}
	return validatePath(NamespaceName, namespace, maxNamespace)
}

// ValidateEnclave checks the name of a security enclave: "/" or a name like "/a/b".
func ValidateEnclave(enclave string) error {
	if enclave == "/" {
		return nil
	}
	return validatePath(EnclaveName, enclave, maxEnclave)
}

// ValidateFullTopicName checks the name of a topic or service after expansion and remapping.
func ValidateFullTopicName(name string) error {
	return validatePath(FullTopicName, name, maxTopicName)
}

func validatePath(kind NameKind, name string, limit int) error {
	fault := func(p problem, i int) error { return &NameError{kind, name, i, p} }
	switch {
	case name == "":
		return fault(empty, 0)
	case name[0] != '/':
		return fault(notAbsolute, 0)
	case name[len(name)-1] == '/':
		return fault(endsWithSlash, len(name)-1)
	}
	for i := range len(name) {
		if !isWord(name[i]) && name[i] != '/' && !(kind == NamePattern && name[i] == '*') {
			return fault(badCharacter, i)
		}
	}
	for i := 1; i < len(name); i++ {
		if name[i-1] != '/' {
			continue
		}
		if name[i] == '/' {
			return fault(repeatedSlash, i)
		}
		if isDigit(name[i]) {
			return fault(startsWithDigit, i)
		}
	}
	if len(name) > limit {
		return fault(tooLong, limit-1)
	}
	return nil
}

// ValidateTopicName checks the name of a topic or service as it is given to a node, before
// expansion. It does not judge what the name becomes: "a//b" passes here, and so do two names
// that ROS 2 lets through by accident, "{}" and "~" with one character behind it.
func ValidateTopicName(name string) error { return validateInput(TopicName, name) }

func validateInput(kind NameKind, name string) error {
	fault := func(p problem, i int) error { return &NameError{kind, name, i, p} }
	switch {
	case name == "":
		return fault(empty, 0)
	case isDigit(name[0]):
		return fault(startsWithDigit, 0)
	case name[len(name)-1] == '/':
		return fault(endsWithSlash, len(name)-1)
	}
	if p, i := checkCharacters(name); i >= 0 {
		return fault(p, i)
	}
	// ROS 2 skips the last character in its search, hence the length of 3.
	if len(name) >= 3 && name[0] == '~' && name[1] != '/' {
		return fault(tildeWithoutSlash, 1)
	}
	if i := partWithDigit(name); i >= 0 {
		return fault(startsWithDigit, i)
	}
	return nil
}

// checkCharacters returns the first fault in the use of characters and its position, -1 if
// there is none.
func checkCharacters(name string) (problem, int) {
	brace := -1 // position of the brace that is open
	for i := range len(name) {
		c, inside := name[i], brace >= 0
		switch {
		case isDigit(c) && inside && i == brace+1:
			return bracesStartWithDigit, i
		case isWord(c), c == '/' && !inside, c == '~' && i == 0:
		case c == '~':
			return misplacedTilde, i
		case c == '{' && !inside:
			brace = i
		case c == '}' && inside:
			brace = -1
		case c == '}':
			return unmatchedBrace, i
		case inside:
			return badCharacterInBraces, i
		default:
			return badCharacter, i
		}
	}
	return unmatchedBrace, brace
}

// partWithDigit returns the position of a digit behind a slash, -1 if there is none.
func partWithDigit(name string) int {
	for i := 1; i < len(name); i++ {
		if name[i-1] == '/' && isDigit(name[i]) {
			return i
		}
	}
	return -1
}

func isWord(c byte) bool {
	return isDigit(c) || c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// joinName puts a namespace in front of a name.
func joinName(namespace, name string) string {
	return strings.TrimSuffix(namespace, "/") + "/" + name
}
