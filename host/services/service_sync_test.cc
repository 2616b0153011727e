// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/services/service_sync.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "host/base/gate.h"

namespace drover {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

ServiceRegistration Named(const std::string& alloc_id, const std::string& owner,
                          const std::string& name, int port = 80) {
  ServiceRegistration out;
  out.id = "_nomad-task-" + alloc_id + "-" + (owner.empty() ? "group-g" : owner) + "-" + name + "-";
  out.name = name;
  out.service_namespace = "default";
  out.node_id = "node";
  out.alloc_id = alloc_id;
  out.port = port;
  return out;
}

class ServiceSyncTest : public testing::Test {
 protected:
  ServiceSyncTest() { Begin(); }
  ~ServiceSyncTest() override { Stop(); }

  // Begins a new agent.
  void Begin() {
    context_.emplace(&loop_);
    gate_.emplace(&loop_);
    sync_.emplace(&loop_, [this](const Error& error) { reports_.push_back(error.message()); });
    ServiceLink link;
    link.update = [this](Context context, std::vector<ServiceRegistration> put,
                         std::vector<std::string> gone) {
      return Update(context, std::move(put), std::move(gone));
    };
    link.fetch = [this](Context) { return Fetch(); };
    EXPECT_TRUE(gate_->Spawn(sync_->Run(*context_, std::move(link))));
    loop_.RunReady();
  }
  void Stop() {
    context_->Cancel();
    EXPECT_TRUE(loop_.RunToEnd(gate_->Close()));
    loop_.RunReady();  // calls of Clear return
  }
  // Kills the agent and begins the next one.
  void Kill() {
    Stop();
    Begin();
  }
  void Compared() {
    sync_->RestoreDone();
    loop_.RunReady();
  }
  void Set(const std::string& alloc, const std::string& owner,
           std::vector<ServiceRegistration> all) {
    sync_->Set(alloc, owner, std::move(all));
    loop_.RunReady();
  }
  // Begins to clear, and puts the answer into ANSWER when it comes.
  void Clear(const std::string& alloc, const std::string& owner, std::optional<Status>* answer,
             Duration limit = 5s) {
    auto run = [](ServiceSync* sync, Context within, std::string of, std::string by,
                  std::optional<Status>* out) -> Co<void> {
      const Status status = co_await sync->Clear(within, std::move(of), std::move(by));
      out->emplace(status);
    };
    loop_.Spawn(run(&*sync_, Context(&loop_).WithTimeout(limit), alloc, owner, answer));
    loop_.RunReady();
  }

  Co<Status> Update(Context context, std::vector<ServiceRegistration> put,
                    std::vector<std::string> gone) {
    batches_.push_back(std::to_string(put.size()) + " put, " + std::to_string(gone.size()) +
                       " gone");
    ++in_flight_;
    most_in_flight_ = std::max(most_in_flight_, in_flight_);
    if (applies_before_answer_) Apply(put, gone);
    if (delay_ > 0s) (void)co_await Sleep(context, delay_);
    --in_flight_;
    if (context.cancelled()) co_return context.status();
    if (!answer_.ok()) co_return answer_;
    Apply(put, gone);
    co_return Status();
  }
  void Apply(const std::vector<ServiceRegistration>& put, const std::vector<std::string>& gone) {
    for (const std::string& id : gone) server_.erase(id);
    for (ServiceRegistration one : put) {
      one.create_index = one.modify_index = ++index_;
      server_[one.id] = one;
    }
  }
  Co<Result<std::vector<ServiceRegistration>>> Fetch() {
    ++fetches_;
    if (!fetch_answer_.ok()) co_return fetch_answer_.error();
    std::vector<ServiceRegistration> all;
    for (const auto& [id, one] : server_) all.push_back(one);
    co_return all;
  }
  // The services on the server, as "NAME:PORT".
  std::vector<std::string> Server() const {
    std::vector<std::string> names;
    for (const auto& [id, one] : server_) {
      names.push_back(one.name + ":" + std::to_string(one.port));
    }
    return names;
  }

