// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/volume/host_volumes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "host/base/await_for_test.h"
#include "host/base/directory_for_test.h"
#include "host/base/gate.h"

namespace drover {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

class HostVolumesTest : public ::testing::Test {
 protected:
  HostVolumesTest() : base_(std::filesystem::canonical(directory_.path()).string()) {
    std::filesystem::create_directories(base_ + "/plugins");
    std::filesystem::create_directories(base_ + "/data");
    options_.loop = &loop_;
    options_.configured = {{"data", {base_ + "/data", false}}, {"none", {base_ + "/none", true}}};
    options_.plugins.directory = base_ + "/plugins";
    options_.plugins.volumes_dir = base_ + "/volumes";
    options_.find = [this](const std::string& name_space, const std::string& name) {
      const bool same = record_ && record_->name_space == name_space && record_->name == name;
      return same ? record_ : std::nullopt;
    };
  }

  HostVolumes* volumes() {
    if (!volumes_) volumes_.emplace(options_);
    return &*volumes_;
  }
  template <typename T>
  T Run(Co<T> work) {
    return AwaitForTest(&loop_, std::move(work));
  }
  Result<VolumeSource> Find(const std::string& name, const std::string& name_space = "default") {
    return Run(volumes()->Find(Context(&loop_), name_space, name));
  }
  void WritePlugin(const std::string& name, const std::string& script) {
    const std::string path = base_ + "/plugins/" + name;
    std::ofstream(path) << "#!/bin/sh\n" << script;
    ASSERT_EQ(chmod(path.c_str(), 0755), 0);
  }
  VolumeRecord Ready(const std::string& name, const std::string& path) {
    VolumeRecord record;
    record.id = "00000000-0000-4000-8000-0123456789ab";
    record.name = name;
    record.host_path = path;
    record.state = volume_state::kReady;
    return record;
  }

  const DirectoryForTest directory_;
  const std::string base_;
  RealLoop loop_;
  HostVolumesOptions options_;
  std::optional<VolumeRecord> record_;
  std::optional<HostVolumes> volumes_;
};

TEST_F(HostVolumesTest, AConfiguredVolumeIsFoundByItsName) {
  const auto found = Find("data");
  ASSERT_TRUE(found.ok()) << found.error().message();
  EXPECT_EQ(*found, (VolumeSource{base_ + "/data", false}));
  EXPECT_EQ(Find("other").code(), Code::kNotFound);
  const auto missing = Find("none");
  ASSERT_FALSE(missing.ok());
  EXPECT_THAT(missing.error().message(), HasSubstr("the volume \"none\": "));
  EXPECT_TRUE(missing.error().recoverable()) << "a disk may be mounted later";
}

TEST_F(HostVolumesTest, AVolumeOfAClientWinsInItsNamespace) {
  std::filesystem::create_directories(base_ + "/other");
  record_ = Ready("data", base_ + "/other");
  volumes()->SetRestored();
  EXPECT_EQ(Find("data")->path, base_ + "/other");
  EXPECT_EQ(Find("data", "team")->path, base_ + "/data");
  record_->state = volume_state::kUnavailable;
  EXPECT_THAT(Find("data").error().message(), HasSubstr("is unavailable"));
}

TEST_F(HostVolumesTest, ATaskWaitsUntilVolumesAreMadeAgain) {
  record_ = Ready("made", base_ + "/later");
  Context impatient = Context(&loop_).WithTimeout(20ms);
  const auto early = Run(volumes()->Find(impatient, "default", "made"));
  EXPECT_EQ(early.code(), Code::kTimeout);
  std::filesystem::create_directories(base_ + "/later");
  volumes()->SetRestored();
  EXPECT_TRUE(Find("made").ok());
}

TEST_F(HostVolumesTest, NoLinkBelowAVolumeLeadsOut) {
  std::filesystem::create_directory_symlink("/etc", base_ + "/data/inner");
  options_.configured["inner"] = {base_ + "/data/inner", true};
  EXPECT_THAT(Find("inner").error().message(), HasSubstr("tasks may write to " + base_ + "/data"));
  volumes_.reset();
  // The directories of allocations and the volumes of clients are no better.
  options_.configured.erase("data");
  EXPECT_TRUE(Find("inner").ok());
  volumes_.reset();
  options_.writable = {base_ + "/data"};
  EXPECT_FALSE(Find("inner").ok());
  volumes_.reset();
  options_.writable.clear();
  options_.paths = [this] { return std::vector<std::string>{base_ + "/data"}; };
  EXPECT_FALSE(Find("inner").ok());
}

TEST_F(HostVolumesTest, PluginsAreAttributesOfTheNode) {
  WritePlugin("nfs", R"(echo '{"version": "2.0"}')");
  WritePlugin("broken", "exit 1");
  WritePlugin("mkdir", R"(echo '{"version": "9"}')");
  auto find = [](HostVolumes* volumes) -> Co<Status> {
    co_await volumes->FindPlugins();
    co_return Status();
  };
  ASSERT_TRUE(Run(find(volumes())).ok());
  EXPECT_EQ(volumes()->attributes(),
            (StringMap{{"plugins.host_volume.mkdir.version", kMkdirVersion},
                       {"plugins.host_volume.nfs.version", "2.0"}}));
  ASSERT_THAT(volumes()->unusable(), SizeIs(1));
  EXPECT_THAT(volumes()->unusable()[0], HasSubstr("the volume plugin broken failed"));
}

TEST_F(HostVolumesTest, APluginMakesAndRemovesAVolume) {
  WritePlugin("own", "p=" + base_ + R"(/made
    case "$1" in
    create) mkdir -p $p; echo "{\"path\": \"$p\", \"bytes\": 5}";;
    delete) rmdir "$DHV_CREATED_PATH";;
    esac)");
  VolumeRecord record = Ready("x", "");
  record.plugin_id = "own";
  const auto made = Run(volumes()->Make(record));
  ASSERT_TRUE(made.ok()) << made.error().message();
  EXPECT_EQ(*made, (MadeVolume{base_ + "/made", 5}));
  record.host_path = made->path;
  EXPECT_TRUE(Run(volumes()->Remove(record)).ok());
  EXPECT_FALSE(std::filesystem::exists(base_ + "/made"));
}

