// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/plugin/plugin_host.h"

#include <gtest/gtest.h>

#include <future>

#include "host/plugin/abi_write.h"

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

  std::shared_ptr<PendingCall> NewCall() {
    auto call = std::make_shared<PendingCall>(
        &loop_, "wait", RunId(), [](const void*) { return Result<CallValue>(CallValue()); });
    host_->calls().Add(call);
    return call;
  }
  static Code CodeOf(const PendingCall& call) {
    return call.outcome ? call.outcome->code() : Code::kInternal;
  }

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

}  // namespace
}  // namespace drover
