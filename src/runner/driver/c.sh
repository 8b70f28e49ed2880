# C in the runner's sandbox: COMPILER FILE: compiles, and runs what came out.
made=/tmp/parley-cell-$$
"$1" -g -o "$made" "$2" -lm || exit 1
"$made"
status=$?
rm -f "$made"
exit "$status"
