// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// Random changes of jobs, nodes and deployments, with kills of the server, against the model of the
// rules. DROVER_MODEL_SEQUENCES is the number of sequences, and DROVER_SEED repeats one.
#include "tests/model/change_model.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <iostream>

#include "host/base/seed_for_test.h"
#include "tests/model/change_world.h"

namespace drover {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Function = ReschedulePolicy::DelayFunction;

constexpr int kSteps = 25;

int Sequences() {
  const char* const given = std::getenv("DROVER_MODEL_SEQUENCES");
  return given == nullptr ? 60 : std::atoi(given);
}

std::string Lines(const std::vector<std::string>& all) {
  std::string out;
  for (const std::string& line : all) out += line + "\n";
  return out;
}

TEST(ChangeModelTest, RandomSequencesBreakNoRule) {
  const std::uint64_t first = FirstSeed();
  const int sequences = Sequences();
  std::cout << sequences << " sequences, " << HowToRepeat(first) << "\n";
  for (int i = 0; i < sequences && !::testing::Test::HasFailure(); ++i) {
    const std::uint64_t seed = first + static_cast<std::uint64_t>(i);
    SCOPED_TRACE(HowToRepeat(seed) + " DROVER_MODEL_SEQUENCES=1");
    ChangeWorld world(seed);
    for (int step = 0; step < kSteps && world.model().broken().empty(); ++step) world.Step();
    std::vector<std::string> missing;
    if (world.model().broken().empty()) missing = world.EndWell();
    EXPECT_THAT(world.model().broken(), IsEmpty()) << world.story();
    if (world.model().broken().empty()) {
      EXPECT_TRUE(missing.empty()) << Lines(missing) << world.story();
    }
  }
}

// A model that objects to nothing would prove nothing. So each of these changes what a server has
// stored, against one rule.
class BrokenRuleTest : public ::testing::Test {
 protected:
  BrokenRuleTest() {
    for (const char* const id : {"n1", "n2"}) cluster.Add(id);
    Job job = JobOfGroup("web", 2);
    job.groups[0].reschedule.delay = 5s;
    cluster.MustRegister(job);
    cluster.loop.Advance(5s);
    Look();
    EXPECT_THAT(model.broken(), IsEmpty());
  }

  Tables Stored() const {
    Tables copy;
    cluster_store()->Read([&](const Tables& tables) { copy = tables; });
    return copy;
  }
  const StateStore* cluster_store() const { return const_cast<SimulatedCluster&>(cluster).store(); }
  void Look() { model.Look(Stored(), cluster.loop.Wall()); }
  // Looks at what was stored after CHANGE was made to it.
  void LookAt(const std::function<void(Tables*)>& change) {
    Tables tables = Stored();
    change(&tables);
    model.Look(tables, cluster.loop.Wall());
  }
  // Makes one of the allocations fail. Returns its record.
  AllocRecord Fail() {
    const auto record = cluster.Live("web").at(0);
    cluster.node(record->alloc->node_id).runner(record->id())->End(true);
    cluster.loop.Advance(1s);
    return *cluster.Alloc(record->id());
  }

  SimulatedCluster cluster;
  ChangeModel model;
};

TEST_F(BrokenRuleTest, TwoInOneSlot) {
  LookAt([this](Tables* tables) {
    auto alloc = std::make_shared<Allocation>(*cluster.Live("web").at(0)->alloc);
    alloc->id = "11111111-2222-3333-4444-555555555555";
    auto record = std::make_shared<AllocRecord>(*cluster.Live("web").at(0));
    record->alloc = std::move(alloc);
    tables->Put(std::shared_ptr<const AllocRecord>(std::move(record)));
  });
  EXPECT_THAT(model.broken(), Contains(HasSubstr("2 are live")));
}

TEST_F(BrokenRuleTest, AFailureThatNoEvaluationWaitsFor) {
  const std::string follow_up = Fail().changes().follow_up_eval;
  Look();
  ASSERT_THAT(model.broken(), IsEmpty());
  LookAt([&](Tables* tables) {
    auto eval = std::make_shared<Evaluation>(*tables->evals.at(follow_up));
    eval->status = "canceled";
    tables->Put(std::shared_ptr<const Evaluation>(std::move(eval)));
  });
  EXPECT_THAT(model.broken(), ElementsAre(HasSubstr("no evaluation waits to replace it")));
}

TEST_F(BrokenRuleTest, ATimeThatWasMissed) {
  Fail();
  model.Look(Stored(), cluster.loop.Wall() + Duration(1min).count());
  EXPECT_THAT(model.broken(), Contains(HasSubstr("has missed its time")));
}

TEST_F(BrokenRuleTest, AReplacementWithAnotherPast) {
  const std::string failed = Fail().id();
  Look();
  cluster.loop.Advance(10s);
  LookAt([&](Tables* tables) {
    const auto next = tables->allocs.at(tables->allocs.at(failed)->next);
    AllocChange change = next->changes();
    ASSERT_EQ(change.reschedules.size(), 1u);
    change.reschedules[0].delay = 7s;
    auto record = std::make_shared<AllocRecord>(*next);
    record->change = std::make_shared<const AllocChange>(std::move(change));
    tables->Put(std::shared_ptr<const AllocRecord>(std::move(record)));
  });
  EXPECT_THAT(model.broken(), ElementsAre(HasSubstr("waited 7 s and not 5 s")));
}

TEST_F(BrokenRuleTest, AStopWithoutItsCause) {
  LookAt([this](Tables* tables) {
    auto alloc = std::make_shared<Allocation>(*cluster.Live("web").at(0)->alloc);
    alloc->desired_status = DesiredStatus::kStop;
    alloc->desired_description = "alloc is being migrated";
    auto record = std::make_shared<AllocRecord>(*cluster.Live("web").at(0));
    record->alloc = std::move(alloc);
    tables->Put(std::shared_ptr<const AllocRecord>(std::move(record)));
  });
  EXPECT_THAT(model.broken(), ElementsAre(AllOf(HasSubstr("migrated"), HasSubstr("without"))));
}

TEST_F(BrokenRuleTest, AJobThatIsNotAsWanted) {
  EXPECT_THAT(model.Missing(Stored()), Contains(HasSubstr("Deployment is running")));
  cluster.node("n1").link.Cut();
  cluster.loop.Advance(60s);
  EXPECT_THAT(model.Missing(Stored()), Contains("n1 is down"));
}

TEST(NextDelayTest, GrowsByItsFunctionAndBeginsAnew) {
  const auto delays = [](Function function, Duration max_delay) {
    ReschedulePolicy policy;
    policy.delay = 10s;
    policy.max_delay = max_delay;
    policy.delay_function = function;
    std::vector<RescheduleEvent> past;
    std::vector<int> out;
    WallTime now = 0;
    for (int i = 0; i < 6; ++i) {
      const Duration delay = ChangeModel::NextDelay(policy, past, now);
      out.push_back(static_cast<int>(delay / 1s));
      now += delay.count();
      past.push_back({now, "", "", delay});
    }
    now += (max_delay + 1s).count();
    out.push_back(static_cast<int>(ChangeModel::NextDelay(policy, past, now) / 1s));
    return out;
  };
  EXPECT_THAT(delays(Function::kConstant, 1h), ElementsAre(10, 10, 10, 10, 10, 10, 10));
  EXPECT_THAT(delays(Function::kExponential, 100s), ElementsAre(10, 20, 40, 80, 100, 100, 10));
  EXPECT_THAT(delays(Function::kFibonacci, 70s), ElementsAre(10, 10, 20, 30, 50, 70, 10));
}

}  // namespace
}  // namespace drover
