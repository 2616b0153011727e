// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/plugin/plugin_host.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <future>

#include "host/abi/abi_write.h"
#include "host/base/directory_for_test.h"

namespace drover {
namespace {

class PluginHostTest : public testing::Test {
 protected:
  PluginHostTest() {
    PluginHost::Parts parts;
    parts.plugin = "test";
    parts.loop = &loop_;
    host_ = PluginHost::Make(std::move(parts));
  }

  std::shared_ptr<PendingCall> NewCall(RunId run = RunId(), const char* verb = "wait") {
    auto call = std::make_shared<PendingCall>(
        &loop_, verb, run, [](const void*) { return Result<CallValue>(CallValue()); });
    host_->calls().Add(call);
    return call;
  }
  static Code CodeOf(const PendingCall& call) {
    return call.outcome ? call.outcome->code() : Code::kInternal;
  }

  static Co<void> Pause(Context context) { (void)co_await Sleep(context, 1ms); }

  RealLoop loop_;
  std::shared_ptr<PluginHost> host_;
};

// Nobody would ever hear of them afterwards.
TEST_F(PluginHostTest, ClosingItEndsTheCallsThatAreLeft) {
  const std::shared_ptr<PendingCall> held = NewCall();
  const std::shared_ptr<PendingCall> completed = NewCall();
  std::promise<void> entered;
  std::promise<void> release;
  const auto left = std::make_shared<std::promise<void>>();
  const auto hold = [&, left] {
    host_->calls().Enter(held->id);
    host_->calls().Enter(completed->id);
    auto error = NewStruct<drover_error>();
    WriteError(Error(Code::kTimeout, "its own"), &error);
    host_->calls().Complete(completed->id, &error, nullptr);
    entered.set_value();
    release.get_future().wait();
    host_->calls().Leave(completed->id);
    host_->calls().Leave(held->id);
    left->set_value();
  };
  ASSERT_TRUE(host_->pool().Post({"wait", hold, 30s, false}));
  entered.get_future().wait();
  ASSERT_TRUE(loop_.RunToEnd(host_->Close(loop_.Now()), 20s));
  for (const auto& call : {held, completed}) {
    EXPECT_TRUE(loop_.RunToEnd(call->done.Wait(), 5s));
  }
  EXPECT_EQ(CodeOf(*held), Code::kUnavailable);
  EXPECT_EQ(CodeOf(*completed), Code::kTimeout);
  release.set_value();
  left->get_future().wait();
}

TEST_F(PluginHostTest, ACallThatWasGivenUpBeforeItWasBegunNeverIs) {
  const std::shared_ptr<PendingCall> call = NewCall();
  EXPECT_TRUE(host_->calls().Cancel(call->id));
  EXPECT_FALSE(host_->calls().HasBegun(call->id));
  EXPECT_FALSE(host_->calls().Enter(call->id));
  EXPECT_FALSE(host_->calls().HasBegun(call->id));
  const std::shared_ptr<PendingCall> other = NewCall();
  EXPECT_TRUE(host_->calls().Enter(other->id));
  host_->calls().Leave(other->id);
  EXPECT_TRUE(host_->calls().Cancel(other->id));
  EXPECT_TRUE(host_->calls().HasBegun(other->id));
  ASSERT_TRUE(loop_.RunToEnd(host_->Close(loop_.Now()), 20s));
}

TEST_F(PluginHostTest, ForgettingARunEndsItsCallsAndNoOthers) {
  const RunId run = RunId::Random();
  const RunId other = RunId::Random();
  const auto wait = NewCall(run);
  const auto completed = NewCall(run);
  const auto of_other = NewCall(other);
  const auto of_none = NewCall();
  const auto recover = NewCall(run, "recover");
  recover->brings_task = true;
  EXPECT_FALSE(host_->calls().IsAtIt("recover", run)) << "it was not given up";
  EXPECT_TRUE(host_->calls().Cancel(recover->id));
  EXPECT_TRUE(host_->calls().IsAtIt("recover", run));
  EXPECT_FALSE(host_->calls().IsAtIt("recover", other));
  EXPECT_FALSE(host_->calls().IsAtIt("start", run));
  host_->calls().Complete(completed->id, nullptr, nullptr);
  host_->calls().ForgetRun(run);
  EXPECT_EQ(host_->calls().size(), 3u);
  EXPECT_TRUE(host_->calls().IsPending(recover->id)) << "it may still bring a task";
  ASSERT_TRUE(loop_.RunToEnd(host_->Close(loop_.Now()), 20s));
  for (const auto& call : {wait, completed, of_other, of_none, recover}) {
    EXPECT_TRUE(loop_.RunToEnd(call->done.Wait(), 5s));
  }
  EXPECT_EQ(CodeOf(*wait), Code::kNotFound);
  EXPECT_EQ(CodeOf(*completed), Code::kOk);
  for (const auto& call : {of_other, of_none, recover}) {
    EXPECT_EQ(CodeOf(*call), Code::kUnavailable);
  }
}

// A timer that fires into an instance that is gone would be a crash of the agent.
TEST_F(PluginHostTest, TimersThatAreDroppedDoNotFire) {
  std::promise<void> fired;
  int wrong = 0;
  const auto count = [](void* context) { ++*static_cast<int*>(context); };
  const auto tell = [](void* context) { static_cast<std::promise<void>*>(context)->set_value(); };
  const std::uint64_t dropped = host_->timers().After(0ns, count, &wrong);
  host_->timers().DropAll();
  EXPECT_TRUE(host_->timers().Cancel(dropped)) << "it will not run";
  EXPECT_FALSE(host_->timers().Cancel(dropped));
  EXPECT_EQ(host_->timers().size(), 0u);
  host_->timers().After(1ms, tell, &fired);  // set by a shutdown
  auto future = fired.get_future();
  const TimePoint end = BootClock::now() + 20s;
  while (future.wait_for(0s) != std::future_status::ready && BootClock::now() < end) {
    const Context context(&loop_);
    ASSERT_TRUE(loop_.RunToEnd(Pause(context), 20s));
  }
  EXPECT_EQ(future.wait_for(0s), std::future_status::ready);
  EXPECT_EQ(wrong, 0);
  ASSERT_TRUE(loop_.RunToEnd(host_->Close(loop_.Now() + 5s), 20s));
}

TEST_F(PluginHostTest, OnlyANodeWithAPlaceHasTheServiceOfTheNode) {
  const auto find = [](const std::shared_ptr<PluginHost>& host) {
    return static_cast<const drover_node*>(
        host->face()->get_extension(host->face(), ToStr(DROVER_NODE_ID)));
  };
  EXPECT_EQ(find(host_), nullptr);
  ASSERT_TRUE(loop_.RunToEnd(host_->Close(loop_.Now()), 20s));

  const DirectoryForTest directory;
  PluginNode node;
  node.node_id = "n1";
  node.directory = directory.path() + "/plugin_data";
  PluginHost::Parts parts;
  parts.plugin = "test";
  parts.loop = &loop_;
  parts.node = NodeOfPlugin(node, "test");
  std::shared_ptr<PluginHost> host = PluginHost::Make(std::move(parts));
  const drover_host* const face = host->face();
  const drover_node* const service = find(host);
  ASSERT_NE(service, nullptr);
  const drover_node_info* const info = service->get(face);
  EXPECT_EQ(std::string(info->node_id.data, info->node_id.size), "n1");
  const std::string state(info->state_dir.data, info->state_dir.size);
  EXPECT_EQ(state, directory.path() + "/plugin_data/test/state");
  EXPECT_FALSE(std::filesystem::exists(state));
  auto error = NewStruct<drover_error>();
  EXPECT_EQ(service->make_directories(face, &error), DROVER_OK);
  EXPECT_TRUE(std::filesystem::is_directory(state));
  ASSERT_TRUE(loop_.RunToEnd(host->Close(loop_.Now()), 20s));
  host.reset();
  EXPECT_EQ(service->get(face), info) << "valid until the end of the instance, and longer";
}

}  // namespace
}  // namespace drover
