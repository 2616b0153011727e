// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/consul/consul_sync.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/base/loop.h"
#include "host/consul/consul_for_test.h"

namespace drover {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

constexpr char kAlloc[] = "0a1b2c3d-0000-4000-8000-00000000000a";
constexpr char kOther[] = "0a1b2c3d-0000-4000-8000-00000000000b";

class ConsulSyncTest : public ::testing::Test {
 protected:
  ConsulSyncTest() { Begin(); }
  ~ConsulSyncTest() override { End(); }

  // An agent starts.
  void Begin() {
    ConsulSync::Options options;
    options.node_id = "node-1";
    options.log = [this](const std::string& sentence) { log_.push_back(sentence); };
    sync_ = std::make_unique<ConsulSync>(&loop_, &consul_, std::move(options));
    sync_->Start();
  }
  // An agent ends.
  void End() {
    EXPECT_TRUE(loop_.RunToEnd(sync_->Stop()));
    sync_.reset();
  }
  static Co<void> KeepClear(ConsulSync* sync, Context context, std::string alloc_id,
                            std::string owner, std::optional<Status>* status) {
    *status = co_await sync->Clear(context, std::move(alloc_id), std::move(owner));
  }
  void StartClear(const std::string& owner, std::optional<Status>* status) {
    loop_.Spawn(KeepClear(sync_.get(), Context(&loop_), kAlloc, owner, status));
    loop_.RunReady();
  }
  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const auto& [id, service] : consul_.services) names.push_back(service.name);
    return names;
  }

  SimLoop loop_;
  ConsulForTest consul_;
  std::vector<std::string> log_;
  std::unique_ptr<ConsulSync> sync_;
};

TEST_F(ConsulSyncTest, AServiceComesAndGoesAtOnce) {
  sync_->Set(kAlloc, "web", {ServiceForConsul(kAlloc, "web", "www", "c")});
  loop_.RunReady();
  EXPECT_THAT(Names(), ElementsAre("www"));
  EXPECT_EQ(consul_.checks.size(), 1u);
  std::optional<Status> cleared;
  StartClear("web", &cleared);
  ASSERT_TRUE(cleared.has_value());
  EXPECT_TRUE(cleared->ok());
  EXPECT_THAT(Names(), IsEmpty());
  EXPECT_THAT(log_, IsEmpty());
}

TEST_F(ConsulSyncTest, ASetReplacesTheServicesOfItsOwnerOnly) {
  sync_->Set(kAlloc, "a",
             {ServiceForConsul(kAlloc, "a", "one"), ServiceForConsul(kAlloc, "a", "two")});
  sync_->Set(kAlloc, "a-b", {ServiceForConsul(kAlloc, "a-b", "three")});
  loop_.RunReady();
  ConsulService changed = ServiceForConsul(kAlloc, "a", "two");
  changed.tags = {"new"};
  sync_->Set(kAlloc, "a", {changed});
  loop_.RunReady();
  EXPECT_THAT(Names(), ElementsAre("three", "two"));
  EXPECT_THAT(consul_.services.at(changed.id).tags, ElementsAre("new"));
  std::optional<Status> cleared;
  StartClear("a", &cleared);
  EXPECT_THAT(Names(), ElementsAre("three"));
}

TEST_F(ConsulSyncTest, TheSameSetAgainCostsNoRequest) {
  const ConsulService service = ServiceForConsul(kAlloc, "web", "www");
  sync_->Set(kAlloc, "web", {service});
  loop_.RunReady();
  const auto before = consul_.calls.size();
  sync_->Set(kAlloc, "web", {service});
  loop_.RunReady();
  EXPECT_EQ(consul_.calls.size(), before);
}

TEST_F(ConsulSyncTest, AHundredChangesAreSentTogether) {
  sync_->Set(kAlloc, "first", {ServiceForConsul(kAlloc, "first", "s")});
  consul_.delay = 100ms;
  for (int i = 0; i < 100; ++i) {
    const std::string task = "t" + std::to_string(i);
    sync_->Set(kAlloc, task, {ServiceForConsul(kAlloc, task, "s")});
  }
  loop_.Advance(2s);
  EXPECT_EQ(consul_.services.size(), 101u) << "eight requests at a time";
  EXPECT_EQ(consul_.Count("services"), 1);
}

