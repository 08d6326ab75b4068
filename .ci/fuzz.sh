#!/bin/bash
# Runs one fuzz target, with a worker for each processor where the number is not given:
#
#	fuzz.sh PACKAGE TARGET TIME [WORKERS]
#
# or prints a package and a target of it on each line:
#
#	fuzz.sh list
#
# Inputs that reach something new are minimised briefly only, because go test would give a whole minute
# to it, without finding anything.
set -uo pipefail

if [ "$1" = list ]; then
	go test -tags long -list '^Fuzz' ./... | awk '
		/^Fuzz/ {names[++n] = $1}
		/^ok/   {for (i = 1; i <= n; i++) print $2, names[i]; n = 0}'
	exit
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT

go test -tags long -run '^$' -fuzz "^$2\$" -fuzztime "$3" -fuzzminimizetime 1s ${4:+-parallel "$4"} "$1" 2>&1 | tee "$log"
status=${PIPESTATUS[0]}
((status != 0)) || exit 0

# At the end of its time go test now and then takes its own deadline for a finding. A real one comes
# with an input, or with the text of a panic.
if grep -qx ' *context deadline exceeded' "$log" && ! grep -qE 'Failing input written|panic:|^    --- FAIL' "$log"; then
	echo "the deadline alone ended it: no finding"
	exit 0
fi
exit "$status"
