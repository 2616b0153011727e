// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/alloc/hook_resources.h"

#include <gtest/gtest.h>

#include <thread>

namespace drover {
namespace {

AllocNetworkStatus Status(const std::string& interface, const std::string& address) {
  AllocNetworkStatus status;
  status.interface_name = interface;
  status.address = address;
  return status;
}

TEST(HookResourcesTest, KeepsWhatWasSet) {
  HookResources resources;
  EXPECT_EQ(resources.network_namespace(), "");
  resources.SetNetworkNamespace("/run/netns/a");
  EXPECT_EQ(resources.network_namespace(), "/run/netns/a");
  EXPECT_FALSE(resources.network_status());
  resources.SetNetworkStatus(Status("eth0", "10.0.0.2"));
  EXPECT_EQ(resources.network_status()->address, "10.0.0.2");
}

// Texts that are set together are seen together. The thread sanitizer finds other races.
TEST(HookResourcesTest, MayBeUsedFromSeveralThreads) {
  HookResources resources;
  std::thread writer([&resources] {
    for (int i = 0; i < 2000; ++i) {
      const std::string text(static_cast<std::size_t>(20 + i % 2), static_cast<char>('a' + i % 2));
      resources.SetNetworkStatus(Status(text, text));
    }
  });
  for (int i = 0; i < 2000; ++i) {
    const auto status = resources.network_status();
    if (status) {
      ASSERT_EQ(status->interface_name, status->address);
    }
  }
  writer.join();
}

}  // namespace
}  // namespace drover
