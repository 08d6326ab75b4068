package cli

import (
	"reflect"
	"testing"
)

func TestArgumentsOf(t *testing.T) {
	for use, want := range map[string]argumentList{
		"list":                                {},
		"echo TOPIC [TYPE]":                   {[]string{"TOPIC", "TYPE"}, 1, false},
		"hz TOPIC...":                         {[]string{"TOPIC"}, 1, true},
		"list [PACKAGE]...":                   {[]string{"PACKAGE"}, 0, true},
		"record [TOPIC]... | --all | --regex": {[]string{"TOPIC"}, 0, true},
	} {
		if got := argumentsOf(use); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, want %+v", use, got, want)
		}
	}
}
