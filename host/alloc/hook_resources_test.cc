// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/alloc/hook_resources.h"

#include <gtest/gtest.h>

#include <thread>

namespace drover {
namespace {

TEST(HookResourcesTest, KeepsWhatWasSet) {
  HookResources resources;
  EXPECT_EQ(resources.network_namespace(), "");
  resources.SetNetworkNamespace("/run/netns/a");
  EXPECT_EQ(resources.network_namespace(), "/run/netns/a");
}

// A text is seen whole. The thread sanitizer finds other races.
TEST(HookResourcesTest, MayBeUsedFromSeveralThreads) {
  HookResources resources;
  std::thread writer([&resources] {
    for (int i = 0; i < 2000; ++i) {
      const auto size = static_cast<std::size_t>(20 + i % 2);
      resources.SetNetworkNamespace(std::string(size, static_cast<char>('a' + i % 2)));
    }
  });
  for (int i = 0; i < 2000; ++i) {
    const std::string path = resources.network_namespace();
    if (!path.empty()) {
      ASSERT_EQ(path, std::string(path[0] == 'a' ? 20 : 21, path[0]));
    }
  }
  writer.join();
}

}  // namespace
}  // namespace drover
