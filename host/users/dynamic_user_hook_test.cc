// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/users/dynamic_user_hook.h"

#include <gmock/gmock.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "host/process/task_owner.h"
#include "host/task/runner_fixture.h"

namespace drover {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

struct DynamicUserTest : RunnerTest {
  DynamicUserTest() {
    std::string name = (std::filesystem::temp_directory_path() / "users-XXXXXX").string();
    directory = mkdtemp(name.data());
    task_dir = directory + "/alloc/web";
    options.location.task_dir = task_dir;
    options.location.local_dir = task_dir + "/local";
    UserPoolOptions pool;
    pool.first = 80000;
    pool.last = 80001;
    pool.lock_path = directory;
    pool.obstacle = [](uid_t) -> Result<std::optional<std::string>> {
      return std::optional<std::string>();
    };
    users = std::make_shared<UserPool>(std::move(pool));
    AddUserHook();
  }
  ~DynamicUserTest() override { std::filesystem::remove_all(directory); }
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "other users need root";
  }
  void TearDown() override {
    users = nullptr;
    RunnerTest::TearDown();
  }

  void AddUserHook() {
    options.hooks_before_dir.push_back(std::make_shared<DynamicUserHook>(users, nullptr));
  }
  uid_t OwnerOf(const std::string& path) {
    struct stat info{};
    EXPECT_EQ(lstat(path.c_str(), &info), 0) << path;
    return info.st_uid;
  }

  std::string directory, task_dir;
  std::shared_ptr<UserPool> users;
};

TEST_F(DynamicUserTest, ATaskWithoutAUserGetsOneAndKeepsItOverRestarts) {
  policy().attempts = 1;
  Start();
  EXPECT_EQ(driver.last_config("web")->user, "80000");
  EXPECT_EQ(builder.user, "80000") << "its directory is made for it";
  EXPECT_EQ(store.saved.front()->hooks.at("workload_users").user, "80000")
      << "it is stored before anything is made";
  driver.End("web", ExitResult{1, 0, false, ""});
  loop.Advance(1min);
  EXPECT_EQ(driver.Count("start web"), 2);
  EXPECT_EQ(driver.last_config("web")->user, "80000");
  EXPECT_EQ(users->leases(), 1u);
  Kill();
  EXPECT_EQ(users->leases(), 0u);
  EXPECT_TRUE(store.saved.back()->hooks.at("workload_users").data.empty())
      << "the next agent need not close the directory again";
}

TEST_F(DynamicUserTest, ATaskWithAUserKeepsIt) {
  task().user = "web";
  Start();
  EXPECT_EQ(driver.last_config("web")->user, "web");
  EXPECT_EQ(users->leases(), 0u);
  Kill();
}

TEST_F(DynamicUserTest, ARunningTaskIsFoundAgainWithItsUser) {
  const RunId run = RunId::Random();
  HookState kept;
  kept.data = {{"uid", "80001"}};
  kept.user = "80001";
  options.restored.emplace();
  options.restored->local.run_id = run;
  options.restored->local.handle = TaskHandle{"fake", "1.0.0", 1, "old"};
  options.restored->local.hooks["workload_users"] = kept;
  options.restored->state.state = RunnerState::kRunning;
  driver.Plant(run, "web");
  users->Adopt(DynamicUserHook::Holder(alloc->id, "web"), 80001);
  Start();
  EXPECT_EQ(runner->local_state().config->user, "80001");
  EXPECT_EQ(runner->local_state().hooks.at("workload_users").user, "80001");
  EXPECT_EQ(driver.Count("start"), 0);
  Kill();
  EXPECT_EQ(users->leases(), 0u);
}

TEST_F(DynamicUserTest, WithoutAFreeUserTheTaskFails) {
  users->Adopt("a", 80000);
  users->Adopt("b", 80001);
  Start();
  EXPECT_EQ(driver.Count("start"), 0);
  EXPECT_THAT(types, Contains("Task hook failed"));
  Finish();
  EXPECT_EQ(users->leases(), 2u);
}

TEST_F(DynamicUserTest, TheDirectoryIsClosedBeforeTheUserIsGivenBack) {
  std::filesystem::create_directories(task_dir + "/local");
  Start();
  ASSERT_EQ(driver.last_config("web")->user, "80000");
  const ProcessUser user{80000, 80000, {}};
  ASSERT_TRUE(HandOverTaskDirectory(task_dir, user, /*isolated=*/false).ok());
  EXPECT_EQ(OwnerOf(task_dir), 80000u);
  Kill();
  EXPECT_EQ(OwnerOf(task_dir), geteuid());
  EXPECT_EQ(OwnerOf(task_dir + "/local"), 80000u) << "a sticky disk brings it to the next task";
  EXPECT_EQ(users->leases(), 0u);
}

TEST_F(DynamicUserTest, AUserWhoseDirectoryCannotBeClosedStaysLent) {
  std::filesystem::create_directories(directory + "/alloc");
  std::filesystem::create_symlink(directory, task_dir);  // open() refuses it
  Start();
  Kill();
  EXPECT_EQ(users->leases(), 1u);
  EXPECT_THAT(reports, Contains(HasSubstr("its user is not given back")));
  std::shared_ptr<UserPool> pool = users;
  runner = nullptr;
  EXPECT_EQ(pool->leases(), 1u) << "an ended allocation drops its tasks and keeps its directory";
}

bool MayReach(const ProcessUser& user, const std::string& path) {
  const pid_t child = fork();
  if (child == 0) {
    const bool changed = setgroups(0, nullptr) == 0 &&
                         setresgid(user.gid, user.gid, user.gid) == 0 &&
                         setresuid(user.uid, user.uid, user.uid) == 0;
    _exit(changed && access(path.c_str(), F_OK) == 0 ? 0 : 1);
  }
  int status = 1;
  return waitpid(child, &status, 0) == child && status == 0;
}

TEST(TakeBackTaskDirectoryTest, OthersMayStillPass) {
  if (geteuid() != 0) GTEST_SKIP() << "other users need root";
  std::string name = (std::filesystem::temp_directory_path() / "users-XXXXXX").string();
  const std::string root = mkdtemp(name.data());
  for (const char* task : {"/a", "/b"}) std::filesystem::create_directories(root + task);
  const ProcessUser first{80000, 80000, {}}, second{80001, 80001, {}};
  const Status given = HandOverTaskDirectory(root + "/a", first, false);
  ASSERT_TRUE(given.ok()) << given.error().message();
  const Status also = HandOverTaskDirectory(root + "/b", second, false);
  if (also.ok()) {  // the file system has access control lists
    EXPECT_TRUE(MayReach(first, root + "/a/."));
    EXPECT_TRUE(TakeBackTaskDirectory(root + "/a", first).ok());
    EXPECT_TRUE(TakeBackTaskDirectory(root + "/a", first).ok()) << "a second time";
    EXPECT_FALSE(MayReach(first, root + "/a"));
    EXPECT_TRUE(MayReach(second, root + "/b/."));
  }
  EXPECT_TRUE(TakeBackTaskDirectory(root + "/none", first).ok());
  std::filesystem::remove_all(root);
}

}  // namespace
}  // namespace drover
