package msggen

import (
	"errors"
	"io/fs"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"
)

func listLoader() *Loader {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	return NewLoader(
		PlaceOf("first", fstest.MapFS{
			"b/msg/B.msg":      file("int8 x\n"),
			"b/srv/A.srv":      file("int8 x\n---\n"),
			"folder/msg/C.msg": file("int8 x\n"),
			"folder/package.xml": file(
				"<package><name>renamed</name></package>"),
			"no_interfaces/src/x.cpp": file(""),
			"not-a-package/msg/D.msg": file(""),
			"readme.txt":              file(""),
		}),
		PlaceOf("second", fstest.MapFS{
			"a/msg/A.msg": file("int8 y\n"),
			"b/msg/Z.msg": file("int8 y\n"),
		}))
}

func TestPackages(t *testing.T) {
	got, err := listLoader().Packages()
	if want := []string{"a", "b", "renamed"}; err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
}

func TestNames(t *testing.T) {
	l := listLoader()
	for pkg, want := range map[string]string{"a": "a/msg/A", "b": "b/msg/B b/srv/A", "renamed": "renamed/msg/C"} {
		names, err := l.Names(pkg)
		var got []string
		for _, n := range names {
			got = append(got, n.String())
		}
		if err != nil || strings.Join(got, " ") != want {
			t.Errorf("%s: %v, %v, want %s", pkg, got, err, want)
		}
	}
	if _, err := l.Names("c"); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "first, second") {
		t.Errorf("unknown package: %v", err)
	}
}

func TestSource(t *testing.T) {
	l := listLoader()
	file, src, err := l.Source(TypeName{"b", Srv, "A_Request"})
	if err != nil || file != "first/b/srv/A.srv" || string(src) != "int8 x\n---\n" {
		t.Errorf("%s, %q, %v", file, src, err)
	}
	var notFound *NotFoundError
	if _, _, err := l.Source(TypeName{"b", Msg, "A"}); !errors.As(err, &notFound) {
		t.Errorf("unknown type: %v", err)
	}
}
