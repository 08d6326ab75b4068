#!/bin/bash
# Installs what is missing to build pinion, or with the argument "test" to test it, or "arm64" for
# .ci/arm64.sh, from the packages of Debian or Ubuntu. Needs are probed rather than looked up in the
# package database, so that a Cyclone of a ROS installation or a compiler from elsewhere is as good
# as a package.
set -euo pipefail
cd "$(dirname "$0")/.."

fail() {
	echo "setup: $*" >&2
	exit 1
}

have() { command -v "$1" >/dev/null; }

# header LANGUAGE NAME: does the compiler find a header?
header() {
	printf '#if !__has_include(<%s>)\n#error\n#endif\n' "$2" | gcc -E -x "$1" - >/dev/null 2>&1
}

check_go() {
	have go || fail "Go 1.26 or newer is needed and there is no go in PATH: see https://go.dev/doc/install"
	local version
	# Within the module, so that a go that may fetch the right toolchain does. One that may
	# not fails here, and says its own version outside.
	version=$(go env GOVERSION 2>/dev/null) || version=$(cd / && go env GOVERSION 2>&1) || true
	# shellcheck disable=SC2015
	[[ $version =~ go([0-9]+)\.([0-9]+) ]] &&
		((BASH_REMATCH[1] > 1 || BASH_REMATCH[1] == 1 && BASH_REMATCH[2] >= 26)) ||
		fail "Go 1.26 or newer is needed, $(command -v go) is ${version:-of no known version}: see https://go.dev/doc/install"
}

# need PACKAGE PROBE...: the probe succeeds once the package is there.
need() {
	local package=$1
	shift
	"$@" || missing+=("$package")
}

find_missing() {
	missing=()
	need make have make
	need gcc have gcc
	need libc6-dev header c stdio.h
	need pkg-config have "${PKG_CONFIG:-pkg-config}"
	need cyclonedds-dev "${PKG_CONFIG:-pkg-config}" --exists CycloneDDS
	need cyclonedds-tools have idlc
	need ca-certificates compgen -G '/etc/ssl/certs/*' >/dev/null # go fetches modules over TLS
	if [ "$1" = arm64 ]; then
		mapfile -t -O ${#missing[@]} missing < <(.ci/arm64.sh missing)
	fi
	[ "$1" = test ] || return 0

	need g++ have g++
	need git have git
	need openssl have openssl
	need iproute2 have ip
	need tmux have tmux
	need libfaketime compgen -G '/usr/lib/*/faketime/libfaketimeMT.so.1' >/dev/null
	need fastddsgen have fastddsgen
	need default-jre-headless have java # fastddsgen does not depend on it
	need libfastcdr-dev header c++ fastcdr/Cdr.h
	need libfastrtps-dev header c++ fastdds/dds/domain/DomainParticipant.hpp
	need python3-rosidl /usr/bin/python3 -c 'import rosidl_parser.parser'
	need python3-empy /usr/bin/python3 -c 'import em' # nor does rosidl_adapter on this
	need nodejs have node
	need npm have npm # the tests fetch packages with it, whose versions are in the repository
}

install_missing() {
	have apt-get ||
		fail "this is no Debian or Ubuntu (no apt-get); install the equivalents of: ${missing[*]}"
	local root=()
	if ((EUID != 0)); then
		have sudo ||
			fail "no right to install: neither root nor sudo; have an administrator run: apt-get install ${missing[*]}"
		sudo true ||
			fail "sudo gives no right to install; have an administrator run: apt-get install ${missing[*]}"
		root=(sudo)
	fi
	echo "setup: installing ${missing[*]}"
	local apt=("${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=120)
	[[ ${missing[*]} != *:arm64* ]] || "${root[@]}" dpkg --add-architecture arm64
	# One unreachable third-party source fails the update but not what we want from the others.
	"${apt[@]}" update </dev/null || echo "setup: apt-get update failed; trying with the old lists" >&2
	"${apt[@]}" install -y --no-install-recommends "${missing[@]}" </dev/null >/dev/null ||
		fail "apt-get could not install ${missing[*]} (on Ubuntu they are in universe)"
}

what=${1:-build}
[[ $what =~ ^(build|test|arm64)$ && $# -le 1 ]] || fail "usage: .ci/setup.sh [build|test|arm64]"

check_go
find_missing "$what" 2>/dev/null
if ((${#missing[@]})); then
	install_missing
	find_missing "$what" 2>/dev/null
	((${#missing[@]} == 0)) || fail "still missing after the installation: ${missing[*]}"
fi
cyclone=$(.ci/cyclone.sh)
echo "setup: $(go env GOVERSION), Cyclone DDS $cyclone, all that is needed for $what is there"
