package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What the commands make secures nodes: one in the keystore is heard in it, and one with less
// permission is refused.
func TestSecurity(t *testing.T) {
	d := newDomain(t)
	dir := filepath.Join(t.TempDir(), "keystore")
	policy := filepath.Join(t.TempDir(), "policy.xml")
	text := `<policy version="0.2.0"><enclaves><enclave path="/mute"><profiles><profile ns="/" node="mute">` +
		`<topics subscribe="ALLOW"><topic>chatter</topic></topics></profile></profiles></enclave></enclaves></policy>`
	if err := os.WriteFile(policy, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	d.must(t, "security", "create-keystore", dir)
	d.must(t, "security", "create-enclave", dir, "/talker")
	d.must(t, "security", "create-enclave", dir, "/mute")
	d.must(t, "security", "create-permission", dir, "/mute", policy)
	if out := d.must(t, "security", "list-enclaves", dir); out != "/mute\n/talker\n" {
		t.Errorf("enclaves: %q", out)
	}
	if r := d.run(t, "security", "create-enclave", dir, "/mute"); r.code != 1 || !strings.Contains(r.stderr, "key.pem: file already exists") {
		t.Errorf("again: status %d, %s", r.code, r.stderr)
	}

	for _, bad := range [][]string{{""}, {dir + "233", "--domain", "233"}} {
		if r := d.run(t, append([]string{"security", "create-keystore"}, bad...)...); r.code == 0 || r.stderr == "" {
			t.Errorf("%q: status %d, %s", bad, r.code, r.stderr)
		}
	}

	t.Setenv("ROS_SECURITY_ENABLE", "true")
	t.Setenv("ROS_SECURITY_STRATEGY", "Enforce")
	t.Setenv("ROS_SECURITY_KEYSTORE", dir)
	if r := d.run(t, "topic", "list"); r.code != 1 || !strings.Contains(r.stderr, "enclaves/identity_ca.cert.pem") {
		t.Errorf("without an enclave: status %d, %s", r.code, r.stderr)
	}
	t.Setenv("ROS_SECURITY_ENCLAVE_OVERRIDE", "/talker")
	d.start(t, "topic", "pub", "--rate", "20", "/chatter", "std_msgs/msg/String", "data: hello")
	t.Setenv("ROS_SECURITY_ENCLAVE_OVERRIDE", "/mute")
	if out := d.must(t, "topic", "echo", "--once", "/chatter", "std_msgs/msg/String"); out != "data: hello\n---\n" {
		t.Errorf("echo: %q", out)
	}
	r := d.run(t, "topic", "pub", "--once", "-w", "0", "/chatter", "std_msgs/msg/String", "data: hello")
	if r.code != 1 || !strings.Contains(r.stderr, "does not allow publishing rt/chatter") {
		t.Errorf("pub: status %d, %s", r.code, r.stderr)
	}
}
