#!/bin/sh
# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#
# rust_driver_test.sh ROOT RUN_DRIVER EXPORTS_TEST [TESTHOST DROVER]
#
# Tests the crates of sdk/rust, and builds the drivers in Rust with them, without a network. Each
# driver runs a task in a host of the tests, and hello_rust passes the conformance kit in both places.
set -eu
root=$1
run=$2
exports=$3
testhost=${4:-}
drover=${5:-}
command -v cargo >/dev/null || { echo "SKIP: cargo is not installed"; exit 77; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
# The sources stay as they are: cargo writes beside them.
mkdir -p "$tmp/sdk" "$tmp/examples/drivers"
cp -r "$root/sdk/rust" "$tmp/sdk/rust"
rm -rf "$tmp/sdk/rust/target"
export CARGO_TARGET_DIR="$tmp/target" CARGO_NET_OFFLINE=true
cargo test --quiet --offline --manifest-path "$tmp/sdk/rust/Cargo.toml" >"$tmp/log" 2>&1 ||
  { cat "$tmp/log"; exit 1; }
grep -q "test result: ok. [1-9]" "$tmp/log" || { echo "FAILED: cargo has run no tests"; exit 1; }

for example in hello_rust; do
  cp -r "$root/examples/drivers/$example" "$tmp/examples/drivers/$example"
  rm -rf "$tmp/examples/drivers/$example/target"
  cargo build --quiet --offline --manifest-path "$tmp/examples/drivers/$example/Cargo.toml"
  "$exports" "$tmp/target/debug/lib$example.so"
done

library=$tmp/target/debug/libhello_rust.so
output=$("$run" "$library" '{"text":"hi"}')
if [ "$output" != '{"text":"hi"}
exit code 0' ]; then
  echo "FAILED: it printed: $output"
  exit 1
fi
[ -n "$drover" ] || exit 0

answers=$("$testhost" --isolation process "$library" <<'EOF2'
{"call": "start", "task": "a", "config": {"text": "hi", "seconds": 60}}
{"call": "exec", "task": "a", "command": ["/bin/echo", "beside it"]}
{"call": "stats", "task": "a", "samples": 2, "interval_ms": 50}
{"call": "stop", "task": "a", "signal": "SIGTERM"}
{"call": "wait", "task": "a"}
EOF2
)
for wanted in '"stdout":"beside it' '"samples":[' '"signal":15'; do
  case $(echo "$answers" | tr -d ' ') in
    *"$(echo "$wanted" | tr -d ' ')"*) ;;
    *) echo "FAILED: the answers lack $wanted: $answers"; exit 1 ;;
  esac
done
for place in in-process process; do
  # Its tasks are no commands: cases that need one are skipped.
  "$drover" plugin test --isolation $place --kit "$tmp/examples/drivers/hello_rust/kit.json" \
    --max-skips 60 --require recovered-recover "$library" >"$tmp/kit" || { grep -v '^PASS' "$tmp/kit"; exit 1; }
  tail -1 "$tmp/kit"
done
