package msggen

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/pinion-ros/pinion/cdr"
)

// Loader finds definitions, parses them and follows them to the types they contain. It is not safe
// for concurrent use.
type Loader struct {
	places    []*Place
	defs      map[TypeName]*Definition // nil where the file is faulty
	files     map[TypeName]string
	order     []*Definition
	faulty    []*Definition // what could be read of files with faults
	messages  map[TypeName]*Message
	described map[TypeName]*cdr.TypeDescription
	diags     Diagnostics
}

// NewLoader returns a loader that searches the places in their order.
func NewLoader(places ...*Place) *Loader {
	return &Loader{
		places:    places,
		defs:      make(map[TypeName]*Definition),
		files:     make(map[TypeName]string),
		messages:  make(map[TypeName]*Message),
		described: make(map[TypeName]*cdr.TypeDescription),
	}
}

// NotFoundError reports a type that none of the searched places defines.
type NotFoundError struct {
	Name   TypeName
	Places []string
}

// Error names the file that is missing and the places searched.
func (e *NotFoundError) Error() string {
	file := fmt.Sprintf("%s.%s", e.Name, e.Name.Kind)
	if len(e.Places) == 0 {
		return fmt.Sprintf("%s is not found; no place to search is given", file)
	}
	return fmt.Sprintf("%s is not found; searched %s; correct the name or add the folder that holds package %s with -I",
		file, strings.Join(e.Places, ", "), e.Name.Package)
}

// Is makes the error match fs.ErrNotExist.
func (e *NotFoundError) Is(target error) bool { return target == fs.ErrNotExist }

// Add parses a file as [ParseFile] does and returns its definition. Where the file has faults it
// returns nil, and they are among those that Check reports.
func (l *Loader) Add(path string, src []byte, pkg string) *Definition {
	def, diags := parseFile(path, src, pkg)
	l.diags = append(l.diags, diags...)
	if def == nil {
		return nil
	}
	name := def.Name
	if first, ok := l.files[name]; ok {
		l.diags = append(l.diags, &Diagnostic{File: path, Pos: Pos{1, 1},
			Message: fmt.Sprintf("%s is defined by %s already; remove one of them", name, first)})
		return nil
	}
	l.files[name] = path
	if len(diags) > 0 {
		l.defs[name], l.faulty = nil, append(l.faulty, def)
		return nil
	}
	l.defs[name] = def
	l.order = append(l.order, def)
	for _, m := range append(Derive(def), compounds(def)...) {
		l.messages[m.Name] = m
	}
	return def
}

// Definition returns the definition called name, or the one that a derived type of that name comes
// from. It is searched for unless it was added or found before. It returns a *NotFoundError where no
// place has it, and nil without an error where the file has faults.
func (l *Loader) Definition(name TypeName) (*Definition, error) {
	name = definitionOf(name)
	if def, ok := l.defs[name]; ok {
		return def, nil
	}
	file, src, err := l.Source(name)
	if err != nil {
		return nil, err
	}
	return l.Add(file, src, name.Package), nil
}

// Definitions returns all definitions that were added or found so far and have no faults.
func (l *Loader) Definitions() []*Definition { return slices.Clone(l.order) }

// Package returns the definitions of a package from the first place that has it. Faulty files are
// left out; Check reports them.
func (l *Loader) Package(pkg string) ([]*Definition, error) {
	names, err := l.Names(pkg)
	if err != nil {
		return nil, err
	}
	var defs []*Definition
	for _, name := range names {
		def, err := l.Definition(name)
		if err != nil {
			return nil, err
		}
		if def != nil {
			defs = append(defs, def)
		}
	}
	return defs, nil
}

// Message returns a message by its name, derived ones included. It finds and parses the file that
// defines it where that has not happened yet.
func (l *Loader) Message(name TypeName) (*Message, error) {
	m, err := l.lookup(name)
	if err == nil && m.compound {
		err = fmt.Errorf("%s is no message; its messages have a suffix like _Request or _Goal", name)
	}
	if err != nil {
		return nil, err
	}
	return m, nil
}

func (l *Loader) lookup(name TypeName) (*Message, error) {
	if m, ok := l.messages[name]; ok {
		return m, nil
	}
	def, err := l.Definition(name)
	if err != nil {
		return nil, err
	}
	if m, ok := l.messages[name]; ok {
		return m, nil
	}
	if def == nil {
		return nil, fmt.Errorf("%s has faults", l.files[definitionOf(name)])
	}
	return nil, &NotFoundError{Name: name}
}

// definitionOf returns the definition that a derived type comes from.
func definitionOf(name TypeName) TypeName {
	if name.Kind == Msg {
		return name
	}
	for _, suffix := range derivedSuffixes[name.Kind] {
		if base, found := strings.CutSuffix(name.Name, suffix); found {
			name.Name = base
			return name
		}
	}
	return name
}

var derivedSuffixes = [...][]string{
	Srv: {"_Request", "_Response", "_Event"},
	Action: {"_SendGoal_Request", "_SendGoal_Response", "_SendGoal_Event",
		"_GetResult_Request", "_GetResult_Response", "_GetResult_Event",
		"_SendGoal", "_GetResult", "_FeedbackMessage", "_Goal", "_Result", "_Feedback"},
}
