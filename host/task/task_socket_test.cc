// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/task/task_socket.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

#include "host/base/directory_for_test.h"

namespace drover {
namespace {

using testing::HasSubstr;

struct TaskSocketTest : testing::Test {
  TaskSocketTest() {
    std::filesystem::create_directories(task + "/secrets");
    std::filesystem::create_directories(outside);
  }
  Result<UniqueFd> Listen(bool unknown = false) const {
    return ListenForTask(task, kTaskApiSocket, unknown);
  }
  struct stat Info() const {
    struct stat info{};
    EXPECT_EQ(lstat((task + "/" + kTaskApiSocket).c_str(), &info), 0);
    return info;
  }
  bool Connects() const {
    const UniqueFd client(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    (task + "/" + kTaskApiSocket).copy(address.sun_path, sizeof address.sun_path - 1);
    return connect(client.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  }
  bool NothingOutside() const { return std::filesystem::is_empty(outside); }

  const DirectoryForTest directory;
  const std::string task = directory.path() + "/alloc/task";
  const std::string outside = directory.path() + "/outside";
};

TEST_F(TaskSocketTest, IsForTheTaskAlone) {
  const mode_t mask = umask(0);
  const Result<UniqueFd> made = Listen();
  umask(mask);
  ASSERT_TRUE(made.ok()) << made.error().message();
  EXPECT_TRUE(S_ISSOCK(Info().st_mode));
  EXPECT_EQ(Info().st_mode & 07777, 0600u);
  EXPECT_TRUE(Connects());
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(task + "/secrets"),
                          std::filesystem::directory_iterator()),
            1);
}

TEST_F(TaskSocketTest, BelongsToTheUserOfTheTask) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a socket to another user";
  ASSERT_TRUE(Listen(true).ok());
  EXPECT_EQ(Info().st_mode & 07777, 0666u) << "nobody knows the user yet";
  ASSERT_EQ(chown(task.c_str(), 65534, 65534), 0);
  for (const bool unknown : {false, true}) {
    ASSERT_TRUE(Listen(unknown).ok());
    EXPECT_EQ(Info().st_uid, 65534u);
    EXPECT_EQ(Info().st_mode & 07777, 0600u);
  }
}

TEST_F(TaskSocketTest, TheNextOneTakesThePlaceOfThatBefore) {
  Result<UniqueFd> before = Listen();
  ASSERT_TRUE(before.ok());
  const Result<UniqueFd> made = Listen();
  ASSERT_TRUE(made.ok());
  before->Reset();
  EXPECT_TRUE(Connects());
  RemoveTaskSocket(task, kTaskApiSocket);
  EXPECT_FALSE(std::filesystem::exists(task + "/" + kTaskApiSocket));
  RemoveTaskSocket(task, kTaskApiSocket);
}

TEST_F(TaskSocketTest, ALinkInTheWayIsNotFollowed) {
  for (const char* name : {"/secrets/api.sock", "/secrets/.api.sock.new"}) {
    std::filesystem::create_symlink(outside + "/made", task + name);
    ASSERT_TRUE(Listen().ok()) << name;
    EXPECT_TRUE(S_ISSOCK(Info().st_mode)) << name;
    std::filesystem::remove(task + "/secrets/api.sock");
  }
  std::filesystem::remove_all(task + "/secrets");
  std::filesystem::create_symlink(outside, task + "/secrets");
  EXPECT_THAT(Listen().error().message(), HasSubstr("a file or a link"));
  RemoveTaskSocket(task, kTaskApiSocket);
  EXPECT_TRUE(NothingOutside());
}

TEST_F(TaskSocketTest, OtherThingsInTheWay) {
  std::filesystem::create_directory(task + "/secrets/.api.sock.new");
  EXPECT_FALSE(Listen().ok()) << "a directory is not removed";
  std::filesystem::remove(task + "/secrets/.api.sock.new");
  std::ofstream(task + "/secrets/api.sock") << "x";
  RemoveTaskSocket(task, kTaskApiSocket);
  EXPECT_TRUE(std::filesystem::exists(task + "/secrets/api.sock")) << "is no socket";
  EXPECT_TRUE(Listen().ok());
  std::filesystem::remove_all(task + "/secrets");
  EXPECT_FALSE(Listen().ok());
  std::ofstream(task + "/secrets") << "x";
  EXPECT_THAT(Listen().error().message(), HasSubstr("a file or a link"));
}

TEST_F(TaskSocketTest, ATaskThatSwapsItsDirectoryMakesNothingOutside) {
  std::atomic<bool> done{false};
  std::thread swapping([&] {
    const std::string secrets = task + "/secrets", kept = task + "/kept";
    while (!done) {
      (void)std::rename(secrets.c_str(), kept.c_str());
      (void)symlink(outside.c_str(), secrets.c_str());
      (void)unlink(secrets.c_str());
      (void)std::rename(kept.c_str(), secrets.c_str());
    }
  });
  for (int i = 0; i < 2000; ++i) (void)Listen();
  done = true;
  swapping.join();
  EXPECT_TRUE(NothingOutside());
}

}  // namespace
}  // namespace drover
