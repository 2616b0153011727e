#!/bin/sh
# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#
# rust_driver_test.sh BUILD_DIR EXAMPLE_DIR RUN_DRIVER EXPORTS_TEST
#
# Builds the driver in Rust against the installed SDK, without a network, and runs a task of it.
set -eu
build=$1
example=$2
run=$3
exports=$4
for tool in cargo pkg-config; do
  command -v $tool >/dev/null || { echo "SKIP: $tool is not installed"; exit 77; }
done
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cmake --install "$build" --component sdk --prefix "$tmp/sdk" >"$tmp/log"
PKG_CONFIG_PATH=$(dirname "$(find "$tmp/sdk" -name drover-sdk.pc)")
export PKG_CONFIG_PATH
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
# The number of the draft is that of the header: the manifest says it to the loader.
want=$(sed -n 's/^#define DROVER_ABI_DRAFT //p' "$tmp"/sdk/include/drover/drover.h)
objcopy -O binary --only-section=.drover_manifest "$library" "$tmp/manifest"
[ "$(od -An -tu4 -j16 -N4 "$tmp/manifest" | tr -d ' ')" = "$want" ] ||
  { echo "FAILED: its manifest does not say draft $want"; exit 1; }
