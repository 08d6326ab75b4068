package security_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pinion-ros/pinion/internal/cyclone"
	"github.com/pinion-ros/pinion/pubsub/pubsubtest"
	"golang.org/x/sys/unix"
)

// A process hears others before its participant is made, when two start at once for example. That
// Cyclone DDS then calls them not allowed, which its trace shows, is nobody's concern.
func TestBeforeTheParticipant(t *testing.T) {
	d := pubsubtest.NewDomain(t).Discovery()
	_, dir := newKeystore(t, d.Domain, "/talker")
	trace := filepath.Join(t.TempDir(), "trace")
	const config = `<Domain Id="any"><General><Interfaces><NetworkInterface address="127.0.0.1"/></Interfaces>` +
		`<AllowMulticast>false</AllowMulticast></General><Discovery><ParticipantIndex>auto</ParticipantIndex>` +
		`<Peers><Peer Address="localhost"/></Peers></Discovery>` +
		`<Tracing><Verbosity>config</Verbosity><OutputFile>%s</OutputFile></Tracing></Domain>,%s`
	stderr := redirect(t, 2)
	early, err := cyclone.NewDomain(d.Domain, fmt.Sprintf(config, trace, d.Config))
	if err != nil {
		t.Fatal(err)
	}
	defer early.Close()
	start(t, peerConfig{Name: "talker", Discovery: d, Security: enforce(dir), Enclave: "/talker", Topic: "chatter", Say: "hello"})
	const said = "Remote secure participant"
	for end := time.Now().Add(90 * time.Second); !strings.Contains(readFile(t, trace), said); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("there is no %q in\n%s", said, readFile(t, trace))
		}
	}
	if text := readFile(t, stderr); strings.Contains(text, said) {
		t.Errorf("standard error has\n%s", text)
	}
}

// redirect has what is written to a descriptor go to a file until the test ends.
func redirect(t *testing.T, fd int) (name string) {
	t.Helper()
	file, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	before, err := unix.Dup(fd)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.Dup2(int(file.Fd()), fd); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		defer unix.Close(before)
		if err := unix.Dup2(before, fd); err != nil {
			t.Fatal(err)
		}
	})
	return file.Name()
}
