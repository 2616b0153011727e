// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// Tests random groups against a model of the order in which tasks may start and end. The model
// consists of the rules only: it reads the driver's trace and knows nothing of coordinator or
// runner.
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "host/alloc/alloc_fixture.h"
#include "host/alloc/random_groups_for_test.h"

namespace drover {
namespace {

// Checks a trace, entry by entry. Each rule is in the function that checks it.
class OrderModel {
 public:
  OrderModel(const TaskGroup& group, bool restarts) : group_(group), restarts_(restarts) {}

  // The first broken rule, or empty. RESTART_AT is the index at which all tasks were restarted.
  std::string Check(const std::vector<TraceEntry>& trace, std::size_t restart_at) {
    for (std::size_t i = 0; i < trace.size(); ++i) {
      if (i == restart_at) ForgetRound();
      const std::string fault = CheckEntry(trace[i]);
      if (!fault.empty())
        return "entry " + std::to_string(i) + ", task " + trace[i].task + ": " + fault;
    }
    for (const Task& task : group_.tasks) {
      if (running_.count(task.name)) return task.name + " is left running";
      if (IsPoststop(task) && !ever_begun_.count(task.name)) return task.name + " never ran";
    }
    return "";
  }

 private:
  std::string CheckEntry(const TraceEntry& entry) {
    const Task& task = *FindTask(group_, entry.task);
    switch (entry.kind) {
      case TraceEntry::Kind::kBegin:
        return CheckBegin(task);
      case TraceEntry::Kind::kStart:
        started_.insert(task.name);
        running_.insert(task.name);
        return "";
      case TraceEntry::Kind::kStop:
        return CheckStop(task);
      case TraceEntry::Kind::kEnd:
        if (!running_.erase(task.name)) return "ended twice";
        // The end of a run from before the restart does not count.
        if (!old_.erase(task.name) && entry.success) succeeded_.insert(task.name);
        return "";
    }
    return "unknown entry";
  }

  std::string CheckBegin(const Task& task) {
    if (running_.count(task.name)) return "started while it runs";
    const bool first = begun_.insert(task.name).second;
    ever_begun_.insert(task.name);
    if (poststop_begun_ && !IsPoststop(task)) return "started after a poststop task";
    const bool one_shot = (IsPrestart(task) || IsPoststart(task)) && !IsSidecar(task);
    if (one_shot && succeeded_.count(task.name)) return "a one-shot that was done started again";
    if (IsPoststop(task)) {
      poststop_begun_ = true;
      for (const Task& other : group_.tasks) {
        if (!IsPoststop(other) && running_.count(other.name))
          return "started before the end of " + other.name;
      }
      return "";
    }
    if (!first) return "";
    if (IsMain(task) || IsPoststart(task)) {
      for (const Task& other : group_.tasks) {
        if (!IsPrestart(other)) continue;
        if (IsSidecar(other) && !started_.count(other.name))
          return "started before sidecar " + other.name;
        if (!IsSidecar(other) && !succeeded_.count(other.name))
          return "started before the end of " + other.name;
      }
    }
    if (IsPoststart(task)) {
      for (const Task& other : group_.tasks) {
        if (IsMain(other) && !started_.count(other.name)) return "started before " + other.name;
      }
    }
    return "";
  }

  std::string CheckStop(const Task& task) {
    if (restarts_ || IsPoststop(task)) return "";  // a restart stops tasks in no order
    for (const Task& other : group_.tasks) {
      if (other.name == task.name || !running_.count(other.name) || IsPoststop(other)) continue;
      if (other.leader) return "stopped before the leader";
      if (IsSidecar(task) && !task.leader && !IsSidecar(other)) {
        return "a sidecar was stopped before " + other.name;
      }
    }
    return "";
  }

  void ForgetRound() {
    begun_.clear();
    started_.clear();
    succeeded_.clear();
    old_ = running_;
  }

  const TaskGroup& group_;
  const bool restarts_;
  std::set<std::string> running_, begun_, started_, succeeded_, old_, ever_begun_;
  bool poststop_begun_ = false;
};

class RandomGroup {
 public:
  explicit RandomGroup(std::uint64_t seed) : random_(seed) {}

  // Returns false if the order cannot be checked.
  bool Run() {
    AllocFixture fixture;
    fixture.job().type = Chance(50) ? JobType::kService : JobType::kBatch;
    fixture.group().restart_policy = {
        static_cast<int>(Below(3)), 10min, Seconds(3),
        Chance(80) ? RestartPolicy::Mode::kFail : RestartPolicy::Mode::kDelay};
    const bool wants_restart = Chance(20);
    // With a delay, only the runner knows when the second round begins.
    if (!wants_restart && Chance(10)) fixture.group().shutdown_delay = Seconds(5);
    MakeTasks(&fixture);
    fixture.Start();
    fixture.loop.Advance(Seconds(30));
    std::size_t restart_at = SIZE_MAX;
    const bool restart = wants_restart && !fixture.runner().ended();
    if (restart) {
      // A start in progress at the restart belongs to neither round.
      if (fixture.driver.open_calls() == static_cast<int>(fixture.driver.live_runs())) {
        restart_at = fixture.driver.trace.size();
      }
      [[maybe_unused]] const Status status = fixture.Wait(fixture.runner().RestartAll());
      // If the restart came too late, nothing has begun again.
      if (!status.ok()) restart_at = SIZE_MAX;
      fixture.loop.Advance(Seconds(30));
    }
    if (endless_ || Chance(20)) {
      fixture.runner().Kill();
    } else {
      fixture.UpdateToStop();
    }
    EXPECT_TRUE(fixture.RunToEnd()) << Describe(fixture);
    CheckEnd(&fixture);
    if (restart && restart_at == SIZE_MAX) return false;
    OrderModel model(fixture.group(), restart);
    const std::string fault = model.Check(fixture.driver.trace, restart_at);
    EXPECT_EQ(fault, "") << Describe(fixture);
    return true;
  }

