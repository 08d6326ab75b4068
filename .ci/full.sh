#!/bin/bash
# Runs the long suites one after the other, the more telling ones first. FUZZTIME is the time
# for each fuzz target. With BUDGET (seconds) no suite starts or goes on beyond it; what was
# left out or cut off is named at the end and counted as skipped, unless it had failed before.
set -euo pipefail
cd "$(dirname "$0")/.."

budget=${BUDGET:-0}
fuzztime=${FUZZTIME:-1m}
passed=0
failed=()
skipped=()

log=$(mktemp)
trap 'rm -f "$log"; jobs -p | xargs -r kill 2>/dev/null || true' EXIT

# step NAME COMMAND...
step() {
	local name=$1 left=0 status=0 limit=()
	shift
	if ((budget)); then
		left=$((budget - SECONDS))
		((left > 0)) || {
			skipped+=("$name (not started)")
			return
		}
		limit=(timeout --kill-after=20 "$left")
	fi
	echo "--- $name"
	# No pipe to tee: it would wait for processes that a test left behind.
	: >"$log"
	"${limit[@]}" "$@" >"$log" 2>&1 &
	tail -n +1 -f -s 0.2 --pid=$! "$log"
	wait $! || status=$?
	if ((status == 0)); then
		passed=$((passed + 1))
	elif ((status == 69)); then
		skipped+=("$name (what it needs is out of reach)")
	elif ((budget && (status == 124 || status == 137))) && ! grep -qE '^(--- FAIL|FAIL|panic:)' "$log"; then
		skipped+=("$name (cut off after $left s)") # these are the codes of timeout
	else
		failed+=("$name")
	fi
}

step lint make --no-print-directory lint
step "known vulnerabilities" .ci/vuln.sh
step "long tests" go test -tags long -timeout 15m ./...
step "all under the race detector" make --no-print-directory race-all
step "address sanitizer and leaks" make --no-print-directory sanitize sanitized='./pubsub ./executor'
step "thread sanitizer" .ci/tsan.sh
if [ -z "$(.ci/arm64.sh missing)" ]; then
	step arm64 .ci/arm64.sh
else
	skipped+=("arm64 (make setup-arm64 installs what it needs)")
fi
step "benchmarks once" go test -tags long -run '^$' -bench . -benchtime 1x ./...
targets=$(.ci/fuzz.sh list) || failed+=("listing of the fuzz targets")
while read -r package target; do
	[ -n "$target" ] || continue
	step "$target" .ci/fuzz.sh "$package" "$target" "$fuzztime"
done <<<"$targets"

for name in "${skipped[@]}"; do echo "not run to its end: $name"; done
for name in "${failed[@]}"; do echo "failed: $name"; done
echo "suites: $passed passed, ${#failed[@]} failed, ${#skipped[@]} skipped"
((${#failed[@]} == 0))
