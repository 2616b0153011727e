// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/node_link/alloc_updates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/base/gate.h"

namespace drover {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class AllocUpdatesTest : public ::testing::Test {
 protected:
  AllocUpdatesTest()
      : updates_(&loop_, UpdatePace(),
                 [this](Context context, std::vector<AllocUpdate> batch, bool all) {
                   return Receive(context, std::move(batch), all);
                 }) {
    EXPECT_TRUE(gate_.Spawn(updates_.Run(context_)));
    loop_.Advance(10s);  // a quiet time
  }
  ~AllocUpdatesTest() override {
    context_.Cancel();
    EXPECT_TRUE(loop_.RunToEnd(gate_.Close()));
  }

  void Put(const std::string& id, ClientStatus status, const std::string& description = "") {
    AllocUpdate update;
    update.id = id;
    update.status = {status, description};
    updates_.Put(std::move(update));
    loop_.RunReady();
  }

  // The receiver notes each batch at once and answers with `answer_` after `delay_`.
  Co<Status> Receive(Context context, std::vector<AllocUpdate> batch, bool all) {
    if (all) ++complete_;
    std::string text;
    for (const AllocUpdate& update : batch) {
      text += (text.empty() ? "" : " ") + update.id + ":" +
              std::string(ClientStatusName(update.status.status)) + update.status.description;
    }
    received_.push_back(text);
    if (delay_ > 0s) (void)co_await Sleep(context, delay_);
    co_return answer_;
  }