 private:
  std::uint64_t Below(std::uint64_t bound) { return random_() % bound; }
  bool Chance(int percent) { return Below(100) < static_cast<std::uint64_t>(percent); }
  Duration Seconds(int most) {
    return std::chrono::milliseconds(Below(static_cast<std::uint64_t>(most) * 4 + 1) * 250);
  }

  void MakeTasks(AllocFixture* fixture) {
    const std::vector<std::string> kinds = {"init", "side", "main", "post", "postside", "stop"};
    const std::uint64_t more = Below(7);
    fixture->AddTask("main0", "main");
    for (std::uint64_t i = 1; i <= more; ++i) {
      const std::string kind = kinds[Below(kinds.size())];
      fixture->AddTask(kind + std::to_string(i), kind);
    }
    std::shuffle(fixture->group().tasks.begin(), fixture->group().tasks.end(), random_);
    bool leader = false;
    for (Task& task : fixture->group().tasks) {
      const bool one_shot = (IsPrestart(task) || IsPoststart(task)) && !IsSidecar(task);
      FakeDriver::Script& script = fixture->driver.On(task.name);
      if (one_shot || IsPoststop(task) || Chance(40)) script.run_for = Seconds(20);
      if (Chance(20)) script.exit.exit_code = 1;
      if (Chance(30)) script.start_delay = Seconds(4);
      if (Chance(50)) script.stop_delay = Seconds(4);
      if (Chance(10)) script.ignores_signal = true;
      if (Chance(5)) script.start_error = Error(Code::kInternal, "no luck", Chance(50));
      if (IsPoststop(task) && fixture->group().restart_policy.mode == RestartPolicy::Mode::kDelay) {
        // A stop does not end a poststop task that fails and may be restarted for ever.
        endless_ = endless_ || script.exit.exit_code != 0 || script.start_error;
      }
      if (Chance(10)) task.shutdown_delay = Seconds(3);
      if (!leader && IsMain(task) && Chance(20)) task.leader = leader = true;
    }
  }

  // Checks the facts that hold for every allocation that has ended.
  void CheckEnd(AllocFixture* fixture) {
    bool failed = false;
    for (const Task& task : fixture->group().tasks) {
      const TaskStateRecord& state = fixture->state(task.name);
      EXPECT_EQ(state.state, RunnerState::kDead) << task.name;
      EXPECT_NE(state.finished_at, 0) << task.name;
      EXPECT_EQ(fixture->driver.running(task.name), 0) << task.name;
      failed = failed || state.failed;
    }
    EXPECT_EQ(fixture->status().status, failed ? ClientStatus::kFailed : ClientStatus::kComplete);
    EXPECT_EQ(fixture->loop.live_timers(), 0u);
  }

  static std::string Describe(AllocFixture& fixture) {
    std::string text = fixture.driver.TraceText() + " |";
    for (const Task& task : fixture.group().tasks) {
      text += " " + task.name + (task.leader ? "(leader)" : "") + "=" + fixture.Brief(task.name);
    }
    return text;
  }

  std::mt19937_64 random_;
  bool endless_ = false;
};

class OrderModelTest : public testing::TestWithParam<int> {};

constexpr int kShards = 20;
constexpr int kGroupsPerShard = 500;

INSTANTIATE_TEST_SUITE_P(Shard, OrderModelTest, testing::Range(0, kShards));

TEST_P(OrderModelTest, RandomGroupsKeepTheOrder) {
  ForRandomGroups(GetParam(), kGroupsPerShard,
                  [](std::uint64_t seed) { return RandomGroup(seed).Run(); });
}

TEST(OrderModelSelfTest, SeesFaults) {
  TaskGroup group;
  for (const char* name : {"init", "main", "side", "stop"}) {
    group.tasks.push_back(MakeTask(name, name));
  }
  const auto check = [&group](const std::string& words) {
    std::vector<TraceEntry> trace;
    std::size_t at = 0;
    while (at < words.size()) {
      const std::size_t end = std::min(words.find(' ', at), words.size());
      const std::string task = words.substr(at + 1, end - at - 1);
      if (words[at] == '+') {
        trace.push_back({TraceEntry::Kind::kBegin, task, TimePoint()});
        trace.push_back({TraceEntry::Kind::kStart, task, TimePoint()});
      } else if (words[at] == '!') {
        trace.push_back({TraceEntry::Kind::kStop, task, TimePoint()});
      } else {
        trace.push_back({TraceEntry::Kind::kEnd, task, TimePoint(), true});
      }
      at = end + 1;
    }
    return OrderModel(group, false).Check(trace, SIZE_MAX);
  };
  EXPECT_EQ(check("+init +side -init +main !main -main !side -side +stop -stop"), "");
  EXPECT_NE(check("+init +side +main -init -main -side +stop -stop"), "");
  EXPECT_NE(check("+init -init +main +side -main -side +stop -stop"), "");
  EXPECT_NE(check("+init +side -init +main !side -side -main +stop -stop"), "");
  EXPECT_NE(check("+init +side -init +main -main +stop -stop -side"), "");
  EXPECT_NE(check("+init +side -init +main -main -side"), "");
  EXPECT_NE(check("+init +side -init +init -init +main -main -side +stop -stop"), "");
  EXPECT_NE(check("+init +side -init +main -side +stop -stop"), "");
  EXPECT_NE(check("+init +side -init +main -main -side +stop -stop +main -main"), "");
}

}  // namespace
}  // namespace drover
