// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/task/task_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "host/base/directory_for_test.h"

namespace drover {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

struct TaskFileTest : testing::Test {
  TaskFileTest() {
    fs::create_directories(task + "/secrets");
    fs::create_directories(outside);
  }
  Status Write(const std::string& path, const std::string& content, bool unknown = false) const {
    return WriteTaskFile(task, path, content, unknown);
  }
  static std::string Read(const std::string& path) {
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  static struct stat InfoOf(const std::string& path) {
    struct stat info{};
    EXPECT_EQ(lstat(path.c_str(), &info), 0) << path;
    return info;
  }
  bool NothingOutside() const { return fs::is_empty(outside); }

  const DirectoryForTest directory;
  const std::string task = directory.path() + "/alloc/task";
  const std::string outside = directory.path() + "/outside";
};

TEST_F(TaskFileTest, IsWrittenForTheTaskAlone) {
  const mode_t mask = umask(0);
  ASSERT_TRUE(Write("secrets/token", "one").ok());
  umask(mask);
  EXPECT_EQ(Read(task + "/secrets/token"), "one");
  EXPECT_EQ(InfoOf(task + "/secrets/token").st_mode & 07777, 0600u);
  ASSERT_TRUE(Write("secrets/token", "two").ok());
  EXPECT_EQ(Read(task + "/secrets/token"), "two");
  ASSERT_TRUE(Write("token", "three").ok());
  EXPECT_EQ(Read(task + "/token"), "three");
  EXPECT_EQ(std::distance(fs::directory_iterator(task + "/secrets"), fs::directory_iterator()), 1);
}

TEST_F(TaskFileTest, BelongsToTheUserOfTheTask) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a file to another user";
  ASSERT_TRUE(Write("secrets/a", "x", true).ok());
  EXPECT_EQ(InfoOf(task + "/secrets/a").st_mode & 07777, 0644u) << "nobody knows the user yet";
  ASSERT_EQ(chown(task.c_str(), 65534, 65534), 0);
  for (const bool unknown : {false, true}) {
    ASSERT_TRUE(Write("secrets/a", "x", unknown).ok());
    const struct stat info = InfoOf(task + "/secrets/a");
    EXPECT_EQ(info.st_uid, 65534u);
    EXPECT_EQ(info.st_mode & 07777, 0600u);
  }
}

TEST_F(TaskFileTest, ALinkInTheWayIsNotFollowed) {
  fs::create_symlink(outside, task + "/link");
  EXPECT_THAT(Write("link/token", "x").error().message(), HasSubstr("a file or a link"));
  fs::create_symlink("../../outside", task + "/relative");
  EXPECT_FALSE(Write("relative/token", "x").ok());
  fs::create_symlink("secrets", task + "/harmless");
  EXPECT_FALSE(Write("harmless/token", "x").ok());
  fs::remove(task + "/secrets");
  fs::create_symlink(outside, task + "/secrets");
  EXPECT_FALSE(Write("secrets/token", "x").ok());
  EXPECT_TRUE(NothingOutside());
}

TEST_F(TaskFileTest, ALinkInThePlaceOfTheFileIsReplaced) {
  std::ofstream(directory.path() + "/victim") << "kept";
  for (const char* name : {"token", ".token.new"}) {
    fs::create_symlink(directory.path() + "/victim", task + "/secrets/" + name);
    ASSERT_TRUE(Write("secrets/token", "new").ok());
    EXPECT_EQ(Read(directory.path() + "/victim"), "kept");
    EXPECT_TRUE(S_ISREG(InfoOf(task + "/secrets/token").st_mode));
    EXPECT_EQ(Read(task + "/secrets/token"), "new");
  }
  fs::create_hard_link(directory.path() + "/victim", task + "/secrets/other");
  ASSERT_TRUE(Write("secrets/other", "new").ok());
  EXPECT_EQ(Read(directory.path() + "/victim"), "kept");
}

TEST_F(TaskFileTest, ADirectoryInThePlaceOfTheFileIsAnError) {
  for (const char* name : {"token", ".token.new"}) {
    fs::create_directory(task + "/secrets/" + name);
    EXPECT_FALSE(Write("secrets/token", "x").ok());
    fs::remove(task + "/secrets/" + name);
  }
  ASSERT_EQ(mkfifo((task + "/secrets/.token.new").c_str(), 0600), 0);
  EXPECT_TRUE(Write("secrets/token", "x").ok());
}

TEST_F(TaskFileTest, NoPathLeadsOutOfTheDirectory) {
  for (const char* path : {"../token", "secrets/../../token", "/etc/token", "..", ".", "secrets/",
                           "", "secrets/..", "../../outside/token"}) {
    EXPECT_FALSE(Write(path, "x").ok()) << path;
  }
  EXPECT_EQ(Write("none/token", "x").code(), Code::kNotFound);
  fs::remove_all(task);
  EXPECT_EQ(Write("token", "x").code(), Code::kNotFound);
  fs::create_symlink(outside, task);
  EXPECT_FALSE(Write("token", "x").ok());
  EXPECT_TRUE(NothingOutside());
}

}  // namespace
}  // namespace drover
