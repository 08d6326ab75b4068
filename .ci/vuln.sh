#!/bin/bash
# Looks for known vulnerabilities in what the module calls, with Go's database, or another that GOVULNDB
# names (https://go.dev/doc/security/vuln/database). Where none can be reached nothing was looked at: it
# says so and ends with status 69.
set -uo pipefail
cd "$(dirname "$0")/.."

log=$(mktemp)
trap 'rm -f "$log"' EXIT

go tool govulncheck ${GOVULNDB:+-db "$GOVULNDB"} ./... 2>&1 | tee "$log"
status=${PIPESTATUS[0]}
if ((status != 0)) && grep -q '^govulncheck: fetching vulnerabilities:' "$log"; then
	echo "vuln: NOTHING WAS CHECKED for known vulnerabilities, because the database cannot be reached;" \
		"run make vuln where https://vuln.go.dev can be, or set GOVULNDB to the URL of a copy (file:///...)" >&2
	exit 69
fi
exit "$status"
