// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/state/state_store.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <utility>

namespace drover {
namespace {

TEST(StateStoreTest, ATableHasTheIndexOfItsLastWrite) {
  StateStore store;
  store.Read([](const Tables& tables) { EXPECT_EQ(tables.IndexOf(MaskOf(Table::kJobs)), 1u); });
  store.Write(cause::kEvaluation, [](Tables*, std::uint64_t) { return MaskOf(Table::kJobs); });
  const std::uint64_t last =
      store.Write(cause::kEvaluation, [](Tables*, std::uint64_t) { return MaskOf(Table::kNodes); });
  EXPECT_EQ(last, 2u);
  store.Read([](const Tables& tables) {
    EXPECT_EQ(tables.IndexOf(MaskOf(Table::kJobs)), 1u);
    EXPECT_EQ(tables.IndexOf(MaskOf(Table::kJobs) | MaskOf(Table::kNodes)), 2u);
  });
}

// Counts the waits that have ended, and keeps the result of the last one.
struct Waits {
  Co<void> One(Context context, StateStore* store, TableMask mask, std::uint64_t newer_than) {
    last = co_await store->WaitNewer(context, mask, newer_than);
    ++ended;
  }
  int ended = 0;
  Status last;
};

TEST(StateStoreTest, OnlyAWriteToItsTableEndsAWait) {
  SimLoop loop;
  const Context context(&loop);
  StateStore store;
  store.Write(cause::kEvaluation, [](Tables*, std::uint64_t) { return MaskOf(Table::kJobs); });
  Waits waits;
  loop.Spawn(waits.One(context, &store, MaskOf(Table::kJobs), 1));
  loop.RunReady();
  store.Write(cause::kEvaluation, [](Tables*, std::uint64_t) { return MaskOf(Table::kNodes); });
  loop.RunReady();
  EXPECT_EQ(waits.ended, 0);
  EXPECT_EQ(store.waiting(), 1u);
  store.Write(cause::kEvaluation, [](Tables*, std::uint64_t) { return MaskOf(Table::kJobs); });
  loop.RunReady();
  EXPECT_EQ(waits.ended, 1);
  EXPECT_TRUE(waits.last.ok());
  EXPECT_EQ(store.waiting(), 0u);
}

TEST(StateStoreTest, AWaitEndsWithItsContextAndAtOnceForWhatIsOld) {
  SimLoop loop;
  const Context context(&loop);
  StateStore store;
  Waits waits;
  loop.Spawn(waits.One(context, &store, MaskOf(Table::kJobs), 0));
  loop.RunReady();
  EXPECT_EQ(waits.ended, 1) << "the index is never below 1";
  loop.Spawn(waits.One(context.WithTimeout(5s), &store, MaskOf(Table::kJobs), 1));
  loop.Advance(4s);
  EXPECT_EQ(waits.ended, 1);
  loop.Advance(1s);
  EXPECT_EQ(waits.ended, 2);
  EXPECT_EQ(waits.last.code(), Code::kTimeout);
  EXPECT_EQ(store.waiting(), 0u);
}

// A loop that runs one task at a time, so that a test can count them.
class CountingLoop : public SimLoop {
 public:
  // Runs one ready task, if there is one; returns how many it ran.
  std::size_t RunOne() {
    io().restart();
    return io().poll_one();
  }
};

TEST(StateStoreTest, AWriteWakesALoopOnceHoweverManyWaitOnIt) {
  CountingLoop loop;
  const Context context(&loop);
  StateStore store;
  store.Write(cause::kEvaluation, [](Tables*, std::uint64_t) { return MaskOf(Table::kJobs); });
  Waits waits;
  for (int i = 0; i < 100; ++i) {
    loop.Spawn(waits.One(context, &store, MaskOf(Table::kJobs), 1));
  }
  loop.RunReady();
  ASSERT_EQ(store.waiting(), 100u);
  for (int i = 0; i < 5; ++i) {
    store.Write(cause::kEvaluation, [](Tables*, std::uint64_t) { return MaskOf(Table::kJobs); });
  }
  // The first task of the loop wakes all; each of the 100 is one more.
  std::size_t tasks = 0;
  while (loop.RunOne() > 0) ++tasks;
  EXPECT_EQ(waits.ended, 100);
  EXPECT_EQ(tasks, 101u);
  EXPECT_EQ(store.waiting(), 0u);
}

// Nothing slow may happen under the lock. Each slow call here waits for a reader, so a call under
// the lock never returns.
TEST(StateStoreTest, ReadersNeedNotWaitForTheJournalNorForWhatTheEventLogLetsGo) {
  StateStore store;
  int read = 0;
  const auto read_beside = [&store, &read] {
    std::thread([&] { store.Read([&read](const Tables&) { ++read; }); }).join();
  };
  const auto put = [&store](std::shared_ptr<const NodeRecord> node) {
    store.Write(cause::kNodeStatus, [&node](Tables* tables, std::uint64_t) {
      tables->Put(std::move(node));
      return MaskOf(Table::kNodes);
    });
  };
  store.SetJournal([&](const std::vector<StateEvent>&, const Tables&) { read_beside(); });
  bool gone = false;
  put({new NodeRecord, [&](const NodeRecord* node) {
         delete node;
         gone = true;
         read_beside();
       }});
  EXPECT_EQ(read, 1);
  store.SetJournal({});
  for (int i = 0; i < 10'000 && !gone; ++i) put(std::make_shared<const NodeRecord>());
  EXPECT_TRUE(gone);
  EXPECT_EQ(read, 2);
}

// The keys of some tables are texts in the records, which a write replaces and frees.
TEST(StateStoreTest, KeysAreTextsOfTheRecordThatIsThere) {
  for (const std::string& id : {std::string("short"), std::string(36, 'l')}) {
    Tables tables;
    const JobKey key("default", id);
    const auto put = [&](std::string_view status, std::uint64_t create_index) {
      auto eval = std::make_shared<Evaluation>();
      std::tie(eval->id, eval->job_namespace, eval->job_id) = std::tie(id, key.first, key.second);
      eval->status = status;
      eval->create_index = create_index;
      tables.Put(std::move(eval));
      tables.Put(std::make_shared<const PeriodicLaunch>(PeriodicLaunch{key.first, id, 1, 1, 1}));
      tables.changes = {};
    };
    const auto expect_own = [&] {
      ASSERT_EQ(tables.evals.size(), 1u);
      const char* const own = tables.evals.at(id)->id.data();
      EXPECT_EQ(tables.evals.begin()->first.data(), own);
      const JobEvals& of_job = tables.evals_of_job.at(key);
      ASSERT_EQ(of_job.all.size(), 1u);
      EXPECT_EQ(of_job.all.begin()->second.data(), own);
      for (const std::string_view open : of_job.open) EXPECT_EQ(open.data(), own);
      ASSERT_EQ(tables.launches.size(), 1u);
      const auto& [launch_key, launch] = *tables.launches.begin();
      EXPECT_EQ(launch_key.first.data(), launch->job_namespace.data());
      EXPECT_EQ(launch_key.second.data(), launch->job_id.data());
    };
    put("blocked", 1);
    expect_own();
    EXPECT_EQ(tables.OpenEvalsOf(key).size(), 1u);
    put("pending", 1);
    expect_own();
    EXPECT_EQ(tables.OpenEvalsOf(key).size(), 1u);
    tables.Put(std::shared_ptr(tables.evals.at(id)));
    expect_own();
    put("complete", 2);
    expect_own();
    EXPECT_TRUE(tables.OpenEvalsOf(key).empty());
    EXPECT_EQ(tables.blocked_evals, 0u);
    tables.Erase(*tables.evals.begin()->second);
    tables.Erase(*tables.launches.begin()->second);
    EXPECT_TRUE(tables.evals.empty() && tables.evals_of_job.empty() && tables.launches.empty());
  }
}

TEST(StateStoreTest, NoWriteIsMissedByAnotherThread) {
  StateStore store;
  constexpr std::uint64_t kWrites = 2000;
  std::uint64_t seen = 1;
  std::thread reader([&] {
    RealLoop loop;
    const Context context(&loop);
    const auto follow = [](Context c, StateStore* s, std::uint64_t* at) -> Co<void> {
      while (*at < kWrites) {
        const Status newer = co_await s->WaitNewer(c, MaskOf(Table::kAllocs), *at);
        if (!newer.ok()) co_return;
        s->Read([&](const Tables& tables) { *at = tables.IndexOf(MaskOf(Table::kAllocs)); });
      }
    };
    EXPECT_TRUE(loop.RunToEnd(follow(context.WithTimeout(30s), &store, &seen)));
  });
  for (std::uint64_t i = 0; i < kWrites; ++i) {
    store.Write(cause::kEvaluation, [](Tables*, std::uint64_t) { return MaskOf(Table::kAllocs); });
  }
  reader.join();
  EXPECT_EQ(seen, kWrites);
}

}  // namespace
}  // namespace drover