TEST_F(ConsulSyncTest, WhatOthersChangeIsPutRightAfterTheInterval) {
  const ConsulService service = ServiceForConsul(kAlloc, "web", "www", "c");
  sync_->Set(kAlloc, "web", {service});
  loop_.RunReady();
  consul_.services.at(service.id).port = 1;
  loop_.Advance(30s);
  EXPECT_EQ(consul_.services.at(service.id).port, 80);
  consul_.checks.clear();
  loop_.Advance(30s);
  EXPECT_EQ(consul_.checks.size(), 1u);
  const auto registered = sync_->counters().registered;
  loop_.Advance(300s);
  EXPECT_EQ(sync_->counters().registered, registered) << "what is right is left alone";
}

TEST_F(ConsulSyncTest, TagsThatOthersMayChangeAndChecksOfOthersStay) {
  ConsulService service = ServiceForConsul(kAlloc, "web", "www");
  service.enable_tag_override = true;
  sync_->Set(kAlloc, "web", {service});
  loop_.RunReady();
  consul_.services.at(service.id).tags = {"theirs"};
  consul_.services.at(service.id).tagged_addresses["lan_ipv4"] = {"192.0.2.1", 80};
  consul_.checks["_service_maintenance:" + service.id] = {service.id, ConsulStatus::kCritical};
  loop_.Advance(60s);
  EXPECT_EQ(sync_->counters().registered, 1u);
  EXPECT_EQ(consul_.checks.size(), 1u);
}

TEST_F(ConsulSyncTest, AConsulThatWasWipedIsRightAgainWithinFiveSeconds) {
  sync_->Set(kAlloc, "web", {ServiceForConsul(kAlloc, "web", "www")});
  sync_->Set(kOther, "", {ServiceForConsul(kOther, "", "api")});
  loop_.Advance(20s);
  consul_.Wipe();
  loop_.Advance(5s);
  EXPECT_EQ(consul_.services.size(), 2u);
}

TEST_F(ConsulSyncTest, AConsulThatComesBackIsRightAgainWithinFiveSeconds) {
  sync_->Set(kAlloc, "old", {ServiceForConsul(kAlloc, "old", "gone")});
  loop_.RunReady();
  consul_.away = true;
  sync_->Set(kAlloc, "old", {});
  sync_->Set(kAlloc, "new", {ServiceForConsul(kAlloc, "new", "www")});
  loop_.Advance(std::chrono::hours(1));
  EXPECT_THAT(Names(), ElementsAre("gone"));
  EXPECT_TRUE(sync_->failing());
  EXPECT_LE(consul_.Count("services"), 1 + 3600 / 2 + 10) << "it is asked each two seconds at most";
  consul_.away = false;
  loop_.Advance(5s);
  EXPECT_THAT(Names(), ElementsAre("www"));
  EXPECT_FALSE(sync_->failing());
  ASSERT_EQ(log_.size(), 2u) << "one sentence for the whole hour";
  EXPECT_THAT(log_[0], HasSubstr("cluster default of Consul: it is away; it is tried again"));
  EXPECT_THAT(log_[1], HasSubstr("it can be used again"));
}

TEST_F(ConsulSyncTest, AfterARequestThatHasHungThereIsNoPause) {
  sync_->Set(kAlloc, "web", {ServiceForConsul(kAlloc, "web", "www")});
  loop_.RunReady();
  consul_.away = true;
  consul_.delay = 5s;  // until the timeout of a request
  const int before = consul_.Count("services");
  sync_->Set(kAlloc, "web", {});
  loop_.Advance(60s);
  EXPECT_GE(consul_.Count("services") - before, 11) << "one after the other";
  consul_.away = false;
  consul_.delay = Duration(0);
  loop_.Advance(5s);
  EXPECT_THAT(Names(), IsEmpty());
}

TEST_F(ConsulSyncTest, ARequestThatIsCarriedOutLateIsPutRight) {
  const ConsulService late = ServiceForConsul(kAlloc, "web", "late");
  sync_->Restored({});
  sync_->Set(kAlloc, "web", {late});
  loop_.RunReady();
  consul_.away = true;
  sync_->Set(kAlloc, "web", {});
  loop_.Advance(10s);
  consul_.away = false;
  loop_.Advance(2s);
  EXPECT_THAT(Names(), IsEmpty());
  consul_.services[late.id] = late;  // a request to register it had waited
  loop_.Advance(3s);
  EXPECT_THAT(Names(), IsEmpty()) << "five seconds after Consul has come back";
}

