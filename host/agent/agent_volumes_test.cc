// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/agent/agent_volumes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <utility>

#include "host/base/await_for_test.h"
#include "host/base/directory_for_test.h"
#include "host/base/gate.h"
#include "host/base/ids.h"
#include "host/scheduler/scheduler_fixture.h"

namespace drover {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

constexpr auto kCreate = VolumeRequestKind::kCreate;
constexpr auto kRegister = VolumeRequestKind::kRegister;

class AgentVolumesTest : public ::testing::Test {
 protected:
  AgentVolumesTest() : base_(std::filesystem::canonical(directory_.path()).string()) {
    std::filesystem::create_directories(base_ + "/plugins");
    NodeRecord node;
    node.id = "node";
    node.node_pool = "default";
    node.cpu_mhz = node.memory_mb = 10'000;
    node.disk_mb = 1'000'000;
    EXPECT_TRUE(Run(scheduler_.Register(Context(&loop_), node)).ok());
    EXPECT_TRUE(Run(scheduler_.Heartbeat(Context(&loop_), "node")).ok());
  }

  HostVolumesOptions HostOptions() {
    HostVolumesOptions options;
    options.loop = &loop_;
    options.plugins.directory = base_ + "/plugins";
    options.plugins.volumes_dir = base_ + "/volumes";
    options.remove_tree = [](int, const std::string&, const std::string& path) {
      std::filesystem::remove_all(path);
      return Status();
    };
    return options;
  }
  AgentVolumesOptions Options() {
    AgentVolumesOptions options;
    options.loop = &loop_;
    options.store = &store_;
    options.scheduler = &scheduler_;
    options.volumes = &host_;
    options.node_id = "node";
    return options;
  }

  template <typename T>
  T Run(Co<T> work) {
    return AwaitForTest(&loop_, std::move(work));
  }
  void Restore() { DROVER_CHECK(loop_.RunToEnd(volumes_.Restore())); }
  Result<AgentVolumes::Volume> Put(VolumeRecord draft, VolumeRequestKind kind = kCreate) {
    return Run(volumes_.Put(Context(&loop_), std::move(draft), kind));
  }
  Status Delete(const std::string& id) { return Run(volumes_.Delete(Context(&loop_), id)); }

  static VolumeRecord Draft(const std::string& name, const std::string& plugin = "mkdir") {
    VolumeRecord draft;
    draft.name = name;
    draft.plugin_id = plugin;
    draft.capabilities = {{std::string(access_mode::kMultiWriter), std::string(kFileSystem)}};
    return draft;
  }
  void WritePlugin(const std::string& script) {
    const std::string path = base_ + "/plugins/own";
    std::ofstream(path) << "#!/bin/sh\n" << script;
    ASSERT_EQ(chmod(path.c_str(), 0755), 0);
  }
  std::map<std::string, std::shared_ptr<const VolumeRecord>> All() const {
    std::map<std::string, std::shared_ptr<const VolumeRecord>> all;
    store_.Read([&](const Tables& tables) { all = tables.volumes; });
    return all;
  }
  std::string StateOf(const std::string& id) const {
    const auto all = All();
    return all.contains(id) ? all.at(id)->state : "";
  }
  // Stores VOLUME as an earlier agent did.
  std::string Left(VolumeRecord volume, std::string_view state) {
    volume.id = RandomUuid();
    volume.node_id = "node";
    volume.state = state;
    return scheduler_.PutVolume(std::move(volume)).value()->id;
  }

  // Registers a version of a job. Returns the id of its allocation, which replaces REPLACED, or
  // nothing if there is none.
  std::string RegisterVersion(const std::string& version, const std::string& replaced) {
    auto job = std::make_shared<Job>();
    job->id = job->name = "j";
    TaskGroup group;
    group.name = "g";
    group.tasks.resize(1);
    group.tasks[0].name = "t";
    group.tasks[0].env = {{"VERSION", version}};
    job->groups = {group};
    JobRegistration registration;
    registration.json =
        std::make_shared<const nlohmann::json>(CanonicalJob(*job, nlohmann::json::object()));
    registration.job = job;
    DROVER_CHECK(scheduler_.Register(registration).ok());
    std::string found;
    store_.Read([&](const Tables& tables) {
      for (const auto& [id, record] : tables.allocs) {
        if (record->previous == replaced) found = id;
      }
    });
    return found;
  }
  // The node reports that the allocation ID has ended.
  void End(const std::string& id, bool started) {
    auto task = std::make_shared<TaskStateRecord>();
    task->state = RunnerState::kDead;
    if (started) task->started_at = 1;
    AllocUpdate ended;
    ended.id = id;
    ended.status = {ClientStatus::kComplete, ""};
    ended.tasks["t"] = std::move(task);
    EXPECT_TRUE(Run(scheduler_.UpdateAllocs(Context(&loop_), "node", {ended})).ok());
  }

