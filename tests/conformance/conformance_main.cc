// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "host/conformance/kit_child.h"

// This program starts itself again for probes, drivers in processes of their own and cases of the
// kit.
int main(int argc, char** argv) {
  if (const auto code = drover::MaybeRunKitChild(argc, argv)) return *code;
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
