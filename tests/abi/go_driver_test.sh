#!/bin/sh
# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#
# go_driver_test.sh ROOT EXPORTS_TEST TESTHOST
#
# Builds the driver in Go as docs/go-driver.md describes it, without a network, and runs tasks of it in
# a process of its own. Skipped where there is no go.
set -eu
root=$1
exports=$2
testhost=$3
command -v go >/dev/null || { echo "SKIP: go is not installed"; exit 77; }
command -v gcc >/dev/null || { echo "SKIP: gcc, which cgo needs, is not installed"; exit 77; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cp -r "$root/examples/drivers/hello_go" "$tmp/hello_go"
# The cache of the user is used if there is one: the first build compiles Go's own library.
GOFLAGS=-mod=mod GOPROXY=off GOTOOLCHAIN=local
GOCACHE=${GOCACHE:-$(go env GOCACHE)}
export GOFLAGS GOPROXY GOTOOLCHAIN GOCACHE
make -s -C "$tmp/hello_go" clean
make -s -C "$tmp/hello_go" SDK_CFLAGS="-I$root/sdk/include" >"$tmp/log" 2>&1 ||
  { cat "$tmp/log"; exit 1; }
library=$tmp/hello_go/hello_go.so
"$exports" "$library"

# Twenty tasks at a time, from many goroutines; one is stopped by a signal.
{
  for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    echo "{\"call\": \"start\", \"task\": \"t$i\", \"config\": {\"text\": \"hi $i\", \"seconds\": 0}, \"async\": true, \"id\": $i}"
  done
  echo '{"call": "start", "task": "long", "config": {"text": "hi", "seconds": 60}}'
  echo '{"call": "stop", "task": "long", "signal": "SIGTERM", "kill_timeout_ms": 20000}'
  echo '{"call": "wait", "task": "long", "id": "long"}'
  echo '{"call": "start", "task": "last", "config": {"text": "bye", "seconds": 0}}'
  echo '{"call": "wait", "task": "last", "id": "last"}'
  echo '{"call": "logs", "task": "last", "id": "logs"}'
} >"$tmp/requests"
"$testhost" --isolation process "$library" <"$tmp/requests" >"$tmp/answers"
answers=$(tr -d ' ' <"$tmp/answers")
started=$(grep -c '"run_id"' "$tmp/answers")
[ "$started" -eq 22 ] || { echo "FAILED: $started of 22 tasks have started: $answers"; exit 1; }
for wanted in '"name":"hello_go"' '"signal":15' '"exit_code":0' 'bye'; do
  case $answers in
    *"$wanted"*) ;;
    *) echo "FAILED: the answers lack $wanted: $answers"; exit 1 ;;
  esac
done
