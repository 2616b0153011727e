#!/bin/sh
# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#
# exports_test.sh DRIVER.so...: each exports the one symbol of the interface and nothing else, has no
# symbol that is unique across libraries, and contains its manifest.
failed=0
for driver in "$@"; do
  symbols=$(nm -D --defined-only "$driver" | awk '{print $2 " " $3}')
  if [ "$symbols" != "T drover_driver_entry_v1" ]; then
    echo "FAILED: $driver exports: $symbols"
    failed=1
  fi
  if nm "$driver" | grep -q ' u '; then
    echo "FAILED: $driver has symbols that the loader shares between libraries (STB_GNU_UNIQUE)"
    failed=1
  fi
  if ! readelf -SW "$driver" | grep -q ' \.drover_manifest '; then
    echo "FAILED: $driver has no manifest"
    failed=1
  fi
done
exit $failed
