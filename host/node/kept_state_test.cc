// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/node/kept_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <nlohmann/json.hpp>

#include "host/base/directory_for_test.h"
#include "host/node/kept_alloc_store.h"
#include "host/process/run_directory.h"
#include "host/state/record_json.h"

namespace drover {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

class KeptStateTest : public ::testing::Test {
 protected:
  KeptStateTest() { Open(); }

  void Open() {
    kept_.reset();
    auto opened = KeptState::Open(directory_.path() + "/state");
    DROVER_CHECK(opened.ok());
    kept_ = std::move(*opened);
  }
  // As the scheduler would have written it.
  void Place(const std::string& id, bool collected = false) {
    auto job = std::make_shared<Job>();
    job->id = job->name = "job";
    TaskGroup group;
    group.name = "g";
    Task task;
    task.name = "t";
    task.driver = "mock_driver";
    group.tasks.push_back(task);
    job->groups.push_back(group);
    auto record = std::make_shared<JobRecord>();
    record->job = job;
    record->json = std::make_shared<const nlohmann::json>(nlohmann::json::object());
    auto alloc = std::make_shared<Allocation>();
    alloc->id = id;
    alloc->node_id = kept_->node_id();
    alloc->group_name = "g";
    alloc->job = job;
    AllocRecord placed;
    placed.alloc = alloc;
    placed.job = record;
    placed.collected = collected;
    const std::string text = EncodePlaced(placed);
    kept_->store()->Put({"placed", id}, [text] { return text; });
  }
  std::unique_ptr<KeptAllocStore> Tasks(const std::string& id) {
    if (!ledger_) {
      ledger_ = RunLedger::Create(OpenRunDirectory(directory_.path() + "/run").value(), "node",
                                  "/srv", RunLedger::Kind::kKept)
                    .value();
    }
    return std::make_unique<KeptAllocStore>(kept_->store(), ledger_, id, nullptr);
  }
  Status Await(Co<Status> work) {
    Status status = Error(Code::kTimeout, "it did not end");
    const auto into = [](Co<Status> of, Status* out) -> Co<void> { *out = co_await std::move(of); };
    DROVER_CHECK(loop_.RunToEnd(into(std::move(work), &status)));
    return status;
  }
  void SaveRunning(const std::string& id, RunId run) {
    const auto store = Tasks(id);
    auto local = std::make_shared<LocalState>();
    local->run_id = run;
    ASSERT_TRUE(Await(store->SaveLocalState(context_, "t", local)).ok());
    TaskStateRecord state;
    state.state = RunnerState::kRunning;
    state.restarts = 2;
    store->SaveTaskState("t", std::make_shared<const TaskStateRecord>(state));
  }

