// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/artifact/place_artifact.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "host/base/directory_for_test.h"
#include "host/base/unique_fd.h"

namespace drover {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

struct PlaceArtifactTest : testing::Test {
  PlaceArtifactTest()
      : from_fd(open(from.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)),
        root_fd(open(root.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    fs::create_directories(root.path() + "/web/local");
    order.from = from_fd.get();
    order.root = root_fd.get();
    order.most_files = 100;
  }

  void Stage(const std::string& path, const std::string& text, int mode = 0600) const {
    const std::string file = from.path() + "/" + path;
    fs::create_directories(fs::path(file).parent_path());
    std::ofstream(file) << text;
    ASSERT_EQ(chmod(file.c_str(), static_cast<mode_t>(mode)), 0);
  }
  Status Place(const std::string& path, bool directory, const std::string& to) {
    order.path = path;
    order.directory = directory;
    order.to = to;
    return PlaceArtifact(order);
  }
  std::string Read(const std::string& path) const {
    std::ifstream file(root.path() + "/" + path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  mode_t ModeOf(const std::string& path) const {
    struct stat info{};
    EXPECT_EQ(lstat((root.path() + "/" + path).c_str(), &info), 0) << path;
    return info.st_mode & 07777;
  }

  const DirectoryForTest from, root;
  const UniqueFd from_fd, root_fd;
  PlaceOrder order;
};

TEST_F(PlaceArtifactTest, AFileGetsItsPlace) {
  Stage("download", "text", 04711);
  const Status placed = Place("download", false, "web/local/bin/tool");
  ASSERT_TRUE(placed.ok()) << placed.error().message();
  EXPECT_EQ(Read("web/local/bin/tool"), "text");
  EXPECT_EQ(ModeOf("web/local/bin/tool"), 0755u) << "without the bit of setuid";
  EXPECT_EQ(ModeOf("web/local/bin"), 0755u);
  Stage("download", "newer");
  ASSERT_TRUE(Place("download", false, "web/local/bin/tool").ok());
  EXPECT_EQ(Read("web/local/bin/tool"), "newer");
  EXPECT_EQ(ModeOf("web/local/bin/tool"), 0644u);
}

TEST_F(PlaceArtifactTest, ADirectoryComesIntoTheOneThatIsThere) {
  fs::create_directories(root.path() + "/web/local/sub");
  std::ofstream(root.path() + "/web/local/sub/old") << "old";
  std::ofstream(root.path() + "/web/local/sub/both") << "old";
  Stage("content/sub/both", "new");
  Stage("content/sub/more/file", "file");
  fs::create_symlink("sub/both", from.path() + "/content/link");
  const Status placed = Place("content", true, "web/local");
  ASSERT_TRUE(placed.ok()) << placed.error().message();
  EXPECT_EQ(Read("web/local/sub/old"), "old");
  EXPECT_EQ(Read("web/local/sub/both"), "new");
  EXPECT_EQ(Read("web/local/sub/more/file"), "file");
  EXPECT_EQ(Read("web/local/link"), "new");
}

TEST_F(PlaceArtifactTest, TheOwnerIsTheWantedOne) {
  if (geteuid() != 0) GTEST_SKIP() << "only root gives files away";
  Stage("content/sub/file", "text");
  order.owner = std::pair<uid_t, gid_t>(1234, 2345);
  ASSERT_TRUE(Place("content", true, "web/local/made").ok());
  for (const char* path : {"/web/local/made", "/web/local/made/sub", "/web/local/made/sub/file"}) {
    struct stat info{};
    ASSERT_EQ(lstat((root.path() + path).c_str(), &info), 0);
    EXPECT_EQ(info.st_uid, 1234u) << path;
    EXPECT_EQ(info.st_gid, 2345u) << path;
  }
}

TEST_F(PlaceArtifactTest, ALinkOfTheTaskIsNotFollowed) {
  const DirectoryForTest outside;
  Stage("content/file", "text");
  fs::create_directory_symlink(outside.path(), root.path() + "/web/local/out");
  EXPECT_FALSE(Place("content", true, "web/local/out").ok());
  EXPECT_FALSE(Place("content/file", false, "web/local/out/file").ok());
  fs::remove(root.path() + "/web/local/out");
  // A link with the name of a directory of the artifact.
  Stage("content/out/file", "text");
  fs::create_directory_symlink(outside.path(), root.path() + "/web/local/out");
  EXPECT_FALSE(Place("content", true, "web/local").ok());
  EXPECT_TRUE(fs::is_empty(outside.path()));
  // A link with the name of the file is replaced.
  std::ofstream(outside.path() + "/victim") << "safe";
  fs::create_symlink(outside.path() + "/victim", root.path() + "/web/local/name");
  Stage("download", "text");
  ASSERT_TRUE(Place("download", false, "web/local/name").ok());
  EXPECT_EQ(Read("web/local/name"), "text");
  EXPECT_FALSE(fs::is_symlink(root.path() + "/web/local/name"));
  EXPECT_EQ(fs::file_size(outside.path() + "/victim"), 4u);
}

TEST_F(PlaceArtifactTest, WhatIsRefusedChangesNothing) {
  Stage("content/a", "text");
  fs::create_symlink("../../b", from.path() + "/content/link");
  EXPECT_THAT(Place("content", true, "web/local").error().message(),
              HasSubstr("the link \"link\" leads out of the artifact"));
  fs::remove(from.path() + "/content/link");
  ASSERT_EQ(mkfifo((from.path() + "/content/pipe").c_str(), 0600), 0);
  EXPECT_THAT(Place("content", true, "web/local").error().message(), HasSubstr("a pipe"));
  EXPECT_FALSE(Place("content/pipe", false, "web/local/pipe").ok());
  fs::remove(from.path() + "/content/pipe");
  order.most_files = 0;
  EXPECT_EQ(Place("content", true, "web/local").code(), Code::kResourceExhausted);
  order.most_files = 100;
  Stage("content/private/file", "text");
  EXPECT_FALSE(Place("content", true, "web").ok());
  EXPECT_TRUE(fs::is_empty(root.path() + "/web/local"));
  EXPECT_FALSE(fs::exists(root.path() + "/web/a"));
  EXPECT_FALSE(Place("content", true, "missing/local").ok());
}

}  // namespace
}  // namespace drover
