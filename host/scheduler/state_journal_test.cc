// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/state/state_journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <nlohmann/json.hpp>

#include "host/base/cpu_timer_for_test.h"
#include "host/base/directory_for_test.h"
#include "host/base/gate.h"
#include "host/periodic/child_job.h"
#include "host/scheduler/scheduler_fixture.h"
#include "host/spec/blocks/change_json.h"
#include "host/spec/job_json.h"
#include "host/state/change_record_json.h"
#include "host/state/record_json.h"

namespace drover {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

class StateJournalTest : public SchedulerFixture {
 protected:
  StateJournalTest() {
    auto opened = drover::Store::Open(directory_.path() + "/state", nullptr);
    DROVER_CHECK(opened.ok());
    file_ = std::move(opened->store);
    store.SetJournal(StateJournal(file_.get()));
    MakeNodeReady();
  }

  std::vector<Record> Reopen() {
    file_.reset();
    auto opened = drover::Store::Open(directory_.path() + "/state", nullptr);
    DROVER_CHECK(opened.ok());
    store.SetJournal(nullptr);
    return std::move(opened->records);
  }

  static RecordKey SourceKey() { return {"source", R"(["default","job",0])"}; }

  // Registers a version of a job that needs MEMORY, with a source text.
  void RegisterWritten(const std::string& id, int memory) {
    JobRegistration registration = Registration(id, 1, memory);
    registration.submission =
        std::make_shared<const JobSubmission>(JobSubmission{"text of " + id, "hcl2", {}, ""});
    MustRegister(registration);
  }

  // Continues as the next agent does, with LOADED.
  void Continue(LoadedState loaded) {
    auto opened = drover::Store::Open(directory_.path() + "/state", nullptr);
    DROVER_CHECK(opened.ok());
    file_ = std::move(opened->store);
    store.Begin(std::move(loaded.tables));
    store.SetJournal(StateJournal(file_.get(), std::move(loaded.sources)));
  }

  template <typename Map>
  static std::vector<std::string> Encoded(const Map& map) {
    std::vector<std::string> all;
    for (const auto& [key, record] : map) all.push_back(EncodeRecord(*record));
    return all;
  }
  static std::vector<std::string> EncodedAllocs(const JobAllocs& records) {
    std::vector<std::string> all;
    for (const auto& record : records)
      all.push_back(EncodePlaced(*record) + EncodeReported(*record));
    return all;
  }

  static std::vector<std::string> EncodedServices(const Tables& tables) {
    std::vector<std::string> all;
    for (const auto& service : tables.services) all.push_back(EncodeRecord(*service));
    return all;
  }

  // The loaded tables must equal those in memory.
  void Compare(const Tables& loaded) {
    store.Read([&](const Tables& tables) {
      EXPECT_EQ(Encoded(loaded.jobs), Encoded(tables.jobs));
      EXPECT_EQ(Encoded(loaded.evals), Encoded(tables.evals));
      EXPECT_EQ(loaded.evals_of_job, tables.evals_of_job);
      EXPECT_EQ(loaded.usage, tables.usage);
      EXPECT_EQ(EncodedServices(loaded), EncodedServices(tables));
      ASSERT_EQ(loaded.versions.size(), tables.versions.size());
      for (const auto& [key, versions] : tables.versions) {
        EXPECT_EQ(Encoded(loaded.versions.at(key)), Encoded(versions));
      }
      ASSERT_EQ(loaded.allocs.size(), tables.allocs.size());
      for (const auto& [key, records] : tables.allocs_of_job) {
        EXPECT_EQ(EncodedAllocs(loaded.AllocsOf(key)), EncodedAllocs(records));
      }
      EXPECT_EQ(loaded.open_allocs_of_job, tables.open_allocs_of_job);
      EXPECT_GT(loaded.last_index, tables.last_index);
      for (const std::uint64_t index : loaded.index) EXPECT_EQ(index, loaded.last_index);
      EXPECT_THAT(loaded.changes, IsEmpty());
    });
  }

