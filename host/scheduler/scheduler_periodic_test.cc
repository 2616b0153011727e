// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "host/base/base64.h"
#include "host/periodic/child_job.h"
#include "host/scheduler/scheduler_fixture.h"

namespace drover {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// The first time of the loop. All times of these tests are seconds after it.
constexpr std::int64_t kBegin = 1'700'001'000;  // 2023-11-14 22:30:00 UTC

class SchedulerPeriodicTest : public SchedulerFixture {
 protected:
  SchedulerPeriodicTest() { Begin(&scheduler); }
  ~SchedulerPeriodicTest() override { End(); }

  // Runs the timers of ONE, as the agent does.
  void Begin(Scheduler* one) {
    running_.emplace(&loop);
    loop.Spawn(one->Run(*running_));
    loop.RunReady();
  }
  void End() {
    running_->Cancel("the agent ends");
    loop.RunReady();
  }
  // The agent ends, and the next one begins after PAUSE.
  Scheduler* Takeover(Duration pause, SchedulerOptions options = {}) {
    End();
    loop.Advance(pause);
    next_.push_back(std::make_unique<Scheduler>(&loop, &store, &ports, std::move(options)));
    Begin(next_.back().get());
    return next_.back().get();
  }

  static JobRegistration WithJob(const std::function<void(Job*)>& change,
                                 const std::string& id = "p") {
    JobRegistration registration = Registration(id, 1);
    auto job = std::make_shared<Job>(*registration.job);
    job->type = JobType::kBatch;
    change(job.get());
    registration.json =
        std::make_shared<const nlohmann::json>(CanonicalJob(*job, nlohmann::json::object()));
    registration.job = std::move(job);
    return registration;
  }
  static JobRegistration Periodic(const std::string& spec, bool prohibit_overlap = false,
                                  const std::string& id = "p") {
    return WithJob(
        [&](Job* job) {
          job->periodic.emplace();
          job->periodic->specs = {spec};
          job->periodic->prohibit_overlap = prohibit_overlap;
        },
        id);
  }
  static JobRegistration Parameterized() {
    return WithJob([](Job* job) {
      job->parameterized.emplace();
      job->parameterized->meta_optional = {"k"};
    });
  }

  // Returns the children of PARENT, as what follows the id of their parent. Times are seconds after
  // kBegin.
  std::vector<std::string> Children(const std::string& parent = "p") const {
    const std::string prefix = parent + "/periodic-";
    std::vector<std::string> children;
    store.Read([&](const Tables& tables) {
      for (const auto& [key, job] : tables.jobs) {
        if (!key.second.starts_with(prefix)) continue;
        const std::int64_t seconds = std::stoll(key.second.substr(prefix.size()));
        children.push_back(std::to_string(seconds - kBegin));
      }
    });
    std::ranges::sort(children,
                      [](const auto& a, const auto& b) { return std::stoll(a) < std::stoll(b); });
    return children;
  }
  std::optional<std::int64_t> NewestLaunch(const std::string& id = "p") const {
    std::shared_ptr<const PeriodicLaunch> launch;
    store.Read([&](const Tables& tables) {
      launch = Tables::Find(tables.launches, JobKey("default", id));
    });
    if (launch == nullptr) return std::nullopt;
    return launch->launch / 1'000'000'000 - kBegin;
  }
  // Ends all allocations that live.
  void Complete() {
    for (const auto& record : Live()) Report(record->id(), ClientStatus::kComplete);
  }
  void Stop(bool purge, const std::string& id = "p") {
    EXPECT_TRUE(scheduler.Deregister({"default", id}, purge, false).ok());
    loop.RunReady();
  }
  static std::string TextOf(const Error& error) { return error.message(); }

