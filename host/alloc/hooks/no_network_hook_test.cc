// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/alloc/hooks/no_network_hook.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "host/base/await_for_test.h"
#include "host/base/directory_for_test.h"
#include "host/process/network_namespace.h"

namespace drover {
namespace {

class NoNetworkHookTest : public testing::Test {
 protected:
  Status Run(Co<Status> stage) { return AwaitForTest(&loop_, std::move(stage)); }
  static AllocHookRequest Request(const std::string& mode) {
    auto job = std::make_shared<Job>();
    job->groups.resize(1);
    job->groups[0].name = "group";
    if (!mode.empty()) job->groups[0].networks.resize(1);
    if (!mode.empty()) job->groups[0].networks[0].mode = mode;
    auto alloc = std::make_shared<Allocation>();
    alloc->id = "alloc";
    alloc->job = std::move(job);
    alloc->group_name = "group";
    AllocHookRequest request;
    request.alloc = std::move(alloc);
    return request;
  }

  static ino_t Inode(const std::string& file) {
    struct stat info{};
    return stat(file.c_str(), &info) == 0 ? info.st_ino : 0;
  }

  RealLoop loop_;
  WorkerPool pool_{1};
  HookResources resources_;
  NoNetworkHook hook_{AllocHookEnv{&loop_, &resources_, nullptr, nullptr}, &pool_, ""};
};

TEST_F(NoNetworkHookTest, TheHostsNetworkNeedsNothing) {
  EXPECT_TRUE(Run(hook_.Prerun(Context(&loop_), Request("host"))).ok());
  EXPECT_TRUE(Run(hook_.Prerun(Context(&loop_), Request(""))).ok());
  EXPECT_EQ(resources_.network_namespace(), "");
}

TEST_F(NoNetworkHookTest, NoneIsANamespaceUntilTheTasksHaveEnded) {
  const Status made = Run(hook_.Prerun(Context(&loop_), Request("none")));
  if (geteuid() != 0) {
    EXPECT_EQ(made.code(), Code::kPermissionDenied);
    return;
  }
  ASSERT_TRUE(made.ok()) << made.error().message();
  const std::string path = resources_.network_namespace();
  EXPECT_TRUE(OpenNetworkNamespace(path).ok()) << path;
  EXPECT_TRUE(Run(hook_.Postrun(Context(&loop_), Request("none"))).ok());
  EXPECT_EQ(OpenNetworkNamespace(path).code(), Code::kNotFound);
}

TEST_F(NoNetworkHookTest, AKeptOneIsFoundAgainByTheNextAgent) {
  if (geteuid() != 0) GTEST_SKIP() << "network namespaces need root";
  const DirectoryForTest made_directory;
  const std::string& directory = made_directory.path();
  const AllocHookEnv env{&loop_, &resources_, nullptr, nullptr};
  AllocHookRequest request = Request("none");
  const std::string file = directory + "/" + request.alloc->id;
  ino_t made = 0;
  {
    NoNetworkHook first(env, &pool_, directory);
    ASSERT_TRUE(Run(first.Prerun(Context(&loop_), request)).ok());
    EXPECT_EQ(resources_.network_namespace(), file);
    made = Inode(file);
  }
  HookResources of_next;
  const AllocHookEnv next_env{&loop_, &of_next, nullptr, nullptr};
  NoNetworkHook next(next_env, &pool_, directory);
  next.Restore(Request("host"));
  EXPECT_EQ(of_next.network_namespace(), "");
  next.Restore(request);
  EXPECT_EQ(of_next.network_namespace(), file);
  ASSERT_TRUE(Run(next.Prerun(Context(&loop_), request)).ok());
  EXPECT_EQ(Inode(file), made);

  EXPECT_TRUE(Run(next.Postrun(Context(&loop_), request)).ok());
  EXPECT_EQ(OpenNetworkNamespace(file).code(), Code::kNotFound);
  EXPECT_TRUE(Run(next.Postrun(Context(&loop_), request)).ok());  // nothing is there any more
  EXPECT_EQ(rmdir(directory.c_str()), 0);
}

TEST_F(NoNetworkHookTest, WhatAnAgentHasNotFinishedIsMadeAnew) {
  if (geteuid() != 0) GTEST_SKIP() << "network namespaces need root";
  const DirectoryForTest made_directory;
  const std::string& directory = made_directory.path();
  const std::string file = directory + "/alloc";
  std::ofstream(file).close();  // killed before the mount, or the machine was rebooted
  NoNetworkHook hook({&loop_, &resources_, nullptr, nullptr}, &pool_, directory);
  ASSERT_TRUE(Run(hook.Prerun(Context(&loop_), Request("none"))).ok());
  EXPECT_TRUE(OpenNetworkNamespace(file).ok());
  ASSERT_TRUE(Run(hook.Postrun(Context(&loop_), Request("none"))).ok());
  EXPECT_EQ(rmdir(directory.c_str()), 0);
}

TEST_F(NoNetworkHookTest, OneThatWasGivenUpLeavesNothing) {
  if (geteuid() != 0) GTEST_SKIP() << "network namespaces need root";
  Context context(&loop_);
  context.Cancel();
  EXPECT_EQ(Run(hook_.Prerun(context, Request("none"))).code(), Code::kCancelled);
  EXPECT_EQ(resources_.network_namespace(), "");
}

}  // namespace
}  // namespace drover
