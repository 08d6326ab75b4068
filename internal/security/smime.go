package security

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"fmt"

	"github.com/smallstep/pkcs7"
)

// sign returns the document as DDS Security wants it (1.1, 9.4.1.2.1): an S/MIME message of a plain text
// and a detached PKCS #7 signature of it (RFC 5751, 3.4.3).
func (a *identity) sign(document []byte) ([]byte, error) {
	part := append([]byte("Content-Type: text/plain\r\n\r\n"), canonical(document)...)
	signature, err := a.signature(part)
	if err != nil {
		return nil, fmt.Errorf("sign: %w", err)
	}
	random := make([]byte, 16)
	_, _ = rand.Read(random) // which never fails
	boundary := "----" + hex.EncodeToString(random)

	var b bytes.Buffer
	fmt.Fprintf(&b, "MIME-Version: 1.0\r\nContent-Type: multipart/signed; protocol=\"application/x-pkcs7-signature\"; micalg=\"sha-256\"; boundary=%q\r\n\r\n", boundary)
	fmt.Fprintf(&b, "This is an S/MIME signed message\r\n\r\n--%s\r\n%s\r\n--%s\r\n", boundary, part, boundary)
	b.WriteString("Content-Type: application/x-pkcs7-signature; name=\"smime.p7s\"\r\nContent-Transfer-Encoding: base64\r\nContent-Disposition: attachment; filename=\"smime.p7s\"\r\n\r\n")
	wrap(&b, base64.StdEncoding.EncodeToString(signature))
	fmt.Fprintf(&b, "\r\n--%s--\r\n", boundary)
	return b.Bytes(), nil
}

func (a *identity) signature(content []byte) ([]byte, error) {
	data, err := pkcs7.NewSignedData(content)
	if err != nil {
		return nil, err
	}
	data.SetDigestAlgorithm(pkcs7.OIDDigestAlgorithmSHA256)
	if err := data.AddSigner(a.cert, a.key, pkcs7.SignerInfoConfig{}); err != nil {
		return nil, err
	}
	data.Detach()
	return data.Finish()
}

// canonical ends lines as the signature counts them, whatever they end with in the file.
func canonical(text []byte) []byte {
	return bytes.ReplaceAll(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")), []byte("\n"), []byte("\r\n"))
}

// wrap breaks base64 into lines of 64 characters.
func wrap(b *bytes.Buffer, text string) {
	for len(text) > 0 {
		n := min(64, len(text))
		b.WriteString(text[:n] + "\r\n")
		text = text[n:]
	}
}
