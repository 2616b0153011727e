// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "host/container/plugin_child.h"

// The probe of a plugin starts this program again.
int main(int argc, char** argv) {
  if (const auto code = drover::MaybeRunPluginChild(argc, argv)) return *code;
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
