// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/volume/mkdir_plugin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "host/base/directory_for_test.h"

namespace drover {
namespace {

using ::testing::HasSubstr;

constexpr char kId[] = "00000000-0000-4000-8000-0123456789ab";

class MkdirPluginTest : public ::testing::Test {
 protected:
  MkdirPluginTest() { volume_.id = kId; }

  std::string FaultOf(const std::string& name, const std::string& value) {
    volume_.parameters = {{name, value}};
    const auto made = MakeDirectoryVolume(volumes_, volume_);
    EXPECT_FALSE(std::filesystem::exists(path_)) << value;
    return made.ok() ? "" : made.error().message();
  }
  Status Remove() {
    return RemoveDirectoryVolume(volumes_, volume_,
                                 [this](int, const std::string& name, const std::string& path) {
                                   removed_.push_back(name);
                                   std::filesystem::remove_all(path);
                                   return Status();
                                 });
  }

  const DirectoryForTest directory_;
  const std::string volumes_ = directory_.path() + "/volumes";
  const std::string path_ = volumes_ + "/" + kId;
  VolumeRecord volume_;
  std::vector<std::string> removed_;
};

TEST_F(MkdirPluginTest, AVolumeIsADirectoryWithTheWantedMode) {
  volume_.parameters = {{"mode", "0751"}};
  if (geteuid() == 0) volume_.parameters.insert({{"uid", "12"}, {"gid", "34"}});
  const auto made = MakeDirectoryVolume(volumes_, volume_);
  ASSERT_TRUE(made.ok()) << made.error().message();
  EXPECT_EQ(*made, (MadeVolume{path_, 0}));
  struct stat info{};
  ASSERT_EQ(lstat(path_.c_str(), &info), 0);
  EXPECT_TRUE(S_ISDIR(info.st_mode));
  EXPECT_EQ(info.st_mode & 07777, 0751u);
  if (geteuid() == 0) {
    EXPECT_EQ(info.st_uid, 12u);
    EXPECT_EQ(info.st_gid, 34u);
  }
}

TEST_F(MkdirPluginTest, AVolumeThatIsThereStaysAsItIs) {
  ASSERT_TRUE(MakeDirectoryVolume(volumes_, volume_).ok());
  std::ofstream(path_ + "/kept") << "x";
  ASSERT_EQ(chmod(path_.c_str(), 0755), 0);
  ASSERT_TRUE(MakeDirectoryVolume(volumes_, volume_).ok());
  struct stat info{};
  ASSERT_EQ(lstat(path_.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0755u);
  EXPECT_TRUE(std::filesystem::exists(path_ + "/kept"));
}

TEST_F(MkdirPluginTest, AnAgentThatDiedInBetweenIsNoObstacle) {
  std::filesystem::create_directories(volumes_ + "/.new-" + kId);
  ASSERT_TRUE(MakeDirectoryVolume(volumes_, volume_).ok());
  EXPECT_TRUE(std::filesystem::is_directory(path_));
  EXPECT_FALSE(std::filesystem::exists(volumes_ + "/.new-" + kId));
}

TEST_F(MkdirPluginTest, AnotherThingInThePlaceIsNotUsed) {
  std::filesystem::create_directories(volumes_);
  std::filesystem::create_directory_symlink("/etc", path_);
  EXPECT_FALSE(MakeDirectoryVolume(volumes_, volume_).ok());
  ASSERT_EQ(chmod(volumes_.c_str(), 0777), 0);
  EXPECT_EQ(MakeDirectoryVolume(volumes_, volume_).code(), Code::kPermissionDenied);
}

TEST_F(MkdirPluginTest, WrongParametersMakeNothing) {
  EXPECT_THAT(FaultOf("mode", "0999"), HasSubstr("must be a mode such as 0750, but is \"0999\""));
  EXPECT_THAT(FaultOf("mode", "77777"), HasSubstr("must be a mode"));
  EXPECT_THAT(FaultOf("mode", ""), HasSubstr("must be a mode"));
  EXPECT_THAT(FaultOf("uid", "root"), HasSubstr("parameter uid of mkdir must be a number"));
  EXPECT_THAT(FaultOf("gid", "-1"), HasSubstr("must be a number"));
  EXPECT_THAT(FaultOf("gid", "4294967295"), HasSubstr("must be a number"));
  EXPECT_THAT(FaultOf("size", "1G"), HasSubstr("mkdir has no parameter \"size\""));
}

TEST_F(MkdirPluginTest, ADraftThatNeverBecameAVolumeGoesWithIt) {
  std::filesystem::create_directories(volumes_ + "/.new-" + kId);
  EXPECT_TRUE(Remove().ok());
  EXPECT_FALSE(std::filesystem::exists(volumes_ + "/.new-" + kId));
}

TEST_F(MkdirPluginTest, ARemovedVolumeIsGoneAndAMissingOneIsNoError) {
  EXPECT_TRUE(Remove().ok());
  ASSERT_TRUE(MakeDirectoryVolume(volumes_, volume_).ok());
  EXPECT_TRUE(Remove().ok());
  EXPECT_EQ(removed_, (std::vector<std::string>{kId}));
  EXPECT_TRUE(Remove().ok());
  EXPECT_EQ(removed_.size(), 1u);
}

}  // namespace
}  // namespace drover