  std::optional<Context> running_;
  std::vector<std::unique_ptr<Scheduler>> next_;
};

TEST_F(SchedulerPeriodicTest, AJobLaunchesAChildAtEachOfItsTimes) {
  const JobReply reply = MustRegister(Periodic("*/10 * * * *"));
  EXPECT_EQ(reply.eval_id, "") << "the job itself is never evaluated";
  EXPECT_EQ(reply.job_modify_index, JobOf("p")->job_modify_index);
  EXPECT_EQ(JobOf("p")->status, "running");
  EXPECT_EQ(NewestLaunch(), 0) << "that of the registration";
  loop.Advance(599s);
  EXPECT_THAT(Children(), IsEmpty());
  loop.Advance(1s);
  EXPECT_THAT(Children(), ElementsAre("600"));
  loop.Advance(20min);
  EXPECT_THAT(Children(), ElementsAre("600", "1200", "1800"));
  EXPECT_EQ(NewestLaunch(), 1800);
  const auto child = JobOf("p/periodic-" + std::to_string(kBegin + 600));
  ASSERT_NE(child, nullptr);
  EXPECT_EQ(child->job->parent_id, "p");
  EXPECT_EQ(child->submit_time / 1'000'000'000, kBegin + 600);
  store.Read([&](const Tables& tables) {
    const auto& evals = tables.evals_of_job.at(KeyOf(*child->job));
    EXPECT_EQ(tables.evals.at(evals.all.begin()->second)->triggered_by, "periodic-job");
    EXPECT_EQ(tables.evals_of_job.count({"default", "p"}), 0u);
  });
}

TEST_F(SchedulerPeriodicTest, ChildrenRunAndAreCountedByTheirStatus) {
  MakeNodeReady();
  MustRegister(Periodic("*/10 * * * *"));
  const auto count = [this] {
    std::vector<std::size_t> counts;
    store.Read([&](const Tables& tables) {
      const auto found = tables.children.find({"default", "p"});
      if (found == tables.children.end()) return;
      counts = {found->second.pending.size(), found->second.running.size(),
                found->second.dead.size()};
    });
    return counts;
  };
  EXPECT_THAT(count(), IsEmpty());
  ASSERT_TRUE(scheduler.ForcePeriodic({"default", "p"}).ok());
  ASSERT_THAT(Live(), SizeIs(1));
  EXPECT_THAT(count(), ElementsAre(0, 1, 0));
  Complete();
  EXPECT_THAT(count(), ElementsAre(0, 0, 1));
  loop.Advance(10min);  // without a heartbeat, the node is down
  EXPECT_THAT(count(), ElementsAre(1, 0, 1));
}

TEST_F(SchedulerPeriodicTest, OverlappingLaunchesAreSkippedAndNotMadeUpFor) {
  MustRegister(Periodic("*/10 * * * *", true));
  loop.Advance(10min);
  EXPECT_THAT(Children(), ElementsAre("600"));
  loop.Advance(20min);  // it waits for a node
  EXPECT_THAT(Children(), ElementsAre("600"));
  EXPECT_EQ(NewestLaunch(), 1800);
  Stop(false, "p/periodic-" + std::to_string(kBegin + 600));
  loop.Advance(5min);
  EXPECT_THAT(Children(), ElementsAre("600")) << "what was skipped is not launched later";
  Takeover(1s);
  EXPECT_THAT(Children(), ElementsAre("600")) << "not by the next agent either";
  loop.Advance(5min);
  EXPECT_THAT(Children(), ElementsAre("600", "2400"));
}

// Else a job that starts more than the machine carries out would fill the memory.
TEST_F(SchedulerPeriodicTest, AJobWithAHundredPendingChildrenLaunchesNoMore) {
  std::vector<std::string> reports;
  SchedulerOptions options;
  options.report = [&reports](const Error& error) { reports.push_back(error.message()); };
  Scheduler* const next = Takeover(0s, options);
  ASSERT_TRUE(next->Register(Periodic("* * * * *")).ok());
  loop.Advance(100min);
  EXPECT_THAT(Children(), SizeIs(100));
  EXPECT_THAT(reports, IsEmpty());
  loop.Advance(20min);
  EXPECT_THAT(Children(), SizeIs(100));
  EXPECT_THAT(reports, ElementsAre(HasSubstr("\"p\" is not launched while 100 of its children")));
  EXPECT_EQ(NewestLaunch(), 7200) << "what is skipped is not made up for";
  ASSERT_TRUE(
      next->Deregister({"default", "p/periodic-" + std::to_string(kBegin + 60)}, true, false).ok());
  loop.Advance(90s);
  EXPECT_THAT(Children(), SizeIs(100)) << "there was room for one more";
  EXPECT_EQ(Children().back(), "7260");
  EXPECT_THAT(reports, SizeIs(1));
  loop.Advance(2min);
  EXPECT_THAT(reports, SizeIs(2)) << "it is said again";
}

TEST_F(SchedulerPeriodicTest, OfLaunchesThatWereMissedOneIsMadeUpFor) {
  MustRegister(Periodic("*/10 * * * *"));
  Takeover(35min);
  EXPECT_THAT(Children(), ElementsAre("2100")) << "it is named after the present time";
  loop.Advance(5min);
  EXPECT_THAT(Children(), ElementsAre("2100", "2400"));
  Takeover(1min);
  EXPECT_THAT(Children(), ElementsAre("2100", "2400")) << "nothing was missed";
  Takeover(10min);
  EXPECT_THAT(Children(), ElementsAre("2100", "2400", "3000")) << "one has the time of its plan";
}

TEST_F(SchedulerPeriodicTest, AnAgentThatDiesAtALaunchLaunchesItOnce) {
  MustRegister(Periodic("*/10 * * * *"));
  loop.Advance(10min);
  for (int i = 0; i < 3; ++i) Takeover(0s);
  EXPECT_THAT(Children(), ElementsAre("600"));
}

// So no kill separates a launch from its child, or the child from its evaluation.
TEST_F(SchedulerPeriodicTest, ALaunchIsStoredTogetherWithItsChild) {
  MustRegister(Periodic("*/10 * * * *"));
  std::vector<std::set<Topic>> groups;
  store.SetJournal([&groups](const std::vector<StateEvent>& changes, const Tables&) {
    std::set<Topic>& topics = groups.emplace_back();
    for (const StateEvent& event : changes) topics.insert(event.topic());
  });
  loop.Advance(10min);
  EXPECT_THAT(groups, ElementsAre(std::set{Topic::kJob, Topic::kEvaluation, Topic::kLaunch}));
  store.SetJournal(nullptr);
}

TEST_F(SchedulerPeriodicTest, AClockThatIsPutBackRepeatsNothing) {
  MustRegister(Periodic("*/10 * * * *"));
  loop.Advance(10min);
  loop.Jump(-15min);
  loop.Advance(15min);  // the clock shows 600 again
  EXPECT_THAT(Children(), ElementsAre("600"));
  loop.Advance(10min);
  EXPECT_THAT(Children(), ElementsAre("600", "1200"));
}

TEST_F(SchedulerPeriodicTest, AClockThatIsPutForwardLaunchesOnce) {
  MustRegister(Periodic("*/10 * * * *"));
  loop.Jump(2h);
  loop.Advance(2min);
  ASSERT_THAT(Children(), SizeIs(1));
  const std::int64_t at = std::stoll(Children()[0]);
  EXPECT_GE(at, 7200);
  EXPECT_LE(at, 7320);
  loop.Advance(8min);
  EXPECT_THAT(Children(), SizeIs(2));
}

// A machine may begin with a clock that is years ahead.
TEST_F(SchedulerPeriodicTest, AClockThatWasFarAheadDoesNotStopLaunches) {
  loop.Jump(24h * 365);
  MustRegister(Periodic("*/10 * * * *"));
  loop.Jump(-24h * 365);
  loop.Advance(11min);
  EXPECT_THAT(Children(), ElementsAre("600"));
  loop.Advance(10min);
  EXPECT_THAT(Children(), ElementsAre("600", "1200"));
}

// A machine without a battery begins in the past, until a server of time is reached.
TEST_F(SchedulerPeriodicTest, AClockThatBeginsInThePastMakesUpForNothing) {
  MustRegister(Periodic("0 0 1 1 *"));
  loop.Jump(-24h * 365);
  Scheduler* const next = Takeover(1min);
  loop.Advance(10min);
  loop.Jump(24h * 365);
  loop.Advance(2min);
  EXPECT_THAT(Children(), IsEmpty()) << "no new year has begun";
  EXPECT_EQ(NewestLaunch(), 0);
  // What falls into the wrong time is launched, and what comes afterwards, too.
  ASSERT_TRUE(next->Register(Periodic("*/10 * * * *", false, "often")).ok());
  loop.Jump(-24h * 365);
  loop.Advance(11min);
  EXPECT_THAT(Children("often"), SizeIs(1));
  loop.Advance(10min);
  EXPECT_THAT(Children("often"), SizeIs(2));
}

TEST_F(SchedulerPeriodicTest, WhatIsStoppedDisabledOrPurgedLaunchesNothing) {
  MustRegister(Periodic("*/10 * * * *"));
  Stop(false);
  EXPECT_EQ(JobOf("p")->status, "dead");
  EXPECT_EQ(NewestLaunch(), std::nullopt);
  loop.Advance(1h);
  EXPECT_THAT(Children(), IsEmpty());
  MustRegister(Periodic("*/10 * * * *"));  // starts it again
  EXPECT_EQ(JobOf("p")->status, "running");
  EXPECT_EQ(NewestLaunch(), 3600);
  JobRegistration disabled = Periodic("*/10 * * * *");
  MustRegister(WithJob([&](Job* job) {
    *job = *disabled.job;
    job->periodic->enabled = false;
  }));
  loop.Advance(1h);
  EXPECT_THAT(Children(), IsEmpty());
  MustRegister(Periodic("*/10 * * * *"));
  Takeover(1s);
  EXPECT_THAT(Children(), IsEmpty()) << "what it would have launched before was not missed";
  loop.Advance(10min);
  EXPECT_THAT(Children(), ElementsAre("7800"));
  Stop(true);
  EXPECT_EQ(NewestLaunch(), std::nullopt);
  loop.Advance(1h);
  EXPECT_THAT(Children(), ElementsAre("7800")) << "its children stay";
}

TEST_F(SchedulerPeriodicTest, AChangedScheduleIsForTheTimeFromNowOn) {
  MustRegister(Periodic("0 0 * * *"));
  loop.Advance(35min);
  MustRegister(Periodic("*/10 * * * *"));
  loop.Advance(4min);
  EXPECT_THAT(Children(), IsEmpty());
  loop.Advance(1min);
  EXPECT_THAT(Children(), ElementsAre("2400"));
  MustRegister(WithJob([](Job* job) {
    *job = *Periodic("*/10 * * * *").job;
    job->priority = 70;
  }));
  EXPECT_EQ(NewestLaunch(), 2400) << "a change of something else does not touch it";
  loop.Advance(10min);
  EXPECT_THAT(Children(), ElementsAre("2400", "3000"));
  EXPECT_EQ(JobOf("p/periodic-" + std::to_string(kBegin + 3000))->job->priority, 70);
}

TEST_F(SchedulerPeriodicTest, AnExpressionMayComeToItsEnd) {
  MustRegister(Periodic("40 22 14 11 * 2023"));
  loop.Advance(24h);
  EXPECT_THAT(Children(), ElementsAre("600"));
  Takeover(1min);
  EXPECT_THAT(Children(), ElementsAre("600"));
}

TEST_F(SchedulerPeriodicTest, ALaunchWaitsForRoomInTheJournal) {
  bool full = true;
  SchedulerOptions options;
  options.check_room = [&full]() -> Status {
    return full ? Status(Error(Code::kUnavailable, "full")) : Status();
  };
  MustRegister(Periodic("*/10 * * * *"));
  Scheduler* const next = Takeover(1s, options);
  loop.Advance(10min);
  EXPECT_THAT(Children(), IsEmpty());
  EXPECT_EQ(next->ForcePeriodic({"default", "p"}).code(), Code::kUnavailable);
  full = false;
  loop.Advance(10s);
  EXPECT_THAT(Children(), ElementsAre("600"));
}

// Only a machine whose database of time zones has changed comes to this.
TEST_F(SchedulerPeriodicTest, AZoneThatIsNotThereIsReported) {
  std::vector<std::string> reports;
  SchedulerOptions options;
  options.report = [&reports](const Error& error) { reports.push_back(error.message()); };
  Scheduler* const next = Takeover(0s, options);
  ASSERT_TRUE(next->Register(WithJob([](Job* job) {
                    job->periodic.emplace();
                    job->periodic->specs = {"* * * * *"};
                    job->periodic->time_zone = "Europe/Atlantis";
                  }))
                  .ok());
  loop.Advance(30min);
  EXPECT_THAT(reports, ElementsAre(HasSubstr("job \"p\" cannot be launched")));
  EXPECT_THAT(Children(), IsEmpty());
}

TEST_F(SchedulerPeriodicTest, AForcedLaunchHeedsNeitherTimeNorOverlap) {
  MustRegister(Periodic("0 0 * * *", true));
  loop.Advance(5s);
  const Result<JobReply> first = scheduler.ForcePeriodic({"default", "p"});
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(Eval(first->eval_id)->triggered_by, "periodic-job");
  EXPECT_EQ(first->index, Eval(first->eval_id)->create_index);
  EXPECT_EQ(NewestLaunch(), 5);
  const Result<JobReply> same = scheduler.ForcePeriodic({"default", "p"});
  ASSERT_TRUE(same.ok());
  EXPECT_NE(same->eval_id, first->eval_id);
  EXPECT_THAT(Children(), ElementsAre("5")) << "one per second";
  loop.Advance(5s);
  ASSERT_TRUE(scheduler.ForcePeriodic({"default", "p"}).ok());
  EXPECT_THAT(Children(), ElementsAre("5", "10"));
}

// A client may give its job an id that looks like that of a child.
TEST_F(SchedulerPeriodicTest, AJobOfAClientWithTheIdOfAChildIsNoChild) {
  std::vector<std::string> reports;
  SchedulerOptions options;
  options.report = [&reports](const Error& error) { reports.push_back(error.message()); };
  Scheduler* const next = Takeover(0s, options);
  ASSERT_TRUE(next->Register(Periodic("0,1 * * * *")).ok());
  const auto taken = [](std::int64_t second) {
    return "p/periodic-" + std::to_string(kBegin + second);
  };
  ASSERT_TRUE(next->Register(WithJob([](Job*) {}, taken(0))).ok());
  ASSERT_TRUE(next->Register(WithJob([](Job*) {}, taken(1800))).ok());
  const Result<JobReply> forced = next->ForcePeriodic({"default", "p"});
  ASSERT_FALSE(forced.ok());
  EXPECT_THAT(forced.error().message(), HasSubstr("another job has the id of its child, \"" +
                                                  taken(0) + "\"; force it again"));
  EXPECT_THAT(reports, IsEmpty());
  loop.Advance(32min);
  EXPECT_THAT(reports, ElementsAre(HasSubstr("job \"p\" is not launched: another job has")));
  EXPECT_THAT(Children(), ElementsAre("0", "1800", "1860")) << "the next one is launched";
}

TEST_F(SchedulerPeriodicTest, WhatCannotBeForcedSaysWhy) {
  const auto refusal = [this] {
    const Result<JobReply> reply = scheduler.ForcePeriodic({"default", "p"});
    return reply.ok() ? "" : TextOf(reply.error());
  };
  EXPECT_EQ(scheduler.ForcePeriodic({"default", "p"}).code(), Code::kNotFound);
  MustRegister(WithJob([](Job*) {}));
  EXPECT_EQ(refusal(), "can't force launch non-periodic job");
  Stop(true);
  MustRegister(Periodic("@daily"));
  Stop(false);
  EXPECT_THAT(refusal(), HasSubstr("it is stopped"));
  Stop(true);
  const auto with = [](bool enabled, bool parameterized) {
    return WithJob([=](Job* job) {
      job->periodic.emplace();
      job->periodic->specs = {"@daily"};
      job->periodic->enabled = enabled;
      if (parameterized) job->parameterized.emplace();
    });
  };
  MustRegister(with(false, false));
  EXPECT_THAT(refusal(), HasSubstr("its periodic block is disabled"));
  Stop(true);
  MustRegister(with(true, true));
  EXPECT_THAT(refusal(), HasSubstr("it is parameterized"));
  EXPECT_EQ(scheduler.Evaluate({"default", "p"}).error().message(), "can't evaluate periodic job");
}

TEST_F(SchedulerPeriodicTest, ADispatchStartsAChild) {
  const DispatchDraft draft{Base64("hello"), {{"k", "v"}}, "", 0, ""};
  EXPECT_EQ(scheduler.Dispatch({"default", "p"}, draft).error().message(),
            "parameterized job not found");
  MustRegister(Parameterized());
  EXPECT_EQ(JobOf("p")->status, "running");
  const Result<DispatchReply> reply = scheduler.Dispatch({"default", "p"}, draft);
  ASSERT_TRUE(reply.ok());
  EXPECT_TRUE(reply->is_new);
  EXPECT_EQ(Eval(reply->registered.eval_id)->triggered_by, "job-register");
  const auto child = JobOf(reply->child_id);
  ASSERT_NE(child, nullptr);
  EXPECT_EQ(child->job->payload, Base64("hello"));
  EXPECT_EQ(child->job->meta.at("k"), "v");
  EXPECT_EQ(child->create_index, reply->registered.job_modify_index);
  EXPECT_THAT(reply->child_id, testing::MatchesRegex("p/dispatch-[0-9]{10}-[0-9a-f]{8}"));
  const Result<DispatchReply> second = scheduler.Dispatch({"default", "p"}, draft);
  ASSERT_TRUE(second.ok());
  EXPECT_NE(second->child_id, reply->child_id);
  EXPECT_EQ(scheduler.Dispatch({"default", reply->child_id}, draft).error().message(),
            "Specified job \"" + reply->child_id + "\" is not a parameterized job");
  Stop(false);
  EXPECT_EQ(JobOf("p")->status, "dead");
  EXPECT_FALSE(JobOf(reply->child_id)->stop) << "its children go on";
  EXPECT_EQ(scheduler.Dispatch({"default", "p"}, draft).error().message(),
            "Specified job \"p\" is stopped");
}

TEST_F(SchedulerPeriodicTest, ATokenStartsOneChild) {
  MustRegister(Parameterized());
  const auto dispatch = [](Scheduler* by, const std::string& token) {
    const Result<DispatchReply> reply =
        by->Dispatch({"default", "p"}, DispatchDraft{"", {}, "", 0, token});
    EXPECT_TRUE(reply.ok());
    return reply.ok() ? *reply : DispatchReply();
  };
  const DispatchReply first = dispatch(&scheduler, "a");
  const DispatchReply again = dispatch(&scheduler, "a");
  EXPECT_FALSE(again.is_new);
  EXPECT_EQ(again.child_id, first.child_id);
  EXPECT_EQ(again.registered.eval_id, "");
  EXPECT_EQ(again.registered.job_modify_index, first.registered.job_modify_index);
  EXPECT_TRUE(dispatch(&scheduler, "b").is_new);
  Scheduler* const next = Takeover(1s);
  EXPECT_EQ(dispatch(next, "a").child_id, first.child_id);
  ASSERT_TRUE(next->Deregister({"default", first.child_id}, false, false).ok());
  EXPECT_EQ(dispatch(next, "a").child_id, first.child_id) << "a dead one has the token, too";
  ASSERT_TRUE(next->Deregister({"default", first.child_id}, true, false).ok());
  EXPECT_TRUE(dispatch(next, "a").is_new) << "a purged one has it no more";
}

// Whatever concerns all jobs that run on each node concerns their children, and not the parents.
TEST_F(SchedulerPeriodicTest, AParentIsNotEvaluatedForANode) {
  MustRegister(WithJob([](Job* job) {
    job->type = JobType::kSysbatch;
    job->groups[0].rollout = {};
    job->periodic.emplace();
    job->periodic->specs = {"@daily"};
  }));
  MakeNodeReady();
  ASSERT_TRUE(scheduler.SetEligible("node", false).ok());
  ASSERT_TRUE(scheduler.SetEligible("node", true).ok());
  EXPECT_TRUE(scheduler.EvaluateNode("node").ok());
  store.Read([](const Tables& tables) { EXPECT_THAT(tables.evals, IsEmpty()); });
  EXPECT_THAT(Live(), IsEmpty());
}

TEST_F(SchedulerPeriodicTest, ADispatchedPeriodicJobLaunchesItsOwnChildren) {
  MustRegister(WithJob([](Job* job) {
    job->parameterized.emplace();
    job->periodic.emplace();
    job->periodic->specs = {"*/10 * * * *"};
  }));
  loop.Advance(10min);
  EXPECT_THAT(Children(), IsEmpty()) << "it waits for its parameters";
  const Result<DispatchReply> reply =
      scheduler.Dispatch({"default", "p"}, DispatchDraft{Base64("x"), {}, "", 0, ""});
  ASSERT_TRUE(reply.ok());
  EXPECT_EQ(reply->registered.eval_id, "");
  EXPECT_EQ(JobOf(reply->child_id)->status, "running");
  loop.Advance(10min);
  EXPECT_THAT(Children(reply->child_id), ElementsAre("1200"));
  const auto child = JobOf(reply->child_id + "/periodic-" + std::to_string(kBegin + 1200));
  EXPECT_EQ(child->job->payload, Base64("x"));
  EXPECT_TRUE(scheduler.ForcePeriodic({"default", reply->child_id}).ok());
}

TEST_F(SchedulerPeriodicTest, AJobWhoseLaunchIsDamagedGoesOn) {
  MustRegister(Periodic("*/10 * * * *"));
  store.Write(cause::kJobVersion, [](Tables* tables, std::uint64_t) {
    tables->Erase(*tables->launches.begin()->second);
    return TableMask{0};
  });
  Takeover(25min);
  EXPECT_THAT(Children(), IsEmpty()) << "nobody knows what was missed";
  EXPECT_EQ(NewestLaunch(), 1500);
  loop.Advance(5min);
  EXPECT_THAT(Children(), ElementsAre("1800"));
}

// A stopped parent has no evaluation by which its age is known.
TEST_F(SchedulerPeriodicTest, AStoppedParentIsCollectedWhenItIsOldEnough) {
  MustRegister(Periodic("@daily"));
  loop.Advance(1h);
  Stop(false);
  const auto collect = [this](Duration age) {
    GarbageRule rule;
    rule.ended_before = loop.Wall() - age.count();
    EXPECT_TRUE(Await<Status>(scheduler.CollectGarbage(context, rule)).ok());
  };
  collect(1min);
  EXPECT_NE(JobOf("p"), nullptr);
  loop.Advance(2min);
  collect(1min);
  EXPECT_EQ(JobOf("p"), nullptr);
}

// What waits for its time must cost nothing until then. Counted are the times at which the loop got
// a timer that is earlier than all others, which is each time when it goes to sleep.
class CountingLoop : public SimLoop {
 public:
  int sleeps = 0;

 protected:
  void TimersChanged() override { ++sleeps; }
};

TEST(SchedulerPeriodicCostTest, AThousandPeriodicJobsWakeTheAgentOnceAMinute) {
  const auto sleeps = [](int jobs) {
    CountingLoop loop;
    StateStore store;
    FakePortPool ports;
    Scheduler scheduler(&loop, &store, &ports, {});
    Context context(&loop);
    loop.Spawn(scheduler.Run(context));
    loop.RunReady();
    for (int i = 0; i < jobs; ++i) {
      auto job = std::make_shared<Job>();
      job->id = "p" + std::to_string(i);
      job->type = JobType::kBatch;
      job->periodic.emplace();
      job->periodic->specs = {"0 0 1 1 *"};
      JobRegistration registration;
      registration.job = std::move(job);
      registration.json = std::make_shared<const nlohmann::json>(nlohmann::json::object());
      EXPECT_TRUE(scheduler.Register(std::move(registration)).ok());
    }
    loop.Advance(1min);
    loop.sleeps = 0;
    loop.Advance(1h);
    const int counted = loop.sleeps;
    context.Cancel("the test ends");
    loop.RunReady();
    return counted;
  };
  EXPECT_LE(sleeps(1000), sleeps(0) + 100);
}

}  // namespace
}  // namespace drover
