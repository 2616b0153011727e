// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/base/directory_for_test.h"
#include "host/base/ids.h"
#include "host/scheduler/scheduler_fixture.h"
#include "host/state/state_journal.h"

namespace drover {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class SchedulerVolumesTest : public SchedulerFixture {
 protected:
  SchedulerVolumesTest() { RegisterNode({{"certs", {"/etc/ssl", true}}, {"data", {"/d", false}}}); }

  void RegisterNode(ConfiguredVolumes volumes) {
    NodeRecord node;
    node.id = "node";
    node.cpu_mhz = 1000;
    node.memory_mb = 100'000;
    node.disk_mb = 1'000'000;
    node.host_volumes = std::move(volumes);
    EXPECT_TRUE(Await<Result<Duration>>(scheduler.Register(context, node)).ok());
    EXPECT_TRUE(Await<Result<Duration>>(scheduler.Heartbeat(context, "node")).ok());
  }

  static VolumeRequest Request(const std::string& source, bool read_only = false,
                               std::string_view mode = "") {
    VolumeRequest request;
    request.type = "host";
    request.source = source;
    request.read_only = read_only;
    request.access_mode = mode;
    return request;
  }
  // Registers a job with this volume. Returns the id of its evaluation.
  std::string Run(const std::string& id, const VolumeRequest& request, int count = 1,
                  const std::string& driver_config = "{}") {
    JobRegistration registration = Registration(id, count, 100, driver_config);
    auto job = std::make_shared<Job>(*registration.job);
    job->groups[0].volumes["v"] = request;
    registration.json =
        std::make_shared<const nlohmann::json>(CanonicalJob(*job, nlohmann::json::object()));
    registration.job = std::move(job);
    return MustRegister(std::move(registration)).eval_id;
  }
  // Returns why an allocation of the evaluation has no place, by reason.
  std::map<std::string, int> Filtered(const std::string& eval_id) const {
    const auto& failed = Eval(eval_id)->failed_groups;
    return failed.empty() ? std::map<std::string, int>() : failed.at("g").constraint_filtered;
  }

  static VolumeRecord Volume(const std::string& name,
                             std::string_view mode = access_mode::kMultiWriter) {
    VolumeRecord volume;
    volume.id = RandomUuid();
    volume.name = name;
    volume.node_id = "node";
    volume.plugin_id = "mkdir";
    volume.host_path = "/volumes/" + name;
    volume.state = volume_state::kReady;
    volume.capabilities = {{std::string(mode), std::string(kFileSystem)}};
    return volume;
  }
  std::shared_ptr<const VolumeRecord> Put(VolumeRecord volume) {
    return scheduler.PutVolume(std::move(volume)).value();
  }
  std::shared_ptr<const VolumeRecord> Find(const std::string& id) const {
    std::shared_ptr<const VolumeRecord> volume;
    store.Read([&](const Tables& tables) { volume = Tables::Find(tables.volumes, id); });
    return volume;
  }
  std::string OnlyLive() const {
    const auto live = Live();
    EXPECT_THAT(live, SizeIs(1));
    return live.empty() ? "" : live[0]->id();
  }

