package msggen

import (
	"fmt"
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

// ParseTypeName reads a name like "std_msgs/msg/Header"; "std_msgs/Header" means the same. Types
// that ROS 2 derives from services and actions have names too: "std_srvs/srv/SetBool_Request".
func ParseTypeName(s string) (TypeName, error) {
	parts := strings.Split(s, "/")
	if len(parts) == 2 {
		parts = []string{parts[0], Msg.String(), parts[1]}
	}
	if len(parts) != 3 {
		return TypeName{}, fmt.Errorf("%q is no type name; write package/msg/Name, package/srv/Name or package/action/Name", s)
	}
	name := TypeName{Package: parts[0], Name: parts[2]}
	if !ValidPackageName(name.Package) {
		return TypeName{}, fmt.Errorf("%q in %q is no package name; %s", name.Package, s, lowerNameRule)
	}
	for name.Kind = Msg; name.Kind.String() != parts[1]; name.Kind++ {
		if name.Kind == Action {
			return TypeName{}, fmt.Errorf("%q in %q is no kind of interface; write msg, srv or action", parts[1], s)
		}
	}
	if !validTypeName(definitionOf(name).Name) {
		return TypeName{}, fmt.Errorf("%q in %q is no type name; %s", name.Name, s, typeNameRule)
	}
	return name, nil
}
