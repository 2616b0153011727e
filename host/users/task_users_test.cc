// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/users/task_users.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace drover {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> NamesOf(const TaskUsers& users, const std::string& driver,
                                 const std::string& user) {
  Task task;
  task.driver = driver;
  task.user = user;
  std::vector<std::string> names;
  for (const auto& hook : users.HooksOf(task)) names.emplace_back(hook->name());
  return names;
}

TEST(TaskUsersTest, ATaskHasOnlyTheHooksThatItNeeds) {
  WorkerPool workers(1);
  TaskUsersOptions options;
  options.workers = &workers;
  options.rules.denied = {"root"};
  options.rules.checked_drivers = {"exec"};
  options.rules.dynamic_first = 80000;
  options.rules.dynamic_last = 80009;
  options.lock_path = "/nonexistent";
  const TaskUsers plain(options);
  EXPECT_THAT(NamesOf(plain, "exec", ""), IsEmpty());
  EXPECT_THAT(NamesOf(plain, "exec", "web"), ElementsAre("validate"));
  EXPECT_THAT(NamesOf(plain, "raw_exec", "80000"), IsEmpty());
  EXPECT_THAT(NamesOf(plain, "raw_exec", ""), IsEmpty());
  options.dynamic_drivers = {"raw_exec"};
  const TaskUsers dynamic(options);
  EXPECT_THAT(NamesOf(dynamic, "exec", ""), IsEmpty());
  EXPECT_THAT(NamesOf(dynamic, "raw_exec", ""), ElementsAre("workload_users"));
  EXPECT_THAT(NamesOf(dynamic, "raw_exec", "80000"), ElementsAre("validate"));
  EXPECT_THAT(NamesOf(dynamic, "raw_exec", "${meta.user}"),
              ElementsAre("validate", "workload_users"));
  EXPECT_THAT(NamesOf(dynamic, "mock_driver", "80000"), ElementsAre("validate"));
  options.dynamic_drivers.clear();
  options.rules.denied.clear();
  EXPECT_THAT(NamesOf(TaskUsers(options), "exec", "root"), IsEmpty());
}

}  // namespace
}  // namespace drover
