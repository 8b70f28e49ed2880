#!/bin/sh
# Where the gateway's CPU time goes, by perf: bench/profile.sh [SCENARIO...] (default: the three that
# have a target).  WAY=parley|stored|nginx chooses what is looked at; default: parley, and stored too.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
if ! command -v perf >/dev/null 2>&1; then
	echo "perf is missing: install linux-perf. Without it, this shows where the time goes, slowly:" >&2
	echo "  valgrind --tool=callgrind build/release/parley serve ...   then callgrind_annotate" >&2
	exit 1
fi
one() { "$root/bench/run" --profile "$1" --only "$2"; }
if [ $# -eq 0 ]; then
	set -- json64 sse1000
fi
for scenario; do
	for way in ${WAY:-parley stored}; do
		one "$way" "$scenario"
	done
done
