package executor

import (
	"fmt"
	"testing"
)

func TestParseCPUs(t *testing.T) {
	for text, want := range map[string]string{
		"0": "[0]", "0-3,6": "[0 1 2 3 6]", "6,0-1,1\n": "[0 1 6]", "1023": "[1023]",
		"": "", "-1": "", "1-": "", "3-1": "", "1024": "", "0-4294967295": "", "a": "", "1,,2": "", "+1": "",
	} {
		got, err := ParseCPUs(text)
		if want == "" != (err != nil) || err == nil && fmt.Sprint(got) != want {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
}
