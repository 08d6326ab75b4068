package pubsub

import (
	"strings"

	"github.com/pinion-ros/pinion/cdr"
)

// typeHash is what an endpoint announces in its user data: from Iron on the hash of its type
// (REP-2016), where it is known.
func typeHash(form graphForm, typeName string) string {
	t := cdr.Lookup(typeName)
	if form == humbleForm || t == nil || t.Hash == "" {
		return ""
	}
	return "typehash=" + t.Hash + ";"
}

// parseUserData reads the key=value; pairs in which ROS 2 puts its data into DDS user data, as rmw
// does: of several semicolons the last ends a value, and one byte that cannot start a key, or zeros
// to the end, may follow. A text of another form has no pairs at all.
func parseUserData(text string) map[string]string {
	pairs := map[string]string{}
	for {
		key := text[:len(text)-len(strings.TrimLeftFunc(text, alphanumeric))]
		rest := text[len(key):]
		switch {
		case key == "" && (rest == "" || rest[0] == 0 && len(pairs) > 0):
			return pairs
		case key == "" || rest == "" || rest[0] != '=':
			return nil
		}
		value := rest[1:]
		text = ""
		if end := strings.IndexByte(value, ';'); end >= 0 {
			text = strings.TrimLeft(value[end:], ";")
			value = value[:len(value)-len(text)-1]
		}
		if value == "" {
			return nil
		}
		pairs[key] = value
		if text != "" && text[0] != 0 && text[0] != '=' && !alphanumeric(rune(text[0])) {
			text = text[1:]
		}
	}
}

func alphanumeric(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
}
