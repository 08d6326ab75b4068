package cyclone

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Security names the files with which a participant proves who it is and what it may do (DDS Security
// 1.1, 9.3 and 9.4), all absolute.
type Security struct {
	IdentityCA    string
	Certificate   string
	PrivateKey    string
	PermissionsCA string
	Governance    string
	Permissions   string
	Revoked       string // certificates that no longer count, "" for none
}

// A plugin is a library of Cyclone DDS that does a part of DDS Security.
type plugin struct{ property, library, function string }

var plugins = []plugin{
	{"dds.sec.auth.library", "libdds_security_auth.so", "authentication"},
	{"dds.sec.crypto.library", "libdds_security_crypto.so", "crypto"},
	{"dds.sec.access.library", "libdds_security_ac.so", "access_control"},
}

// property is a name and a value of the PROPERTY policy (DDS Security 1.1, 7.2.5).
type property struct{ name, value string }

// properties returns the policy that secures a participant, with plugins from dir.
func (s *Security) properties(dir string) []property {
	all := []property{
		{"dds.sec.auth.identity_ca", "file:" + s.IdentityCA},
		{"dds.sec.auth.identity_certificate", "file:" + s.Certificate},
		{"dds.sec.auth.private_key", "file:" + s.PrivateKey},
		{"dds.sec.access.permissions_ca", "file:" + s.PermissionsCA},
		{"dds.sec.access.governance", "file:" + s.Governance},
		{"dds.sec.access.permissions", "file:" + s.Permissions},
	}
	if s.Revoked != "" {
		all = append(all, property{"org.eclipse.cyclonedds.sec.auth.crl", "file:" + s.Revoked})
	}
	for _, p := range plugins {
		all = append(all,
			property{p.property + ".path", filepath.Join(dir, p.library)},
			property{p.property + ".init", "init_" + p.function},
			property{p.property + ".finalize", "finalize_" + p.function})
	}
	return all
}

// pluginDir returns the folder with the plugins that belong to the Cyclone DDS in this process: its own, or
// one like libddsc0debian in there, where Debian keeps them out of the loader's way.
func pluginDir() (string, error) {
	libraries, err := mapped("libddsc.so")
	if err != nil {
		return "", err
	}
	if len(libraries) == 0 {
		return "", fmt.Errorf("libddsc.so is not loaded as a library, and its security plugins are looked for beside it")
	}
	own := filepath.Dir(libraries[0])
	inner, err := filepath.Glob(filepath.Join(own, "libddsc*", plugins[0].library))
	if err != nil {
		return "", err
	}
	for _, first := range append([]string{filepath.Join(own, plugins[0].library)}, inner...) {
		if dir := filepath.Dir(first); hasPlugins(dir) {
			return dir, nil
		}
	}
	return "", fmt.Errorf("%s, %s and %s are neither in %s nor in a folder libddsc* in there: Cyclone DDS comes without its security plugins",
		plugins[0].library, plugins[1].library, plugins[2].library, own)
}

func hasPlugins(dir string) bool {
	for _, p := range plugins {
		if _, err := os.Stat(filepath.Join(dir, p.library)); err != nil {
			return false
		}
	}
	return true
}

// mapped returns the files in the process's memory whose names begin so.
func mapped(prefix string) ([]string, error) {
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return nil, err
	}
	var files []string
	for line := range strings.Lines(string(maps)) {
		if i := strings.IndexByte(line, '/'); i >= 0 && strings.HasPrefix(filepath.Base(line), prefix) {
			files = append(files, strings.TrimSpace(line[i:]))
		}
	}
	return files, nil
}

// checkPlugins fails where the plugins were not loaded: a Cyclone DDS that was built without security
// takes no notice of the properties, and its participants talk to everybody.
func checkPlugins() error {
	for _, p := range plugins {
		files, err := mapped(p.library)
		if err != nil {
			return err
		}
		if len(files) == 0 {
			return fmt.Errorf("%s was not loaded: Cyclone DDS %s was built without security", p.library, Version)
		}
	}
	return nil
}
