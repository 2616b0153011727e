// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/task/hooks/network_files_hook.h"

#include <gtest/gtest.h>

#include "host/base/await_for_test.h"
#include "host/base/loop.h"

namespace drover {
namespace {

class NetworkFilesHookTest : public testing::Test {
 protected:
  // Returns the places of the mounts that a task of a driver with ROOT gets.
  std::vector<std::string> Places(NetworkFilesHookOptions options, FsIsolation root) {
    NetworkFilesHook hook(std::move(options));
    PrestartRequest request;
    request.driver.fs_isolation = root;
    const Result<PrestartResponse> response =
        AwaitForTest(&loop_, hook.Prestart(Context(&loop_), request));
    DROVER_CHECK(response.ok());
    std::vector<std::string> places;
    for (const TaskMount& mount : response->mounts) {
      EXPECT_TRUE(mount.read_only);
      places.push_back(mount.host_path + " " + mount.task_path);
    }
    return places;
  }

  RealLoop loop_;
};

TEST_F(NetworkFilesHookTest, ATaskWithItsOwnRootGetsTheFiles) {
  const NetworkFilesHookOptions options{"/f", true, true, "/run/stub.conf"};
  EXPECT_EQ(Places(options, FsIsolation::kChroot),
            (std::vector<std::string>{"/f/resolv.conf /run/stub.conf", "/f/hosts /etc/hosts",
                                      "/f/hostname /etc/hostname"}));
  EXPECT_EQ(Places(options, FsIsolation::kImage)[0], "/f/resolv.conf /etc/resolv.conf");
}

TEST_F(NetworkFilesHookTest, WithTheHostsNetworkOnlyNamesAreLookedUpInAnotherWay) {
  EXPECT_EQ(Places({"/f"}, FsIsolation::kChroot),
            (std::vector<std::string>{"/f/resolv.conf /etc/resolv.conf"}));
}

TEST_F(NetworkFilesHookTest, NothingIsMountedOnWhatTheHostDoesNotHave) {
  const NetworkFilesHookOptions options{"/f", true, false, ""};
  EXPECT_EQ(Places(options, FsIsolation::kChroot),
            (std::vector<std::string>{"/f/hosts /etc/hosts"}));
  EXPECT_EQ(Places(options, FsIsolation::kImage)[0], "/f/resolv.conf /etc/resolv.conf");
}

TEST_F(NetworkFilesHookTest, ATaskWithTheRootOfTheHostKeepsItsFiles) {
  EXPECT_TRUE(Places({"/f", true, true}, FsIsolation::kNone).empty());
}

}  // namespace
}  // namespace drover