  const DirectoryForTest directory_{"/dev/shm"};
  std::unique_ptr<drover::Store> file_;
};

TEST_F(StateJournalTest, TheTablesAreFoundAgain) {
  MustRegister(Registration("lives", 1));
  for (int memory = 100; memory < 109; ++memory) MustRegister(Registration("updated", 2, memory));
  MustRegister(Registration("stopped", 1));
  MustRegister(Registration("too-big", 3, 900));
  const auto live = Live();
  ASSERT_THAT(live, SizeIs(1));
  AllocUpdate update;
  update.id = live[0]->id();
  update.status = {ClientStatus::kRunning, "runs"};
  TaskStateRecord state;
  state.state = RunnerState::kRunning;
  state.started_at = 77;
  state.events.emplace_back(TaskEvent(event_type::kStarted));
  update.tasks["t"] = std::make_shared<const TaskStateRecord>(state);
  update.health = AllocHealth{true, 78};
  update.network = AllocationNetwork{"eth0", "172.26.64.2", "fd00::2", {{"9.9.9.9"}, {}, {}}};
  ASSERT_TRUE(Await<Status>(scheduler.UpdateAllocs(context, "node", {update})).ok());
  ASSERT_TRUE(scheduler.Deregister({"default", "stopped"}, false, true).ok());
  const LoadedState loaded = LoadState(Reopen());
  EXPECT_THAT(loaded.refused, IsEmpty());
  Compare(loaded.tables);
  EXPECT_THAT(loaded.tables.versions.at({"default", "updated"}), SizeIs(kMaxJobVersions));
  const auto again = loaded.tables.allocs.at(live[0]->id());
  EXPECT_EQ(*again->reported.tasks.at("t"), state);
  EXPECT_EQ(again->reported.health, update.health);
  EXPECT_EQ(again->reported.network, update.network);
  EXPECT_EQ(again->job->job, again->alloc->job) << "there is one job";
}

// Everything but the job is different in each record.
TEST_F(StateJournalTest, AllocationsOfAJobShareIt) {
  MustRegister(Registration("job", 3));
  SeenJobs seen;
  std::vector<AllocRecord> decoded;
  for (const auto& record : Live()) {
    const std::string text = EncodePlaced(*record);
    // An earlier agent wrote the fields in the order of their names.
    for (const std::string& each : {text, nlohmann::json::parse(text).dump()}) {
      Result<AllocRecord> again = DecodePlaced(each, &seen);
      ASSERT_TRUE(again.ok()) << again.error().message();
      EXPECT_EQ(EncodePlaced(*again), text);
      decoded.push_back(std::move(*again));
    }
  }
  ASSERT_THAT(decoded, SizeIs(6));
  for (const AllocRecord& record : decoded) {
    EXPECT_EQ(record.job, decoded[0].job);
    EXPECT_EQ(record.alloc->job, decoded[0].job->job);
  }
  EXPECT_THAT(seen, SizeIs(1));
}

TEST_F(StateJournalTest, WhatOnlyLooksLikeAJobIsNone) {
  MustRegister(Registration("job", 1));
  SeenJobs seen;
  const auto record = Live()[0];
  ASSERT_TRUE(DecodePlaced(EncodePlaced(*record), &seen).ok());
  AllocRecord named = *record;
  auto alloc = std::make_shared<Allocation>(*record->alloc);
  alloc->name = EncodeJobEnd(*record->job);
  named.alloc = alloc;
  const Result<AllocRecord> again = DecodePlaced(EncodePlaced(named), &seen);
  ASSERT_TRUE(again.ok()) << again.error().message();
  EXPECT_EQ(again->alloc->name, alloc->name);
}

// The job is encoded once for all of its allocations, and decoded once.
TEST_F(StateJournalTest, AJobCostsItsAllocationsNothing) {
  const auto time_of = [this](const std::string& id, int variables) {
    JobRegistration registration = Registration(id, 50, 10);
    auto job = std::make_shared<Job>(*registration.job);
    for (int i = 0; i < variables; ++i) {
      job->groups[0].tasks[0].env["NAME_" + std::to_string(i)] = "a value of some length";
    }
    registration.job = std::move(job);
    MustRegister(registration);
    std::vector<std::shared_ptr<const AllocRecord>> records;
    for (const auto& record : Live()) {
      if (record->job->job->id == id) records.push_back(record);
    }
    EXPECT_THAT(records, SizeIs(50));
    return LeastOf([&] {
      const CpuTimer timer;
      const std::string end = EncodeJobEnd(*records[0]->job);
      SeenJobs seen;
      for (const auto& record : records) {
        const Result<AllocRecord> again = DecodePlaced(EncodePlaced(*record, end), &seen);
        EXPECT_TRUE(again.ok()) << again.error().message();
      }
      return timer.Seconds();
    });
  };
  const double little = time_of("little", 1);
  EXPECT_LT(time_of("large", 1'000), 20 * little)
      << "fifty times as much were it decoded each time";
}

TEST_F(StateJournalTest, WhatIsSaidOfVersionsIsFoundAgain) {
  for (int memory = 100; memory < 109; ++memory) {
    JobRegistration registration = Registration("job", 1, memory);
    registration.submission = std::make_shared<const JobSubmission>(
        JobSubmission{"job " + std::to_string(memory), "hcl2", {{"a", "b"}}, "c = 1"});
    MustRegister(registration);
    if (memory == 100) {
      ASSERT_TRUE(scheduler.TagVersion({"default", "job"}, 0, {"first", "why", 0}).ok());
    }
  }
  ASSERT_TRUE(scheduler.SetStable({"default", "job"}, 7, true).ok());
  const LoadedState loaded = LoadState(Reopen());
  Compare(loaded.tables);
  const auto& versions = loaded.tables.versions.at({"default", "job"});
  ASSERT_THAT(versions, SizeIs(kMaxJobVersions + 1));
  EXPECT_EQ(versions.at(0)->tag->name, "first");
  EXPECT_EQ(versions.at(0)->submission->source, "job 100");
  EXPECT_TRUE(versions.at(7)->stable);
  EXPECT_EQ(loaded.tables.jobs.at({"default", "job"})->version, 8u);
  for (const auto& [id, record] : loaded.tables.allocs) {
    EXPECT_EQ(EncodePlaced(*record).find("hcl2"), std::string::npos) << "it is kept once";
  }
}

TEST_F(StateJournalTest, ASubmissionIsWrittenOnce) {
  RegisterWritten("job", 100);
  const auto mark = [&] {
    file_->Put(SourceKey(), [] { return std::string(R"({"source": "as it was"})"); });
  };
  mark();
  ASSERT_TRUE(scheduler.SetStable({"default", "job"}, 0, true).ok());
  for (const auto& record : Live()) Report(record->id(), ClientStatus::kRunning);
  const auto source = [](const LoadedState& loaded) {
    return loaded.tables.jobs.at({"default", "job"})->submission->source;
  };
  LoadedState loaded = LoadState(Reopen());
  EXPECT_EQ(source(loaded), "as it was");
  EXPECT_TRUE(loaded.tables.jobs.at({"default", "job"})->stable);
  // The next agent does not write it again, either.
  Continue(std::move(loaded));
  ASSERT_TRUE(scheduler.SetStable({"default", "job"}, 0, false).ok());
  mark();
  ASSERT_TRUE(scheduler.SetStable({"default", "job"}, 0, true).ok());
  EXPECT_EQ(source(LoadState(Reopen())), "as it was");
}

TEST_F(StateJournalTest, AJobOfAnEarlierAgentIsReturnedInCanonicalFormToo) {
  MustRegister(Registration("job", 1));
  const nlohmann::json canonical = JobOf("job")->json.Copy();
  std::vector<Record> records = Reopen();
  for (Record& record : records) {
    if (record.key.kind != record_kind::kJob) continue;
    nlohmann::json whole = nlohmann::json::parse(record.value);
    nlohmann::json& submitted = whole.at("submitted");
    for (const char* field : {"AllAtOnce", "Update"}) submitted.erase(field);
    submitted.at("TaskGroups").at(0).erase("Update");
    record.value = whole.dump();
  }
  Continue(LoadState(records));
  EXPECT_EQ(JobOf("job")->json.Copy(), canonical);
}

TEST_F(StateJournalTest, ChildrenShareWithTheirParentAlsoInTheNextAgent) {
  const auto register_parent = [this](int memory) {
    MustRegister(With(Registration("p", 1, memory), [](Job* job) {
      job->type = JobType::kBatch;
      job->groups[0].rollout = {};
      job->groups[0].reschedule = DefaultReschedulePolicy(job->type);
      job->parameterized.emplace();
      job->parameterized->meta_optional = {"k"};
    }));
  };
  const JobKey parent("default", "p");
  const auto dispatch = [this, &parent](const std::string& value) {
    const Result<DispatchReply> reply = scheduler.Dispatch(parent, {.meta = {{"k", value}}});
    EXPECT_TRUE(reply.ok());
    return JobKey("default", reply.ok() ? reply->child_id : "p");
  };
  register_parent(100);
  const JobKey first = dispatch("a"), second = dispatch("b");
  register_parent(50);
  const JobKey third = dispatch("c");
  const auto expect_shared = [&](const Tables& tables) {
    const auto base = [&tables](const JobKey& key) { return tables.jobs.at(key)->json.base(); };
    EXPECT_EQ(base(first), base(second));
    EXPECT_NE(base(first), base(third));
    EXPECT_THAT(tables.allocs, SizeIs(3));
    for (const auto& [id, record] : tables.allocs) {
      EXPECT_EQ(record->job->json.base(), base(KeyOf(*record->alloc->job)));
    }
    if (!tables.jobs.contains(parent)) return;
    EXPECT_EQ(base(third), base(parent));
    EXPECT_EQ(base(first), tables.versions.at(parent).at(0)->json.base());
  };
  store.Read(expect_shared);
  LoadedState loaded = LoadState(Reopen());
  Compare(loaded.tables);
  expect_shared(loaded.tables);
  Continue(std::move(loaded));
  ASSERT_TRUE(scheduler.Deregister(parent, true, false).ok());
  loaded = LoadState(Reopen());
  EXPECT_FALSE(loaded.tables.jobs.contains(parent));
  expect_shared(loaded.tables);
  EXPECT_EQ(loaded.tables.jobs.at(second)->json.Copy().at("Meta"), nlohmann::json({{"k", "b"}}));
}

TEST_F(StateJournalTest, ASubmissionInTheRecordOfItsJobGetsOneOfItsOwn) {
  RegisterWritten("job", 100);
  std::vector<Record> records = Reopen();
  // As an earlier agent wrote it.
  nlohmann::json text;
  for (Record& record : records) {
    if (record.key.kind == record_kind::kSource) text = nlohmann::json::parse(record.value);
  }
  ASSERT_EQ(
      std::erase_if(records, [](const Record& r) { return r.key.kind == record_kind::kSource; }),
      1u);
  for (Record& record : records) {
    if (record.key.kind != record_kind::kJob) continue;
    nlohmann::json whole = nlohmann::json::parse(record.value);
    EXPECT_FALSE(whole.contains("submission"));
    whole["submission"] = text;
    record.value = whole.dump();
  }
  Continue(LoadState(records));
  file_->Erase(SourceKey());
  EXPECT_EQ(JobOf("job")->submission->source, "text of job");
  ASSERT_TRUE(scheduler.SetStable({"default", "job"}, 0, true).ok());
  records = Reopen();
  EXPECT_EQ(std::count_if(
                records.begin(), records.end(),
                [](const Record& r) { return r.value.find("text of job") != std::string::npos; }),
            1);
  EXPECT_EQ(LoadState(records).tables.jobs.at({"default", "job"})->submission->source,
            "text of job");
}

TEST_F(StateJournalTest, AnotherJobOfThatNameDoesNotGetTheTextOfTheOneThatWasLost) {
  RegisterWritten("job", 100);
  std::vector<Record> records = Reopen();
  std::erase_if(records, [](const Record& r) {
    return r.key.kind == record_kind::kJob || r.key.kind == record_kind::kPlaced;
  });
  Continue(LoadState(records));
  MakeNodeReady();
  MustRegister(Registration("job", 1));
  EXPECT_EQ(LoadState(Reopen()).tables.jobs.at({"default", "job"})->submission, nullptr);
}

TEST_F(StateJournalTest, WhatWasForgottenIsGone) {
  for (int memory = 100; memory < 109; ++memory) {
    RegisterWritten("purged", memory);
    if (memory != 100) continue;
    ASSERT_TRUE(scheduler.TagVersion({"default", "purged"}, 0, {"first", "", 0}).ok());
  }
  MustRegister(Registration("kept", 1));
  for (const auto& record : Live()) {
    if (record->alloc->job->id == "purged") Report(record->id(), ClientStatus::kFailed);
  }
  ASSERT_TRUE(scheduler.Deregister({"default", "purged"}, true, false).ok());
  for (const auto& record : Allocs()) {
    if (record->alloc->job->id == "purged") Report(record->id(), ClientStatus::kComplete);
  }
  EXPECT_TRUE(Await<Status>(scheduler.CollectGarbage(context, {})).ok());
  const std::vector<Record> records = Reopen();
  for (const Record& record : records) {
    EXPECT_THAT(record.value, ::testing::Not(HasSubstr("purged")));
    EXPECT_THAT(record.key.id, ::testing::Not(HasSubstr("purged")));
  }
  Compare(LoadState(records).tables);
}

TEST_F(StateJournalTest, ADamagedRecordCostsItself) {
  MustRegister(Registration("a", 2));
  MustRegister(Registration("b", 1));
  std::vector<Record> records = Reopen();
  std::string lost;
  for (Record& record : records) {
    if (record.key.kind == record_kind::kPlaced && lost.empty()) {
      lost = record.key.id;
      record.value = "{\"alloc\": 7}";
    }
  }
  const LoadedState loaded = LoadState(records);
  ASSERT_THAT(loaded.refused, SizeIs(1));
  EXPECT_THAT(loaded.refused[0], HasSubstr("placed " + lost));
  EXPECT_THAT(loaded.tables.allocs, SizeIs(2));
  EXPECT_EQ(loaded.tables.allocs.count(lost), 0u);
}

TEST_F(StateJournalTest, AJobWithoutItsRecordIsKnownByItsAllocations) {
  MustRegister(Registration("a", 2));
  std::vector<Record> records = Reopen();
  std::erase_if(records, [](const Record& r) { return r.key.kind == record_kind::kJob; });
  const LoadedState loaded = LoadState(records);
  ASSERT_THAT(loaded.tables.jobs, SizeIs(1));
  EXPECT_EQ(loaded.tables.jobs.begin()->second->status, "running");
}

TEST_F(StateJournalTest, APurgedJobWhoseAllocationsHadEndedStaysPurged) {
  MustRegister(Registration("a", 1));
  ASSERT_THAT(Live(), SizeIs(1));
  Report(Live()[0]->id(), ClientStatus::kComplete);
  ASSERT_TRUE(scheduler.Deregister({"default", "a"}, true, false).ok());
  ASSERT_FALSE(Allocs()[0]->alloc->server_terminal()) << "it had ended without a stop";
  const LoadedState loaded = LoadState(Reopen());
  EXPECT_THAT(loaded.tables.jobs, IsEmpty());
  EXPECT_THAT(loaded.tables.allocs, SizeIs(1));
}

TEST_F(StateJournalTest, ANodeThatIsDrainedStaysSo) {
  ASSERT_TRUE(scheduler.Drain("node", DrainSpec{5s, true}, false, {{"who", "me"}}).ok());
  const LoadedState loaded = LoadState(Reopen());
  const NodeRecord& node = *loaded.tables.nodes.at("node");
  store.Read([&](const Tables& tables) {
    EXPECT_EQ(node.drain, tables.nodes.at("node")->drain);
    EXPECT_EQ(node.last_drain, tables.nodes.at("node")->last_drain);
  });
  EXPECT_FALSE(node.eligible);
  EXPECT_EQ(node.status, "initializing");
}

TEST_F(StateJournalTest, RestartsOfJobsAreFoundAgain) {
  MustRegister(Registration("web", 1));
  JobRestart restart;
  restart.job_namespace = "default";
  restart.job_id = "web";
  restart.batch_wait = 30s;
  restart.allocs = {"a", "b", "c"};
  restart.done = 1;
  restart.begun = 2;
  restart.errors["a"] = "no \xff task runs";
  restart.next_batch = 7;
  for (const char* id : {"r1", "r2"}) {
    restart.id = id;
    ASSERT_TRUE(scheduler.PutRestart(restart).ok());
  }
  MustRegister(Registration("gone", 1));
  restart.id = "r3";
  restart.job_id = "gone";
  ASSERT_TRUE(scheduler.PutRestart(restart).ok());
  ASSERT_TRUE(scheduler.Deregister({"default", "gone"}, true, false).ok());
  const LoadedState loaded = LoadState(Reopen());
  store.Read([&](const Tables& tables) {
    EXPECT_EQ(Encoded(loaded.tables.restarts), Encoded(tables.restarts));
    EXPECT_EQ(loaded.tables.restarts_of_job, tables.restarts_of_job);
  });
  ASSERT_THAT(loaded.tables.restarts, SizeIs(2));
  EXPECT_EQ(loaded.tables.restarts.at("r2")->begun, 2u);
  EXPECT_EQ(loaded.tables.restarts.at("r2")->batch_wait, 30s);
  EXPECT_THAT(loaded.tables.restarts.at("r2")->allocs, ElementsAre("a", "b", "c"));
}

TEST_F(StateJournalTest, ARestartOfManyAllocationsWritesThemOnce) {
  MustRegister(Registration("web", 1));
  JobRestart restart;
  restart.id = "r";
  restart.job_namespace = "default";
  restart.job_id = "web";
  restart.allocs = {"a", "b", "c"};
  ASSERT_TRUE(scheduler.PutRestart(restart).ok());
  restart.done = restart.begun = 2;
  ASSERT_TRUE(scheduler.PutRestart(restart).ok());
  std::vector<Record> records = Reopen();
  for (const Record& record : records) {
    if (record.key.kind != record_kind::kRestart) continue;
    EXPECT_EQ(record.value.find("allocs"), std::string::npos) << "it is written at each step";
  }
  LoadedState loaded = LoadState(records);
  EXPECT_EQ(loaded.tables.restarts.at("r")->done, 2u);
  EXPECT_THAT(loaded.tables.restarts.at("r")->allocs, ElementsAre("a", "b", "c"));
  // Without them, the next agent does not think that all is done.
  std::erase_if(records,
                [](const Record& one) { return one.key.kind == record_kind::kRestartAllocs; });
  loaded = LoadState(records);
  EXPECT_EQ(loaded.tables.restarts.at("r")->status, "failed");
}

TEST_F(StateJournalTest, ServicesAreFoundAgain) {
  MustRegister(Registration("web", 2));
  const auto live = Live();
  ServiceRegistration changed = ServiceOf(*live[0], "api");
  UpdateServices({changed, ServiceOf(*live[0], "admin"), ServiceOf(*live[1], "api")});
  changed.tags = {"\"quoted\"", "\xff", ""};
  changed.address = "2001:db8::1";
  UpdateServices({changed}, {ServiceOf(*live[0], "admin").id});
  const LoadedState loaded = LoadState(Reopen());
  EXPECT_THAT(loaded.refused, IsEmpty());
  EXPECT_THAT(loaded.stale, IsEmpty());
  Compare(loaded.tables);
  EXPECT_THAT(loaded.tables.services, SizeIs(2));
  EXPECT_THAT(loaded.tables.services_of_name.at({"default", "api"}), SizeIs(2));
  EXPECT_THAT(loaded.tables.ServicesOf(live[1]->id()), SizeIs(1));
}

TEST_F(StateJournalTest, TheServicesOfAnEndedAllocationAreGoneFromTheFile) {
  MustRegister(Registration("web", 1));
  UpdateServices({ServiceOf(*Live()[0], "api")});
  Report(Live()[0]->id(), ClientStatus::kComplete);
  const std::vector<Record> records = Reopen();
  for (const Record& record : records) EXPECT_NE(record.key.kind, record_kind::kService);
  EXPECT_THAT(LoadState(records).tables.services, IsEmpty());
}

TEST_F(StateJournalTest, ADamagedServiceCostsItself) {
  MustRegister(Registration("web", 1));
  UpdateServices({ServiceOf(*Live()[0], "api"), ServiceOf(*Live()[0], "admin")});
  const std::vector<Record> whole = Reopen();
  for (const char* bad : {"", "7", "{}", "{\"id\": 7}", "[]", "\xff"}) {
    std::vector<Record> records = whole;
    for (Record& record : records) {
      if (record.key.id == ServiceOf(*Live()[0], "api").id) record.value = bad;
    }
    const LoadedState loaded = LoadState(records);
    ASSERT_THAT(loaded.refused, SizeIs(1)) << bad;
    EXPECT_THAT(loaded.refused[0], HasSubstr("the record service _nomad-task-"));
    EXPECT_THAT(loaded.tables.services, SizeIs(1)) << bad;
    EXPECT_THAT(loaded.tables.allocs, SizeIs(1)) << bad;
  }
}

// It carried out none of the policies of changes, and refused hardly any.
TEST_F(StateJournalTest, JobsOfAnAgentWithoutDeploymentsAreTaken) {
  MustRegister(Registration("web", 1));
  JobRegistration batch = Registration("sum", 1);
  MustRegister(With(batch, [](Job* job) {
    job->type = JobType::kBatch;
    job->groups[0].rollout = {};
    job->groups[0].reschedule = {1, 24h, 5s, ReschedulePolicy::DelayFunction::kConstant, 0s, false};
  }));
  std::vector<Record> records = Reopen();
  const auto age = [](nlohmann::json* record) {
    record->erase("changes");
    nlohmann::json& group = record->at("job").at("TaskGroups").at(0);
    for (const char* block : {"Update", "Migrate", "ReschedulePolicy"}) group.erase(block);
    const nlohmann::json health = {{"HealthCheck", "task_states"},
                                   {"MinHealthyTime", 1'000'000'000},
                                   {"HealthyDeadline", 60'000'000'000}};
    group["Update"] = health;
    nlohmann::json& sent = record->at("submitted").at("TaskGroups").at(0);
    sent["Update"] = health;
    sent["Update"]["MaxParallel"] = 3;
    sent["Update"]["ProgressDeadline"] = "2m";
    sent["ReschedulePolicy"] = {{"Attempts", 2},
                                {"Interval", "1h"},
                                {"Delay", "7s"},
                                {"DelayFunction", "constant"},
                                {"Unlimited", false}};
    // Nobody could be promoted, nor a delay be so short.
    if (record->at("job").at("Type") == "batch") sent["ReschedulePolicy"]["Delay"] = "1s";
    if (record->at("job").at("Type") == "batch") sent["Update"]["AutoPromote"] = true;
  };
  for (Record& record : records) {
    const bool placed = record.key.kind == record_kind::kPlaced;
    if (!placed && record.key.kind != record_kind::kJob) continue;
    nlohmann::json whole = nlohmann::json::parse(record.value);
    age(placed ? &whole.at("job") : &whole);
    record.value = whole.dump();
  }
  const LoadedState loaded = LoadState(records);
  EXPECT_THAT(loaded.refused, IsEmpty());
  ASSERT_THAT(loaded.tables.jobs, SizeIs(2));
  EXPECT_THAT(loaded.tables.allocs, SizeIs(2));
  const JobRecord& web = *loaded.tables.jobs.at({"default", "web"});
  const TaskGroup& group = web.job->groups[0];
  EXPECT_EQ(group.update.min_healthy_time, 1s);
  EXPECT_EQ(group.rollout.max_parallel, 3);
  EXPECT_EQ(group.rollout.progress_deadline, 2min);
  EXPECT_EQ(group.reschedule.attempts, 2);
  EXPECT_EQ(group.reschedule.delay, 7s);
  EXPECT_EQ(web.json.Copy(), CanonicalJob(*web.job, web.json.Copy()));
  const JobRecord& sum = *loaded.tables.jobs.at({"default", "sum"});
  EXPECT_EQ(sum.job->groups[0].update, UpdatePolicy());
  EXPECT_EQ(sum.job->groups[0].rollout, RolloutPolicy());
  EXPECT_EQ(sum.job->groups[0].reschedule.delay, 5s) << "the default of its type";
  EXPECT_TRUE(ParseJob(sum.json.Copy().dump()).ok()) << "a client may send it again";
}

// An older agent neither reads registrations nor removes them. And an allocation may be lost.
TEST_F(StateJournalTest, AServiceWhoseAllocationIsGoneIsForgotten) {
  MustRegister(Registration("ends", 1));
  MustRegister(Registration("lost", 1));
  const auto live = Live();
  UpdateServices({ServiceOf(*live[0], "api"), ServiceOf(*live[1], "api")});
  std::vector<Record> records = Reopen();
  for (Record& record : records) {
    if (record.key.kind != record_kind::kReported || record.key.id != live[0]->id()) continue;
    nlohmann::json whole = nlohmann::json::parse(record.value);
    whole["status"] = "complete";
    record.value = whole.dump();
  }
  std::erase_if(records, [&](const Record& record) { return record.key.id == live[1]->id(); });
  const LoadedState loaded = LoadState(records);
  EXPECT_THAT(loaded.tables.services, IsEmpty());
  EXPECT_THAT(loaded.refused, IsEmpty()) << "that is no damage";
  EXPECT_THAT(loaded.stale,
              ::testing::UnorderedElementsAre(RecordKey{"service", ServiceOf(*live[0], "api").id},
                                              RecordKey{"service", ServiceOf(*live[1], "api").id}));
}

TEST_F(StateJournalTest, TheStateOfAnAgentWithoutServicesIsTaken) {
  MustRegister(Registration("web", 1));
  std::vector<Record> records = Reopen();
  for (const Record& record : records) EXPECT_NE(record.key.kind, record_kind::kService);
  Continue(LoadState(records));
  MakeNodeReady();
  UpdateServices({ServiceOf(*Live().at(0), "api")});
  EXPECT_THAT(LoadState(Reopen()).tables.services, SizeIs(1));
}

TEST_F(StateJournalTest, WhatAnOperatorHasConfiguredIsKept) {
  EXPECT_EQ(scheduler.SetConfig({}, 7), std::nullopt);
  PreemptionConfig preemption;
  preemption.batch = true;
  const auto index = scheduler.SetConfig(preemption, 1);
  ASSERT_TRUE(index.has_value());
  const LoadedState loaded = LoadState(Reopen());
  EXPECT_THAT(loaded.refused, IsEmpty());
  ASSERT_NE(loaded.tables.scheduler_config, nullptr);
  EXPECT_EQ(loaded.tables.scheduler_config->preemption, preemption);
  EXPECT_EQ(loaded.tables.scheduler_config->modify_index, *index);
}

TEST_F(StateJournalTest, ANodeThatWasPurgedIsNotRestoredAndALostOneStaysLost) {
  Gate gate(&loop);
  Context life(&loop);
  gate.Spawn(scheduler.Run(life));
  loop.Advance(1min);
  life.Cancel();
  EXPECT_TRUE(loop.RunToEnd(gate.Close()));
  const std::vector<Record> down = Reopen();
  EXPECT_EQ(LoadState(down).tables.nodes.at("node")->status, "down");
  Continue(LoadState(down));
  ASSERT_TRUE(scheduler.PurgeNode("node").ok());
  EXPECT_THAT(LoadState(Reopen()).tables.nodes, IsEmpty());
}

// Waiting changes count in bytes, so their bound holds for large jobs, too.
TEST_F(StateJournalTest, ALargeJobCountsByItsSizeAndItsAllocationsDoNotRepeatIt) {
  constexpr std::size_t kLarge = 5'000'000;
  std::promise<void> held, go_on;
  file_->Put({"a", "first"}, [&] {
    held.set_value();
    go_on.get_future().wait();
    return std::string("value");
  });
  held.get_future().wait();
  const std::size_t before = file_->waiting_bytes();
  JobRegistration registration = Registration("large", 5, 10);
  auto job = std::make_shared<Job>(*registration.job);
  job->meta["text"] = std::string(kLarge, 'x');
  registration.json =
      std::make_shared<const nlohmann::json>(CanonicalJob(*job, nlohmann::json::object()));
  registration.job = std::move(job);
  MustRegister(registration);
  EXPECT_GE(file_->waiting_bytes(), before + kLarge);
  EXPECT_LE(file_->waiting_bytes(), before + 3 * kLarge);
  registration = Registration("written", 1, 10);
  registration.submission = std::make_shared<const JobSubmission>(
      JobSubmission{std::string(1'000'000, 'x'), "hcl2", {}, ""});
  const std::size_t between = file_->waiting_bytes();
  MustRegister(registration);
  EXPECT_GE(file_->waiting_bytes(), between + 1'000'000);
  go_on.set_value();
  EXPECT_THAT(Reopen(), Not(IsEmpty()));
}

}  // namespace
}  // namespace drover
