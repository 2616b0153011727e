// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/alloc/coordinator.h"

#include <gtest/gtest.h>

#include <set>

namespace drover {
namespace {

Co<void> Pass(TaskGate* gate, Context context, bool* passed) {
  *passed = (co_await gate->WaitOpen(context)).ok();
}

// Whether a task that comes to the gate now may start.
bool Allowed(SimLoop* loop, TaskGate* gate) {
  Context context(loop);
  bool passed = false;
  loop->Spawn(Pass(gate, context, &passed));
  loop->RunReady();
  const bool allowed = passed;
  context.Cancel();
  loop->RunReady();
  return allowed;
}

TEST(TaskGateTest, FreshGateBlocks) {
  SimLoop loop;
  TaskGate gate(&loop);
  EXPECT_FALSE(Allowed(&loop, &gate));
}

TEST(TaskGateTest, OpenAndCloseMayBeRepeatedInAnyOrder) {
  SimLoop loop;
  TaskGate gate(&loop);
  gate.Close();
  EXPECT_FALSE(Allowed(&loop, &gate));
  gate.Open();
  EXPECT_TRUE(Allowed(&loop, &gate));
  EXPECT_TRUE(Allowed(&loop, &gate)) << "one waiter must not use it up";
  gate.Close();
  gate.Close();
  EXPECT_FALSE(Allowed(&loop, &gate));
  gate.Open();
  gate.Open();
  EXPECT_TRUE(Allowed(&loop, &gate));
  gate.Close();
  gate.Open();
  EXPECT_TRUE(Allowed(&loop, &gate));
}

TEST(TaskGateTest, AfterShutdownItStaysClosed) {
  SimLoop loop;
  TaskGate gate(&loop);
  gate.Open();
  gate.Shutdown();
  EXPECT_FALSE(Allowed(&loop, &gate));
  gate.Open();
  EXPECT_FALSE(Allowed(&loop, &gate));
}

TEST(TaskGateTest, AWaiterWhoseTurnHasPassedWaitsOn) {
  SimLoop loop;
  TaskGate gate(&loop);
  Context context(&loop);
  bool passed = false;
  loop.Spawn(Pass(&gate, context, &passed));
  loop.RunReady();
  gate.Open();
  gate.Close();  // before the waiter has run
  loop.RunReady();
  EXPECT_FALSE(passed);
  gate.Open();
  loop.RunReady();
  EXPECT_TRUE(passed);
}

enum class Kind { kPE, kPS, kM, kQE, kQS, kX };

Task MakeTask(const std::string& name, Kind kind) {
  Task task;
  task.name = name;
  if (kind == Kind::kPE) task.lifecycle = Lifecycle{Lifecycle::Hook::kPrestart, false};
  if (kind == Kind::kPS) task.lifecycle = Lifecycle{Lifecycle::Hook::kPrestart, true};
  if (kind == Kind::kQE) task.lifecycle = Lifecycle{Lifecycle::Hook::kPoststart, false};
  if (kind == Kind::kQS) task.lifecycle = Lifecycle{Lifecycle::Hook::kPoststart, true};
  if (kind == Kind::kX) task.lifecycle = Lifecycle{Lifecycle::Hook::kPoststop, false};
  return task;
}

// Text of a state in the tables below: "p"ending, "r"unning, "ok" or "failed".
TaskSnapshot StateOf(const std::string& text) {
  TaskStateRecord record;
  if (text == "r") record.state = RunnerState::kRunning;
  if (text == "ok" || text == "failed") record.state = RunnerState::kDead;
  record.failed = text == "failed";
  return std::make_shared<const TaskStateRecord>(record);
}

using Fed = std::map<std::string, std::string>;

class Fixture {
 public:
  explicit Fixture(const std::vector<std::pair<std::string, Kind>>& tasks) {
    for (const auto& [name, kind] : tasks) group_.tasks.push_back(MakeTask(name, kind));
    coordinator_.emplace(&loop_, group_);
  }
  static TaskStates States(const Fed& fed) {
    TaskStates states;
    for (const auto& [name, text] : fed) states[name] = StateOf(text);
    return states;
  }
  // Feeds the states and returns the tasks that may start then.
  std::set<std::string> Feed(const Fed& fed) {
    coordinator_->TaskStatesChanged(States(fed));
    return Open();
  }
  std::set<std::string> Restore(const Fed& fed) {
    coordinator_->Restore(States(fed));
    return Open();
  }
  std::set<std::string> Open() {
    std::set<std::string> open;
    for (const Task& task : group_.tasks) {
      if (Allowed(&loop_, coordinator_->gate(task.name))) open.insert(task.name);
    }
    return open;
  }
  Coordinator& operator*() { return *coordinator_; }
  Coordinator* operator->() { return &*coordinator_; }

