# bash in the runner's sandbox: sources each piece of code, so that variables, functions and the directory stay.
#
# Orders come over descriptor 3: "run N MARK FILE" or "stop".  The pipe of the output carries marks too: 0x1e,
# MARK, a letter with a number, 0x1e; L is a line, E the end, D the end of this shell with its directory.
# Nothing here is a function that code runs in: `declare` would make local variables.

shopt -s extdebug
exec {__parley_out}>&1

__parley_put() { builtin printf '\036%s%s\036' "$__parley_mark" "$1" >&"$__parley_out"; }

# Before each command.  A status of 2 leaves the sourced file (see extdebug): so an interrupt keeps variables.
__parley_debug() {
	# a subshell may live on behind the end
	[[ $2 == "$__parley_file" && -n $__parley_mark && $BASHPID == "$$" ]] || return 0
	((__parley_stop)) && return 2
	((__parley_lines++ < 256)) || {
		trap - DEBUG
		return 0
	}
	[[ $1 == "$__parley_line" ]] || {
		__parley_line=$1
		__parley_put "L$1"
	}
	return 0
}

__parley_interrupt() {
	__parley_stop=1
	trap '__parley_debug "$LINENO" "${BASH_SOURCE[0]}"' DEBUG
}

# `exit`, or a failure under `set -e`: the runner waits for this process's end.
__parley_exit() {
	local status=$?
	[[ -n $__parley_mark ]] && __parley_put "D$status $PWD"
	builtin exit "$status"
}
trap __parley_exit EXIT
trap __parley_interrupt INT

# `break` in the code leaves the inner loop only.
while :; do
	while
		if [[ -n $__parley_mark ]]; then
			trap - DEBUG
			((__parley_stop)) && __parley_status=130
			__parley_put "E${__parley_status:-0}"
			__parley_mark=
		fi
		IFS=' ' builtin read -r -u 3 __parley_order __parley_number __parley_secret __parley_file
	do
		[[ $__parley_order == run ]] || continue
		__parley_mark=$__parley_secret
		__parley_line=0 __parley_lines=0 __parley_stop=0 __parley_status=0
		if [[ ! -s $__parley_file ]]; then
			continue
		fi
		# an open quote must not reach this file
		"$BASH" -n "$__parley_file" >&"$__parley_out" 2>&1 || {
			__parley_status=2
			continue
		}
		trap '__parley_debug "$LINENO" "${BASH_SOURCE[0]}"' DEBUG
		source "$__parley_file" >&"$__parley_out" 2>&1 3<&-
		{
			__parley_status=$?
			set +exvu
		} 2>/dev/null
	done
	[[ -n $__parley_order ]] || builtin exit 0
	__parley_order=
done
