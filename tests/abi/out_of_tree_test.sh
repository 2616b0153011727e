#!/bin/sh
# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#
# out_of_tree_test.sh BUILD_DIR EXAMPLES_DIR RUN_DRIVER EXPORTS_TEST
#
# Installs the SDK, moves it, and builds the examples against it as a third party does: with CMake
# and with make, with g++ and with clang. Each result must load, run a task, export one symbol
# and pass its own tests.
set -eu
build=$1
examples=$2
run=$3
exports=$4
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

cmake --install "$build" --component sdk --prefix "$tmp/first" >"$tmp/install.log"
mv "$tmp/first" "$tmp/sdk"
config=$(find "$tmp/sdk" -name DroverSDKConfig.cmake)
pc=$(dirname "$(find "$tmp/sdk" -name drover-sdk.pc)")
[ -n "$config" ]
export PKG_CONFIG_PATH=$pc
plugindir=$(pkg-config --variable=plugindir drover-sdk)
case $(readlink -m "$plugindir") in
  "$tmp"/sdk/*/drover/plugins) ;;
  *) echo "FAILED: plugindir is $plugindir"; exit 1 ;;
esac

check() { # library, task configuration, expected output
  output=$("$run" "$1" "$2")
  if [ "$output" != "$3" ]; then
    echo "FAILED: $1 printed: $output"
    exit 1
  fi
  "$exports" "$1"
  echo "ok: $1"
}
check_hello() {
  check "$1" '{"name":"world","times":2,"pause":1}' 'Hello, world
Hello, world
exit code 0'
}
check_hello_c() {
  check "$1" '{"text":"hi"}' '{"text":"hi"}
exit code 0'
}

check_machine() { "$exports" "$1" && echo "ok: $1"; } # it runs no tasks
check_machine_c() { check_machine "$1"; }

# A plugin with task hooks runs no task: tests/e2e/test_task_hooks.py runs them in an agent.
check_hooks() {
  "$exports" "$1"
  echo "ok: $1"
}
check_secrets_file() { check_hooks "$1"; }
check_exit_notifier() { check_hooks "$1"; }

cp -r "$examples/hello" "$examples/hello_c" "$examples/../hooks/secrets_file" \
  "$examples/../hooks/exit_notifier" "$tmp"
cp -r "$examples/../devices/machine" "$examples/../devices/machine_c" "$tmp"

# A driver with a sanitizer of its own, built as docs/plugin-debugging.md describes it.
asan=$(gcc -print-file-name=libasan.so)
testhost=$(pkg-config --variable=testhost drover-sdk)
make -s -C "$tmp/hello_c" CC=gcc CFLAGS="-O0 -g -fsanitize=address"
requests='{"call": "start", "task": "a", "config": {"text": "hi", "seconds": 0}}
{"call": "wait", "task": "a"}'
answers=$(echo "$requests" | LD_PRELOAD=$asan ASAN_OPTIONS=detect_leaks=0 \
  "$testhost" --no-probe "$tmp/hello_c/hello_c.so")
case $answers in
  *'"exit_code":0'*) echo "ok: hello_c.so with AddressSanitizer" ;;
  *) echo "FAILED: with AddressSanitizer it answered: $answers"; exit 1 ;;
esac
make -s -C "$tmp/hello_c" clean
for cc in gcc clang-19; do
  command -v $cc >/dev/null || continue
  case $cc in gcc) cxx=g++ ;; *) cxx=clang++-19 ;; esac
  for example in hello hello_c machine machine_c secrets_file exit_notifier; do
    cmake -S "$tmp/$example" -B "$tmp/$cc-$example" -DCMAKE_PREFIX_PATH="$tmp/sdk" \
      -DCMAKE_C_COMPILER=$cc -DCMAKE_CXX_COMPILER=$cxx -Wno-dev >"$tmp/log" 2>&1 ||
      { cat "$tmp/log"; exit 1; }
    cmake --build "$tmp/$cc-$example" >"$tmp/log" 2>&1 || { cat "$tmp/log"; exit 1; }
    "check_$example" "$tmp/$cc-$example/$example.so"
    if [ "$example" = hello ]; then # the driver's own tests, in the host of the installed SDK
      ctest --test-dir "$tmp/$cc-$example" --output-on-failure --no-tests=error
    fi
    make -s -C "$tmp/$example" clean
    make -s -C "$tmp/$example" CC=$cc CXX=$cxx CFLAGS=-O0 CXXFLAGS=-O0
    "check_$example" "$tmp/$example/$example.so"
    [ "$example" != hello ] || make -s -C "$tmp/hello" test
  done
done