  SimLoop loop_;
  Context context_{&loop_};
  Gate gate_{&loop_};
  Duration delay_ = 0s;
  Status answer_;
  std::vector<std::string> received_;
  int complete_ = 0;  // how many of them were said to have all states
  AllocUpdates updates_;
};

TEST_F(AllocUpdatesTest, AChangedStatusAfterAQuietTimeGoesAtOnce) {
  Put("a", ClientStatus::kRunning);
  EXPECT_THAT(received_, ElementsAre("a:running"));
}

TEST_F(AllocUpdatesTest, FurtherOnesGatherForATick) {
  Put("a", ClientStatus::kRunning);
  Put("b", ClientStatus::kRunning);
  loop_.Advance(100ms);
  Put("c", ClientStatus::kFailed);
  loop_.Advance(99ms);
  EXPECT_EQ(received_.size(), 1u);
  loop_.Advance(1ms);
  EXPECT_THAT(received_, ElementsAre("a:running", "b:running c:failed"));
}

TEST_F(AllocUpdatesTest, AllElseWaitsForTheFifthTick) {
  Put("a", ClientStatus::kRunning);
  loop_.Advance(300ms);
  Put("a", ClientStatus::kRunning, "-again");
  loop_.Advance(699ms);
  EXPECT_EQ(received_.size(), 1u);
  loop_.Advance(1ms);
  EXPECT_THAT(received_, ElementsAre("a:running", "a:running-again"));
}

TEST_F(AllocUpdatesTest, AnUrgentOneTakesTheOthersAlong) {
  Put("a", ClientStatus::kRunning);
  loop_.Advance(300ms);
  Put("a", ClientStatus::kRunning, "-again");
  Put("b", ClientStatus::kComplete);
  EXPECT_THAT(received_, ElementsAre("a:running", "a:running-again b:complete"));
}

TEST_F(AllocUpdatesTest, OnlyTheNewestGoes) {
  Put("a", ClientStatus::kRunning);
  Put("b", ClientStatus::kRunning);
  Put("b", ClientStatus::kFailed);
  Put("b", ClientStatus::kComplete);
  loop_.Advance(200ms);
  EXPECT_THAT(received_, ElementsAre("a:running", "b:complete"));
}

TEST_F(AllocUpdatesTest, ASlowReceiverHoldsNobodyUp) {
  delay_ = 60s;
  Put("a", ClientStatus::kRunning);
  for (int i = 0; i < 1000; ++i) Put("b", ClientStatus::kRunning, std::to_string(i));
  loop_.Advance(59s);
  EXPECT_EQ(received_.size(), 1u);
  EXPECT_EQ(updates_.waiting(), 1u);
  loop_.Advance(2s);
  EXPECT_THAT(received_, ElementsAre("a:running", "b:running999"));
}

TEST_F(AllocUpdatesTest, WhatWasRefusedGoesAgainUnlessThereIsANewerOne) {
  answer_ = Error(Code::kUnavailable, "not now");
  Put("a", ClientStatus::kRunning);
  Put("b", ClientStatus::kRunning);
  loop_.Advance(1s);
  Put("a", ClientStatus::kFailed);
  EXPECT_THAT(received_, ElementsAre("a:running")) << "5 s of patience at least";
  answer_ = Status();
  loop_.Advance(10s);
  EXPECT_THAT(received_, ElementsAre("a:running", "a:failed b:running"));
}

TEST_F(AllocUpdatesTest, WhatCameWhileItsFormerWasSentIsUrgentIfItDiffersFromThat) {
  delay_ = 300ms;
  Put("a", ClientStatus::kRunning);
  Put("b", ClientStatus::kRunning);  // waits while a is sent, and goes right after it
  Put("a", ClientStatus::kRunning, "-again");
  loop_.Advance(650ms);
  EXPECT_THAT(received_, ElementsAre("a:running", "a:running-again b:running"));
  delay_ = 150ms;
  Put("a", ClientStatus::kRunning, "-again");
  loop_.Advance(300ms);
  EXPECT_EQ(received_.size(), 2u) << "it says nothing that is urgent";
  Put("b", ClientStatus::kComplete);
  EXPECT_EQ(received_.back(), "a:running-again b:complete");
  // An urgent update that is refused stays urgent.
  loop_.Advance(200ms);
  answer_ = Error(Code::kUnavailable, "not now");
  Put("a", ClientStatus::kFailed);
  loop_.Advance(200ms);
  answer_ = Status();
  Put("b", ClientStatus::kComplete, "-again");
  loop_.Advance(10s);
  EXPECT_EQ(received_.back(), "a:failed b:complete-again");
}

TEST(AllocUpdatesPaceTest, AReceiverBesideItHearsOfEachStatusAtOnce) {
  SimLoop loop;
  const Context context(&loop);
  Gate gate(&loop);
  std::vector<std::string> received;
  AllocUpdates updates(&loop, {0s, 100ms},
                       [&](Context, std::vector<AllocUpdate> batch, bool) -> Co<Status> {
                         for (const AllocUpdate& update : batch) {
                           received.push_back(update.id + update.status.description);
                         }
                         co_return Status();
                       });
  EXPECT_TRUE(gate.Spawn(updates.Run(context)));
  const auto put = [&](ClientStatus status, const std::string& description) {
    AllocUpdate update;
    update.id = "a";
    update.status = {status, description};
    updates.Put(std::move(update));
    loop.RunReady();
  };
  put(ClientStatus::kRunning, "1");
  put(ClientStatus::kComplete, "2");
  EXPECT_THAT(received, ElementsAre("a1", "a2"));
  put(ClientStatus::kComplete, "3");
  EXPECT_EQ(received.size(), 2u);
  loop.Advance(100ms);
  EXPECT_THAT(received, ElementsAre("a1", "a2", "a3"));
  Context(context).Cancel();
  EXPECT_TRUE(loop.RunToEnd(gate.Close()));
}

TEST_F(AllocUpdatesTest, WhatIsForgottenWhileItIsSentDoesNotComeBack) {
  delay_ = 1s;
  answer_ = Error(Code::kUnavailable, "not now");
  Put("a", ClientStatus::kRunning);
  updates_.Forget("a");
  loop_.Advance(2s);
  EXPECT_EQ(updates_.waiting(), 0u);
  // Nor does the server count as knowing the status when the id comes again.
  delay_ = 0s;
  answer_ = Status();
  loop_.Advance(20s);
  Put("a", ClientStatus::kRunning);
  EXPECT_THAT(received_, ElementsAre("a:running", "a:running"));
}

TEST_F(AllocUpdatesTest, WhatIsForgottenIsNotSent) {
  Put("a", ClientStatus::kRunning);
  Put("b", ClientStatus::kRunning);
  updates_.Forget("b");
  loop_.Advance(2s);
  EXPECT_EQ(received_.size(), 1u);
}

TEST_F(AllocUpdatesTest, AllStatesAreSentAgainAlsoIfThereAreNone) {
  updates_.Resend({});
  loop_.Advance(200ms);
  EXPECT_THAT(received_, ElementsAre(""));
  Put("a", ClientStatus::kRunning);
  loop_.Advance(1s);
  AllocUpdate state;
  state.id = "a";
  state.status.status = ClientStatus::kRunning;
  updates_.Resend({state});
  updates_.Resend({state});
  loop_.Advance(10s);
  EXPECT_THAT(received_, ElementsAre("", "a:running", "a:running")) << "once";
  EXPECT_EQ(complete_, 2) << "the second one is only an update";
}

TEST_F(AllocUpdatesTest, ContactEndsThePauseAfterAFailure) {
  answer_ = Error(Code::kFailedPrecondition, "heartbeat first");
  Put("a", ClientStatus::kRunning);
  loop_.Advance(1s);
  ASSERT_THAT(received_, ElementsAre("a:running"));
  answer_ = Status();
  updates_.Resend({});
  loop_.Advance(200ms);
  EXPECT_THAT(received_, ElementsAre("a:running", "a:running"));
}

}  // namespace
}  // namespace drover
