#!/bin/sh
# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#
# sdk_package_test.sh SDK_DIR DRIVERS_MD RUN_DRIVER EXPORTS_TEST
#
# The SDK as a third party gets it, without a build of Drover. It is installed from its own directory,
# and found by its ABI version, by pkg-config for programs and for drivers, and as a subdirectory. The
# driver is the one of docs/drivers.md, which must compile without a warning and work.
set -eu
sdk=$1
manual=$2
run=$3
exports=$4
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

fail() {
  echo "FAILED: $*"
  [ ! -f "$tmp/log" ] || cat "$tmp/log"
  exit 1
}
quietly() { "$@" >"$tmp/log" 2>&1; }
check() { # library
  output=$("$run" "$1" '{"name":"world"}')
  [ "$output" = "Hello, world
exit code 0" ] || fail "$1 printed: $output"
  "$exports" "$1"
}

# Neither an agent nor its sources are installed.
mkdir "$tmp/alone"
cp -r "$sdk" "$tmp/alone/sdk"
quietly cmake -S "$tmp/alone/sdk" -B "$tmp/build" || fail "the SDK cannot be configured alone"
quietly cmake --install "$tmp/build" --prefix "$tmp/sdk" || fail "the SDK cannot be installed alone"

abi=$(sed -n 's/^#define DROVER_ABI_M[AI][JN]OR //p' "$sdk/include/drover/drover.h" | paste -sd.)
major=${abi%.*}
mkdir "$tmp/find"
cat >"$tmp/find/CMakeLists.txt" <<'EOF'
cmake_minimum_required(VERSION 3.17)
project(find LANGUAGES C)
find_package(DroverSDK ${WANTED} REQUIRED)
EOF
finds() {
  rm -rf "$tmp/find/build"
  quietly cmake -S "$tmp/find" -B "$tmp/find/build" -DCMAKE_PREFIX_PATH="$tmp/sdk" "-DWANTED=$1"
}
finds "" && finds "$abi" && finds "$major.0" || fail "the SDK of ABI $abi is not found as that"
for other in 0.1 "$((major + 1)).0" "$major.$((${abi#*.} + 1))"; do
  ! finds "$other" || fail "the SDK of ABI $abi is found for $other"
done

# The first driver of the manual.
mkdir "$tmp/hello"
awk '/^```cpp$/ { inside = 1; next } /^```$/ && inside { exit } inside' "$manual" >"$tmp/hello/hello.cc"
grep -q DROVER_DRIVER "$tmp/hello/hello.cc" || fail "$manual begins with no whole driver"

PKG_CONFIG_PATH=$(dirname "$(find "$tmp/sdk" -name drover-sdk.pc)")
export PKG_CONFIG_PATH
[ "$(pkg-config --modversion drover-sdk)" = "$abi.0" ] || fail "pkg-config has another version"
# shellcheck disable=SC2046  # the options are words
quietly g++ -std=c++17 -O0 -Wall -Wextra -Werror -fno-gnu-unique -o "$tmp/hello.so" \
  "$tmp/hello/hello.cc" $(pkg-config --cflags --libs drover-sdk-module) ||
  fail "the driver of $manual does not compile as it stands"
check "$tmp/hello.so"

cat >"$tmp/unit_test.c" <<'EOF'
#include <drover/drover.h>
int main(void) { return DROVER_ABI_MAJOR == 1 ? 0 : 1; }
EOF
# shellcheck disable=SC2046
quietly gcc -o "$tmp/unit_test" "$tmp/unit_test.c" $(pkg-config --cflags --libs drover-sdk) ||
  fail "a program cannot be linked"
"$tmp/unit_test" || fail "a program that pkg-config has linked does not run"

# The SDK as a part of the driver's project, which installs the driver and nothing of the SDK.
cat >"$tmp/hello/CMakeLists.txt" <<EOF
cmake_minimum_required(VERSION 3.17)
project(hello LANGUAGES CXX)
add_subdirectory($tmp/alone/sdk sdk)
drover_add_driver(hello SOURCES hello.cc INSTALL)
EOF
quietly cmake -S "$tmp/hello" -B "$tmp/hello/build" || fail "the SDK is no subdirectory"
quietly cmake --build "$tmp/hello/build" || fail "a driver cannot be built with a subdirectory"
check "$tmp/hello/build/hello.so"
quietly cmake --install "$tmp/hello/build" --prefix "$tmp/installed" || fail "it is not installed"
files=$(find "$tmp/installed" -type f)
case $files in
  */drover/plugins/hello.so) ;;
  *) fail "a driver's project has installed: $files" ;;
esac

# The same by FetchContent, from an archive of the repository as a server makes it.
tar -C "$tmp/alone" --transform 's,^,drover-1.0/,' -czf "$tmp/drover.tar.gz" sdk
mkdir "$tmp/fetch"
cp "$tmp/hello/hello.cc" "$tmp/fetch"
cat >"$tmp/fetch/CMakeLists.txt" <<EOF
cmake_minimum_required(VERSION 3.18)
project(hello LANGUAGES CXX)
include(FetchContent)
FetchContent_Declare(DroverSDK URL $tmp/drover.tar.gz SOURCE_SUBDIR sdk)
FetchContent_MakeAvailable(DroverSDK)
drover_add_driver(hello SOURCES hello.cc)
EOF
quietly cmake -S "$tmp/fetch" -B "$tmp/fetch/build" -Wno-dev || fail "the SDK cannot be fetched"
quietly cmake --build "$tmp/fetch/build" || fail "a driver cannot be built with a fetched SDK"
check "$tmp/fetch/build/hello.so"

# The place that the port of vcpkg chooses for the CMake package.
quietly cmake -S "$sdk" -B "$tmp/share-build" -DDROVER_SDK_CMAKEDIR=share/DroverSDK ||
  fail "DROVER_SDK_CMAKEDIR is refused"
quietly cmake --install "$tmp/share-build" --prefix "$tmp/share" || fail "it is not installed"
rm -rf "$tmp/find/build"
quietly cmake -S "$tmp/find" -B "$tmp/find/build" -DCMAKE_PREFIX_PATH="$tmp/share" -DWANTED= ||
  fail "the SDK is not found in share"
PKG_CONFIG_PATH=$(dirname "$(find "$tmp/share" -name drover-sdk.pc)")
[ -f "$(pkg-config --variable=versionscript drover-sdk-module)" ] ||
  fail "drover-sdk-module names a version script that is not there"
