#!/bin/bash
# Checks that pkg-config finds a Cyclone DDS that pinion supports. A ROS installation's Cyclone
# counts when PKG_CONFIG_PATH leads to its CycloneDDS.pc. Prints the version that was found.
set -euo pipefail

pkgconfig=${PKG_CONFIG:-pkg-config}

fail() {
	echo "cyclone: $*" >&2
	exit 1
}

command -v "$pkgconfig" >/dev/null ||
	fail "$pkgconfig is not installed, and pinion finds Cyclone DDS through it; run: make setup"

version=$("$pkgconfig" --modversion CycloneDDS 2>/dev/null) ||
	fail "$pkgconfig finds no CycloneDDS.pc; run: make setup, or point PKG_CONFIG_PATH at the lib/pkgconfig directory of your ROS installation"

case $version in
0.10.* | 11.*) echo "$version" ;;
*) fail "found Cyclone DDS $version in $("$pkgconfig" --variable=prefix CycloneDDS), pinion supports 0.10.x and 11.x; point PKG_CONFIG_PATH at the directory of a fitting CycloneDDS.pc, such as a ROS installation's" ;;
esac