  const std::map<std::string, int> no_volumes_ = {{"missing compatible host volumes", 1}};
};

TEST_F(SchedulerVolumesTest, AVolumeOfTheConfigurationIsFoundByItsName) {
  EXPECT_THAT(Filtered(Run("reads", Request("certs", true))), IsEmpty());
  EXPECT_THAT(Filtered(Run("writes", Request("data"))), IsEmpty());
  EXPECT_EQ(Filtered(Run("writes-certs", Request("certs"))), no_volumes_);
  EXPECT_EQ(Filtered(Run("no-such", Request("other", true))), no_volumes_);
  EXPECT_THAT(Live(), SizeIs(2));
  // The next agent has the volume.
  RegisterNode({{"certs", {"/etc/ssl", false}}, {"other", {"/o", false}}});
  EXPECT_THAT(Live(), SizeIs(4));
}

TEST_F(SchedulerVolumesTest, AJobWaitsForAVolumeOfAClient) {
  const std::string eval = Run("j", Request("made"));
  EXPECT_EQ(Filtered(eval), no_volumes_);
  VolumeRecord volume = Volume("made");
  volume.state = volume_state::kPending;
  Put(volume);
  EXPECT_THAT(Live(), IsEmpty());
  volume.state = volume_state::kReady;
  Put(volume);
  EXPECT_THAT(Live(), SizeIs(1));
}

TEST_F(SchedulerVolumesTest, AVolumeOfTheConfigurationTakesThePlaceOfADeletedOne) {
  VolumeRecord volume = Volume("data");
  volume.state = volume_state::kUnavailable;
  Put(volume);
  EXPECT_EQ(Filtered(Run("j", Request("data"))), no_volumes_);
  scheduler.EraseVolume(volume.id);
  EXPECT_THAT(Live(), SizeIs(1));
}

TEST_F(SchedulerVolumesTest, AVolumeOfAClientBelongsToItsNamespaceAndNode) {
  VolumeRecord volume = Volume("made");
  volume.name_space = "team";
  Put(volume);
  volume = Volume("away");
  volume.node_id = "another";
  Put(volume);
  EXPECT_EQ(Filtered(Run("j", Request("made"))), no_volumes_);
  EXPECT_EQ(Filtered(Run("k", Request("away"))), no_volumes_);
}

TEST_F(SchedulerVolumesTest, AVolumeOfAClientWinsOverTheConfiguration) {
  Put(Volume("data", access_mode::kReaderOnly));
  EXPECT_EQ(Filtered(Run("writes", Request("data"))), no_volumes_);
  EXPECT_THAT(Filtered(Run("reads", Request("data", true))), IsEmpty());
}

TEST_F(SchedulerVolumesTest, AnAccessModeMustBeOffered) {
  Put(Volume("made", access_mode::kSingleWriter));
  EXPECT_EQ(Filtered(Run("j", Request("made", false, access_mode::kMultiWriter))), no_volumes_);
  EXPECT_THAT(Filtered(Run("k", Request("made", false, access_mode::kSingleWriter))), IsEmpty());
}

TEST_F(SchedulerVolumesTest, OneWriterAtATime) {
  Put(Volume("made", access_mode::kSingleWriter));
  for (const std::string_view mode : {std::string_view(), access_mode::kSingleWriter}) {
    const VolumeRequest request = Request("made", false, mode);
    Run("first", request);
    const std::string first = OnlyLive();
    EXPECT_EQ(Filtered(Run("second", request)), no_volumes_);
    EXPECT_THAT(Filtered(Run("reader", Request("made", true, mode))), IsEmpty());
    EXPECT_THAT(Live(), SizeIs(2));
    // The first writer stops, but has not ended yet.
    EXPECT_TRUE(scheduler.Deregister({"default", "first"}, true, false).ok());
    EXPECT_TRUE(scheduler.Deregister({"default", "reader"}, true, false).ok());
    EXPECT_THAT(Live(), IsEmpty());
    Report(first, ClientStatus::kComplete);
    EXPECT_EQ(Alloc(OnlyLive())->alloc->job->id, "second");
    EXPECT_TRUE(scheduler.Deregister({"default", "second"}, true, false).ok());
    for (const auto& record : Allocs()) Report(record->id(), ClientStatus::kComplete);
  }
}

TEST_F(SchedulerVolumesTest, OfOneGroupOnlyOneWrites) {
  Put(Volume("made", access_mode::kSingleWriter));
  const std::string eval = Run("j", Request("made", false, access_mode::kSingleWriter), 3);
  EXPECT_THAT(Live(), SizeIs(1));
  EXPECT_EQ(Eval(eval)->queued.at("g"), 2);
  Put(Volume("shared"));
  Run("k", Request("shared"), 3);
  EXPECT_THAT(Live(), SizeIs(4));
}

// An update in which the one writer is replaced by itself must not wait for ever.
TEST_F(SchedulerVolumesTest, AnUpdateReplacesTheOnlyWriter) {
  Put(Volume("made", access_mode::kSingleWriter));
  const VolumeRequest request = Request("made", false, access_mode::kSingleWriter);
  Run("j", request);
  const std::string old = OnlyLive();
  Run("j", request, 1, R"({"new": 1})");
  EXPECT_TRUE(Alloc(old)->alloc->server_terminal());
  EXPECT_THAT(Live(), IsEmpty()) << "the old one still has the volume";
  Report(old, ClientStatus::kComplete);
  const std::string next = OnlyLive();
  EXPECT_NE(next, old);
  EXPECT_EQ(Alloc(next)->alloc->previous, old);
}

TEST_F(SchedulerVolumesTest, AFailedAllocationHasItsVolumeUntilItsLastTaskEnds) {
  Put(Volume("made", access_mode::kSingleWriter));
  const VolumeRequest request = Request("made", false, access_mode::kSingleWriter);
  Run("j", request);
  const std::string first = OnlyLive();
  ReportFailure(first, RunnerState::kRunning);
  Run("k", request);
  EXPECT_THAT(Live(), IsEmpty()) << "a task of the first one may still write";
  ReportFailure(first, RunnerState::kDead);
  EXPECT_EQ(Alloc(OnlyLive())->alloc->job->id, "k");
}

TEST_F(SchedulerVolumesTest, EachAllocationHasItsOwnVolume) {
  Put(Volume("made[1]"));
  VolumeRequest request = Request("made");
  request.per_alloc = true;
  const std::string eval = Run("j", request, 3);
  ASSERT_THAT(Live(), SizeIs(1)) << "index 0 has no volume, but index 1 has";
  EXPECT_EQ(Live()[0]->alloc->index, 1);
  Put(Volume("made[0]"));
  Put(Volume("made[2]"));
  EXPECT_THAT(Live(), SizeIs(3));
}

TEST_F(SchedulerVolumesTest, AStickyVolumeIsClaimedOnceAndReleasedWithTheJob) {
  const std::string id = Put(Volume("made"))->id;
  VolumeRequest request = Request("made");
  request.sticky = true;
  Run("j", request, 2);
  ASSERT_THAT(Find(id)->claims, SizeIs(1));
  const VolumeClaim claim = Find(id)->claims[0];
  EXPECT_EQ(claim.job_id, "j");
  EXPECT_EQ(claim.group, "g");
  EXPECT_NE(Alloc(claim.alloc_id), nullptr);
  EXPECT_TRUE(scheduler.Deregister({"default", "j"}, false, false).ok());
  EXPECT_THAT(Find(id)->claims, ElementsAre(claim)) << "a stopped job keeps its volume";
  Run("k", request);
  EXPECT_THAT(Find(id)->claims, SizeIs(2));
  EXPECT_TRUE(scheduler.DeleteClaim(Find(id)->claims[1].id).ok());
  EXPECT_EQ(scheduler.DeleteClaim(RandomUuid()).code(), Code::kNotFound);
  EXPECT_THAT(Find(id)->claims, ElementsAre(claim));
  const auto index = [this] {
    std::uint64_t of_volumes = 0;
    store.Read([&](const Tables& tables) { of_volumes = tables.IndexOf(MaskOf(Table::kVolumes)); });
    return of_volumes;
  };
  const std::uint64_t before = index();
  EXPECT_TRUE(scheduler.Deregister({"default", "j"}, true, false).ok());
  EXPECT_THAT(Find(id)->claims, IsEmpty());
  EXPECT_GT(index(), before) << "those who wait for a change of claims";
  EXPECT_EQ(Find(id)->modify_index, index());
}

TEST_F(SchedulerVolumesTest, APlanClaimsNothing) {
  const std::string id = Put(Volume("made"))->id;
  JobRegistration registration = Registration("j", 1);
  auto job = std::make_shared<Job>(*registration.job);
  VolumeRequest request = Request("made");
  request.sticky = true;
  job->groups[0].volumes["v"] = request;
  registration.job = std::move(job);
  EXPECT_THAT(scheduler.Plan(registration).value().failed_groups, IsEmpty());
  EXPECT_THAT(Find(id)->claims, IsEmpty());
}

TEST_F(SchedulerVolumesTest, ThereAreLimits) {
  SchedulerOptions options;
  options.most_volumes = 1;
  Status room;
  options.check_room = [&room] { return room; };
  Scheduler small(&loop, &store, &ports, options);
  const auto volume = small.PutVolume(Volume("a")).value();
  EXPECT_EQ(small.PutVolume(Volume("b")).code(), Code::kResourceExhausted);
  room = Error(Code::kUnavailable, "the disk is full");
  EXPECT_TRUE(small.PutVolume(*volume).ok()) << "what is there may change";
  small.EraseVolume(volume->id);
  EXPECT_EQ(small.PutVolume(Volume("b")).code(), Code::kUnavailable);
}

TEST_F(SchedulerVolumesTest, EventsHaveTheWordsOfClients) {
  const std::uint64_t before = store.events().From(0).batches.size();
  const std::string id = Put(Volume("made"))->id;
  scheduler.EraseVolume(id);
  scheduler.EraseVolume(id);
  std::vector<std::string> seen;
  const auto batches = store.events().From(0).batches;
  for (std::size_t i = before; i < batches.size(); ++i) {
    for (const StateEvent& event : batches[i]->events) {
      EXPECT_EQ(event.topic(), Topic::kVolume);
      EXPECT_EQ(event.Key(), id);
      EXPECT_EQ(event.Namespace(), "default");
      seen.push_back(std::string(batches[i]->TypeOf(event)) + (event.erased ? " erased" : ""));
    }
  }
  EXPECT_THAT(seen, ElementsAre("HostVolumeRegistered", "HostVolumeDeleted erased"));
}

TEST_F(SchedulerVolumesTest, TheNextAgentHasThem) {
  const DirectoryForTest directory;
  std::unique_ptr<drover::Store> file =
      std::move(drover::Store::Open(directory.path() + "/state", nullptr).value().store);
  store.SetJournal(StateJournal(file.get()));
  const std::string id = Put(Volume("made"))->id;
  const std::string gone = Put(Volume("gone"))->id;
  scheduler.EraseVolume(gone);
  VolumeRequest request = Request("made");
  request.sticky = true;
  Run("j", request);
  file.reset();
  store.SetJournal(nullptr);
  auto opened = drover::Store::Open(directory.path() + "/state", nullptr);
  ASSERT_TRUE(opened.ok());
  const LoadedState loaded = LoadState(opened->records);
  EXPECT_THAT(loaded.refused, ElementsAre());
  ASSERT_THAT(loaded.tables.volumes, SizeIs(1));
  EXPECT_EQ(*loaded.tables.volumes.at(id), *Find(id));
  EXPECT_THAT(loaded.tables.volumes.at(id)->claims, SizeIs(1));
  EXPECT_EQ(loaded.tables.FindVolume({"default", "made"})->id, id);
  EXPECT_EQ(loaded.tables.FindVolume({"default", "gone"}), nullptr);
  EXPECT_THAT(loaded.tables.volume_users.at({"default", "made"}).allocs, SizeIs(1));
}

}  // namespace
}  // namespace drover
