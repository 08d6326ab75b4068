// Package security makes keystores for DDS Security in the form of sros2: a certificate authority,
// enclaves with a key and a certificate each, and the signed documents that say what is protected and who
// may do what.
//
// Private keys are readable by their owner alone and never replaced. Nothing here is secret but them, and
// no error has their content.
package security

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pinion-ros/pinion/internal/atomicfile"
	"github.com/pinion-ros/pinion/pubsub"
)

// A Keystore is a folder in the form that sros2 gives it (sros2/keystore/_keystore.py).
type Keystore struct{ dir string }

// The files of a keystore. sros2 lets one authority be the one for identities and for permissions.
const (
	authorityCert   = "public/ca.cert.pem"
	authorityKey    = "private/ca.key.pem"
	identityCert    = "public/identity_ca.cert.pem"
	identityKey     = "private/identity_ca.key.pem"
	permissionsCert = "public/permissions_ca.cert.pem"
	permissionsKey  = "private/permissions_ca.key.pem"
	enclaves        = "enclaves"
	governanceXML   = "enclaves/governance.xml"
	governance      = "enclaves/governance.p7s"
)

// required is what makes a folder a keystore.
var required = []string{permissionsCert, identityCert, permissionsKey, identityKey, governance}

// errNoFolder is for what would be the working directory, where nobody wants to find a keystore.
var errNoFolder = errors.New("the keystore's folder has no name")

// complete is what an enclave has; the last is made last.
var complete = []string{"key.pem", "cert.pem", "identity_ca.cert.pem", "permissions_ca.cert.pem", "governance.p7s", "permissions.xml", "permissions.p7s"}

// Create makes a keystore with an authority of its own, for nodes in the given domain. The folder may
// exist, but no file that would be written: then the error is fs.ErrExist.
func Create(dir string, domain uint32) (*Keystore, error) {
	k := &Keystore{dir}
	if err := k.create(domain); err != nil {
		return nil, fmt.Errorf("create keystore %s: %w", dir, unfinished(err, dir, required))
	}
	return k, nil
}

// unfinished explains why something exists already that lacks files: what made it was interrupted.
func unfinished(err error, dir string, files []string) error {
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	for _, name := range files {
		if _, e := os.Stat(filepath.Join(dir, filepath.FromSlash(name))); errors.Is(e, fs.ErrNotExist) {
			return fmt.Errorf("%w, but there is no %s: unless somebody makes it just now, an earlier attempt was interrupted; remove the files in %s then", err, name, dir)
		}
	}
	return err
}

func (k *Keystore) create(domain uint32) error {
	if k.dir == "" {
		return errNoFolder
	}
	for _, d := range []struct {
		name string
		mode fs.FileMode
	}{{"public", 0o755}, {"private", 0o700}, {enclaves, 0o755}} {
		if err := os.MkdirAll(k.path(d.name), d.mode); err != nil {
			return err
		}
	}
	a, err := newAuthority(authorityName)
	if err != nil {
		return err
	}
	if err := a.write(k.path(authorityKey), k.path(authorityCert)); err != nil {
		return err
	}
	for _, l := range []struct{ link, target string }{
		{identityKey, authorityKey}, {permissionsKey, authorityKey},
		{identityCert, authorityCert}, {permissionsCert, authorityCert},
	} {
		if err := os.Symlink(filepath.Base(l.target), k.path(l.link)); err != nil {
			return err
		}
	}
	text, err := governanceDocument(domain)
	if err != nil {
		return err
	}
	if err := atomicfile.Create(k.path(governanceXML), text, public); err != nil {
		return err
	}
	signed, err := a.sign(text)
	if err != nil {
		return err
	}
	return atomicfile.Create(k.path(governance), signed, public)
}

// Open returns the keystore in a folder, or an error that names what it lacks.
func Open(dir string) (*Keystore, error) {
	if dir == "" {
		return nil, errNoFolder
	}
	k := &Keystore{dir}
	for _, name := range required {
		if _, err := os.Stat(k.path(name)); err != nil {
			return nil, fmt.Errorf("%s is no keystore: %w", dir, err)
		}
	}
	return k, nil
}

