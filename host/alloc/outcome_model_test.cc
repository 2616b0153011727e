// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// Tests random groups against a model that predicts everything: when each task is started, how
// often, when and how it ends, its state then, and the allocation's status. The model consists of
// the rules alone and knows nothing of coordinator, tracker or runner. It predicts nothing where
// two things happen at the same moment, since no rule gives their order.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <tuple>

#include "host/alloc/alloc_fixture.h"
#include "host/alloc/random_groups_for_test.h"

namespace drover {
namespace {

using Kind = TraceEntry::Kind;
constexpr Duration kNever = Duration::max();

// One entry of a trace, with its time since the start.
using Happening = std::tuple<Duration, std::string, Kind, bool>;

class OutcomeModel {
 public:
  struct Life {
    const Task* task = nullptr;
    const FakeDriver::Script* script = nullptr;
    enum class Place { kGate, kStarting, kRunning, kDelay, kShutdownDelay, kStopping, kDead };
    Place place = Place::kGate;
    Duration due = kNever;      // when it changes its place by itself
    Duration own_end = kNever;  // of the run
    bool failed = false;
    int restarts = 0;
    int counted = 0;  // decisions in this interval
    Duration interval_start{0};

    bool dead() const { return place == Place::kDead; }
    bool running() const { return place == Place::kRunning; }
    bool pending() const { return !dead() && !running(); }
  };

  OutcomeModel(const Job& job, FakeDriver* driver)
      : policy_(job.groups[0].restart_policy), service_(job.type == JobType::kService) {
    for (const Task& task : job.groups[0].tasks) {
      lives_.push_back({.task = &task, .script = &driver->On(task.name)});
    }
  }

  // Returns false if two things happen at the same moment.
  bool Run(Duration stop_at) {
    Settle();
    for (bool stopped = false;;) {
      Life* next = nullptr;
      bool met = false;
      for (Life& life : lives_) {
        if (life.due == kNever) continue;
        if (next != nullptr && life.due == next->due) met = true;
        if (next == nullptr || life.due < next->due) {
          next = &life;
          met = false;
        }
      }
      if (next == nullptr && stopped) return true;
      if (next != nullptr && next->due == stop_at) return false;
      if (!stopped && (next == nullptr || stop_at < next->due)) {
        stopped = true;
        now_ = stop_at;
        server_stopped_ = true;
        BeginEnd();
      } else {
        if (met) return false;
        now_ = next->due;
        next->due = kNever;
        Happen(next);
      }
      Settle();
    }
  }

  const std::vector<Life>& lives() const { return lives_; }
  const std::vector<Happening>& trace() const { return trace_; }
  bool failed() const {
    return Any([](const Life& l) { return l.failed; });
  }

 private:
  using Place = Life::Place;
  enum class Phase { kPrestart, kMain, kPoststart, kWait, kPoststop };

  template <typename Test>
  bool Any(Test test) const {
    return std::any_of(lives_.begin(), lives_.end(), test);
  }
  static bool OneShot(const Task& task) { return !IsSidecar(task); }

  // ---- which tasks may start

  bool GateOpen(const Task& task) const {
    if (IsPoststop(task)) return phase_ == Phase::kPoststop;
    if (phase_ == Phase::kPoststop) return false;
    if (IsPrestart(task)) return IsSidecar(task) || phase_ == Phase::kPrestart;
    if (phase_ == Phase::kPrestart) return false;
    if (!IsPoststart(task)) return true;
    return phase_ == Phase::kPoststart || (phase_ == Phase::kWait && IsSidecar(task));
  }

  void TakeTurns() {
    for (Phase before = phase_;; before = phase_) {
      if (!Any([](const Life& l) { return !IsPoststop(*l.task) && !l.dead(); })) {
        phase_ = Phase::kPoststop;
      } else if (phase_ == Phase::kPrestart) {
        const bool waits = Any([](const Life& l) {
          if (!IsPrestart(*l.task)) return false;
          return OneShot(*l.task) ? !l.dead() || l.failed : !l.running();
        });
        if (!waits) phase_ = Phase::kMain;
      } else if (phase_ == Phase::kMain) {
        if (!Any([](const Life& l) { return IsMain(*l.task) && l.pending(); }))
          phase_ = Phase::kPoststart;
      } else if (phase_ == Phase::kPoststart) {
        const bool waits = Any(
            [](const Life& l) { return IsPoststart(*l.task) && OneShot(*l.task) && !l.dead(); });
        if (!waits) phase_ = Phase::kWait;
      }
      if (phase_ == before) return;
    }
  }

  // ---- which tasks are killed

