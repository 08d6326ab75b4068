package security_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pinion-ros/pinion/executor"
	"github.com/pinion-ros/pinion/internal/cyclone"
	"github.com/pinion-ros/pinion/internal/security"
	"github.com/pinion-ros/pinion/msgs/std_msgs"
	"github.com/pinion-ros/pinion/pubsub"
	"github.com/pinion-ros/pinion/pubsub/pubsubtest"
	"github.com/pinion-ros/pinion/pubsub/rosargs"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"
)

// What the permissions leave out is refused with the topic and the file.
func TestNotPermitted(t *testing.T) {
	d := pubsubtest.NewDomain(t)
	id := d.Discovery().Domain
	k, dir := newKeystore(t, id, "/arm")
	err := k.SetPermissions("/arm", id, security.Permissions{
		Allow: security.Topics{Publish: []string{"rt/out", "rt/arm/*"}, Subscribe: []string{"rt/in"}},
		Deny:  security.Topics{Publish: []string{"rt/arm/secret"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	args, _, err := rosargs.Parse([]string{"--ros-args", "-e", "/arm"})
	if err != nil {
		t.Fatal(err)
	}
	n := d.NewNode("arm", append(args.Options(), pubsub.WithSecurity(enforce(dir)))...)
	for _, tt := range []struct {
		topic              string
		publish, subscribe bool
	}{
		{"/out", true, false},
		{"/in", false, true},
		{"/arm/a/b", true, false},
		{"/arm/secret", false, false},
		{"/other", false, false},
	} {
		_, err := pubsub.NewPublisher[std_msgs.String](n, tt.topic, pubsub.DefaultQoS())
		checkRefusal(t, err, tt.publish, "does not allow publishing rt"+tt.topic, dir)
		_, err = pubsub.NewSubscription(n, tt.topic, pubsub.DefaultQoS(), func(*std_msgs.String, *pubsub.MessageInfo) {})
		checkRefusal(t, err, tt.subscribe, "does not allow subscribing to rt"+tt.topic, dir)
	}

	plan := executor.Plan{Lanes: []executor.Lane{{Name: "lane", Topics: []string{"/in", "/other"}}}}
	ex, err := executor.New(executor.WithPlan(plan))
	if err != nil {
		t.Fatal(err)
	}
	defer ex.Close()
	laned := d.NewNode("laned", append(args.Options(), pubsub.WithSecurity(enforce(dir)), pubsub.WithScheduler(ex))...)
	for topic, permitted := range map[string]bool{"/in": true, "/other": false} {
		_, err = pubsub.NewSubscription(laned, topic, pubsub.DefaultQoS(), func(*std_msgs.String, *pubsub.MessageInfo) {})
		checkRefusal(t, err, permitted, "does not allow subscribing to rt"+topic, dir)
	}
	if err := laned.Close(); err != nil { // before the executor
		t.Error(err)
	}

	if _, err := pubsub.NewNode("other", pubsub.WithDiscovery(d.Discovery()), pubsub.WithEnclave("/arm")); err == nil || !strings.Contains(err.Error(), "security") {
		t.Errorf("a node without security shares a participant that has it: %v", err)
	}
}

func checkRefusal(t *testing.T, err error, permitted bool, texts ...string) {
	t.Helper()
	if permitted {
		if err != nil {
			t.Error(err)
		}
		return
	}
	if !errors.Is(err, pubsub.ErrNotPermitted) {
		t.Errorf("the error is %v", err)
		return
	}
	for _, text := range texts {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("%q is not in: %v", text, err)
		}
	}
}

// A node for which something is missing or wrong is not made, and the error says what it is. Permissive
// puts up with what is missing.
func TestFiles(t *testing.T) {
	_, foreign := newKeystore(t, 0, "/arm")
	swap := func(t *testing.T, file string) {
		writeFile(t, file, readFile(t, filepath.Join(foreign, "enclaves/arm", filepath.Base(file))))
	}
	for _, tt := range []struct {
		name    string
		spoil   func(t *testing.T, file string)
		missing bool
		reason  string // of Cyclone DDS 0.10, or the file's name
	}{
		{"key.pem", remove, true, "key.pem"},
		{"cert.pem", remove, true, "cert.pem"},
		{"identity_ca.cert.pem", remove, true, "identity_ca.cert.pem"},
		{"permissions_ca.cert.pem", remove, true, "permissions_ca.cert.pem"},
		{"governance.p7s", remove, true, "governance.p7s"},
		{"permissions.p7s", remove, true, "permissions.p7s"},
		{"", remove, true, "enclaves/arm"},
		{"key.pem", swap, false, "key.pem are no pair"},
		{"cert.pem", func(t *testing.T, file string) {
			swap(t, file)
			swap(t, filepath.Join(filepath.Dir(file), "key.pem"))
		}, false, "Certificate not valid"},
		{"permissions.p7s", swap, false, "self-signed certificate"},
		{"permissions.p7s", change("<default>DENY", "<default>ALLOW"), false, "digest failure"},
		{"governance.p7s", swap, false, "self-signed certificate"},
		{"governance.p7s", change("<rtps_protection_kind>SIGN", "<rtps_protection_kind>NONE"), false, "digest failure"},
		{"governance.p7s", func(t *testing.T, file string) { writeFile(t, file, "") }, false, "governance.p7s"},
		{"cert.pem", change("BEGIN", "BEGUN"), false, "cert.pem"},
		{"crl.pem", func(t *testing.T, file string) { writeFile(t, file, "nonsense") }, false, "CRL"},
	} {
		t.Run(tt.name+" "+tt.reason, func(t *testing.T) {
			d := pubsubtest.NewDomain(t).Discovery()
			_, dir := newKeystore(t, d.Domain, "/arm")
			enclave := filepath.Join(dir, "enclaves/arm")
			tt.spoil(t, filepath.Join(enclave, tt.name))
			s := enforce(dir)
			n, err := pubsub.NewNode("arm", pubsub.WithDiscovery(d), pubsub.WithSecurity(s), pubsub.WithEnclave("/arm"), pubsub.WithRosout(false))
			if err == nil {
				n.Close()
				t.Fatal("the node is there")
			}
			if !strings.Contains(err.Error(), tt.reason) && !(cyclone.Eleven && errors.Is(err, pubsub.ErrNotPermitted)) {
				t.Errorf("%q is not in: %v", tt.reason, err)
			}
			s.Enforce = false
			core, logs := observer.New(zap.WarnLevel)
			n, err = pubsub.NewNode("arm", pubsub.WithDiscovery(d), pubsub.WithSecurity(s), pubsub.WithEnclave("/arm"), pubsub.WithRosout(false), pubsub.WithLogger(zap.New(core)))
			if (err == nil) != tt.missing {
				t.Errorf("Permissive: %v", err)
			}
			if err != nil {
				return
			}
			defer n.Close()
			if all := logs.All(); len(all) != 1 || !strings.Contains(all[0].ContextMap()["error"].(string), tt.reason) {
				t.Errorf("Permissive: no warning with %q in %v", tt.reason, all)
			}
		})
	}
}

// A node is made with a key that others can read, and says so.
func TestOpenKey(t *testing.T) {
	d := pubsubtest.NewDomain(t)
	_, dir := newKeystore(t, d.Discovery().Domain, "/arm")
	key := filepath.Join(dir, "enclaves/arm/key.pem")
	for _, tt := range []struct {
		mode os.FileMode
		warn bool
	}{{0o600, false}, {0o400, false}, {0o640, true}, {0o604, true}} {
		if err := os.Chmod(key, tt.mode); err != nil {
			t.Fatal(err)
		}
		core, logs := observer.New(zap.WarnLevel)
		n := d.NewNode("arm", pubsub.WithEnclave("/arm"), pubsub.WithSecurity(enforce(dir)), pubsub.WithLogger(zap.New(core)))
		if err := n.Close(); err != nil {
			t.Error(err)
		}
		all := logs.FilterMessageSnippet("chmod 600").FilterField(zap.String("file", key)).Len()
		if logs.Len() != all || (all == 1) != tt.warn {
			t.Errorf("mode %v: %v", tt.mode, logs.All())
		}
	}
}

func remove(t *testing.T, file string) {
	t.Helper()
	if err := os.RemoveAll(file); err != nil {
		t.Fatal(err)
	}
}

// change replaces text in a file.
func change(from, to string) func(t *testing.T, file string) {
	return func(t *testing.T, file string) {
		t.Helper()
		text := readFile(t, file)
		changed := strings.Replace(text, from, to, 1)
		if changed == text {
			t.Fatalf("%s: there is no %q", file, from)
		}
		writeFile(t, file, changed)
	}
}

func readFile(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// writeFile replaces a file, and not what it may be a link to.
func writeFile(t *testing.T, file, text string) {
	t.Helper()
	remove(t, file)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