 private:
  SimLoop loop_;
  TaskGroup group_;
  std::optional<Coordinator> coordinator_;
};

using Names = std::set<std::string>;

TEST(CoordinatorTest, NobodyStartsBeforeTheFirstStates) {
  Fixture c({{"main", Kind::kM}, {"init", Kind::kPE}, {"stop", Kind::kX}});
  EXPECT_EQ(c.Open(), Names());
  EXPECT_EQ(c->phase(), LifecyclePhase::kInit);
}

TEST(CoordinatorTest, OnlyMain) {
  Fixture c({{"main", Kind::kM}});
  EXPECT_EQ(c.Feed({{"main", "p"}}), Names({"main"}));
  EXPECT_EQ(c.Feed({{"main", "r"}}), Names({"main"}));
}

TEST(CoordinatorTest, InitSideAndMain) {
  Fixture c({{"init", Kind::kPE}, {"side", Kind::kPS}, {"main", Kind::kM}});
  EXPECT_EQ(c.Feed({{"init", "p"}, {"side", "p"}, {"main", "p"}}), Names({"init", "side"}));
  EXPECT_EQ(c.Feed({{"init", "p"}, {"side", "r"}, {"main", "p"}}), Names({"init", "side"}));
  EXPECT_EQ(c.Feed({{"init", "r"}, {"side", "r"}, {"main", "p"}}), Names({"init", "side"}));
  EXPECT_EQ(c.Feed({{"init", "ok"}, {"side", "r"}, {"main", "p"}}), Names({"side", "main"}));
  EXPECT_EQ(c.Feed({{"init", "ok"}, {"side", "r"}, {"main", "r"}}), Names({"side", "main"}));
}

TEST(CoordinatorTest, TwoInits) {
  Fixture c({{"a", Kind::kPE}, {"b", Kind::kPE}, {"main", Kind::kM}});
  EXPECT_EQ(c.Feed({{"a", "p"}, {"b", "p"}, {"main", "p"}}), Names({"a", "b"}));
  EXPECT_EQ(c.Feed({{"a", "ok"}, {"b", "r"}, {"main", "p"}}), Names({"a", "b"}));
  EXPECT_EQ(c.Feed({{"a", "ok"}, {"b", "ok"}, {"main", "p"}}), Names({"main"}));
}

TEST(CoordinatorTest, AFailedInitHoldsTheMainTask) {
  Fixture c({{"a", Kind::kPE}, {"b", Kind::kPE}, {"main", Kind::kM}});
  c.Feed({{"a", "p"}, {"b", "p"}, {"main", "p"}});
  EXPECT_EQ(c.Feed({{"a", "failed"}, {"b", "ok"}, {"main", "p"}}), Names({"a", "b"}));
}

TEST(CoordinatorTest, ASidecarThatNeverStartsHoldsTheMainTask) {
  Fixture c({{"init", Kind::kPE}, {"side", Kind::kPS}, {"main", Kind::kM}});
  c.Feed({{"init", "p"}, {"side", "p"}, {"main", "p"}});
  EXPECT_EQ(c.Feed({{"init", "ok"}, {"side", "p"}, {"main", "p"}}), Names({"init", "side"}));
}

TEST(CoordinatorTest, PoststartWaitsForTheMainTask) {
  Fixture c({{"side", Kind::kPS}, {"main", Kind::kM}, {"post", Kind::kQE}});
  EXPECT_EQ(c.Feed({{"side", "p"}, {"main", "p"}, {"post", "p"}}), Names({"side"}));
  EXPECT_EQ(c.Feed({{"side", "r"}, {"main", "p"}, {"post", "p"}}), Names({"side", "main"}));
  EXPECT_EQ(c.Feed({{"side", "r"}, {"main", "r"}, {"post", "p"}}), Names({"side", "main", "post"}));
  EXPECT_EQ(c.Feed({{"side", "r"}, {"main", "r"}, {"post", "r"}}), Names({"side", "main", "post"}));
}

TEST(CoordinatorTest, Restored) {
  {
    Fixture c({{"init", Kind::kPE}, {"side", Kind::kPS}, {"main", Kind::kM}});
    EXPECT_EQ(c.Restore({{"init", "r"}, {"side", "p"}, {"main", "p"}}), Names({"init", "side"}));
  }
  {
    Fixture c({{"init", Kind::kPE}, {"side", Kind::kPS}, {"main", Kind::kM}});
    EXPECT_EQ(c.Restore({{"init", "ok"}, {"side", "r"}, {"main", "p"}}), Names({"side", "main"}));
  }
  {
    Fixture c({{"main", Kind::kM}});
    EXPECT_EQ(c.Restore({{"main", "r"}}), Names({"main"}));
  }
  {
    Fixture c({{"main", Kind::kM}, {"once", Kind::kQE}, {"side", Kind::kQS}});
    EXPECT_EQ(c.Restore({{"main", "r"}, {"once", "ok"}, {"side", "r"}}), Names({"main", "side"}));
  }
  {
    Fixture c({{"main", Kind::kM}, {"stop", Kind::kX}});
    EXPECT_EQ(c.Restore({{"main", "ok"}, {"stop", "r"}}), Names({"stop"}));
    EXPECT_EQ(c->phase(), LifecyclePhase::kPoststop);
  }
}

TEST(CoordinatorTest, PoststopComesFromAnyPhaseWhenTheOthersAreDead) {
  const std::vector<std::pair<std::string, Kind>> all = {{"init", Kind::kPE}, {"side", Kind::kPS},
                                                         {"main", Kind::kM},  {"once", Kind::kQE},
                                                         {"post", Kind::kQS}, {"stop", Kind::kX}};
  const Fed pending = {{"init", "p"}, {"side", "p"}, {"main", "p"},
                       {"once", "p"}, {"post", "p"}, {"stop", "p"}};
  const Fed dead = {{"init", "failed"}, {"side", "ok"}, {"main", "failed"},
                    {"once", "ok"},     {"post", "ok"}, {"stop", "p"}};
  const std::vector<Fed> ways = {
      {},
      {{"init", "ok"}, {"side", "r"}, {"main", "p"}, {"once", "p"}, {"post", "p"}, {"stop", "p"}},
      {{"init", "ok"}, {"side", "r"}, {"main", "r"}, {"once", "p"}, {"post", "p"}, {"stop", "p"}},
      {{"init", "ok"}, {"side", "r"}, {"main", "r"}, {"once", "ok"}, {"post", "r"}, {"stop", "p"}}};
  for (const Fed& way : ways) {
    Fixture c(all);
    c.Feed(pending);
    if (!way.empty()) c.Feed(way);
    EXPECT_NE(c->phase(), LifecyclePhase::kPoststop);
    EXPECT_EQ(c.Feed(dead), Names({"stop"}));
  }
}

TEST(CoordinatorTest, OneUpdateMayCrossSeveralPhases) {
  Fixture c({{"init", Kind::kPE}, {"main", Kind::kM}, {"once", Kind::kQE}});
  c.Feed({{"init", "p"}, {"main", "p"}, {"once", "p"}});
  EXPECT_EQ(c->phase(), LifecyclePhase::kPrestart);
  c.Feed({{"init", "ok"}, {"main", "r"}, {"once", "failed"}});
  EXPECT_EQ(c->phase(), LifecyclePhase::kWaitAlloc);
}

TEST(CoordinatorTest, AGroupWithoutMainTasksGoesOnToPoststart) {
  Fixture c({{"side", Kind::kPS}, {"post", Kind::kQS}});
  c.Feed({{"side", "p"}, {"post", "p"}});
  EXPECT_EQ(c.Feed({{"side", "r"}, {"post", "p"}}), Names({"side", "post"}));
}

TEST(CoordinatorTest, ASidecarBetweenRestartsDoesNotSendThePhaseBack) {
  Fixture c({{"side", Kind::kPS}, {"main", Kind::kM}});
  c.Feed({{"side", "p"}, {"main", "p"}});
  c.Feed({{"side", "r"}, {"main", "r"}});
  EXPECT_EQ(c->phase(), LifecyclePhase::kWaitAlloc);
  EXPECT_EQ(c.Feed({{"side", "p"}, {"main", "r"}}), Names({"side", "main"}));
  EXPECT_EQ(c->phase(), LifecyclePhase::kWaitAlloc);
}

TEST(CoordinatorTest, RestartWaitsUntilAllTasksArePendingAgain) {
  Fixture c({{"init", Kind::kPE}, {"side", Kind::kPS}, {"main", Kind::kM}, {"stop", Kind::kX}});
  c.Feed({{"init", "p"}, {"side", "p"}, {"main", "p"}, {"stop", "p"}});
  c.Feed({{"init", "ok"}, {"side", "r"}, {"main", "r"}, {"stop", "p"}});
  c->Restart();
  EXPECT_EQ(c.Open(), Names());
  EXPECT_EQ(c.Feed({{"init", "p"}, {"side", "r"}, {"main", "p"}, {"stop", "p"}}), Names());
  EXPECT_EQ(c.Feed({{"init", "p"}, {"side", "p"}, {"main", "p"}, {"stop", "p"}}),
            Names({"init", "side"}));
}

TEST(CoordinatorTest, ARestartDoesNotWaitForATaskThatCouldNotBeStopped) {
  Fixture c({{"init", Kind::kPE}, {"stuck", Kind::kM}, {"main", Kind::kM}});
  c.Feed({{"init", "p"}, {"stuck", "p"}, {"main", "p"}});
  c.Feed({{"init", "ok"}, {"stuck", "r"}, {"main", "r"}});
  c->Restart();
  c->LeaveOut("stuck");
  EXPECT_EQ(c.Feed({{"init", "p"}, {"stuck", "r"}, {"main", "r"}}), Names());
  EXPECT_EQ(c.Feed({{"init", "p"}, {"stuck", "r"}, {"main", "p"}}), Names({"init"}));
  c.Feed({{"init", "ok"}, {"stuck", "r"}, {"main", "r"}});
  c->Restart();  // in the next restart it counts again
  EXPECT_EQ(c.Feed({{"init", "p"}, {"stuck", "r"}, {"main", "p"}}), Names());
}

TEST(CoordinatorTest, AfterShutdownNobodyStarts) {
  Fixture c({{"main", Kind::kM}, {"stop", Kind::kX}});
  c.Feed({{"main", "p"}, {"stop", "p"}});
  c->Shutdown();
  EXPECT_EQ(c.Open(), Names());
  EXPECT_EQ(c.Feed({{"main", "ok"}, {"stop", "p"}}), Names());
}

}  // namespace
}  // namespace drover
