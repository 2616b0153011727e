// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/base/directory_for_test.h"
#include "host/scheduler/scheduler_fixture.h"
#include "host/state/state_journal.h"

namespace drover {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class SchedulerVariablesTest : public SchedulerFixture {
 protected:
  static VariableDraft Draft(const std::string& path, const std::string& sealed = "sealed",
                             std::optional<std::uint64_t> check_index = std::nullopt) {
    return {{"default", path}, sealed, check_index};
  }
  static VariableKey KeyAt(const std::string& path) { return {"default", path}; }

  std::map<VariableKey, std::shared_ptr<const VariableRecord>> All() {
    std::map<VariableKey, std::shared_ptr<const VariableRecord>> all;
    store.Read([&](const Tables& tables) { all = tables.variables; });
    return all;
  }
  std::uint64_t IndexOf(Table table) {
    std::uint64_t index = 0;
    store.Read([&](const Tables& tables) { index = tables.IndexOf(MaskOf(table)); });
    return index;
  }
};

TEST_F(SchedulerVariablesTest, AnUpdateKeepsWhenItWasMade) {
  const VariableReply made = scheduler.PutVariable(Draft("a", "1")).value();
  EXPECT_FALSE(made.conflict);
  EXPECT_EQ(made.variable->create_index, made.index);
  EXPECT_EQ(made.variable->create_time, loop.Wall());
  loop.Advance(1s);
  const VariableReply changed = scheduler.PutVariable(Draft("a", "2")).value();
  EXPECT_GT(changed.index, made.index);
  EXPECT_EQ(changed.variable->create_index, made.index);
  EXPECT_EQ(changed.variable->modify_index, changed.index);
  EXPECT_EQ(changed.variable->create_time, made.variable->create_time);
  EXPECT_GT(changed.variable->modify_time, made.variable->modify_time);
  EXPECT_EQ(All().at(KeyAt("a"))->sealed_items, "2");
  EXPECT_EQ(IndexOf(Table::kVariables), changed.index);
  EXPECT_LT(IndexOf(Table::kJobs), changed.index) << "jobs have their own index";
}

TEST_F(SchedulerVariablesTest, CheckAndSet) {
  const VariableReply absent = scheduler.PutVariable(Draft("a", "1", 7)).value();
  EXPECT_TRUE(absent.conflict);
  EXPECT_EQ(absent.variable, nullptr);
  EXPECT_TRUE(All().empty());
  const std::uint64_t index = scheduler.PutVariable(Draft("a", "1", 0)).value().index;
  const VariableReply exists = scheduler.PutVariable(Draft("a", "2", 0)).value();
  EXPECT_TRUE(exists.conflict);
  EXPECT_EQ(exists.variable->modify_index, index);
  EXPECT_TRUE(scheduler.PutVariable(Draft("a", "2", index + 1)).value().conflict);
  EXPECT_EQ(All().at(KeyAt("a"))->sealed_items, "1");
  EXPECT_FALSE(scheduler.PutVariable(Draft("a", "2", index)).value().conflict);
  EXPECT_TRUE(scheduler.DeleteVariable(KeyAt("a"), index).value().conflict);
  EXPECT_EQ(All().size(), 1u);
}

TEST_F(SchedulerVariablesTest, Delete) {
  const std::uint64_t made = scheduler.PutVariable(Draft("a")).value().index;
  const VariableReply deleted = scheduler.DeleteVariable(KeyAt("a"), std::nullopt).value();
  EXPECT_GT(deleted.index, made);
  EXPECT_TRUE(All().empty());
  const VariableReply again = scheduler.DeleteVariable(KeyAt("a"), std::nullopt).value();
  EXPECT_FALSE(again.conflict);
  EXPECT_EQ(again.index, deleted.index) << "what is not there needs no write";
  EXPECT_FALSE(scheduler.DeleteVariable(KeyAt("a"), 0).value().conflict);
  EXPECT_TRUE(scheduler.DeleteVariable(KeyAt("a"), 7).value().conflict);
}

TEST_F(SchedulerVariablesTest, ThereAreLimits) {
  SchedulerOptions options;
  options.most_variables = 2;
  options.most_variable_bytes = 10;
  Status room;
  options.check_room = [&room] { return room; };
  Scheduler small(&loop, &store, &ports, options);
  EXPECT_TRUE(small.PutVariable(Draft("a", "12345")).ok());
  EXPECT_EQ(small.PutVariable(Draft("b", "123456")).code(), Code::kResourceExhausted);
  EXPECT_TRUE(small.PutVariable(Draft("b", "1234")).ok());
  const Result<VariableReply> third = small.PutVariable(Draft("c", "1"));
  ASSERT_FALSE(third.ok());
  EXPECT_THAT(third.error().message(), HasSubstr("there are 2 variables already"));
  EXPECT_TRUE(small.PutVariable(Draft("a", "123456")).ok()) << "it frees what it had";
  EXPECT_EQ(small.PutVariable(Draft("a", "1234567")).code(), Code::kResourceExhausted);
  EXPECT_TRUE(small.DeleteVariable(KeyAt("a"), std::nullopt).ok());
  room = Error(Code::kUnavailable, "the disk is full");
  EXPECT_EQ(small.PutVariable(Draft("a")).code(), Code::kUnavailable);
  EXPECT_TRUE(small.DeleteVariable(KeyAt("b"), std::nullopt).ok());
  store.Read([](const Tables& tables) { EXPECT_EQ(tables.variable_bytes, 0u); });
}

TEST_F(SchedulerVariablesTest, EventsNameThePath) {
  EXPECT_TRUE(scheduler.PutVariable(Draft("a/b")).ok());
  EXPECT_TRUE(scheduler.DeleteVariable(KeyAt("a/b"), std::nullopt).ok());
  std::vector<std::string> seen;
  for (const auto& batch : store.events().From(0).batches) {
    for (const StateEvent& event : batch->events) {
      EXPECT_EQ(event.topic(), Topic::kVariable);
      seen.push_back(std::string(batch->TypeOf(event)) + " " + event.Namespace() + " " +
                     event.Key() + (event.erased ? " erased" : ""));
    }
  }
  EXPECT_THAT(seen,
              ElementsAre("VariableUpserted default a/b", "VariableDeleted default a/b erased"));
}

TEST_F(SchedulerVariablesTest, TheNextAgentHasThem) {
  const DirectoryForTest directory;
  std::unique_ptr<drover::Store> file =
      std::move(drover::Store::Open(directory.path() + "/state", nullptr).value().store);
  store.SetJournal(StateJournal(file.get()));
  EXPECT_TRUE(scheduler.PutVariable(Draft("a", "first")).ok());
  EXPECT_TRUE(scheduler.PutVariable(Draft("a", "second")).ok());
  EXPECT_TRUE(scheduler.PutVariable(Draft("b/c")).ok());
  EXPECT_TRUE(scheduler.PutVariable(Draft("gone")).ok());
  EXPECT_TRUE(scheduler.DeleteVariable(KeyAt("gone"), std::nullopt).ok());
  file.reset();
  store.SetJournal(nullptr);
  auto opened = drover::Store::Open(directory.path() + "/state", nullptr);
  ASSERT_TRUE(opened.ok());
  const LoadedState loaded = LoadState(opened->records);
  EXPECT_THAT(loaded.refused, ElementsAre());
  ASSERT_EQ(loaded.tables.variables.size(), 2u);
  for (const auto& [key, record] : All()) EXPECT_EQ(*loaded.tables.variables.at(key), *record);
  EXPECT_EQ(loaded.tables.variable_bytes, 12u);
  const std::uint64_t last = All().at(KeyAt("b/c"))->modify_index;
  EXPECT_GT(loaded.tables.last_index, last);
  EXPECT_TRUE(loaded.tables.changes.empty());
}

TEST_F(SchedulerVariablesTest, ADamagedRecordIsToldAndLeftOut) {
  const std::vector<Record> records = {{{"variable", "default/a"}, "damaged"},
                                       {{"variable", "default/b"}, "{}"}};
  const LoadedState loaded = LoadState(records);
  EXPECT_EQ(loaded.refused.size(), 2u);
  EXPECT_THAT(loaded.refused.at(0), HasSubstr("the record variable default/a cannot be used"));
  EXPECT_THAT(loaded.refused.at(0), Not(HasSubstr("sealed")));
  EXPECT_TRUE(loaded.tables.variables.empty());
}

}  // namespace
}  // namespace drover