TEST_F(ConsulSyncTest, ClearWaitsForASlowConsulAndNotForOneThatIsAway) {
  sync_->Set(kAlloc, "web", {ServiceForConsul(kAlloc, "web", "www")});
  loop_.RunReady();
  consul_.delay = 1s;
  std::optional<Status> cleared;
  StartClear("web", &cleared);
  EXPECT_FALSE(cleared.has_value());
  loop_.Advance(1s);
  ASSERT_TRUE(cleared.has_value());
  EXPECT_TRUE(cleared->ok());

  consul_.delay = Duration(0);
  sync_->Set(kAlloc, "web", {ServiceForConsul(kAlloc, "web", "www")});
  loop_.RunReady();
  consul_.away = true;
  cleared.reset();
  StartClear("web", &cleared);
  loop_.Advance(5s);
  ASSERT_TRUE(cleared.has_value()) << "it waits at most five seconds";
  EXPECT_FALSE(cleared->ok());
  sync_->Set(kAlloc, "web", {ServiceForConsul(kAlloc, "web", "www")});
  cleared.reset();
  StartClear("web", &cleared);
  ASSERT_TRUE(cleared.has_value()) << "Consul is known to be away";
  EXPECT_EQ(cleared->code(), Code::kUnavailable);
  EXPECT_THAT(cleared->error().message(), HasSubstr("when Consul is back: it is away"));
  consul_.away = false;
  loop_.Advance(5s);
  EXPECT_THAT(Names(), IsEmpty()) << "it is removed all the same";
}

TEST_F(ConsulSyncTest, ClearEndsWithItsContextAndTheAgent) {
  sync_->Set(kAlloc, "web", {ServiceForConsul(kAlloc, "web", "www")});
  loop_.RunReady();
  consul_.delay = std::chrono::hours(1);
  std::optional<Status> by_context, by_end;
  Context context(&loop_);
  loop_.Spawn(KeepClear(sync_.get(), context, kAlloc, "web", &by_context));
  StartClear("web", &by_end);
  context.Cancel("killed");
  loop_.RunReady();
  ASSERT_TRUE(by_context.has_value());
  EXPECT_EQ(by_context->code(), Code::kCancelled);
  EXPECT_FALSE(by_end.has_value());
  EXPECT_TRUE(loop_.RunToEnd(sync_->Stop()));
  ASSERT_TRUE(by_end.has_value());
  EXPECT_EQ(by_end->code(), Code::kUnavailable);
  EXPECT_THAT(Names(), ElementsAre("www")) << "tasks go on, and so do their services";
}

TEST_F(ConsulSyncTest, AServiceThatConsulRefusesDelaysNoOther) {
  const ConsulService bad = ServiceForConsul(kAlloc, "bad", "bad");
  consul_.refused = {bad.id};
  sync_->Set(kAlloc, "bad", {bad});
  sync_->Set(kAlloc, "good", {ServiceForConsul(kAlloc, "good", "good")});
  loop_.Advance(100s);
  EXPECT_THAT(Names(), ElementsAre("good"));
  EXPECT_FALSE(sync_->failing());
  EXPECT_LE(consul_.Count("register " + bad.id), 5) << "it is tried with each comparison";
  ASSERT_EQ(log_.size(), 1u) << "the same sentence is written once";
  EXPECT_THAT(log_[0], HasSubstr("no such right"));
  consul_.refused.clear();
  loop_.Advance(30s);
  EXPECT_THAT(Names(), ElementsAre("bad", "good"));
}

TEST_F(ConsulSyncTest, ClearTellsThatConsulRefuses) {
  const ConsulService service = ServiceForConsul(kAlloc, "web", "www");
  sync_->Set(kAlloc, "web", {service});
  loop_.RunReady();
  consul_.refused = {service.id};
  std::optional<Status> cleared;
  StartClear("web", &cleared);
  ASSERT_TRUE(cleared.has_value());
  EXPECT_THAT(cleared->error().message(), HasSubstr("no such right"));
}

TEST_F(ConsulSyncTest, ALyingConsulIsNotAskedWithoutEnd) {
  consul_.forgetful = true;
  sync_->Set(kAlloc, "web", {ServiceForConsul(kAlloc, "web", "www", "c")});
  sync_->Report(ServiceForConsul(kAlloc, "web", "www").id, "c", ConsulStatus::kPassing, "ok");
  loop_.Advance(60s);
  EXPECT_LE(consul_.calls.size(), 400u);
}

TEST_F(ConsulSyncTest, ARestartFindsItsRegistrationsAgain) {
  const ConsulService stays = ServiceForConsul(kAlloc, "web", "www");
  sync_->Set(kAlloc, "web", {stays, ServiceForConsul(kAlloc, "web", "left")});
  sync_->Set(kOther, "web", {ServiceForConsul(kOther, "web", "gone")});
  loop_.RunReady();
  End();
  Begin();
  loop_.Advance(10s);
  EXPECT_EQ(consul_.services.size(), 3u) << "the agent does not know yet which allocations go on";
  sync_->Restored({{kAlloc, "web"}});
  loop_.RunReady();
  EXPECT_THAT(Names(), ElementsAre("left", "www")) << "the other allocation has ended";
  sync_->Set(kAlloc, "web", {stays});
  loop_.Advance(3s);
  EXPECT_THAT(Names(), ElementsAre("www"));
  EXPECT_EQ(sync_->counters().registered, 0u) << "what is there is not written again";
}

