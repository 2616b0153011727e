// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/task/rendered_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "host/base/directory_for_test.h"
#include "host/base/unique_fd.h"

namespace drover {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

struct RenderedFileTest : testing::Test {
  RenderedFileTest() {
    location.task_dir = dir.path() + "/alloc-id/web";
    location.alloc_dir = dir.path() + "/alloc-id/alloc";
    fs::create_directories(location.task_dir + "/local");
    fs::create_directories(location.alloc_dir + "/data");
    fs::create_directories(dir.path() + "/outside");
  }

  Status Write(const std::string& path, const std::string& content, RenderedFileOwner owner = {}) {
    const auto place = PlaceInTask(location, path);
    return place.ok() ? WriteRenderedFile(*place, owner, content) : Status(place.error());
  }
  Result<std::string> Read(const std::string& path, std::size_t most = 100) {
    const auto place = PlaceInTask(location, path);
    if (!place.ok()) return place.error();
    return ReadFileOfTask(*place, most);
  }
  static std::string In(const std::string& path) {
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  bool IsOutsideEmpty() const { return fs::is_empty(dir.path() + "/outside"); }

  const DirectoryForTest dir;
  TaskLocation location;
};

TEST_F(RenderedFileTest, AFileAndItsDirectoriesAreMade) {
  ASSERT_TRUE(Write("local/a/b/c.conf", "one", {0640, -1, -1}).ok());
  const std::string path = location.task_dir + "/local/a/b/c.conf";
  EXPECT_EQ(In(path), "one");
  struct stat info{};
  ASSERT_EQ(stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0640u);
  ASSERT_TRUE(Write("local/a/b/c.conf", "two").ok());
  EXPECT_EQ(In(path), "two");
  EXPECT_EQ(std::distance(fs::directory_iterator(location.task_dir + "/local/a/b"), {}), 1);
}

TEST_F(RenderedFileTest, PathsAreThoseOfTheTaskOrTheSharedDirectory) {
  const std::string task = location.task_dir, shared = location.alloc_dir;
  const auto is = [this](const std::string& path, const std::string& root,
                         const std::string& rest) {
    const auto place = PlaceInTask(location, path);
    ASSERT_TRUE(place.ok()) << path;
    EXPECT_EQ(place->root, root) << path;
    EXPECT_EQ(place->path, rest) << path;
  };
  is("local/a", task, "local/a");
  is("/local/a", task, "local/a");
  is("local//x/.././a", task, "local/a");
  is(task + "/secrets/a", task, "secrets/a");
  is(shared + "/data/a", shared, "data/a");
  is("../alloc/data/a", shared, "data/a");
  is("/etc/passwd", task, "etc/passwd");
  for (const std::string path : {"../other/a", "../../a", "..", "", ".", "local/", "../alloc"}) {
    EXPECT_EQ(PlaceInTask(location, path).code(), Code::kInvalidArgument) << path;
  }
  EXPECT_FALSE(PlaceInTask(location, task + "/../../outside/a").ok());
}

TEST_F(RenderedFileTest, NoLinkLeadsOutside) {
  fs::create_directory_symlink(dir.path() + "/outside", location.task_dir + "/local/dir");
  EXPECT_EQ(Write("local/dir/a", "x").code(), Code::kFailedPrecondition);
  std::ofstream(dir.path() + "/target") << "kept";
  fs::create_symlink(dir.path() + "/target", location.task_dir + "/local/link");
  ASSERT_TRUE(Write("local/link", "x").ok());  // replaces the link
  EXPECT_EQ(In(dir.path() + "/target"), "kept");
  EXPECT_FALSE(fs::is_symlink(location.task_dir + "/local/link"));
  fs::create_symlink(dir.path() + "/target", location.task_dir + "/local/.file.new");
  ASSERT_TRUE(Write("local/file", "x").ok());
  EXPECT_EQ(In(dir.path() + "/target"), "kept");
  EXPECT_TRUE(IsOutsideEmpty());
}

TEST_F(RenderedFileTest, ATaskThatSwapsLinksOnlyHarmsItself) {
  const std::string at = location.task_dir + "/local/swap";
  std::atomic<bool> over = false;
  std::thread task([&] {
    while (!over) {
      std::error_code ignored;
      fs::remove_all(at, ignored);
      fs::create_directory_symlink(dir.path() + "/outside", at, ignored);
      fs::remove(at, ignored);
      fs::create_directories(at + "/deep", ignored);
    }
  });
  for (int i = 0; i < 2000; ++i) {
    (void)Write("local/swap/deep/a", "x");
    (void)Write("local/swap/a", "x");
  }
  over = true;
  task.join();
  EXPECT_TRUE(IsOutsideEmpty());
}

TEST_F(RenderedFileTest, OnlyRegularFilesBelowAreRead) {
  std::ofstream(location.task_dir + "/local/a") << "content";
  EXPECT_EQ(*Read("local/a"), "content");
  fs::create_symlink("a", location.task_dir + "/local/near");
  EXPECT_EQ(*Read("local/near"), "content");
  std::ofstream(dir.path() + "/secret") << "secret";
  fs::create_symlink(dir.path() + "/secret", location.task_dir + "/local/far");
  fs::create_symlink("../../../secret", location.task_dir + "/local/up");
  for (const char* path : {"local/far", "local/up"}) {
    const auto read = Read(path);
    ASSERT_FALSE(read.ok()) << path;
    EXPECT_THAT(read.error().message(), HasSubstr("leads out")) << path;
  }
  ASSERT_EQ(mkfifo((location.task_dir + "/local/pipe").c_str(), 0600), 0);
  EXPECT_EQ(Read("local/pipe").code(), Code::kInvalidArgument);
  EXPECT_EQ(Read("local").code(), Code::kInvalidArgument);
  EXPECT_EQ(Read("local/none").code(), Code::kNotFound);
  fs::create_hard_link(dir.path() + "/secret", location.task_dir + "/local/hard");
  EXPECT_EQ(Read("local/hard").code(), Code::kPermissionDenied);
}

// To open a device may start something.
TEST_F(RenderedFileTest, WhatIsNoRegularFileIsNotEvenOpened) {
  const std::string pipe = location.task_dir + "/local/pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const UniqueFd watch(inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  ASSERT_GE(inotify_add_watch(watch.get(), pipe.c_str(), IN_OPEN), 0);
  EXPECT_EQ(Read("local/pipe").code(), Code::kInvalidArgument);
  char events[4096];
  EXPECT_LT(read(watch.get(), events, sizeof events), 0);
  EXPECT_EQ(errno, EAGAIN);
}

TEST_F(RenderedFileTest, AFileThatIsTooLargeIsNotRead) {
  std::ofstream(location.task_dir + "/local/a") << std::string(100, 'x');
  EXPECT_EQ(Read("local/a", 100)->size(), 100u);
  EXPECT_EQ(Read("local/a", 99).code(), Code::kResourceExhausted);
  // A sparse file costs no more than the limit.
  fs::resize_file(location.task_dir + "/local/a", 1ull << 40);
  EXPECT_EQ(Read("local/a", 99).code(), Code::kResourceExhausted);
}

TEST_F(RenderedFileTest, ADirectoryIsNotReplaced) {
  fs::create_directory(location.task_dir + "/local/a");
  const Status written = Write("local/a", "x");
  ASSERT_FALSE(written.ok());
  EXPECT_THAT(written.error().message(), HasSubstr("local/a: put it in its place"));
  EXPECT_FALSE(fs::exists(location.task_dir + "/local/.a.new"));
}

TEST_F(RenderedFileTest, TheOwnerIsThatOfTheDirectoryUnlessTheJobSaysAnother) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root";
  ASSERT_EQ(chown(location.task_dir.c_str(), 1234, 2345), 0);
  ASSERT_TRUE(Write("local/new/a", "x").ok());
  ASSERT_TRUE(Write("local/b", "x", {0600, 99, -1}).ok());
  struct stat info{};
  ASSERT_EQ(stat((location.task_dir + "/local/new/a").c_str(), &info), 0);
  EXPECT_EQ(info.st_uid, 1234u);
  EXPECT_EQ(info.st_gid, 2345u);
  ASSERT_EQ(stat((location.task_dir + "/local/new").c_str(), &info), 0);
  EXPECT_EQ(info.st_uid, 1234u);
  ASSERT_EQ(stat((location.task_dir + "/local/b").c_str(), &info), 0);
  EXPECT_EQ(info.st_uid, 99u);
  EXPECT_EQ(info.st_gid, 2345u);
}

}  // namespace
}  // namespace drover
