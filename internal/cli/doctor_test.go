package cli

import (
	"strings"
	"testing"
)

// The doctor judges the network that nodes would use, or that it is told to.
func TestDoctorNetwork(t *testing.T) {
	t.Parallel()
	d := newDomain(t)
	for args, want := range map[string]string{"": "not used", "--interface lo": "lo needs none", "--interface eth99": "no interface eth99"} {
		var report struct {
			Checks []struct{ Check, Found string }
		}
		r := d.run(t, append([]string{"doctor", "--json", "--measure", "0", "--listen", "0"}, strings.Fields(args)...)...)
		unmarshal(t, r.stdout, &report)
		found := ""
		for _, c := range report.Checks {
			if c.Check == "multicast" {
				found = c.Found
			}
		}
		if !strings.Contains(found, want) {
			t.Errorf("doctor %s: %q, want %q in it", args, found, want)
		}
	}
	if r := d.run(t, "doctor", "--fix", "--listen", "0"); r.code != 0 || !strings.HasPrefix(r.stdout, "#!/bin/sh\n") {
		t.Errorf("--fix: %+v", r)
	}
}