TEST_F(ConsulSyncTest, ATaskWhoseDriverComesLateKeepsItsServices) {
  sync_->Set(kAlloc, "web", {ServiceForConsul(kAlloc, "web", "www")});
  sync_->Set(kAlloc, "dead", {ServiceForConsul(kAlloc, "dead", "gone")});
  loop_.RunReady();
  End();
  Begin();
  sync_->Restored({{kAlloc, "web"}});
  loop_.RunReady();
  EXPECT_THAT(Names(), ElementsAre("www")) << "the other task of the allocation has ended";
  loop_.Advance(std::chrono::hours(10));
  EXPECT_THAT(Names(), ElementsAre("www"));
  std::optional<Status> cleared;
  StartClear("web", &cleared);
  loop_.Advance(1s);
  ASSERT_TRUE(cleared.has_value());
  EXPECT_TRUE(cleared->ok());
  EXPECT_THAT(Names(), IsEmpty());
}

TEST_F(ConsulSyncTest, WhoHasSpokenBeforeTheAgentIsCompleteIsHeardOnce) {
  sync_->Set(kAlloc, "web",
             {ServiceForConsul(kAlloc, "web", "www"), ServiceForConsul(kAlloc, "web", "left")});
  loop_.RunReady();
  End();
  Begin();
  sync_->Set(kAlloc, "web", {ServiceForConsul(kAlloc, "web", "www")});
  loop_.Advance(5s);
  EXPECT_THAT(Names(), ElementsAre("left", "www")) << "more may come";
  EXPECT_EQ(sync_->counters().registered, 0u) << "what is there is not written again";
  sync_->Restored({{kAlloc, "web"}});
  loop_.RunReady();
  EXPECT_THAT(Names(), ElementsAre("www"));
  const int lists = consul_.Count("services");
  ConsulService changed = ServiceForConsul(kAlloc, "web", "www");
  changed.port = 81;
  sync_->Set(kAlloc, "web", {changed});
  loop_.Advance(1s);
  EXPECT_EQ(consul_.services.at(changed.id).port, 81);
  EXPECT_EQ(consul_.Count("services"), lists) << "a change is no reason to compare all";
}

// Each moment of a life at which an agent may be killed, and so may Consul.
TEST_F(ConsulSyncTest, AKillAtAnyRequestLosesAndDoublesNothing) {
  const ConsulService web = ServiceForConsul(kAlloc, "web", "www", "c");
  const ConsulService api = ServiceForConsul(kAlloc, "", "api");
  const ConsulService old = ServiceForConsul(kOther, "web", "old");
  for (const bool wiped : {false, true}) {
    for (Duration moment{0}; moment < 1500ms; moment += 50ms) {
      SCOPED_TRACE(FormatDuration(moment) + (wiped ? ", and Consul loses everything" : ""));
      sync_->Restored({});
      sync_->Set(kOther, "web", {old});
      loop_.Advance(1s);
      ASSERT_THAT(Names(), ElementsAre("old"));
      consul_.delay = 100ms;
      sync_->Set(kAlloc, "", {api});
      sync_->Set(kAlloc, "web", {web});
      sync_->Set(kOther, "web", {});
      loop_.Advance(moment);
      End();  // what is under way is cut off
      if (wiped) consul_.Wipe();
      Begin();
      sync_->Restored({{kAlloc, ""}, {kAlloc, "web"}});
      loop_.Advance(500ms);
      sync_->Set(kAlloc, "", {api});
      sync_->Set(kAlloc, "web", {web});
      loop_.Advance(5s);
      EXPECT_THAT(Names(), ElementsAre("api", "www"));
      EXPECT_EQ(consul_.checks.size(), 1u);
      consul_.delay = Duration(0);
      End();
      consul_.Wipe();
      Begin();
    }
  }
}

TEST_F(ConsulSyncTest, ClearRemovesWhatAnEarlierAgentHasRegistered) {
  sync_->Set(kAlloc, "web", {ServiceForConsul(kAlloc, "web", "www")});
  sync_->Set(kAlloc, "db", {ServiceForConsul(kAlloc, "db", "sql")});
  loop_.RunReady();
  End();
  Begin();
  std::optional<Status> cleared;
  StartClear("web", &cleared);
  loop_.Advance(1s);
  ASSERT_TRUE(cleared.has_value());
  EXPECT_TRUE(cleared->ok());
  EXPECT_THAT(Names(), ElementsAre("sql"));
}

