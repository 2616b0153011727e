// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/users/user_pool.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <set>

#include "host/base/stoppable_loop.h"

namespace drover {
namespace {

using ::testing::HasSubstr;

struct UserPoolTest : testing::Test {
  UserPoolTest() {
    std::string name = (std::filesystem::temp_directory_path() / "users-XXXXXX").string();
    directory = mkdtemp(name.data());
    options.first = 80000;
    options.last = 80003;
    options.lock_path = directory;
    options.obstacle = [this](uid_t uid) -> Result<std::optional<std::string>> {
      if (error) return *error;
      if (busy.count(uid) > 0) return std::optional<std::string>("has processes");
      return std::optional<std::string>();
    };
  }
  ~UserPoolTest() override { std::filesystem::remove_all(directory); }

  Result<uid_t> Take(UserPool* pool, const std::string& holder,
                     std::optional<uid_t> wanted = std::nullopt) {
    std::optional<Result<uid_t>> taken;
    auto take = [](UserPool* from, std::string who, std::optional<uid_t> want,
                   std::optional<Result<uid_t>>* out) -> Co<void> {
      out->emplace(co_await from->Take(std::move(who), want));
    };
    loop.Spawn(take(pool, holder, wanted, &taken));
    loop.RunReady();
    return taken.value_or(Error(Code::kInternal, "no answer"));
  }

  StoppableLoop loop;
  std::string directory;
  UserPoolOptions options;
  std::set<uid_t> busy;
  std::optional<Error> error;
};

TEST_F(UserPoolTest, EachTaskHasAUserOfItsOwn) {
  UserPool pool(options);
  EXPECT_EQ(*Take(&pool, "a/t"), 80000u);
  EXPECT_EQ(*Take(&pool, "b/t"), 80001u);
  EXPECT_EQ(*Take(&pool, "a/t"), 80000u) << "a restart keeps it";
  pool.GiveBack("a/t");
  pool.GiveBack("a/t");
  EXPECT_EQ(*Take(&pool, "c/t"), 80002u) << "not the one that was just given back";
  EXPECT_EQ(*Take(&pool, "d/t"), 80003u);
  EXPECT_EQ(*Take(&pool, "e/t"), 80000u);
  EXPECT_EQ(pool.leases(), 4u);
}

TEST_F(UserPoolTest, ARangeMayBeUsedUp) {
  UserPool pool(options);
  busy = {80003};
  for (const char* holder : {"a", "b", "c"}) EXPECT_TRUE(Take(&pool, holder).ok());
  const Result<uid_t> none = Take(&pool, "d");
  ASSERT_FALSE(none.ok());
  EXPECT_THAT(none.error().message(),
              HasSubstr("all users from 80000 to 80003 are in use, 3 of them by tasks"));
  EXPECT_TRUE(none.error().recoverable());
  pool.GiveBack("b");
  EXPECT_EQ(*Take(&pool, "d"), 80001u);
}

TEST_F(UserPoolTest, AUserWithProcessesIsNotGivenAgain) {
  UserPool pool(options);
  EXPECT_EQ(*Take(&pool, "a"), 80000u);
  busy = {80000, 80001, 80002, 80003};
  pool.GiveBack("a");
  EXPECT_FALSE(Take(&pool, "b").ok());
  busy = {80001, 80002, 80003};
  EXPECT_EQ(*Take(&pool, "b"), 80000u);
}

TEST_F(UserPoolTest, LargeRangesAreSearchedToTheirEnd) {
  options.last = 80199;
  UserPool pool(options);
  for (uid_t uid = 80000; uid < 80199; ++uid) busy.insert(uid);
  EXPECT_EQ(*Take(&pool, "a"), 80199u);
  EXPECT_FALSE(Take(&pool, "b").ok());
}

TEST_F(UserPoolTest, WhatEarlierAgentsLentIsLent) {
  UserPool pool(options);
  pool.Adopt("a", 80000);
  pool.Adopt("b", 80001);
  pool.Adopt("ended", 80001);  // its agent died before that was noted
  pool.Adopt("outside", 90000);
  EXPECT_EQ(*Take(&pool, "c"), 80002u);
  pool.GiveBack("ended");
  EXPECT_TRUE(pool.IsLent(80001));
  EXPECT_EQ(*Take(&pool, "b"), 80001u);
  EXPECT_EQ(*Take(&pool, "outside"), 80003u) << "the operator has changed the range";
  EXPECT_FALSE(pool.IsLent(90000));
}

TEST_F(UserPoolTest, FilesOfATaskBeforeDecideIfTheirOwnerIsFree) {
  UserPool pool(options);
  EXPECT_EQ(*Take(&pool, "a", 80002), 80002u);
  EXPECT_EQ(*Take(&pool, "b", 80002), 80000u);
  EXPECT_EQ(*Take(&pool, "c", 0), 80001u);
  busy = {80003};
  pool.GiveBack("a");
  EXPECT_EQ(*Take(&pool, "d", 80003), 80002u);
}

TEST_F(UserPoolTest, OneAgentOfAMachineLendsUsers) {
  UserPool pool(options);
  {
    UserPool other(options);
    ASSERT_TRUE(Take(&other, "a").ok());
    const Result<uid_t> refused = Take(&pool, "b");
    ASSERT_FALSE(refused.ok());
    EXPECT_THAT(refused.error().message(), HasSubstr("another agent of this machine"));
    EXPECT_TRUE(refused.error().recoverable());
    pool.Adopt("c", 80003);
    EXPECT_FALSE(Take(&pool, "c").ok()) << "the other may have lent it";
  }
  EXPECT_TRUE(Take(&pool, "b").ok());
  EXPECT_EQ(*Take(&pool, "c"), 80003u);
}

TEST_F(UserPoolTest, ErrorsOfTheUserDatabaseAreReported) {
  UserPool pool(options);
  error = Error(Code::kUnavailable, "the user database: down", true);
  const Result<uid_t> failed = Take(&pool, "a");
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().message(), "the user database: down");
  EXPECT_EQ(pool.leases(), 0u);
}

TEST(SystemUserObstacleTest, UsersGroupsAndProcessesAreInTheWay) {
  EXPECT_EQ(*SystemUserObstacle(0), "is a user of this machine");
  for (const uid_t own : {65520u, 65533u}) {
    EXPECT_EQ(*SystemUserObstacle(own), "is the user of the agent's processes without rights");
  }
  constexpr uid_t kFree = 1'234'567'000;
  EXPECT_EQ(*SystemUserObstacle(kFree), std::nullopt);
  if (geteuid() != 0) GTEST_SKIP() << "other users need root";
  int ready[2];
  ASSERT_EQ(pipe2(ready, O_CLOEXEC), 0);
  const pid_t child = fork();
  if (child == 0) {
    const bool changed = setresuid(kFree, kFree, kFree) == 0;
    (void)!write(ready[1], changed ? "y" : "n", 1);
    pause();
    _exit(0);
  }
  char answer = 0;
  ASSERT_EQ(read(ready[0], &answer, 1), 1);
  EXPECT_EQ(answer, 'y');
  EXPECT_EQ(*SystemUserObstacle(kFree), "has processes");
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_EQ(*SystemUserObstacle(kFree), std::nullopt);
  close(ready[0]);
  close(ready[1]);
}

}  // namespace
}  // namespace drover
