package pubsub

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func TestSecurityFrom(t *testing.T) {
	for _, tt := range []struct {
		env      string
		want     Security
		warnings int
	}{
		{"", Security{}, 0},
		{"ENABLE=true STRATEGY=Enforce KEYSTORE=/k ENCLAVE_OVERRIDE=/e", Security{true, true, "/k", "/e"}, 0},
		{"ENABLE=true", Security{Enable: true}, 0},
		{"ENABLE=true STRATEGY=Permissive KEYSTORE=k", Security{Enable: true, Keystore: "k"}, 0},
		{"ENABLE=true STRATEGY=enforce", Security{Enable: true}, 1},
		{"ENABLE=false STRATEGY=enforce", Security{}, 0},
		{"ENABLE=True", Security{}, 1},
		{"ENABLE=1 STRATEGY=Enforce", Security{Enforce: true}, 1},
	} {
		got, warnings := securityFrom(func(name string) string {
			for _, v := range strings.Fields(tt.env) {
				if value, ok := strings.CutPrefix(v, strings.TrimPrefix(name, "ROS_SECURITY_")+"="); ok {
					return value
				}
			}
			return ""
		})
		if got != tt.want || len(warnings) != tt.warnings {
			t.Errorf("%s: %+v, %q; want %+v", tt.env, got, warnings, tt.want)
		}
	}
}

func TestSecurityFiles(t *testing.T) {
	for _, tt := range []struct {
		s       Security
		enclave string
		reason  string
		missing bool
	}{
		{Security{}, "/e", "ROS_SECURITY_KEYSTORE names no keystore", true},
		{Security{Keystore: "/nowhere"}, "/e", "enclave /e of ROS_SECURITY_KEYSTORE: security files are missing: open /nowhere/enclaves/e/identity_ca.cert.pem", true},
		{Security{Keystore: "/nowhere", EnclaveOverride: "/o/p"}, "/e", "/nowhere/enclaves/o/p/", true},
		{Security{Keystore: "/nowhere", EnclaveOverride: "../o"}, "/e", "ROS_SECURITY_ENCLAVE_OVERRIDE: enclave", false},
	} {
		_, err := tt.s.files(tt.enclave)
		if err == nil || !strings.Contains(err.Error(), tt.reason) || strings.Contains(err.Error(), errMissing.Error()) != tt.missing {
			t.Errorf("%+v: %v, want %q", tt.s, err, tt.reason)
		}
	}
}

// Something else in the place of a file is found without waiting for it.
func TestNoFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "key.pem")
	if err := unix.Mkfifo(name, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{name, filepath.Dir(name)} {
		if err := readable(name); !errors.Is(err, errMissing) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
