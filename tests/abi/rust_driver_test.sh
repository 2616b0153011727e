#!/bin/sh
# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#
# rust_driver_test.sh EXAMPLE_DIR RUN_DRIVER EXPORTS_TEST [DROVER]
#
# Builds the driver in Rust, without a network, and runs a task of it and the conformance kit.
set -eu
example=$1
run=$2
exports=$3
drover=${4:-}
command -v cargo >/dev/null || { echo "SKIP: cargo is not installed"; exit 77; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cp -r "$example" "$tmp/hello_rust"
cargo build --quiet --release --offline --manifest-path "$tmp/hello_rust/Cargo.toml" \
  --target-dir "$tmp/target"
library=$tmp/target/release/libhello_rust.so
output=$("$run" "$library" '{"text":"hi"}')
if [ "$output" != '{"text":"hi"}
exit code 0' ]; then
  echo "FAILED: it printed: $output"
  exit 1
fi
"$exports" "$library"
if [ -n "$drover" ]; then
  # Its tasks are no commands: cases that need one are skipped.
  "$drover" plugin test --kit "$example/kit.json" --max-skips 60 --require recovered-recover "$library" \
    >"$tmp/kit" || { grep -v '^PASS' "$tmp/kit"; exit 1; }
  tail -1 "$tmp/kit"
fi
