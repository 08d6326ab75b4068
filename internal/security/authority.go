package security

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"os"
	"time"

	"github.com/pinion-ros/pinion/internal/atomicfile"
)

// Who may read files: everybody, or their owner alone.
const (
	public = 0o644
	secret = 0o600
)

const (
	// authorityName is what sros2 calls its authority.
	authorityName = "sros2CA"
	// validity is how long certificates of sros2 are valid.
	validity = 3650 * 24 * time.Hour
	// leeway keeps a clock that is behind from taking a new certificate for one of the future.
	leeway = 24 * time.Hour
)

// An identity is a private key and the certificate for it.
type identity struct {
	key  crypto.Signer
	cert *x509.Certificate
}

// newAuthority makes an authority with a P-256 key, the curve of DDS Security 1.1, 9.3.1.
func newAuthority(name string) (*identity, error) {
	template := certificate(name)
	template.IsCA, template.MaxPathLen = true, 1
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	return certify(template, template, key, key)
}

// issue makes an identity that the authority vouches for, at most for as long as it is valid itself: who
// checks a certificate checks its authority's too.
func (a *identity) issue(name string) (*identity, error) {
	template := certificate(name)
	if end := a.cert.NotAfter; end.Before(template.NotAfter) {
		template.NotAfter = end
	}
	if time.Now().After(template.NotAfter) {
		return nil, fmt.Errorf("the keystore's authority %s was valid until %v: make another keystore", a.cert.Subject, a.cert.NotAfter)
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	return certify(template, a.cert, key, a.key)
}

func certificate(name string) *x509.Certificate {
	now := time.Now().UTC()
	return &x509.Certificate{
		Subject:               pkix.Name{CommonName: name},
		NotBefore:             now.Add(-leeway),
		NotAfter:              now.Add(validity),
		BasicConstraintsValid: true,
	}
}

func certify(template, parent *x509.Certificate, key, parentKey crypto.Signer) (*identity, error) {
	der, err := x509.CreateCertificate(rand.Reader, template, parent, key.Public(), parentKey)
	if err != nil {
		return nil, err
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	return &identity{key, cert}, nil
}

// write writes key and certificate, neither of which may exist.
func (id *identity) write(key, cert string) error {
	der, err := x509.MarshalPKCS8PrivateKey(id.key)
	if err != nil {
		return err
	}
	if err := atomicfile.Create(key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), secret); err != nil {
		return err
	}
	return atomicfile.Create(cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: id.cert.Raw}), public)
}

// readAuthority reads what write has written, or sros2.
func readAuthority(key, cert string) (*identity, error) {
	c, err := readCertificate(cert)
	if err != nil {
		return nil, err
	}
	der, err := readPEM(key, "PRIVATE KEY")
	if err != nil {
		return nil, err
	}
	// What the parser says of a key is not passed on: nobody promises that it quotes none of it.
	k, err := x509.ParsePKCS8PrivateKey(der)
	signer, ok := k.(crypto.Signer)
	if err != nil || !ok {
		return nil, fmt.Errorf("%s holds no private key that signs", key)
	}
	public, ok := c.PublicKey.(interface{ Equal(crypto.PublicKey) bool })
	if !ok || !public.Equal(signer.Public()) {
		return nil, fmt.Errorf("%s is not for the key of %s", cert, key)
	}
	return &identity{signer, c}, nil
}

func readCertificate(name string) (*x509.Certificate, error) {
	der, err := readPEM(name, "CERTIFICATE")
	if err != nil {
		return nil, err
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return cert, nil
}

// readPEM returns the first block of the given type.
func readPEM(name, kind string) ([]byte, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		if block.Type == kind {
			return block.Bytes, nil
		}
	}
	return nil, fmt.Errorf("%s: there is no %q block in it", name, kind)
}