  RealLoop loop_;
  const Context context_{&loop_};
  const DirectoryForTest directory_{"/dev/shm"};
  std::unique_ptr<KeptState> kept_;
  std::shared_ptr<RunLedger> ledger_;
};

TEST_F(KeptStateTest, TheNodeStaysTheSame) {
  const std::string id = kept_->node_id();
  EXPECT_THAT(id, SizeIs(36));
  Open();
  EXPECT_EQ(kept_->node_id(), id);
  EXPECT_FALSE(kept_->damaged());
}

TEST_F(KeptStateTest, TheMetadataThatClientsHaveSetIsFoundAgain) {
  const NodeMeta::Changes dynamic = {{"rack", "7"}, {"zone", std::nullopt}};
  EXPECT_THAT(kept_->dynamic_meta(), IsEmpty());
  kept_->SaveDynamicMeta(dynamic);
  Open();
  EXPECT_EQ(kept_->dynamic_meta(), dynamic);
  for (const char* damage : {"[]", "{", R"({"rack": 7})"}) {
    kept_->store()->Put({"agent", "meta"}, [damage] { return std::string(damage); });
    Open();
    EXPECT_THAT(kept_->dynamic_meta(), IsEmpty()) << damage;
    EXPECT_TRUE(kept_->damaged()) << damage;
  }
}

TEST_F(KeptStateTest, TasksAreFoundWithTheirAllocation) {
  const RunId run = RunId::Random();
  Place("a");
  SaveRunning("a", run);
  Place("new");
  Open();
  ASSERT_THAT(kept_->allocs(), SizeIs(1)) << "of the new one nothing has begun";
  const RestoredTask& task = kept_->allocs().at("a").at("t");
  EXPECT_EQ(task.local.run_id, run);
  EXPECT_EQ(task.state.state, RunnerState::kRunning);
  EXPECT_EQ(task.state.restarts, 2u);
  EXPECT_THAT(kept_->runs(), ElementsAre(run));
  EXPECT_THAT(kept_->remains(), IsEmpty());
  std::vector<std::string> seen;
  kept_->ForEachTask([&](const std::string& alloc, const std::string& name,
                         const std::string& driver, const LocalState& local) {
    EXPECT_EQ(local.run_id, run);
    seen.push_back(alloc + " " + name + " " + driver);
  });
  EXPECT_THAT(seen, ElementsAre("a t mock_driver"));
}

TEST_F(KeptStateTest, WhatARunnerHasTakenOverIsNotKeptTwice) {
  const RunId run = RunId::Random();
  for (const char* id : {"a", "b"}) {
    Place(id);
    SaveRunning(id, run);
  }
  Open();
  kept_->DropAlloc("a");
  EXPECT_EQ(kept_->allocs().count("a"), 0u);
  EXPECT_EQ(kept_->allocs().count("b"), 1u);
  EXPECT_THAT(kept_->runs(), ElementsAre(run)) << "whatever became of its allocation";
  Open();
  EXPECT_EQ(kept_->allocs().count("a"), 1u) << "the records are still there";
}

TEST_F(KeptStateTest, WhatIsLeftOfAForgottenAllocationIsFound) {
  const RunId first = RunId::Random();
  const RunId second = RunId::Random();
  SaveRunning("gone", first);
  Place("collected", true);
  SaveRunning("collected", second);
  Open();
  EXPECT_THAT(kept_->allocs(), IsEmpty());
  EXPECT_THAT(kept_->runs(), IsEmpty());
  ASSERT_THAT(kept_->remains(), SizeIs(2));
  EXPECT_THAT(kept_->remains().at("gone").runs, ElementsAre(first));
  EXPECT_FALSE(kept_->remains().at("gone").let_go) << "its record may have been lost";
  EXPECT_TRUE(kept_->remains().at("collected").let_go);
  EXPECT_THAT(kept_->remains().at("collected").runs, ElementsAre(second));
  EXPECT_THAT(kept_->remains().at("gone").records,
              UnorderedElementsAre(TaskStateKey("gone", "t"), LocalStateKey("gone", "t")));
}

// Waiting changes count in bytes, also those that a driver or a task makes large.
TEST_F(KeptStateTest, WhatWaitsForTheDiskCountsByItsSize) {
  constexpr std::size_t kLarge = 1'000'000;
  std::promise<void> held, go_on;
  kept_->store()->Put({"agent", "first"}, [&] {
    held.set_value();
    go_on.get_future().wait();
    return std::string("value");
  });
  held.get_future().wait();
  const auto tasks = Tasks("a");
  const std::size_t before = kept_->store()->waiting_bytes();
  TaskStateRecord state;
  TaskEvent event(event_type::kDriver);
  event.details[event_key::kMessage] = std::string(kLarge, 'x');
  AppendTaskEvent(&state, std::move(event), 1);
  tasks->SaveTaskState("t", std::make_shared<const TaskStateRecord>(state));
  const std::size_t between = kept_->store()->waiting_bytes();
  EXPECT_GE(between, before + kLarge);
  auto local = std::make_shared<LocalState>();
  local->handle.emplace().state = std::string(kLarge, 'x');
  local->hooks["files"].data["paths"] = std::string(kLarge, 'x');
  std::size_t waiting = 0;
  const auto look = [](KeptState* kept, std::size_t* bytes,
                       std::promise<void>* then) -> Co<Status> {
    *bytes = kept->store()->waiting_bytes();
    then->set_value();
    co_return Status();
  };
  // The first step of the save hands the record over; then the save waits.
  loop_.Spawn([](Co<Status> save) -> Co<void> {
    EXPECT_TRUE((co_await std::move(save)).ok());
  }(tasks->SaveLocalState(context_, "t", local)));
  EXPECT_TRUE(Await(look(kept_.get(), &waiting, &go_on)).ok());
  EXPECT_GE(waiting, between + 2 * kLarge);
  EXPECT_TRUE(Await(kept_->store()->Committed(context_)).ok());
}

TEST_F(KeptStateTest, DeletedIsForgotten) {
  Place("a");
  SaveRunning("a", RunId::Random());
  Open();
  const auto store =
      std::make_unique<KeptAllocStore>(kept_->store(), ledger_, "a", &kept_->allocs().at("a"));
  ASSERT_TRUE(Await(store->Delete(context_)).ok());
  Open();
  EXPECT_THAT(kept_->allocs(), IsEmpty());
  EXPECT_THAT(kept_->remains(), IsEmpty());
}

TEST_F(KeptStateTest, ARecordThatMakesNoSenseCostsItself) {
  Place("a");
  Place("b");
  SaveRunning("a", RunId::Random());
  SaveRunning("b", RunId::Random());
  kept_->store()->Put(LocalStateKey("a", "t"), [] { return std::string("{"); });
  Open();
  EXPECT_TRUE(kept_->damaged());
  EXPECT_FALSE(kept_->allocs().at("a").at("t").local.run_id);
  EXPECT_TRUE(kept_->allocs().at("b").at("t").local.run_id);
}

TEST_F(KeptStateTest, ATaskWhoseRunMayBeLostIsNamed) {
  const auto of_a = Pair("a", ElementsAre("t"));
  Place("a");
  Place("b");
  SaveRunning("a", RunId::Random());
  SaveRunning("b", RunId::Random());
  Open();
  EXPECT_THAT(kept_->lost_runs(), IsEmpty());
  // The next agent knows it too, although it finds no damage any more.
  kept_->store()->Erase(LocalStateKey("a", "t"));
  Open();
  EXPECT_FALSE(kept_->damaged());
  EXPECT_THAT(kept_->lost_runs(), ElementsAre(of_a));
  // If records were lost, a task that was about to begin may have begun.
  for (const bool begun : {false, true}) {
    TaskStateRecord state;
    AppendTaskEvent(&state, TaskEvent(event_type::kReceived), 1);
    if (begun) AppendTaskEvent(&state, TaskEvent(event_type::kTaskSetup), 2);
    Tasks("a")->SaveTaskState("t", std::make_shared<const TaskStateRecord>(state));
    Open();
    EXPECT_THAT(kept_->lost_runs(), IsEmpty());
    kept_->store()->Put(LocalStateKey("a", "t"), [] { return std::string("{"); });
    Open();
    EXPECT_TRUE(kept_->damaged());
    EXPECT_EQ(kept_->lost_runs().size(), begun ? 1u : 0u);
    kept_->store()->Erase(LocalStateKey("a", "t"));
  }
  TaskStateRecord dead;
  dead.state = RunnerState::kDead;
  Tasks("a")->SaveTaskState("t", std::make_shared<const TaskStateRecord>(dead));
  Open();
  EXPECT_THAT(kept_->lost_runs(), IsEmpty());
}

TEST_F(KeptStateTest, AnAllocationOfWhichNothingIsKeptMayHaveLostItsRunsWithIt) {
  Place("a");
  Open();
  EXPECT_THAT(kept_->lost_runs(), IsEmpty()) << "it is new";
  kept_->store()->Put(LocalStateKey("other", "t"), [] { return std::string("{"); });
  Open();
  EXPECT_THAT(kept_->lost_runs(), ElementsAre(Pair("a", ElementsAre("t"))));
  EXPECT_THAT(kept_->allocs(), IsEmpty());
}

TEST_F(KeptStateTest, AServiceWhoseAllocationIsGoneLeavesTheFile) {
  Place("there");
  for (const char* alloc : {"there", "gone"}) {
    const nlohmann::json of = {
        {"id", "s"}, {"name", "api"}, {"namespace", "default"}, {"node", "n"}, {"alloc", alloc}};
    kept_->store()->Put({"service", std::string("of ") + alloc},
                        [text = of.dump()] { return text; });
  }
  Open();
  EXPECT_FALSE(kept_->damaged());
  kept_.reset();
  auto opened = Store::Open(directory_.path() + "/state", nullptr);
  ASSERT_TRUE(opened.ok());
  std::vector<std::string> services;
  for (const Record& record : opened->records) {
    if (record.key.kind == "service") services.push_back(record.key.id);
  }
  EXPECT_THAT(services, ElementsAre("of there"));
}

}  // namespace
}  // namespace drover
