#!/bin/bash
# Fails when a Go file is not formatted.
set -euo pipefail
cd "$(dirname "$0")/.."

files=$(gofmt -l .)
[ -z "$files" ] || {
	echo "gofmt: not formatted, run gofmt -w on: ${files//$'\n'/ }" >&2
	exit 1
}
