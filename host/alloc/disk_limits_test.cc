// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/alloc/disk_limits.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "host/alloc/fake_project_quotas_for_test.h"
#include "host/alloc/local_alloc_runner.h"
#include "host/base/directory_for_test.h"

namespace drover {
namespace {

class DiskLimitsTest : public ::testing::Test {
 protected:
  // Returns the names of the hooks that an allocation gets, in their order.
  std::vector<std::string> HooksWith(bool watch, bool quota) {
    DiskLimits limits({watch, quota, {directory_.path(), 100, 200, &quotas_}});
    LocalAllocEnv env;
    limits.AddQuotaHook(&env, &workers_);
    limits.AddWatchHook(&env);
    std::vector<std::string> names;
    for (const auto& make : env.extra_hooks) {
      names.emplace_back(make(AllocHookEnv{&loop_, nullptr, nullptr, nullptr})->name());
    }
    return names;
  }
  using Names = std::vector<std::string>;

  const DirectoryForTest directory_;
  FakeProjectQuotas quotas_;
  RealLoop loop_;
  WorkerPool workers_{1};
};

TEST_F(DiskLimitsTest, TheOptionsSayWhatHoldsAllocations) {
  EXPECT_EQ(HooksWith(false, false), Names());
  EXPECT_EQ(HooksWith(true, false), (Names{"disk_watch"}));
  EXPECT_EQ(HooksWith(true, true), (Names{"disk_quota", "disk_watch"}));
}

TEST_F(DiskLimitsTest, WithoutQuotasAllocationsAreWatched) {
  quotas_.check = Error(Code::kFailedPrecondition, "the file system has no quotas of projects");
  EXPECT_EQ(HooksWith(true, true), (Names{"disk_watch"}));
}

}  // namespace
}  // namespace drover
