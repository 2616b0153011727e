// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/agent/network_hook.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "host/process/network_namespace.h"

namespace drover {
namespace {

class NetworkHookTest : public testing::Test {
 protected:
  Status Run(Co<Status> stage) {
    std::optional<Status> result;
    auto whole = [](Co<Status> inner, std::optional<Status>* out) -> Co<void> {
      Status value = co_await std::move(inner);
      out->emplace(std::move(value));
    };
    DROVER_CHECK(loop_.RunToEnd(whole(std::move(stage), &result)));
    return *result;
  }
  static AllocHookRequest Request(const std::string& mode) {
    auto job = std::make_shared<Job>();
    job->groups.resize(1);
    job->groups[0].name = "group";
    if (!mode.empty()) job->groups[0].networks.resize(1);
    if (!mode.empty()) job->groups[0].networks[0].mode = mode;
    auto alloc = std::make_shared<Allocation>();
    alloc->job = std::move(job);
    alloc->group_name = "group";
    AllocHookRequest request;
    request.alloc = std::move(alloc);
    return request;
  }

  RealLoop loop_;
  WorkerPool pool_{1};
  HookResources resources_;
  NetworkHook hook_{AllocHookEnv{&loop_, &resources_, nullptr, nullptr}, &pool_};
};

TEST_F(NetworkHookTest, TheHostsNetworkNeedsNothing) {
  EXPECT_TRUE(Run(hook_.Prerun(Context(&loop_), Request("host"))).ok());
  EXPECT_TRUE(Run(hook_.Prerun(Context(&loop_), Request(""))).ok());
  EXPECT_EQ(resources_.network_namespace(), "");
}

TEST_F(NetworkHookTest, NoneIsANamespaceUntilTheTasksHaveEnded) {
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

TEST_F(NetworkHookTest, OneThatWasGivenUpLeavesNothing) {
  if (geteuid() != 0) GTEST_SKIP() << "network namespaces need root";
  Context context(&loop_);
  context.Cancel();
  EXPECT_EQ(Run(hook_.Prerun(context, Request("none"))).code(), Code::kCancelled);
  EXPECT_EQ(resources_.network_namespace(), "");
}

}  // namespace
}  // namespace drover