  const DirectoryForTest directory_;
  const std::string base_;
  RealLoop loop_;
  StateStore store_;
  FakePortPool ports_;
  Scheduler scheduler_{&loop_, &store_, &ports_, {}};
  HostVolumes host_{HostOptions()};
  AgentVolumes volumes_{Options()};
};

TEST_F(AgentVolumesTest, AVolumeIsMadeAndRemoved) {
  const auto made = Put(Draft("data"));
  ASSERT_TRUE(made.ok()) << made.error().message();
  EXPECT_EQ((*made)->state, "ready");
  EXPECT_EQ((*made)->node_id, "node");
  EXPECT_TRUE(IsVolumeId((*made)->id));
  EXPECT_TRUE(std::filesystem::is_directory((*made)->host_path));
  EXPECT_EQ((*made)->host_path, base_ + "/volumes/" + (*made)->id);
  ASSERT_TRUE(Delete((*made)->id).ok());
  EXPECT_FALSE(std::filesystem::exists((*made)->host_path));
  EXPECT_THAT(All(), IsEmpty());
  EXPECT_EQ(Delete((*made)->id).code(), Code::kNotFound);
}

TEST_F(AgentVolumesTest, AFailureLeavesNothing) {
  EXPECT_EQ(Put(Draft("data", "none")).code(), Code::kNotFound);
  WritePlugin("echo no space >&2; exit 1");
  EXPECT_THAT(Put(Draft("data", "own")).error().message(), HasSubstr("no space"));
  VolumeRecord draft = Draft("data");
  draft.parameters = {{"mode", "nonsense"}};
  EXPECT_EQ(Put(draft).code(), Code::kInvalidArgument);
  EXPECT_THAT(All(), IsEmpty());
}

TEST_F(AgentVolumesTest, ANameIsTakenOnceAndAnIdChangesItsVolume) {
  const AgentVolumes::Volume made = Put(Draft("data")).value();
  EXPECT_EQ(Put(Draft("data")).code(), Code::kFailedPrecondition);
  VolumeRecord other = Draft("data");
  other.name_space = "team";
  EXPECT_TRUE(Put(other).ok());
  VolumeRecord changed = Draft("data");
  changed.id = made->id;
  changed.capabilities[0].access_mode = access_mode::kSingleWriter;
  const auto again = Put(changed);
  ASSERT_TRUE(again.ok()) << again.error().message();
  EXPECT_EQ((*again)->capabilities, changed.capabilities);
  EXPECT_EQ((*again)->host_path, made->host_path);
  EXPECT_EQ((*again)->create_index, made->create_index);
  changed.name = "renamed";
  EXPECT_EQ(Put(changed).code(), Code::kFailedPrecondition);
  changed.id = RandomUuid();
  EXPECT_EQ(Put(changed).code(), Code::kNotFound);
}

TEST_F(AgentVolumesTest, ADraftForAnotherNodeIsRefused) {
  VolumeRecord draft = Draft("data");
  draft.node_id = "other";
  EXPECT_THAT(Put(draft).error().message(), HasSubstr("/Volume/NodeID"));
  draft = Draft("data");
  draft.node_pool = "gpu";
  EXPECT_THAT(Put(draft).error().message(), HasSubstr("/Volume/NodePool"));
  draft = Draft("data");
  draft.constraints = {{"${node.class}", "=", "big"}};
  EXPECT_THAT(Put(draft).error().message(), HasSubstr("does not meet ${node.class} = big"));
}

TEST_F(AgentVolumesTest, ARegisteredVolumeIsThereBeforeAndAfter) {
  VolumeRecord draft = Draft("data", "");
  draft.host_path = base_ + "/own";
  EXPECT_EQ(Put(draft, kRegister).code(), Code::kNotFound);
  EXPECT_THAT(All(), IsEmpty());
  std::filesystem::create_directories(draft.host_path);
  const auto made = Put(draft, kRegister);
  ASSERT_TRUE(made.ok()) << made.error().message();
  EXPECT_TRUE(Delete((*made)->id).ok());
  EXPECT_TRUE(std::filesystem::exists(draft.host_path));
}

TEST_F(AgentVolumesTest, AVolumeInUseOrClaimedStays) {
  const std::string id = Put(Draft("data")).value()->id;
  auto job = std::make_shared<Job>();
  job->id = job->name = "j";
  TaskGroup group;
  group.name = "g";
  group.volumes["v"] = {"host", "data"};
  group.volumes["v"].sticky = true;
  group.tasks.resize(1);
  group.tasks[0].name = "t";
  job->groups = {group};
  JobRegistration registration;
  registration.json =
      std::make_shared<const nlohmann::json>(CanonicalJob(*job, nlohmann::json::object()));
  registration.job = job;
  ASSERT_TRUE(scheduler_.Register(registration).ok());
  EXPECT_THAT(Delete(id).error().message(), HasSubstr("is in use by these allocations"));
  std::string alloc;
  store_.Read([&](const Tables& tables) { alloc = tables.live_allocs.begin()->first; });
  ASSERT_TRUE(scheduler_.Deregister({"default", "j"}, false, false).ok());
  AllocUpdate ended;
  ended.id = alloc;
  ended.status = {ClientStatus::kComplete, ""};
  EXPECT_TRUE(Run(scheduler_.UpdateAllocs(Context(&loop_), "node", {ended})).ok());
  EXPECT_THAT(Delete(id).error().message(), HasSubstr("is claimed by the group \"g\""));
  EXPECT_EQ(StateOf(id), "ready");
  ASSERT_TRUE(scheduler_.Deregister({"default", "j"}, true, false).ok());
  EXPECT_TRUE(Delete(id).ok());
}

TEST_F(AgentVolumesTest, APluginThatCannotRemoveKeepsTheVolume) {
  WritePlugin("p=" + base_ + R"(/own
    [ "$1" = create ] && mkdir -p $p && echo "{\"path\": \"$p\"}")");
  const std::string id = Put(Draft("data", "own")).value()->id;
  EXPECT_FALSE(Delete(id).ok());
  EXPECT_EQ(StateOf(id), "ready");
}

TEST_F(AgentVolumesTest, AClientWhoseDeletionFailsStillHasTheVolume) {
  const AgentVolumes::Volume made = Put(Draft("data")).value();
  AgentVolumesOptions options = Options();
  options.make_durable = [](Context) -> Co<Status> {
    co_return Error(Code::kCancelled, "the client has gone");
  };
  AgentVolumes interrupted(options);
  EXPECT_EQ(Run(interrupted.Delete(Context(&loop_), made->id)).code(), Code::kCancelled);
  EXPECT_EQ(StateOf(made->id), "ready");
  EXPECT_TRUE(std::filesystem::is_directory(made->host_path));
  EXPECT_TRUE(Delete(made->id).ok());
}

TEST_F(AgentVolumesTest, WhatAnEndingAgentCannotUndoIsForTheNextOne) {
  WritePlugin("exec sleep 1000");
  std::optional<Result<AgentVolumes::Volume>> made;
  auto put = [](AgentVolumes* volumes, Loop* loop, VolumeRecord draft, auto* out) -> Co<void> {
    out->emplace(co_await volumes->Put(Context(loop), std::move(draft), kCreate));
  };
  Gate gate(&loop_);
  gate.Spawn(put(&volumes_, &loop_, Draft("data", "own"), &made));
  host_.Stop();
  DROVER_CHECK(loop_.RunToEnd(gate.Close()));
  ASSERT_TRUE(made);
  EXPECT_FALSE(made->ok());
  ASSERT_THAT(All(), SizeIs(1));
  EXPECT_EQ(All().begin()->second->state, "deleted");
}

TEST_F(AgentVolumesTest, AnAgentThatEndsSaysNothingOfVolumesThatItHasNotMadeAgain) {
  WritePlugin("exec sleep 1000");
  VolumeRecord known = Draft("a", "own");
  known.host_path = base_ + "/own";
  const std::string ready = Left(known, volume_state::kReady);
  const std::string deleted = Left(Draft("b", "own"), volume_state::kDeleted);
  Gate gate(&loop_);
  gate.Spawn(volumes_.Restore());
  host_.Stop();
  DROVER_CHECK(loop_.RunToEnd(gate.Close()));
  EXPECT_EQ(StateOf(ready), "ready");
  EXPECT_EQ(StateOf(deleted), "deleted");
}

TEST_F(AgentVolumesTest, TheNextAgentFinishesWhatWasBegun) {
  const std::string pending = Left(Draft("a"), volume_state::kPending);
  const std::string ready = Left(Draft("b"), volume_state::kReady);
  VolumeRecord registered = Draft("c", "");
  registered.host_path = base_ + "/gone";
  const std::string gone = Left(registered, volume_state::kReady);
  VolumeRecord old = Draft("d");
  const std::string deleted = Left(old, volume_state::kDeleted);
  std::filesystem::create_directories(base_ + "/volumes/" + deleted);
  const std::string broken = Left(Draft("e", "none"), volume_state::kReady);
  Restore();
  EXPECT_EQ(StateOf(pending), "ready");
  EXPECT_EQ(StateOf(ready), "ready");
  EXPECT_TRUE(std::filesystem::exists(base_ + "/volumes/" + ready)) << "made again";
  EXPECT_EQ(StateOf(gone), "unavailable");
  EXPECT_EQ(StateOf(deleted), "");
  EXPECT_FALSE(std::filesystem::exists(base_ + "/volumes/" + deleted));
  EXPECT_EQ(StateOf(broken), "unavailable");
  std::filesystem::create_directories(registered.host_path);
  Restore();
  EXPECT_EQ(StateOf(gone), "ready") << "the disk is there again";
}

TEST_F(AgentVolumesTest, AnAllocationThatIsUnknownHasEnded) {
  EXPECT_THAT(Run(WaitAllocEnded(&store_, Context(&loop_), "none")).value(), ElementsAre("none"));
}

TEST_F(AgentVolumesTest, AnAllocationThatHasFailedEndsWithTheLastOfItsTasks) {
  const std::string id = RegisterVersion("1", "");
  AllocUpdate failed;
  failed.id = id;
  failed.status = {ClientStatus::kFailed, "Failed tasks"};
  auto dead = std::make_shared<TaskStateRecord>(), stops = std::make_shared<TaskStateRecord>();
  dead->state = RunnerState::kDead;
  stops->state = RunnerState::kRunning;
  failed.tasks = {{"dead", std::move(dead)}, {"stops", std::move(stops)}};
  ASSERT_TRUE(Run(scheduler_.UpdateAllocs(Context(&loop_), "node", {failed})).ok());
  Context impatient = Context(&loop_).WithTimeout(20ms);
  EXPECT_EQ(Run(WaitAllocEnded(&store_, impatient, id)).code(), Code::kTimeout);
  End(id, true);
  EXPECT_TRUE(Run(WaitAllocEnded(&store_, Context(&loop_), id)).ok());
}

TEST_F(AgentVolumesTest, TheDiskOfOneThatNeverStartedMayBeWithTheOneBefore) {
  const std::string first = RegisterVersion("1", "");
  const std::string second = RegisterVersion("2", first);
  const std::string third = RegisterVersion("3", second);
  ASSERT_THAT((std::vector{first, second, third}), Not(Contains("")));
  for (const std::string& id : {first, second, third}) End(id, id != second);
  const auto wait = [&](const std::string& id) {
    return Run(WaitAllocEnded(&store_, Context(&loop_), id)).value();
  };
  EXPECT_THAT(wait(first), ElementsAre(first));
  EXPECT_THAT(wait(second), ElementsAre(second, first));
  EXPECT_THAT(wait(third), ElementsAre(third));
}

}  // namespace
}  // namespace drover
