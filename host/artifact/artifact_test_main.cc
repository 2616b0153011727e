// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "host/artifact/fetch_child.h"

// The tests start this program again as the process that fetches.
int main(int argc, char** argv) {
  if (const auto code = drover::MaybeRunFetchChild(argc, argv)) return *code;
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