TEST_F(ConsulSyncTest, ServicesOfOthersAreNeverTouched) {
  ConsulService of_other_node = ServiceForConsul(kOther, "web", "theirs");
  of_other_node.meta[kConsulMetaNode] = "node-2";
  ConsulService of_nobody = ServiceForConsul(kOther, "web", "nobodys");
  of_nobody.meta.clear();
  ConsulService odd = ServiceForConsul(kOther, "web", "odd");
  odd.id = std::string(kConsulIdPrefix) + "x";
  for (const ConsulService& service : {of_other_node, of_nobody, odd}) {
    consul_.services[service.id] = service;
  }
  sync_->Restored({});
  sync_->Set(kAlloc, "web", {ServiceForConsul(kAlloc, "web", "www")});
  loop_.Advance(200s);
  EXPECT_EQ(consul_.services.size(), 4u);
  EXPECT_EQ(consul_.Count("deregister"), 0);
}

TEST_F(ConsulSyncTest, ScriptsOfOneNameHaveResultsOfTheirOwn) {
  ConsulService service = ServiceForConsul(kAlloc, "web", "www", "c");
  ConsulCheck tcp = service.checks[0], second = service.checks[0];
  tcp.id = std::string(kConsulCheckPrefix) + "tcp";
  tcp.script = false;
  second.id = std::string(kConsulCheckPrefix) + "second";
  service.checks.push_back(tcp);
  service.checks.push_back(second);
  sync_->Set(kAlloc, "web", {service});
  sync_->Report(service.id, "c", ConsulStatus::kPassing, "first");
  sync_->Report(service.id, "c", ConsulStatus::kPassing, "not a script", 1);
  sync_->Report(service.id, "c", ConsulStatus::kWarning, "second", 2);
  sync_->Report(service.id, "c", ConsulStatus::kPassing, "not there", 3);
  loop_.RunReady();
  EXPECT_EQ(consul_.checks.at("_nomad-check-c").status, ConsulStatus::kPassing);
  EXPECT_EQ(consul_.checks.at("_nomad-check-tcp").status, ConsulStatus::kCritical);
  EXPECT_EQ(consul_.checks.at("_nomad-check-second").status, ConsulStatus::kWarning);
  EXPECT_THAT(consul_.outputs, UnorderedElementsAre("first", "second"));
}

TEST_F(ConsulSyncTest, TheNewestResultOfAScriptIsTold) {
  const ConsulService service = ServiceForConsul(kAlloc, "web", "www", "c");
  sync_->Set(kAlloc, "web", {service});
  sync_->Report(service.id, "c", ConsulStatus::kWarning, "first");
  sync_->Report(service.id, "c", ConsulStatus::kPassing, "second");
  sync_->Report(service.id, "unknown", ConsulStatus::kPassing, "x");
  sync_->Report("unknown", "c", ConsulStatus::kPassing, "x");
  loop_.RunReady();
  EXPECT_EQ(consul_.checks.at("_nomad-check-c").status, ConsulStatus::kPassing);
  EXPECT_THAT(consul_.outputs, ElementsAre("second"));
  consul_.away = true;
  sync_->Report(service.id, "c", ConsulStatus::kCritical, "third");
  loop_.Advance(10s);
  consul_.away = false;
  consul_.Wipe();
  loop_.Advance(5s);
  EXPECT_EQ(consul_.checks.at("_nomad-check-c").status, ConsulStatus::kCritical);
  EXPECT_THAT(consul_.outputs.back(), "third");
}

TEST_F(ConsulSyncTest, AChangeDuringARequestIsNotLost) {
  consul_.delay = 1s;
  sync_->Set(kAlloc, "web", {ServiceForConsul(kAlloc, "web", "www")});
  loop_.Advance(2500ms);  // two lists, and the request to register runs
  EXPECT_EQ(consul_.Count("register"), 1);
  sync_->Set(kAlloc, "web", {});
  loop_.Advance(3s);
  EXPECT_THAT(Names(), IsEmpty());
  sync_->Set(kAlloc, "web", {ServiceForConsul(kAlloc, "web", "www")});
  loop_.Advance(500ms);
  ConsulService changed = ServiceForConsul(kAlloc, "web", "www");
  changed.port = 81;
  sync_->Set(kAlloc, "web", {changed});
  loop_.Advance(3s);
  EXPECT_EQ(consul_.services.at(changed.id).port, 81);
}

}  // namespace
}  // namespace drover