TEST_F(HostVolumesTest, AVolumeWaitsOnlyForItself) {
  record_ = Ready("made", base_ + "/data");
  volumes()->SetRestored("another");
  Context impatient = Context(&loop_).WithTimeout(20ms);
  EXPECT_EQ(Run(volumes()->Find(impatient, "default", "made")).code(), Code::kTimeout);
  volumes()->SetRestored(record_->id);
  EXPECT_TRUE(Find("made").ok());
}

// As after a restart of the agent, when all tasks with a volume wait for it.
TEST_F(HostVolumesTest, AThousandTasksLookAtOnce) {
  record_ = Ready("made", base_ + "/data");
  int found = 0;
  auto find = [&found](HostVolumes* volumes, Context context) -> Co<void> {
    const auto source = co_await volumes->Find(context, "default", "made");
    EXPECT_TRUE(source.ok()) << source.error().message();
    ++found;
  };
  Gate gate(&loop_);
  for (int i = 0; i < 1000; ++i) gate.Spawn(find(volumes(), Context(&loop_)));
  volumes()->SetRestored();
  DROVER_CHECK(loop_.RunToEnd(gate.Close()));
  EXPECT_EQ(found, 1000);
}

TEST_F(HostVolumesTest, APluginThatHangsDelaysNoOtherVolume) {
  WritePlugin("hangs", "exec sleep 1000");
  VolumeRecord record = Ready("x", "");
  record.plugin_id = "hangs";
  auto make = [](HostVolumes* volumes, VolumeRecord of) -> Co<void> {
    EXPECT_FALSE((co_await volumes->Make(std::move(of))).ok());
  };
  Gate gate(&loop_);
  for (int i = 0; i < 8; ++i) gate.Spawn(make(volumes(), record));
  EXPECT_TRUE(Find("data").ok());
  record.plugin_id = kMkdirPlugin;
  EXPECT_TRUE(Run(volumes()->Make(record)).ok());
  volumes()->Stop();
  DROVER_CHECK(loop_.RunToEnd(gate.Close()));
  EXPECT_EQ(Run(volumes()->CheckPath(base_ + "/data")).code(), Code::kCancelled);
  EXPECT_TRUE(Find("data").ok()) << "a task fails by its own context";
}

TEST_F(HostVolumesTest, WhatAFailedPluginHasMadeIsRemoved) {
  const std::string calls = base_ + "/calls";
  const auto said = [&calls] {
    std::ifstream file(calls);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  const std::string note = "echo \"$1 $DHV_CREATED_PATH\" >> " + calls + "\n";
  VolumeRecord record = Ready("x", "");
  record.plugin_id = "own";
  WritePlugin("own", note + "[ $1 = delete ] || exit 1");
  EXPECT_FALSE(Run(volumes()->Make(record)).ok());
  EXPECT_EQ(said(), "create \ndelete " + base_ + "/volumes/" + record.id + "\n");
  std::filesystem::remove(calls);
  WritePlugin("own", note + R"(echo '{"path": "/dev/null"}')");
  EXPECT_FALSE(Run(volumes()->Make(record)).ok());
  EXPECT_EQ(said(), "create \ndelete /dev/null\n");
  std::filesystem::remove(calls);
  WritePlugin("own", note + "exit 1");
  EXPECT_THAT(Run(volumes()->Make(record)).error().message(), HasSubstr("may have left something"));
  std::filesystem::remove(calls);
  record.host_path = base_ + "/data";  // it has been ready, and has data
  EXPECT_FALSE(Run(volumes()->Make(record)).ok());
  EXPECT_EQ(said(), "create \n");
}

TEST_F(HostVolumesTest, WhatAPluginSaysIsChecked) {
  VolumeRecord record = Ready("x", "");
  record.plugin_id = "liar";
  const std::pair<const char*, const char*> mistakes[] = {
      {"/no/such/directory", "has made a volume that tasks cannot mount"},
      {"/dev/null", "has made a volume that tasks cannot mount"},
      {"relative", "must answer create with"},
      {"", "must answer create with"},
  };
  for (const auto& [path, mistake] : mistakes) {
    WritePlugin("liar", "echo '{\"path\": \"" + std::string(path) + "\"}'");
    const auto made = Run(volumes()->Make(record));
    ASSERT_FALSE(made.ok()) << path;
    EXPECT_THAT(made.error().message(), HasSubstr(mistake));
  }
}

TEST_F(HostVolumesTest, ARegisteredVolumeIsNotRemoved) {
  const VolumeRecord record = Ready("x", base_ + "/data");
  EXPECT_TRUE(Run(volumes()->Remove(record)).ok());
  EXPECT_TRUE(std::filesystem::exists(base_ + "/data"));
  EXPECT_TRUE(Run(volumes()->CheckPath(base_ + "/data")).ok());
  EXPECT_FALSE(Run(volumes()->CheckPath(base_ + "/nowhere")).ok());
}

}  // namespace
}  // namespace drover
