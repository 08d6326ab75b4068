package msggencli

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"strconv"

	"github.com/pinion-ros/pinion/msggen"
)

// parse prints what files hold, whether or not the types they name exist.
func (a *app) parse() command {
	var format string
	return command{
		usage: "parse --format json FILE...",
		flags: func(f *flag.FlagSet) { f.StringVar(&format, "format", "", "output format: json") },
		run: func(args []string) error {
			if format != "json" {
				return usagef("the format is %q; write --format json", format)
			}
			if len(args) == 0 {
				return usagef("name the files to parse")
			}
			return a.parseFiles(args)
		},
	}
}

func (a *app) parseFiles(paths []string) error {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	rejected := false
	for _, path := range paths {
		result := parseFile(path)
		rejected = rejected || len(result.Errors) > 0
		if err := encoder.Encode(result); err != nil {
			return err
		}
	}
	if _, err := a.Stdout.Write(out.Bytes()); err != nil {
		return err
	}
	if rejected {
		return errReported
	}
	return nil
}

// The JSON form of a file. Errors stands alone where the first stage rejects the file.
type (
	parsedFile struct {
		File string `json:"file"`
		*parsedDefinition
		Errors []parsedError `json:"errors,omitempty"`
	}
	parsedDefinition struct {
		Package  string          `json:"package"`
		Kind     string          `json:"kind"`
		Name     string          `json:"name"`
		Sections []parsedSection `json:"sections"`
	}
	parsedSection struct {
		Name    string         `json:"name"`
		Comment []string       `json:"comment"`
		Members []parsedMember `json:"members"`
	}
	parsedMember struct {
		Kind    string   `json:"member_kind"`
		Type    string   `json:"type"`
		Array   string   `json:"array"`
		Name    string   `json:"name"`
		Value   any      `json:"value,omitempty"`
		Comment []string `json:"comment"`
		Unit    *string  `json:"unit"`
	}
	parsedError struct {
		Line    int    `json:"line"`
		Column  int    `json:"column"`
		Message string `json:"message"`
		Stage   string `json:"stage"`
	}
)

func parseFile(path string) parsedFile {
	result := parsedFile{File: path}
	text, err := msggen.ReadFile(path)
	if err == nil {
		var pkg string
		if pkg, err = msggen.PackageOf(path); err == nil {
			return parsedText(path, text, pkg)
		}
	}
	result.Errors = []parsedError{{1, 1, err.Error(), msggen.StageParse.String()}}
	return result
}

func parsedText(path string, text []byte, pkg string) parsedFile {
	result := parsedFile{File: path}
	def, diags := msggen.ParseFile(path, text, pkg)
	for _, d := range diags {
		result.Errors = append(result.Errors, parsedError{d.Pos.Line, d.Pos.Column, d.Message, d.Stage.String()})
	}
	if def == nil {
		return result
	}
	result.parsedDefinition = &parsedDefinition{Package: def.Name.Package, Kind: def.Name.Kind.String(), Name: def.Name.Name}
	for i, m := range def.Sections {
		result.Sections = append(result.Sections, parsedSection{
			Name:    sectionNames[def.Name.Kind][i],
			Comment: lines(m.Comment),
			Members: parsedMembers(m),
		})
	}
	return result
}

var sectionNames = [...][]string{
	msggen.Msg:    {"message"},
	msggen.Srv:    {"request", "response"},
	msggen.Action: {"goal", "result", "feedback"},
}

func parsedMembers(m *msggen.Message) []parsedMember {
	members := make([]parsedMember, 0, len(m.Order))
	for _, e := range m.Order {
		var p parsedMember
		switch e := e.(type) {
		case *msggen.Field:
			p = parsedMember{"field", "", "", e.Name, jsonValue(e.Default), lines(e.Comment), unit(e.Unit)}
			p.Type, p.Array = e.Type.Element().String(), arrayForm(e.Type)
		case *msggen.Constant:
			p = parsedMember{"constant", "", "", e.Name, jsonValue(e.Value), lines(e.Comment), unit(e.Unit)}
			p.Type, p.Array = e.Type.String(), arrayForm(e.Type)
		}
		members = append(members, p)
	}
	return members
}

func arrayForm(t msggen.Type) string {
	switch t.Array {
	case msggen.Fixed:
		return fmt.Sprintf("fixed:%d", t.Len)
	case msggen.Bounded:
		return fmt.Sprintf("bounded:%d", t.Len)
	case msggen.Unbounded:
		return "unbounded"
	}
	return "-"
}

// jsonValue returns a value in the form that encoding/json writes as wanted. JSON has no numbers
// that are not finite.
func jsonValue(v msggen.Value) any {
	switch v := v.(type) {
	case float64:
		switch {
		case math.IsNaN(v):
			return "NaN"
		case math.IsInf(v, 1):
			return "Infinity"
		case math.IsInf(v, -1):
			return "-Infinity"
		}
		return json.RawMessage(strconv.FormatFloat(v, 'g', -1, 64))
	case []msggen.Value:
		list := make([]any, len(v))
		for i, e := range v {
			list[i] = jsonValue(e)
		}
		return list
	}
	return v
}

// lines makes no comment an empty list.
func lines(comment []string) []string { return append([]string{}, comment...) }

func unit(u string) *string {
	if u == "" {
		return nil
	}
	return &u
}
