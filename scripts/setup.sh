# shellcheck shell=bash
# Sourced by scripts/start and scripts/test: packages, and the release build.

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)

say() { printf '%s\n' "$*" >&2; }

# missing_packages LIST...: their packages that are not installed, as dpkg knows it.
missing_packages() {
	local installed name
	# shellcheck disable=SC2016 # the format is dpkg's, not the shell's
	# dpkg-query fails when it does not know one of them: that one is missing
	installed=$(cat "$@" | xargs dpkg-query -W -f '${Package} ${db:Status-Status}\n' 2>/dev/null || true)
	cat "$@" | while read -r name; do
		case $'\n'"$installed"$'\n' in
		*$'\n'"$name installed"$'\n'*) ;;
		*) printf '%s\n' "$name" ;;
		esac
	done
}

# tools_there LIST...: where dpkg does not know, is what the lists stand for there under any name?
tools_there() {
	local tool
	for tool in cc cmake pkg-config curl; do
		command -v "$tool" >/dev/null || return 1
	done
	pkg-config --exists libmicrohttpd json-c libcurl sqlite3 yaml-0.1 libcrypto libssl zlib || return 1
	[ $# = 1 ] && return 0
	for tool in clang python3 git; do
		command -v "$tool" >/dev/null || return 1
	done
	pkg-config --exists cmocka && python3 -c 'import ensurepip, venv' 2>/dev/null
}

apt_install() {
	local as_root=()
	if [ "$(id -u)" != 0 ]; then
		command -v sudo >/dev/null || return 1
		as_root=(sudo)
	fi
	"${as_root[@]}" "$root/scripts/install" "$@" >&2
}

# need_packages LIST...: installs what is missing, or says what is needed and ends the script.
need_packages() {
	local missing
	if command -v dpkg-query >/dev/null; then
		mapfile -t missing < <(missing_packages "$@")
		[ "${#missing[@]}" = 0 ] && return 0
		say "missing packages: ${missing[*]}"
		if command -v apt-get >/dev/null && apt_install "${missing[@]}"; then
			return 0
		fi
		say "Please install them, as root: apt-get update && apt-get install --no-install-recommends ${missing[*]}"
		exit 1
	fi
	tools_there "$@" && return 0
	say "No apt here. Please install what these Debian packages are on this system, then try again:"
	say "  $(cat "$@" | tr '\n' ' ')"
	exit 1
}

# What was compiled before, in any clone, is not compiled again where ccache is installed.
if command -v ccache >/dev/null; then
	export CMAKE_C_COMPILER_LAUNCHER=${CMAKE_C_COMPILER_LAUNCHER-ccache}
	export CCACHE_BASEDIR=${CCACHE_BASEDIR-$root} CCACHE_NOHASHDIR=1
fi

# configure PRESET [CMAKE OPTION...]: makes build/PRESET, if that was not done yet.
configure() {
	local preset=$1 dir=$root/build/$1
	shift
	if [ ! -e "$dir/CMakeCache.txt" ] || [ "$root/CMakePresets.json" -nt "$dir/CMakeCache.txt" ]; then
		local generator=(-G Ninja)
		command -v ninja >/dev/null || generator=(-G "Unix Makefiles")
		# --fresh: a cache of another compiler would lose the preset's options
		# a cache that a failure leaves behind would look as if all had been done
		(cd "$root" && cmake --fresh --preset "$preset" "${generator[@]}" \
			${PARLEY_WERROR:+"-DPARLEY_WERROR=$PARLEY_WERROR"} "$@") >&2 || {
			rm -f "$dir/CMakeCache.txt"
			return 1
		}
		touch "$dir/CMakeCache.txt"
	fi
}

# build PRESET [CMAKE OPTION...]: configures if need be, and builds.
build() {
	configure "$@" && cmake --build "$root/build/$1" --parallel "$(nproc)" >&2
}
