package security

import (
	"crypto/x509"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func create(t *testing.T, enclaves ...string) *Keystore {
	t.Helper()
	k, err := Create(filepath.Join(t.TempDir(), "keystore"), 7)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range enclaves {
		if err := k.CreateEnclave(name, 7, Everything()); err != nil {
			t.Fatal(err)
		}
	}
	return k
}

// files returns what is in a folder, links with what they lead to, and secrets with a mark.
func files(t *testing.T, dir string) []string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		text, _ := filepath.Rel(dir, name)
		if to, err := os.Readlink(name); err == nil {
			text += " -> " + to
		} else if info.Mode() == 0o600 {
			text += " secret"
		}
		all = append(all, text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// The layout is that of sros2, links included.
func TestLayout(t *testing.T) {
	k := create(t, "/robot/arm", "/")
	want := []string{
		"enclaves/cert.pem",
		"enclaves/governance.p7s",
		"enclaves/governance.xml",
		"enclaves/identity_ca.cert.pem -> ../public/identity_ca.cert.pem",
		"enclaves/key.pem secret",
		"enclaves/permissions.p7s",
		"enclaves/permissions.xml",
		"enclaves/permissions_ca.cert.pem -> ../public/permissions_ca.cert.pem",
		"enclaves/robot/arm/cert.pem",
		"enclaves/robot/arm/governance.p7s -> ../../governance.p7s",
		"enclaves/robot/arm/identity_ca.cert.pem -> ../../../public/identity_ca.cert.pem",
		"enclaves/robot/arm/key.pem secret",
		"enclaves/robot/arm/permissions.p7s",
		"enclaves/robot/arm/permissions.xml",
		"enclaves/robot/arm/permissions_ca.cert.pem -> ../../../public/permissions_ca.cert.pem",
		"private/ca.key.pem secret",
		"private/identity_ca.key.pem -> ca.key.pem",
		"private/permissions_ca.key.pem -> ca.key.pem",
		"public/ca.cert.pem",
		"public/identity_ca.cert.pem -> ca.cert.pem",
		"public/permissions_ca.cert.pem -> ca.cert.pem",
	}
	if got := files(t, k.dir); !slices.Equal(got, want) {
		t.Errorf("%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if names, err := k.Enclaves(); err != nil || !slices.Equal(names, []string{"/", "/robot/arm"}) {
		t.Errorf("%q, %v", names, err)
	}
}

// contents returns the files of a folder by name.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, name := range files(t, dir) {
		name, _, _ = strings.Cut(name, " ")
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		all[name] = string(text)
	}
	return all
}

func TestNothingIsReplaced(t *testing.T) {
	k := create(t, "/arm")
	before := contents(t, k.dir)
	_, err := Create(k.dir, 7)
	if !errors.Is(err, fs.ErrExist) || !strings.Contains(err.Error(), "private/ca.key.pem") {
		t.Errorf("a keystore over another: %v", err)
	}
	if err := k.CreateEnclave("/arm", 7, Permissions{}); !errors.Is(err, fs.ErrExist) || !strings.Contains(err.Error(), "key.pem") {
		t.Errorf("an enclave over another: %v", err)
	}
	if after := contents(t, k.dir); !reflect.DeepEqual(after, before) {
		t.Error("files have changed")
	}
	if err := k.SetPermissions("/arm", 7, Permissions{Allow: Topics{Publish: []string{"rt/x"}}}); err != nil {
		t.Fatal(err)
	}
	for name, text := range contents(t, k.dir) {
		if changed := text != before[name]; changed != strings.Contains(name, "/permissions.") {
			t.Errorf("%s: changed %v", name, changed)
		}
	}
}

// Of many that create an enclave at once one succeeds, and its files fit each other.
// What an interrupted attempt left is told from what is complete.
func TestInterrupted(t *testing.T) {
	for _, tt := range []struct{ lost, reason string }{
		{"enclaves/arm/permissions.p7s", "there is no permissions.p7s"},
		{"enclaves/arm/cert.pem", "there is no cert.pem"},
		{"enclaves/governance.p7s", "there is no enclaves/governance.p7s"},
	} {
		k := create(t, "/arm")
		if err := os.Remove(k.path(tt.lost)); err != nil {
			t.Fatal(err)
		}
		_, err := Create(k.dir, 7)
		if strings.HasPrefix(tt.lost, "enclaves/arm/") {
			err = k.CreateEnclave("/arm", 7, Everything())
		}
		if !errors.Is(err, fs.ErrExist) || !strings.Contains(err.Error(), tt.reason) {
			t.Errorf("without %s: %v", tt.lost, err)
		}
	}
}

func TestRace(t *testing.T) {
	k := create(t)
	var wg sync.WaitGroup
	var won atomic.Int32
	for range 8 {
		wg.Go(func() {
			switch err := k.CreateEnclave("/arm", 7, Everything()); {
			case err == nil:
				won.Add(1)
			case !errors.Is(err, fs.ErrExist):
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if won.Load() != 1 {
		t.Errorf("%d succeeded", won.Load())
	}
	if _, err := readAuthority(k.path("enclaves/arm/key.pem"), k.path("enclaves/arm/cert.pem")); err != nil {
		t.Error(err)
	}
	if left, _ := filepath.Glob(k.path("enclaves/arm/.*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

func TestOpen(t *testing.T) {
	k := create(t, "/arm")
	for _, name := range required {
		moved := k.path(name) + ".moved"
		if err := os.Rename(k.path(name), moved); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(k.dir); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), name) {
			t.Errorf("without %s: %v", name, err)
		}
		if err := os.Rename(moved, k.path(name)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Open(k.dir); err != nil {
		t.Error(err)
	}
}

func TestFaults(t *testing.T) {
	k := create(t)
	for _, name := range []string{"", "arm", "/arm/", "/../arm", "/a b", "/" + strings.Repeat("a", 300)} {
		if err := k.CreateEnclave(name, 7, Everything()); err == nil {
			t.Errorf("there is an enclave %q", name)
		}
	}
	if err := k.SetPermissions("/arm", 7, Everything()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("permissions without an enclave: %v", err)
	}
	other := create(t)
	key := contents(t, other.path("private"))["ca.key.pem"]
	if err := os.WriteFile(k.path(authorityKey), []byte(key), 0o600); err != nil {
		t.Fatal(err)
	}
	err := k.CreateEnclave("/arm", 7, Everything())
	if err == nil || !strings.Contains(err.Error(), "is not for the key of") {
		t.Errorf("an authority whose certificate is for another key: %v", err)
	}
	secret := strings.Split(key, "\n")[1]
	if err := os.WriteFile(k.path(authorityKey), []byte("-----BEGIN PRIVATE KEY-----\nAAAA"+secret[4:]+"\n-----END PRIVATE KEY-----\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err = k.CreateEnclave("/arm", 7, Everything()); err == nil || strings.Contains(err.Error(), secret[8:16]) {
		t.Errorf("a damaged key: %v", err)
	}
}

func TestCertificates(t *testing.T) {
	k := create(t, "/robot/arm")
	ca, err := readCertificate(k.path(identityCert))
	if err != nil {
		t.Fatal(err)
	}
	cert, err := readCertificate(k.path("enclaves/robot/arm/cert.pem"))
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(ca)
	if _, err := cert.Verify(x509.VerifyOptions{Roots: roots, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageAny}}); err != nil {
		t.Error(err)
	}
	if cert.Subject.String() != "CN=/robot/arm" || ca.Subject.String() != "CN=sros2CA" || cert.IsCA || !ca.IsCA {
		t.Errorf("%v (authority %v) by %v (authority %v)", cert.Subject, cert.IsCA, ca.Subject, ca.IsCA)
	}
}

// A certificate ends with its authority's, and an authority that has ended issues none.
func TestAuthorityEnds(t *testing.T) {
	for _, left := range []time.Duration{-time.Hour, time.Hour, 2 * validity} {
		k := create(t)
		a, err := readAuthority(k.path(identityKey), k.path(identityCert))
		if err != nil {
			t.Fatal(err)
		}
		template := certificate(authorityName)
		template.IsCA, template.NotAfter = true, time.Now().Add(left)
		if a, err = certify(template, template, a.key, a.key); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{authorityKey, authorityCert} {
			if err := os.Remove(k.path(name)); err != nil {
				t.Fatal(err)
			}
		}
		if err := a.write(k.path(authorityKey), k.path(authorityCert)); err != nil {
			t.Fatal(err)
		}
		err = k.CreateEnclave("/arm", 7, Everything())
		if left < 0 {
			if err == nil || !strings.Contains(err.Error(), "make another keystore") {
				t.Errorf("an authority that has ended: %v", err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		cert, err := readCertificate(k.path("enclaves/arm/cert.pem"))
		if err != nil {
			t.Fatal(err)
		}
		if ca := a.cert.NotAfter; cert.NotAfter.After(ca) || left < validity && !cert.NotAfter.Equal(ca) {
			t.Errorf("an authority until %v has made a certificate until %v", ca, cert.NotAfter)
		}
		text, err := os.ReadFile(k.path("enclaves/arm/permissions.xml"))
		if end := cert.NotAfter.Format("2006-01-02T15:04:05"); err != nil || !strings.Contains(string(text), end) {
			t.Errorf("the permissions do not end at %s: %v, %s", end, err, text)
		}
	}
}

// What is for a domain that the governance leaves out would be refused by Cyclone DDS later.
func TestDomain(t *testing.T) {
	k := create(t, "/arm")
	before := contents(t, k.dir)
	for _, err := range []error{k.CreateEnclave("/leg", 5, Everything()), k.SetPermissions("/arm", 5, Everything())} {
		if err == nil || !strings.Contains(err.Error(), "governance.p7s is for domain 7; set ROS_DOMAIN_ID") {
			t.Errorf("another domain: %v", err)
		}
	}
	if !reflect.DeepEqual(contents(t, k.dir), before) {
		t.Error("files have changed")
	}
	for _, tt := range []struct {
		domains string // of one rule each
		is      string
		has     []uint32
		hasNot  []uint32
	}{
		{"<id>0</id>", "0", []uint32{0}, []uint32{1}},
		{"<id> 3 </id><id>5</id>", "3, 5", []uint32{3, 5}, []uint32{0, 4}},
		{"<id_range><min>2</min><max>4</max></id_range>", "2 to 4", []uint32{2, 3, 4}, []uint32{1, 5}},
		{"<id_range><min>2</min></id_range>", "2 and above", []uint32{2, 232}, []uint32{1}},
		{"<id_range><max>2</max></id_range>|<id>9</id>", "0 to 2, 9", []uint32{0, 2, 9}, []uint32{3}},
	} {
		text := `<dds xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><domain_access_rules>`
		for d := range strings.SplitSeq(tt.domains, "|") {
			text += "<domain_rule><domains>" + d + "</domains></domain_rule>"
		}
		governed(t, k, text+"</domain_access_rules></dds>")
		for _, d := range tt.has {
			if err := k.governs(d); err != nil {
				t.Errorf("%s: %v", tt.domains, err)
			}
		}
		for _, d := range tt.hasNot {
			if err := k.governs(d); err == nil || !strings.Contains(err.Error(), "is for domain "+tt.is+";") {
				t.Errorf("%s, domain %d: %v", tt.domains, d, err)
			}
		}
	}
	governed(t, k, "<dds><domain_access_rules><domain_rule><domains><id>x</id></domains></domain_rule></domain_access_rules></dds>")
	if err := k.governs(7); err == nil || !strings.Contains(err.Error(), "governance.p7s") {
		t.Errorf("no number: %v", err)
	}
}

// governed gives the keystore another governance document.
func governed(t *testing.T, k *Keystore, text string) {
	t.Helper()
	a, err := readAuthority(k.path(permissionsKey), k.path(permissionsCert))
	if err != nil {
		t.Fatal(err)
	}
	signed, err := a.sign([]byte(text))
	if err == nil {
		err = os.WriteFile(k.path(governance), signed, public)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// OpenSSL, which the plugins of DDS implementations use, agrees with what is signed and certified.
func TestOpenSSL(t *testing.T) {
	k := create(t, "/arm")
	ca := k.path(permissionsCert)
	for _, name := range []string{"enclaves/governance", "enclaves/arm/permissions"} {
		text, err := os.ReadFile(k.path(name + ".xml"))
		if err != nil {
			t.Fatal(err)
		}
		signed := openssl(t, "smime", "-verify", "-text", "-in", k.path(name+".p7s"), "-CAfile", ca)
		if signed != string(canonical(text)) {
			t.Errorf("%s: what is signed is\n%s", name, signed)
		}
	}
	openssl(t, "verify", "-CAfile", k.path(identityCert), k.path("enclaves/arm/cert.pem"))
	if cert := openssl(t, "x509", "-in", k.path("enclaves/arm/cert.pem"), "-noout", "-text"); !strings.Contains(cert, "prime256v1") {
		t.Errorf("the certificate is\n%s", cert)
	}
}

func openssl(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command("openssl", args...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("openssl %q: %v\n%s", args, err, stderr.String())
	}
	return string(out)
}
