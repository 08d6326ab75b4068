#!/bin/bash
# Builds for arm64 with Debian's cross compiler and runs the tests of codec and topics under
# emulation, then has an emulated process and a native one exchange messages. With the argument
# "missing" it only prints which packages that lacks.
set -euo pipefail
cd "$(dirname "$0")/.."

triplet=aarch64-linux-gnu
emulator=qemu-aarch64-static
# How long a package may take: emulation is slow, and a hang should not be taken for it.
limit=15m

missing=()
command -v "$triplet-gcc" >/dev/null || missing+=(gcc-aarch64-linux-gnu)
[ -e "/usr/$triplet/include/stdio.h" ] || missing+=(libc6-dev-arm64-cross)
command -v "$emulator" >/dev/null || missing+=(qemu-user-static)
[ -e "/usr/lib/$triplet/pkgconfig/CycloneDDS.pc" ] || missing+=(cyclonedds-dev:arm64)
if [ "${1:-}" = missing ]; then
	printf '%s\n' "${missing[@]}" | sed '/^$/d'
	exit
fi
if ((${#missing[@]})); then
	echo "arm64: not tested, these packages are missing: ${missing[*]}; run: make setup-arm64" >&2
	exit 1
fi

export PKG_CONFIG_LIBDIR=/usr/lib/$triplet/pkgconfig:/usr/share/pkgconfig
build=(env GOOS=linux GOARCH=arm64 CGO_ENABLED=1 "CC=$triplet-gcc" go)

"${build[@]}" build -o /dev/null ./cmd/msggen
"${build[@]}" build -o /dev/null ./cmd/pinion
"${build[@]}" test -timeout "$limit" -exec "$emulator" ./cdr/... ./msgs ./internal/cyclone
# Of the tests of topics those that neither start other processes, which the kernel cannot run
# without the emulator, nor measure.
"${build[@]}" test -timeout "$limit" -exec "$emulator" \
	-run '^Test(Callback|Take|TransientLocal|Raw|Malformed|CloseInCallback|Inline|Errors|LateJoiners|MatchedEvents|IncompatibleQoS|Entities)$' ./pubsub

peer=$(mktemp)
trap 'rm -f "$peer"' EXIT
"${build[@]}" test -c -o "$peer" ./internal/crossarch
unset PKG_CONFIG_LIBDIR
PINION_CROSSARCH_PEER="$emulator $peer" go test -count=1 ./internal/crossarch
