#!/bin/sh
# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#
# header_compile_test.sh SDK_INCLUDE_DIR TEST_DIR [wrapper]
#
# Compiles the C headers, and the tables of their layouts, in every language standard they promise, with
# the installed compilers. With "wrapper", compiles the C++ wrapper instead.
set -u
include=$1
dir=$2
what=${3:-header}
warnings="-Wall -Wextra -pedantic -Werror"
failed=0
ran=0

compile() { # compiler, arguments
  command -v "$1" >/dev/null || return 0
  ran=$((ran + 1))
  if ! "$@" -I"$include" $warnings -fsyntax-only; then
    echo "FAILED: $*"
    failed=1
  fi
}

if [ "$what" = wrapper ]; then
  for compiler in g++ clang++-19; do
    for standard in c++17 c++20; do
      compile $compiler -std=$standard -Wshadow -Wnon-virtual-dtor -fPIC -x c++ \
        "$dir/wrapper_compile.cc"
    done
  done
else
  for source in "$dir/layout.c" "$dir/draft_layout.c" "$include/drover/drover.h" "$include/drover/drover_device.h" \
    "$include/drover/drover_command.h" "$include/drover/drover_process2.h" "$include/drover/drover_node.h" "$include/drover/drover_task_env.h" "$include/drover/drover_task_place.h" \
    "$include/drover/drover_task_hooks.h" "$include/drover/drover_capabilities.h" \
    "$include/drover/drover_pause.h" "$include/drover/drover_progress.h" "$include/drover/drover_c.h" \
    "$include/drover/drover_c_process.h" \
    "$include/drover/drover_prepare.h" "$include/drover/drover_news.h"; do
    for compiler in gcc clang-19; do
      for standard in c11 c17; do compile $compiler -std=$standard -x c "$source"; done
    done
    for compiler in g++ clang++-19; do
      for standard in c++11 c++14 c++17 c++20; do
        compile $compiler -std=$standard -x c++ "$source"
      done
    done
  done
fi
if [ $ran -eq 0 ]; then
  echo "no compiler found"
  exit 1
fi
echo "$ran compilations"
exit $failed
