package msggen

import (
	"regexp"
	"strings"
)

var (
	lowerName    = regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)
	typeName     = regexp.MustCompile(`^[A-Z][A-Za-z0-9]*$`)
	constantName = regexp.MustCompile(`^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$`)
)

// What a name must look like, for messages.
const (
	lowerNameRule    = "use a-z, 0-9 and single underscores between them, starting with a letter"
	typeNameRule     = "use A-Z, a-z and 0-9, starting with a capital letter"
	constantNameRule = "use A-Z, 0-9 and single underscores between them, starting with a letter"
)

// ValidPackageName reports whether ROS 2 accepts name as the name of a package.
func ValidPackageName(name string) bool { return lowerName.MatchString(name) }

// validTypeName reports whether ROS 2 accepts name as the name of a message. The reference takes
// off what its own derived types carry before it looks at the rest.
func validTypeName(name string) bool {
	name = strings.TrimPrefix(name, "Sample_")
	for _, suffix := range [...]string{"_Request", "_Response", "_Goal", "_Result", "_Feedback"} {
		name = strings.TrimSuffix(name, suffix)
	}
	return typeName.MatchString(name)
}