// CreateEnclave makes the key and the certificate of an enclave, and permissions in the given domain, which
// is one of the keystore's. An enclave that is there already is left as it is, and the error is fs.ErrExist.
func (k *Keystore) CreateEnclave(name string, domain uint32, p Permissions) error {
	dir, err := k.Enclave(name)
	if err == nil {
		err = unfinished(k.createEnclave(dir, name, domain, p), dir, complete)
	}
	if err != nil {
		return fmt.Errorf("create enclave %s: %w", name, err)
	}
	return nil
}

func (k *Keystore) createEnclave(dir, name string, domain uint32, p Permissions) error {
	if err := k.governs(domain); err != nil {
		return err
	}
	a, err := readAuthority(k.path(identityKey), k.path(identityCert))
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	id, err := a.issue(name)
	if err != nil {
		return err
	}
	// The key comes first: of several that create the enclave at once only one gets past it.
	if err := id.write(filepath.Join(dir, "key.pem"), filepath.Join(dir, "cert.pem")); err != nil {
		return err
	}
	for _, target := range []string{identityCert, permissionsCert, governance} {
		if err := link(k.path(target), dir); err != nil {
			return err
		}
	}
	return k.grant(dir, name, domain, p, atomicfile.Create)
}

// SetPermissions replaces the permissions of an enclave, in one of the keystore's domains.
func (k *Keystore) SetPermissions(name string, domain uint32, p Permissions) error {
	dir, err := k.Enclave(name)
	if err == nil {
		err = k.governs(domain)
	}
	if err == nil {
		err = k.grant(dir, name, domain, p, atomicfile.Replace)
	}
	if err != nil {
		return fmt.Errorf("set the permissions of enclave %s: %w", name, err)
	}
	return nil
}

// grant writes the permissions, which are valid for as long as the certificate is.
func (k *Keystore) grant(dir, name string, domain uint32, p Permissions, write func(string, []byte, fs.FileMode) error) error {
	cert, err := readCertificate(filepath.Join(dir, "cert.pem"))
	if err != nil {
		return err
	}
	a, err := readAuthority(k.path(permissionsKey), k.path(permissionsCert))
	if err != nil {
		return err
	}
	text, err := p.document(name, domain, cert.NotBefore, cert.NotAfter)
	if err != nil {
		return err
	}
	signed, err := a.sign(text)
	if err != nil {
		return err
	}
	if err := write(filepath.Join(dir, "permissions.xml"), text, public); err != nil {
		return err
	}
	return write(filepath.Join(dir, "permissions.p7s"), signed, public)
}

// Enclaves returns the names of the enclaves, sorted.
func (k *Keystore) Enclaves() ([]string, error) {
	root := os.DirFS(k.path(enclaves))
	var names []string
	err := fs.WalkDir(root, ".", func(name string, e fs.DirEntry, err error) error {
		if err == nil && e.Name() == "key.pem" {
			names = append(names, "/"+strings.TrimSuffix(strings.TrimSuffix(name, "key.pem"), "/"))
		}
		return err
	})
	slices.Sort(names)
	return names, err
}

// Enclave returns the folder of an enclave, whether it exists or not.
func (k *Keystore) Enclave(name string) (string, error) {
	if err := pubsub.ValidateEnclave(name); err != nil {
		return "", err
	}
	return k.path(filepath.Join(enclaves, filepath.FromSlash(name[1:]))), nil
}

func (k *Keystore) path(name string) string { return filepath.Join(k.dir, filepath.FromSlash(name)) }

// link makes a relative symbolic link of the same name in dir, so that the keystore can be moved. The
// root enclave lies where the governance is, which then needs none.
func link(target, dir string) error {
	name := filepath.Base(target)
	relative, err := filepath.Rel(dir, target)
	if err != nil {
		return err
	}
	if relative == name {
		return nil
	}
	err = os.Symlink(relative, filepath.Join(dir, name))
	if errors.Is(err, fs.ErrExist) {
		if to, _ := os.Readlink(filepath.Join(dir, name)); to == relative {
			return nil
		}
	}
	return err
}
