#!/bin/sh
# bootstrap.sh demo|check: from a fresh machine with git and a shell to a
# running demonstration, or to every test. Works with apt-get (Debian, Ubuntu),
# dnf (Fedora) and brew (macOS); installs only what is missing, and says what
# before it does.
set -eu

usage() {
	cat <<'END'
usage: ./bootstrap.sh demo     build; make a small release; install it into an app
       ./bootstrap.sh check    build; run every test and check
       ./bootstrap.sh tools    install what both need, and stop

RNE_BOOTSTRAP_INSTALL=0 installs nothing: what is missing is only named.
END
}

# What is probed, and the package that brings it: apt, dnf, brew.
#   command:NAME  a program on PATH
#   pkg:NAME      a module of pkg-config
#   header:NAME   a header that the compiler finds
# "-" where the system has it anyway or does not have it at all.
build_needs='
command:cc           gcc                   gcc                 -
header:stdio.h       libc6-dev             glibc-devel         -
command:make         make                  make                make
command:pkg-config   pkg-config            pkgconf-pkg-config  pkgconf
pkg:libcurl          libcurl4-openssl-dev  libcurl-devel       curl
pkg:libarchive       libarchive-dev        libarchive-devel    libarchive
pkg:libcjson         libcjson-dev          cjson-devel         cjson
pkg:libcrypto        libssl-dev            openssl-devel       openssl@3
pkg:libzstd          libzstd-dev           libzstd-devel       zstd
pkg:zlib             zlib1g-dev            zlib-devel          zlib
pkg:yaml-0.1         libyaml-dev           libyaml-devel       libyaml
pkg:libutf8proc      libutf8proc-dev       utf8proc-devel      utf8proc
pkg:libisal          libisal-dev           isa-l-devel         isa-l
'
check_needs='
pkg:cmocka           libcmocka-dev         libcmocka-devel     cmocka
command:node         nodejs                nodejs              node
command:npm          npm                   nodejs-npm          node
command:ruby         ruby                  ruby                ruby
command:cmake        cmake                 cmake               cmake
command:c++          g++                   gcc-c++             -
command:groovy       groovy                -                   groovy
command:zstd         zstd                  zstd                zstd
command:zip          zip                   zip                 zip
command:minisign     minisign              minisign            minisign
command:strace       strace                strace              -
command:clang-format clang-format          clang-tools-extra   clang-format
command:clang-tidy   clang-tidy            clang-tools-extra   llvm
command:cppcheck     cppcheck              cppcheck            cppcheck
command:shellcheck   shellcheck            ShellCheck          shellcheck
command:mandoc       mandoc                mandoc              mandoc
command:valgrind     valgrind              valgrind            -
'

say() {
	printf '%s\n' "$*" >&2
}

die() {
	say "bootstrap.sh: $*"
	exit 1
}

# Homebrew keeps some libraries out of pkg-config's sight.
see_homebrew() {
	prefix=$(brew --prefix)
	for name in curl libarchive openssl@3 zlib; do
		PKG_CONFIG_PATH=$prefix/opt/$name/lib/pkgconfig:${PKG_CONFIG_PATH:-}
	done
	export PKG_CONFIG_PATH
}

find_manager() {
	for manager in apt-get dnf brew; do
		if command -v "$manager" >/dev/null 2>&1; then
			return
		fi
	done
	manager=none
}

is_there() {
	case $1 in
	command:*) command -v "${1#command:}" >/dev/null 2>&1 ;;
	pkg:*) pkg-config --exists "${1#pkg:}" 2>/dev/null ;;
	header:*) echo "#include <${1#header:}>" | cc -E - >/dev/null 2>&1 ;;
	esac
}

# The packages that bring what is missing, one a line, each once.
missing_packages() {
	printf '%s\n' "$1" | while read -r probe apt dnf brew; do
		case $manager in
		apt-get) package=$apt ;;
		dnf) package=$dnf ;;
		brew) package=$brew ;;
		*) package=${probe#*:} ;;
		esac
		if [ -n "$probe" ] && [ "$package" != - ] && ! is_there "$probe"; then
			printf '%s\n' "$package"
		fi
	done | sort -u
}

as_root() {
	if [ "$(id -u)" = 0 ]; then
		"$@"
	elif command -v sudo >/dev/null 2>&1; then
		sudo "$@"
	else
		die "installing needs root and there is no sudo; as root, run: $*"
	fi
}

install_packages() {
	case $manager in
	apt-get)
		# An index from before may name files that are gone.
		as_root apt-get -qq update
		as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -y \
			-o Dpkg::Use-Pty=0 install --no-install-recommends "$@" >/dev/null
		;;
	dnf) as_root dnf -q -y install "$@" ;;
	brew) brew install -q "$@" ;;
	esac
}

need() {
	find_manager
	if [ "$manager" = brew ]; then
		see_homebrew
	fi
	missing=$(missing_packages "$1")
	# Names of packages hold no blanks.
	# shellcheck disable=SC2086
	set -- $missing
	if [ $# = 0 ]; then
		return
	fi
	if [ "$manager" = none ]; then
		die "no apt-get, dnf or brew here; please install: $*"
	fi
	if [ "${RNE_BOOTSTRAP_INSTALL:-1}" = 0 ]; then
		say "missing, and not installed (RNE_BOOTSTRAP_INSTALL=0): $*"
		return
	fi
	say "These packages are missing and are installed now with $manager:"
	say "  $*"
	install_packages "$@"
}

build() {
	say "Building build/rne-libs ..."
	make -s -j2
}

cd "$(dirname "$0")"
case ${1:-} in
demo)
	need "$build_needs"
	build
	exec sh tests/fixtures/sample/demo.sh
	;;
check)
	need "$build_needs$check_needs"
	exec sh tests/run
	;;
tools)
	need "$build_needs$check_needs"
	;;
-h | --help)
	usage
	;;
*)
	usage >&2
	exit 2
	;;
esac
