#!/bin/bash
# Runs the tests of what has C or stands on it under ThreadSanitizer. Status 69: it does not run here.
#
# It watches the accesses of code that was compiled for it, which is the C in the test programs, and
# what libc does for others. Cyclone DDS as it is installed was not: of its synchronization only the
# locks are seen. Reports count where one of the accesses is the C code's own.
set -euo pipefail
cd "$(dirname "$0")/.."

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# Some kernels put programs where the sanitizer has its own memory, unless they are told not to.
run=()
echo 'int main(void) { return 0; }' >"$dir/probe.c"
"${CC:-gcc}" -fsanitize=thread -o "$dir/probe" "$dir/probe.c"
if ! "$dir/probe" 2>/dev/null; then
	run=(setarch -R)
	"${run[@]}" "$dir/probe" || exit 69
fi

# A sample is freed by who gives back the last reference to it, which Cyclone DDS counts.
echo 'race:^free_sample$' >"$dir/suppressions"

# Without: TestWatch and TestSet have a signal interrupt Go code, where the sanitizer holds it back until the
# next call of libc; those of parts in executor end processes by signals; TestLockAll reads how much memory
# is locked, which counts the sanitizer's terabytes.
# The programs keep their symbols, which reports and suppressions need, because of -o.
TSAN_OPTIONS="suppressions=$dir/suppressions log_path=$dir/report exitcode=0" \
	CGO_CFLAGS='-g -O1 -fno-omit-frame-pointer -fsanitize=thread' CGO_LDFLAGS='-fsanitize=thread' \
	"${run[@]}" go test -o "$dir/" -count 1 -skip '^(TestWatch|TestSet|TestLockAll|TestParts|TestPart(Restart|Fails|Told|Deaf|Hangs|Orphan))$' ./internal/cyclone/... ./pubsub ./executor

# A report is a list of stacks below a sentence each, those that made an access before those that made threads.
find "$dir" -name 'report.*' -exec cat {} + | awk '
	/^WARNING: ThreadSanitizer/ {report = ""; ours = 0; total++}
	{report = report $0 "\n"}
	/^  [A-Z].*:$/ {access = !/ created (by|at)|^  Location is/}
	access && /^    #/ && !/\(lib[lt]san\.so/ {
		if (!/\.so[^ ]*\+0x[0-9a-f]+\)/) ours = 1
		access = 0
	}
	/^SUMMARY/ && ours {printf "%s", report; bad++}
	END {
		printf "reports: %d, of which %d about the C code\n", total, bad
		exit bad > 0
	}'