  SimLoop loop_;
  std::map<std::string, ServiceRegistration> server_;
  std::uint64_t index_ = 0;
  std::vector<std::string> batches_;
  int in_flight_ = 0;
  int most_in_flight_ = 0;
  int fetches_ = 0;
  bool applies_before_answer_ = false;
  Duration delay_ = 0s;
  Status answer_;
  Status fetch_answer_;
  std::vector<std::string> reports_;
  std::optional<Context> context_;
  std::optional<Gate> gate_;
  std::optional<ServiceSync> sync_;
};

TEST_F(ServiceSyncTest, SendsWhatIsSetAndRemovesWhatIsCleared) {
  Compared();
  Set("a", "", {Named("a", "", "api")});
  Set("a", "web", {Named("a", "web", "web")});
  EXPECT_THAT(Server(), UnorderedElementsAre("api:80", "web:80"));
  std::optional<Status> cleared;
  Clear("a", "", &cleared);
  ASSERT_TRUE(cleared.has_value());
  EXPECT_TRUE(cleared->ok());
  EXPECT_THAT(Server(), ElementsAre("web:80"));
  Clear("a", "web", &cleared);
  EXPECT_EQ(sync_->known(), 0u);
}

TEST_F(ServiceSyncTest, SendsOnlyDifferences) {
  Compared();
  Set("a", "", {Named("a", "", "one"), Named("a", "", "two"), Named("a", "", "three")});
  Set("a", "", {Named("a", "", "one"), Named("a", "", "two", 81)});
  Set("a", "", {Named("a", "", "one"), Named("a", "", "two", 81)});
  EXPECT_THAT(batches_, ElementsAre("3 put, 0 gone", "1 put, 1 gone"));
  EXPECT_THAT(Server(), UnorderedElementsAre("one:80", "two:81"));
}

TEST_F(ServiceSyncTest, OneBatchIsInFlightAndTheNextHasAllThatCameMeanwhile) {
  Compared();
  delay_ = 1s;
  Set("a", "", {Named("a", "", "one")});
  for (int port = 1; port <= 100; ++port) Set("b", "", {Named("b", "", "two", port)});
  Set("c", "", {Named("c", "", "three")});
  std::optional<Status> cleared;
  Clear("a", "", &cleared);
  loop_.Advance(1500ms);
  EXPECT_FALSE(cleared.has_value());
  loop_.Advance(600ms);
  EXPECT_TRUE(cleared.has_value());
  EXPECT_THAT(batches_, ElementsAre("1 put, 0 gone", "2 put, 1 gone"));
  EXPECT_THAT(Server(), UnorderedElementsAre("two:100", "three:80"));
  EXPECT_EQ(most_in_flight_, 1);
}

TEST_F(ServiceSyncTest, ABatchIsBounded) {
  Compared();
  std::vector<ServiceRegistration> all;
  for (std::size_t i = 0; i < ServiceSync::kMostInBatch + 1; ++i) {
    all.push_back(Named("a", "", "s" + std::to_string(i)));
  }
  Set("a", "", all);
  EXPECT_THAT(batches_, ElementsAre(std::to_string(ServiceSync::kMostInBatch) + " put, 0 gone",
                                    "1 put, 0 gone"));
  EXPECT_EQ(server_.size(), all.size());
}

TEST_F(ServiceSyncTest, ARefusedBatchIsSentAgainWithGrowingPauses) {
  Compared();
  answer_ = Error(Code::kUnavailable, "not now");
  Set("a", "", {Named("a", "", "api")});
  loop_.Advance(1s);
  EXPECT_EQ(batches_.size(), 2u);
  loop_.Advance(2s);
  EXPECT_EQ(batches_.size(), 3u);
  loop_.Advance(10min);
  EXPECT_LT(batches_.size(), 30u);
  EXPECT_THAT(reports_, ElementsAre("not now")) << "it is reported once";
  answer_ = Status();
  Set("b", "", {Named("b", "", "other")});
  loop_.Advance(ServiceSync::kLongestPause);
  EXPECT_THAT(Server(), UnorderedElementsAre("api:80", "other:80"));
}

TEST_F(ServiceSyncTest, WhatMayHaveArrivedIsRemovedAllTheSame) {
  Compared();
  applies_before_answer_ = true;
  answer_ = Error(Code::kTimeout, "no answer");
  Set("a", "", {Named("a", "", "api")});
  EXPECT_THAT(Server(), ElementsAre("api:80"));
  std::optional<Status> cleared;
  Clear("a", "", &cleared);
  EXPECT_FALSE(cleared.has_value());
  loop_.Advance(6s);
  ASSERT_TRUE(cleared.has_value());
  EXPECT_EQ(cleared->code(), Code::kTimeout);
  answer_ = Status();
  loop_.Advance(1min);
  EXPECT_THAT(Server(), IsEmpty()) << "it is removed all the same";
  EXPECT_EQ(sync_->known(), 0u);
}

TEST_F(ServiceSyncTest, ClearWaitsForTheAcknowledgement) {
  Compared();
  Set("a", "", {Named("a", "", "api")});
  delay_ = 3s;
  std::optional<Status> cleared;
  Clear("a", "", &cleared);
  loop_.Advance(2999ms);
  EXPECT_FALSE(cleared.has_value());
  loop_.Advance(1ms);
  ASSERT_TRUE(cleared.has_value());
  EXPECT_TRUE(cleared->ok());
}

TEST_F(ServiceSyncTest, ClearOfNothingDoesNotWait) {
  Compared();
  delay_ = 1h;
  Set("a", "", {Named("a", "", "api")});
  std::optional<Status> cleared;
  Clear("a", "web", &cleared);
  EXPECT_TRUE(cleared.has_value());
  cleared.reset();
  Clear("b", "", &cleared);
  EXPECT_TRUE(cleared.has_value());
}

TEST_F(ServiceSyncTest, ClearGivesWayToANewSet) {
  Compared();
  Set("a", "", {Named("a", "", "api")});
  delay_ = 1s;
  std::optional<Status> cleared;
  Clear("a", "", &cleared);
  Set("a", "", {Named("a", "", "api")});
  loop_.Advance(2s);
  EXPECT_TRUE(cleared.has_value());
  EXPECT_THAT(Server(), ElementsAre("api:80"));
  EXPECT_EQ(sync_->known(), 1u);
}

TEST_F(ServiceSyncTest, NothingIsSentBeforeAllRunnersAreRestored) {
  Set("a", "", {Named("a", "", "api")});
  std::optional<Status> cleared;
  Clear("b", "", &cleared);
  loop_.Advance(1s);
  EXPECT_EQ(fetches_, 0);
  EXPECT_THAT(batches_, IsEmpty());
  EXPECT_FALSE(cleared.has_value()) << "nobody knows yet whether there is anything";
  Compared();
  EXPECT_EQ(fetches_, 1);
  EXPECT_THAT(batches_, ElementsAre("1 put, 0 gone"));
  EXPECT_TRUE(cleared.has_value());
}

TEST_F(ServiceSyncTest, AFetchThatFailsIsRepeated) {
  fetch_answer_ = Error(Code::kUnavailable, "not now");
  Set("a", "", {Named("a", "", "api")});
  Compared();
  loop_.Advance(5s);
  EXPECT_GT(fetches_, 1);
  EXPECT_THAT(batches_, IsEmpty());
  EXPECT_THAT(reports_, ElementsAre("not now"));
  fetch_answer_ = Status();
  loop_.Advance(ServiceSync::kLongestPause);
  EXPECT_THAT(Server(), ElementsAre("api:80"));
}

TEST_F(ServiceSyncTest, TheNextAgentLosesAndDoublesNone) {
  Compared();
  Set("a", "", {Named("a", "", "api")});
  Set("a", "web", {Named("a", "web", "web")});
  Set("a", "db", {Named("a", "db", "db")});
  Set("gone", "", {Named("gone", "", "left")});
  batches_.clear();
  Kill();
  // The group has registered again, the task "web" waits for its driver, and "db" has ended.
  Set("a", "", {Named("a", "", "api")});
  sync_->Restored("a", {{"", "_nomad-task-a-group-g-"},
                        {"web", "_nomad-task-a-web-"},
                        {"db", "_nomad-task-a-db-", false}});
  EXPECT_EQ(server_.size(), 4u);
  Compared();
  EXPECT_THAT(batches_, ElementsAre("0 put, 2 gone"));
  EXPECT_THAT(Server(), UnorderedElementsAre("api:80", "web:80"));
  // The driver has come back.
  Set("a", "web", {Named("a", "web", "web")});
  EXPECT_EQ(batches_.size(), 1u);
  std::optional<Status> cleared;
  Clear("a", "web", &cleared);
  EXPECT_THAT(Server(), ElementsAre("api:80"));
}

TEST_F(ServiceSyncTest, TheNextAgentRemovesWhatItsOwnerNoLongerHas) {
  Compared();
  Set("a", "", {Named("a", "", "one"), Named("a", "", "two")});
  Set("a", "web", {Named("a", "web", "web")});
  Kill();
  Set("a", "", {Named("a", "", "one", 81)});
  std::optional<Status> cleared;
  Clear("a", "web", &cleared);
  sync_->Restored("a", {{"", "_nomad-task-a-group-g-"}, {"web", "_nomad-task-a-web-"}});
  Compared();
  EXPECT_THAT(Server(), ElementsAre("one:81"));
  EXPECT_TRUE(cleared.has_value());
  EXPECT_EQ(sync_->known(), 1u);
}

TEST_F(ServiceSyncTest, TheNextAgentTellsOwnersApartByTheLongestName) {
  Compared();
  Set("a", "web", {Named("a", "web", "x")});
  Set("a", "web-b", {Named("a", "web-b", "y")});
  Kill();
  sync_->Restored("a", {{"web", "_nomad-task-a-web-"}, {"web-b", "_nomad-task-a-web-b-"}});
  Compared();
  std::optional<Status> cleared;
  Clear("a", "web", &cleared);
  EXPECT_THAT(Server(), ElementsAre("y:80"));
}

TEST_F(ServiceSyncTest, TheNextAgentTellsOwnersApartByTheNameOfTheService) {
  Compared();
  Set("a", "web", {Named("a", "web", "api")});
  Kill();
  // The task "web" has ended. The id of its service begins as those of the task "web-api" do.
  sync_->Restored("a",
                  {{"web", "_nomad-task-a-web-", false}, {"web-api", "_nomad-task-a-web-api-"}});
  Compared();
  EXPECT_THAT(Server(), IsEmpty());
}

TEST_F(ServiceSyncTest, AKillAtAnyMomentIsMended) {
  for (int moment = 0; moment < 4; ++moment) {
    server_.clear();
    delay_ = 0s;
    applies_before_answer_ = false;
    Kill();
    Compared();
    Set("a", "", {Named("a", "", "one")});
    delay_ = 1s;
    applies_before_answer_ = moment % 2 == 1;
    std::optional<Status> cleared;
    if (moment < 2) {
      Set("a", "", {Named("a", "", "one", 81), Named("a", "", "two")});
    } else {
      Clear("a", "", &cleared);
    }
    Kill();
    delay_ = 0s;
    if (moment < 2) {
      Set("a", "", {Named("a", "", "one", 81), Named("a", "", "two")});
    } else {
      Clear("a", "", &cleared);
    }
    sync_->Restored("a", {{"", "_nomad-task-a-group-g-"}});
    Compared();
    if (moment < 2) {
      EXPECT_THAT(Server(), UnorderedElementsAre("one:81", "two:80")) << moment;
    } else {
      EXPECT_THAT(Server(), IsEmpty()) << moment;
    }
  }
}

TEST_F(ServiceSyncTest, ClearDoesNotWaitForAnAgentThatEnds) {
  Compared();
  Set("a", "", {Named("a", "", "api")});
  delay_ = 1h;
  std::optional<Status> cleared;
  Clear("a", "", &cleared, 2h);
  Stop();
  loop_.RunReady();
  ASSERT_TRUE(cleared.has_value());
  EXPECT_EQ(cleared->code(), Code::kCancelled);
  cleared.reset();
  Clear("a", "", &cleared, 2h);
  ASSERT_TRUE(cleared.has_value());
  EXPECT_EQ(cleared->code(), Code::kCancelled);
}

TEST_F(ServiceSyncTest, AThousandServicesAreSmall) {
  if (mallinfo2().uordblks == 0) GTEST_SKIP() << "this allocator does not say what it has given";
  Compared();
  const auto before = mallinfo2();
  for (int i = 0; i < 1000; ++i) {
    const std::string alloc = "11111111-2222-3333-4444-" + std::to_string(100'000'000'000 + i);
    ServiceRegistration one = Named(alloc, "", "service-" + std::to_string(i));
    one.node_id = alloc;
    one.datacenter = "dc1";
    one.job_id = "job-" + std::to_string(i);
    one.address = "192.168.100.100";
    one.tags = {"http", "urlprefix-/api"};
    sync_->Set(alloc, "", {one});
  }
  const auto used = [&before] {
    const auto now = mallinfo2();
    return now.uordblks + now.hblkhd - before.uordblks - before.hblkhd;
  };
  EXPECT_LT(used(), 1'500'000u) << "before anything is sent";
  loop_.RunReady();
  ASSERT_EQ(server_.size(), 1000u);
  server_.clear();
  EXPECT_LT(used(), 650'000u) << "the server has the registrations";
}

TEST_F(ServiceSyncTest, EachPartThatOthersSeeIsADifference) {
  Compared();
  ServiceRegistration one = Named("a", "", "api");
  one.tags = {"b", "c"};
  Set("a", "", {one});
  const std::vector<std::function<void(ServiceRegistration*)>> changes = {
      [](ServiceRegistration* to) { to->name = "other"; },
      [](ServiceRegistration* to) { to->service_namespace = "other"; },
      [](ServiceRegistration* to) { to->node_id = "other"; },
      [](ServiceRegistration* to) { to->datacenter = "other"; },
      [](ServiceRegistration* to) { to->job_id = "other"; },
      [](ServiceRegistration* to) { to->address = "192.0.2.1"; },
      [](ServiceRegistration* to) { to->port = 81; },
      [](ServiceRegistration* to) { to->tags = {"bc"}; },
      [](ServiceRegistration* to) { to->tags = {"b", "c", ""}; }};
  for (const auto& change : changes) {
    ServiceRegistration changed = one;
    change(&changed);
    batches_.clear();
    Set("a", "", {changed});
    EXPECT_THAT(batches_, ElementsAre("1 put, 0 gone"));
    Set("a", "", {one});
    Set("a", "", {one});
    EXPECT_EQ(batches_.size(), 2u);
  }
  one.create_index = one.modify_index = 7;
  batches_.clear();
  Set("a", "", {one});
  EXPECT_THAT(batches_, IsEmpty()) << "the indexes are the server's";
}

// The registrations that the server has are known by their hashes alone.
TEST_F(ServiceSyncTest, WhatIsWantedAgainDuringABatchIsSent) {
  Compared();
  Set("a", "", {Named("a", "", "api")});
  delay_ = 1s;
  Set("a", "", {Named("a", "", "api", 81)});
  Set("a", "", {Named("a", "", "api")});
  loop_.Advance(3s);
  EXPECT_THAT(Server(), ElementsAre("api:80"));
  answer_ = Error(Code::kUnavailable, "not now");
  Set("a", "", {Named("a", "", "api", 81)});
  loop_.Advance(1500ms);
  Set("a", "", {Named("a", "", "api")});
  answer_ = Status();
  loop_.Advance(1min);
  EXPECT_THAT(Server(), ElementsAre("api:80"));
  Set("a", "", {});
  Set("a", "", {Named("a", "", "api")});
  loop_.Advance(5s);
  EXPECT_THAT(Server(), ElementsAre("api:80"));
  EXPECT_EQ(sync_->known(), 1u);
}

}  // namespace
}  // namespace drover
