package pubsub

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/pinion-ros/pinion/internal/cyclone"
	"go.uber.org/zap"
	"golang.org/x/sys/unix"
)

// Security says with what a node proves who it is and what it may do (SROS 2). The zero value is no
// security: messages go in the clear, to and from everybody.
type Security struct {
	// Enable turns security on (ROS_SECURITY_ENABLE=true).
	Enable bool
	// Enforce makes it an error if the keystore has no complete enclave for the node. Without, such a
	// node is made without security and with a warning, as in ROS 2 (ROS_SECURITY_STRATEGY=Enforce).
	Enforce bool
	// Keystore is a folder that sros2 or "pinion security create-keystore" made (ROS_SECURITY_KEYSTORE).
	Keystore string
	// EnclaveOverride, unless empty, is the enclave whose files are used in place of those of the node's
	// own, which stays the one that is announced (ROS_SECURITY_ENCLAVE_OVERRIDE).
	EnclaveOverride string
}

// ErrNotPermitted is returned by what the permissions of the node's enclave do not allow, and by NewNode
// where its files do not make an identity that the keystore's authorities vouch for.
var ErrNotPermitted = errors.New("not permitted by security")

// SecurityFromEnv reads ROS_SECURITY_ENABLE, ROS_SECURITY_STRATEGY, ROS_SECURITY_KEYSTORE and
// ROS_SECURITY_ENCLAVE_OVERRIDE as ROS 2 does.
func SecurityFromEnv() Security {
	s, _ := securityFrom(os.Getenv)
	return s
}

// securityFrom also returns what the user should be warned of. (rcl/src/rcl/security.c)
func securityFrom(env func(string) string) (s Security, warnings []string) {
	enable, strategy := env("ROS_SECURITY_ENABLE"), env("ROS_SECURITY_STRATEGY")
	s = Security{enable == "true", strategy == "Enforce", env("ROS_SECURITY_KEYSTORE"), env("ROS_SECURITY_ENCLAVE_OVERRIDE")}
	if !s.Enable && enable != "" && enable != "false" {
		warnings = append(warnings, fmt.Sprintf("ROS_SECURITY_ENABLE: %q is not true, security is off", enable))
	}
	if s.Enable && !s.Enforce && strategy != "" && strategy != "Permissive" {
		warnings = append(warnings, fmt.Sprintf("ROS_SECURITY_STRATEGY: %q is neither Enforce nor Permissive, taken for Permissive", strategy))
	}
	return s, warnings
}

// WithSecurity sets how the node is secured, in place of the environment.
func WithSecurity(s Security) Option {
	return func(o *nodeOptions) error {
		o.security = &s
		return nil
	}
}

// credentials returns what secures the node.
func (o *nodeOptions) credentials(log *zap.Logger) (*cyclone.Security, error) {
	if o.security != nil {
		return o.security.credentials(o.enclave, log)
	}
	s, warnings := securityFrom(os.Getenv)
	for _, w := range warnings {
		log.Warn(w)
	}
	return s.credentials(o.enclave, log)
}

// credentials returns the files of the enclave, nil where the node goes without. It goes without only
// where files are missing: those that are wrong are an error whatever the strategy is, as in ROS 2.
func (s Security) credentials(enclave string, log *zap.Logger) (*cyclone.Security, error) {
	if !s.Enable {
		return nil, nil
	}
	files, err := s.files(enclave)
	if errors.Is(err, errMissing) && !s.Enforce {
		log.Warn("the node is not secured, which ROS_SECURITY_STRATEGY=Enforce would refuse", zap.Error(err))
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	// Cyclone DDS does not look, and others would take this node for a stranger without a word.
	if _, err := tls.LoadX509KeyPair(files.Certificate, files.PrivateKey); err != nil {
		return nil, fmt.Errorf("%s and %s are no pair: %w", files.Certificate, files.PrivateKey, err)
	}
	if info, err := os.Stat(files.PrivateKey); err == nil && info.Mode()&0o077 != 0 {
		log.Warn("others than its owner may use the private key: chmod 600 ends that", zap.String("file", files.PrivateKey), zap.Stringer("mode", info.Mode()))
	}
	return files, nil
}

// errMissing is for what Permissive puts up with.
var errMissing = errors.New("security files are missing")

// files finds the files of the enclave. (rmw_dds_common/src/security.cpp)
func (s Security) files(enclave string) (*cyclone.Security, error) {
	if s.EnclaveOverride != "" {
		if err := ValidateEnclave(s.EnclaveOverride); err != nil {
			return nil, fmt.Errorf("ROS_SECURITY_ENCLAVE_OVERRIDE: %w", err)
		}
		enclave = s.EnclaveOverride
	}
	if s.Keystore == "" {
		return nil, fmt.Errorf("%w: security is on, and ROS_SECURITY_KEYSTORE names no keystore", errMissing)
	}
	dir, err := filepath.Abs(filepath.Join(s.Keystore, "enclaves", filepath.FromSlash(enclave)))
	if err != nil {
		return nil, err
	}
	c := &cyclone.Security{}
	for _, f := range []struct {
		path *string
		name string
	}{
		{&c.IdentityCA, "identity_ca.cert.pem"},
		{&c.Certificate, "cert.pem"},
		{&c.PrivateKey, "key.pem"},
		{&c.PermissionsCA, "permissions_ca.cert.pem"},
		{&c.Governance, "governance.p7s"},
		{&c.Permissions, "permissions.p7s"},
		{&c.Revoked, "crl.pem"},
	} {
		if _, err := os.Lstat(filepath.Join(dir, f.name)); f.path == &c.Revoked && errors.Is(err, fs.ErrNotExist) {
			continue // the only one that may be missing
		}
		*f.path = filepath.Join(dir, f.name)
		if err := readable(*f.path); err != nil {
			return nil, fmt.Errorf("enclave %s of ROS_SECURITY_KEYSTORE: %w", enclave, err)
		}
	}
	return c, nil
}

// readable fails with errMissing where there is no such file.
func readable(file string) error {
	f, err := os.OpenFile(file, os.O_RDONLY|unix.O_NONBLOCK, 0) // which does not wait for who writes into a pipe
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: %w", errMissing, err)
	}
	if err != nil {
		return err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return fmt.Errorf("%w: %s is no file", errMissing, file)
	}
	return nil
}

// sameSecurity tells whether two nodes can share a participant.
func sameSecurity(a, b *cyclone.Security) bool {
	return a == b || a != nil && b != nil && *a == *b
}

// permit explains why an endpoint cannot be made. Cyclone DDS keeps the reason to itself where discovery
// is protected, so that names of topics do not get into logs.
func (s *session) permit(err error, what, topic string) error {
	if s.security == nil || !errors.Is(err, cyclone.ErrNotAllowed) {
		return err
	}
	return fmt.Errorf("%w: %s does not allow %s %s in domain %d: %w", ErrNotPermitted, s.security.Permissions, what, topic, s.discovery.Domain, err)
}