  void Judge() {
    bool live = false, failure = false, leader_dead = false, only_sidecars = true;
    for (const Life& l : lives_) {
      if (IsPoststop(*l.task)) continue;
      live = live || !l.dead();
      failure = failure || (l.dead() && l.failed);
      leader_dead = leader_dead || (l.dead() && l.task->leader);
      only_sidecars = only_sidecars && (l.dead() || IsSidecar(*l.task));
    }
    if (!live || failure || leader_dead || only_sidecars) BeginEnd();
  }

  // The leader, then all except the sidecars, then the sidecars. Each lot follows when the one
  // before is dead.
  static int LotOf(const Task& task) { return task.leader ? 0 : IsSidecar(task) ? 2 : 1; }

  void BeginEnd() {
    if (lot_ < 0) lot_ = 0;
  }
  bool killing() const { return lot_ >= 0 && lot_ < 3; }

  void GoOnKilling() {
    while (killing()) {
      const auto of_lot = [this](const Life& l) {
        return !IsPoststop(*l.task) && LotOf(*l.task) == lot_ && !l.dead();
      };
      if (asked_ <= lot_) {
        asked_ = lot_ + 1;
        for (Life& l : lives_) {
          if (of_lot(l)) Kill(&l);
        }
      }
      if (Any(of_lot)) return;
      ++lot_;
    }
  }

  void Kill(Life* l) {
    if (!l->running()) return Die(l);
    if (l->task->shutdown_delay <= 0s) return Stop(l);
    l->place = Place::kShutdownDelay;
    l->due = std::min(l->own_end, now_ + l->task->shutdown_delay);
  }

  void Stop(Life* l) {
    Note(*l, Kind::kStop);
    l->place = Place::kStopping;
    l->due = now_ + (IsForced(*l) ? l->task->kill_timeout : l->script->stop_delay);
    if (l->due == now_) Happen(l);
  }
  static bool IsForced(const Life& l) {
    return l.script->ignores_signal || l.script->stop_delay >= l.task->kill_timeout;
  }

  // ---- one task

  void Settle() {
    for (bool changed = true; changed;) {
      changed = false;
      if (!killing()) Judge();
      GoOnKilling();
      if (!killing()) TakeTurns();
      for (Life& l : lives_) {
        if (l.place != Place::kGate || !GateOpen(*l.task)) continue;
        Start(&l);
        changed = true;
      }
    }
  }

  void Start(Life* l) {
    Note(*l, Kind::kBegin);
    l->place = Place::kStarting;
    l->due = now_ + l->script->start_delay;
    if (l->due == now_) Happen(l);
  }

  // The event for which L waited has come.
  void Happen(Life* l) {
    l->due = kNever;
    const bool success = l->script->exit.Successful();
    switch (l->place) {
      case Place::kStarting:
        if (l->script->start_error) return Decide(l, false);
        Note(*l, Kind::kStart);
        l->place = Place::kRunning;
        l->own_end = l->script->run_for ? now_ + *l->script->run_for : kNever;
        l->due = l->own_end;
        return;
      case Place::kRunning:
        Note(*l, Kind::kEnd, success);
        return Decide(l, success);
      case Place::kDelay:
        if (server_stopped_ && !IsPoststop(*l->task)) return Die(l);
        l->place = Place::kGate;
        return;
      case Place::kShutdownDelay:
        if (now_ != l->own_end) return Stop(l);
        Note(*l, Kind::kEnd, success);
        return Die(l);
      case Place::kStopping:
        Note(*l, Kind::kEnd, success && !IsForced(*l));
        return Die(l);
      case Place::kGate:
      case Place::kDead:
        return;
    }
  }

  // After an end that nobody requested, or a failed start.
  void Decide(Life* l, bool success) {
    const bool again_after_success = IsPoststop(*l->task) ? false
                                     : l->task->lifecycle ? IsSidecar(*l->task)
                                                          : service_;
    const bool done = success && !again_after_success;
    if (policy_.attempts == 0) return done ? Die(l) : Fail(l);
    if (now_ - l->interval_start >= policy_.interval) {
      l->interval_start = now_;
      l->counted = 0;
    }
    ++l->counted;
    if (l->script->start_error && !l->script->start_error->recoverable()) return Fail(l);
    if (done) return Die(l);
    if (l->counted <= policy_.attempts)
      return RestartAfter(l, std::max<Duration>(policy_.delay, 1ns));
    if (policy_.mode == RestartPolicy::Mode::kFail) return Fail(l);
    RestartAfter(l, l->interval_start + policy_.interval - now_);
  }

  void RestartAfter(Life* l, Duration delay) {
    ++l->restarts;
    l->place = Place::kDelay;
    l->due = now_ + delay;
  }
  void Fail(Life* l) {
    l->failed = true;
    Die(l);
  }
  static void Die(Life* l) {
    l->place = Place::kDead;
    l->due = kNever;
  }

  void Note(const Life& l, Kind kind, bool success = false) {
    trace_.emplace_back(now_, l.task->name, kind, success);
  }

