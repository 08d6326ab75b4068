#!/bin/bash
# Fails when generating again changes a file. Compares the tree with itself, not with the last
# commit, so that work in progress passes as long as it is consistent.
set -euo pipefail
cd "$(dirname "$0")/.."

# Deleted files are still listed by git and can only fail to hash.
state() {
	git ls-files -z --cached --others --exclude-standard |
		xargs -0 sha256sum 2>/dev/null | sort -k 2 || true
}

before=$(state)
go generate ./...
changed=$(diff <(echo "$before") <(state) | awk '/^[<>]/ {print $3}' | sort -u) || true
[ -z "$changed" ] || {
	echo "generate: these files were stale and are now regenerated, commit them: ${changed//$'\n'/ }" >&2
	exit 1
}
