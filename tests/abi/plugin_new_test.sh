#!/bin/sh
# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#
# plugin_new_test.sh BUILD_DIR DROVER EXPORTS_TEST
#
# What "drover plugin new" writes builds at once with the SDK of this build, in C and C++ with g++ and
# clang, by CMake and by make, and in Rust. Its own tests pass, and its job runs by the command of its
# README. A name that is taken is refused, and nothing is overwritten.
set -eu
build=$1
drover=$2
exports=$3
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
log=$tmp/log

fail() {
  echo "FAILED: $*"
  [ ! -f "$log" ] || tail -50 "$log"
  exit 1
}
quietly() { "$@" >"$log" 2>&1; }

quietly cmake --install "$build" --component sdk --prefix "$tmp/sdk" || fail "the SDK is not installed"
PKG_CONFIG_PATH=$(dirname "$(find "$tmp/sdk" -name drover-sdk.pc)")
export PKG_CONFIG_PATH
testhost=$tmp/sdk/bin/drover-testhost

cd "$tmp"
for language in c cpp rust; do
  quietly "$drover" plugin new --lang $language "my-$language" || fail "there is no project in $language"
done
! quietly "$drover" plugin new --lang c my-cpp || fail "a project was overwritten"
grep -q 'my-cpp: exists already' "$log" || fail "the refusal does not name the directory"
! quietly "$drover" plugin new --lang c Upper || fail "a bad name was taken"
[ ! -e Upper ] || fail "a refused project was written"
quietly "$drover" plugin new --lang c --dir elsewhere disk || fail "--dir is refused"
[ -f elsewhere/disk.c ] || fail "--dir is not used"

for language in c cpp; do
  directory=$tmp/my-$language
  for cc in gcc clang-19; do
    command -v $cc >/dev/null || continue
    case $cc in gcc) cxx=g++ ;; *) cxx=clang++-19 ;; esac
    quietly cmake -S "$directory" -B "$directory/build-$cc" -DCMAKE_PREFIX_PATH="$tmp/sdk" \
      -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_COMPILER=$cc -DCMAKE_CXX_COMPILER=$cxx \
      -DCMAKE_C_FLAGS=-Werror -DCMAKE_CXX_FLAGS=-Werror -Wno-dev ||
      fail "$language with $cc cannot be configured"
    quietly cmake --build "$directory/build-$cc" || fail "$language with $cc does not build"
    "$exports" "$directory/build-$cc/my-$language.so"
    quietly ctest --test-dir "$directory/build-$cc" -R driver --output-on-failure --no-tests=error ||
      fail "the tests of the driver in $language with $cc"
    echo "ok: $language with $cc"
  done
done
quietly make -C "$tmp/my-cpp" CXXFLAGS=-O0 test || fail "make test in C++"
quietly make -C "$tmp/my-c" CFLAGS=-O0 test || fail "make test in C"
for language in c cpp; do
  quietly cmp "$tmp/my-$language/kit.json" "$tmp/my-$language/build/kit.json" ||
    fail "make leaves no kit.json beside the driver in $language"
done
if command -v cargo >/dev/null; then
  quietly make -C "$tmp/my-rust" TESTHOST="$testhost" test || fail "the driver in Rust"
  quietly cmp "$tmp/my-rust/kit.json" "$tmp/my-rust/target/release/kit.json" ||
    fail "make leaves no kit.json beside the driver in Rust"
  echo "ok: rust"
else
  echo "cargo is not installed: the project in Rust was not built"
fi

# As the README says it; the driver by make lies in "build".
for job in job.json job.nomad.hcl; do
  case $job in *.hcl) [ -x "$(dirname "$drover")/drover-hcl" ] || continue ;; esac
  output=$(cd my-cpp && "$drover" run --plugin-dir build "$job" 2>"$log") || fail "$job does not run"
  case $output in
    *"hello from my-cpp"*) echo "ok: $job" ;;
    *) fail "$job printed: $output" ;;
  esac
done