  const RestartPolicy policy_;
  const bool service_;
  std::vector<Life> lives_;
  std::vector<Happening> trace_;
  Duration now_{0};
  Phase phase_ = Phase::kPrestart;
  int lot_ = -1;   // the lot that is being killed; 3: all are dead
  int asked_ = 0;  // the number of lots that were asked to end
  bool server_stopped_ = false;
};

std::string Text(std::vector<Happening> trace) {
  // Tasks of a lot or of a phase that act at the same moment have no order.
  std::sort(trace.begin(), trace.end());
  std::string text;
  for (const auto& [at, task, kind, success] : trace) {
    const char* const words[] = {"begins", "starts", "is stopped", success ? "ends well" : "ends"};
    text += FormatDuration(at) + " " + task + " " + words[static_cast<int>(kind)] + "\n";
  }
  return text;
}

class RandomGroup {
 public:
  explicit RandomGroup(std::uint64_t seed) : random_(seed) {}

  // Returns false if the model does not predict this group.
  bool Run() {
    AllocFixture fixture;
    fixture.job().type = Chance(50) ? JobType::kService : JobType::kBatch;
    const bool delays = Chance(20);
    fixture.group().restart_policy = {
        static_cast<int>(Below(3)), 10min, Chance(20) ? Duration(0) : Time(3s),
        delays ? RestartPolicy::Mode::kDelay : RestartPolicy::Mode::kFail};
    MakeTasks(&fixture, delays);
    const TimePoint begin = fixture.loop.Now();
    const Duration stop_at = Time(60s);
    OutcomeModel model(fixture.job(), &fixture.driver);
    if (!model.Run(stop_at)) {
      fixture.Make();
      fixture.Forget();
      return false;
    }
    fixture.Start();
    fixture.loop.Advance(stop_at);
    fixture.UpdateToStop();
    EXPECT_TRUE(fixture.RunToEnd());

    std::vector<Happening> trace;
    for (const TraceEntry& entry : fixture.driver.trace) {
      trace.emplace_back(entry.at - begin, entry.task, entry.kind, entry.success);
    }
    EXPECT_EQ(Text(std::move(trace)), Text(model.trace()))
        << "stopped at " << FormatDuration(stop_at);
    for (const OutcomeModel::Life& life : model.lives()) {
      const TaskStateRecord& state = fixture.state(life.task->name);
      EXPECT_TRUE(life.dead()) << life.task->name;
      EXPECT_EQ(state.state, RunnerState::kDead) << life.task->name;
      EXPECT_EQ(state.failed, life.failed) << life.task->name;
      EXPECT_EQ(state.restarts, life.restarts) << life.task->name;
    }
    EXPECT_EQ(fixture.status().status,
              model.failed() ? ClientStatus::kFailed : ClientStatus::kComplete);
    return true;
  }

 private:
  std::uint64_t Below(std::uint64_t bound) { return random_() % bound; }
  bool Chance(int percent) { return Below(100) < static_cast<std::uint64_t>(percent); }
  // So fine that two things seldom happen at the same moment.
  Duration Time(Duration most) {
    return Duration(
        static_cast<Duration::rep>(1 + Below(static_cast<std::uint64_t>(most.count()))));
  }

  void MakeTasks(AllocFixture* fixture, bool delays) {
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
      FakeDriver::Script& script = fixture->driver.On(task.name);
      if (!(IsMain(task) || IsSidecar(task)) || Chance(40)) script.run_for = Time(20s);
      if (Chance(20)) script.exit.exit_code = 1;
      if (Chance(30)) script.start_delay = Time(4s);
      if (Chance(50)) script.stop_delay = Time(4s);
      if (Chance(10)) script.ignores_signal = true;
      if (Chance(5)) script.start_error = Error(Code::kInternal, "no luck", Chance(50));
      if (IsPoststop(task) && delays) {  // it would be restarted for ever
        script.exit.exit_code = 0;
        script.start_error.reset();
      }
      if (Chance(10)) task.shutdown_delay = Time(3s);
      task.kill_timeout = Time(5s);
      if (!leader && IsMain(task) && Chance(20)) task.leader = leader = true;
    }
  }

  std::mt19937_64 random_;
};

class OutcomeModelTest : public testing::TestWithParam<int> {};

constexpr int kShards = 10;
constexpr int kGroupsPerShard = 1000;

INSTANTIATE_TEST_SUITE_P(Shard, OutcomeModelTest, testing::Range(0, kShards));

TEST_P(OutcomeModelTest, RandomGroupsEndAsPredicted) {
  ForRandomGroups(GetParam(), kGroupsPerShard,
                  [](std::uint64_t seed) { return RandomGroup(seed).Run(); });
}

}  // namespace
}  // namespace drover
