#!/bin/sh
# tests/fuzz/run.sh FOLDER SECONDS [SUBJECT]...: runs the fuzz targets that
# `make fuzz` built in FOLDER, one after the other, and ends with a table.
# What was found on the way is kept: FOLDER/corpus/<subject> (inputs that
# reach new code; the next run begins with them) and FOLDER/findings.
set -u

folder=$1
seconds=$2
shift 2
if [ $# = 0 ]; then
	for target in tests/fuzz/fuzz_*.c; do
		target=${target##*/fuzz_}
		set -- "$@" "${target%.c}"
	done
fi

# Where files cost little; the targets remove what they make but in a crash.
memory=/dev/shm
[ -w "$memory" ] || memory=/tmp
TMPDIR=$(mktemp -d "$memory/rne-fuzz.XXXXXX") || exit 1
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT
trap 'exit 130' INT TERM

mkdir -p "$folder/corpus" "$folder/findings" "$folder/logs"
table=$folder/table
echo "subject executions seconds edges corpus findings" >"$table"
failed=0

# stat NAME LOG: a figure of -print_final_stats=1.
stat() {
	sed -n "s/^stat::$1: *\([0-9]*\)$/\1/p" "$2" | tail -n 1
}

for subject in "$@"; do
	corpus=$folder/corpus/$subject
	log=$folder/logs/$subject
	mkdir -p "$corpus" "$TMPDIR/$subject"
	"$folder/tests/fuzz_$subject" --write "$TMPDIR/$subject" || exit 1
	started=$(date +%s)
	findings=0
	# The standard error of a target is full of its messages.
	if ! "$folder/libfuzzer/$subject" -max_total_time="$seconds" \
		-print_final_stats=1 -timeout=20 -rss_limit_mb=1024 \
		-close_fd_mask=3 -artifact_prefix="$folder/findings/$subject-" \
		"$corpus" "$TMPDIR/$subject" >"$log" 2>&1; then
		findings=1
		failed=1
		echo "$subject: see $log"
		grep -E 'SUMMARY|not true|Test unit written' "$log"
	fi
	edges=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -n 1)
	echo "$subject $(stat number_of_executed_units "$log")" \
		"$(($(date +%s) - started)) ${edges:-0}" \
		"$(find "$corpus" -type f | wc -l) $findings" >>"$table"
	rm -rf "${TMPDIR:?}/$subject"
done
column -t "$table" 2>/dev/null || cat "$table"
exit $failed
