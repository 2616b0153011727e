// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/task/hooks/dispatch_payload_hook.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

#include "host/base/base64.h"
#include "host/base/directory_for_test.h"
#include "host/base/loop.h"

namespace drover {
namespace {

class DispatchPayloadHookTest : public testing::Test {
 protected:
  DispatchPayloadHookTest() {
    std::filesystem::create_directories(LocalPath());
    task_->name = "t";
    task_->dispatch_payload_file = "in/payload";
    job_->payload = Base64(std::string("a\0b", 3));
    request_.location.task_dir = directory_.path();
  }

  std::string LocalPath() const { return directory_.path() + "/local"; }
  std::string Content() const {
    std::stringstream text;
    text << std::ifstream(LocalPath() + "/in/payload").rdbuf();
    return text.str();
  }
  Result<PrestartResponse> Prestart() {
    auto alloc = std::make_shared<Allocation>();
    alloc->job = job_;
    request_.alloc = alloc;
    request_.task = task_;
    DispatchPayloadHook hook(nullptr);
    std::optional<Result<PrestartResponse>> out;
    const auto keep = [](Co<Result<PrestartResponse>> inner,
                         std::optional<Result<PrestartResponse>>* to) -> Co<void> {
      to->emplace(co_await std::move(inner));
    };
    DROVER_CHECK(loop_.RunToEnd(keep(hook.Prestart(Context(&loop_), request_), &out)));
    return std::move(*out);
  }

  const DirectoryForTest directory_;
  SimLoop loop_;
  std::shared_ptr<Job> job_ = std::make_shared<Job>();
  std::shared_ptr<Task> task_ = std::make_shared<Task>();
  PrestartRequest request_;
};

TEST_F(DispatchPayloadHookTest, TheBytesAreWrittenOnceAndMayBeRun) {
  EXPECT_TRUE(DispatchPayloadHook::IsNeeded(*job_, *task_));
  const Result<PrestartResponse> response = Prestart();
  ASSERT_TRUE(response.ok()) << response.error().message();
  EXPECT_TRUE(response->done);
  EXPECT_EQ(Content(), std::string("a\0b", 3));
  struct stat info{};
  ASSERT_EQ(stat((LocalPath() + "/in/payload").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0755u);
}

TEST_F(DispatchPayloadHookTest, ATaskThatRunsKeepsItsFile) {
  request_.running = true;
  ASSERT_TRUE(Prestart().ok());
  EXPECT_FALSE(std::filesystem::exists(LocalPath() + "/in"));
}

TEST_F(DispatchPayloadHookTest, NeitherALinkNorANameLeadsOutOfTheDirectory) {
  const DirectoryForTest outside;
  std::filesystem::create_directory_symlink(outside.path(), LocalPath() + "/in");
  EXPECT_FALSE(Prestart().ok());
  std::filesystem::remove(LocalPath() + "/in");
  std::filesystem::create_directory(LocalPath() + "/in");
  std::filesystem::create_symlink(outside.path() + "/payload", LocalPath() + "/in/payload");
  EXPECT_TRUE(Prestart().ok()) << "the link itself is replaced";
  EXPECT_EQ(Content(), std::string("a\0b", 3));
  // A stored job is not checked again.
  task_->dispatch_payload_file = "../../" + outside.path() + "/payload";
  EXPECT_FALSE(Prestart().ok());
  EXPECT_TRUE(std::filesystem::is_empty(outside.path()));
}

TEST_F(DispatchPayloadHookTest, WithoutAPayloadOrAFileThereIsNothingToDo) {
  job_->payload.clear();
  EXPECT_FALSE(DispatchPayloadHook::IsNeeded(*job_, *task_));
  job_->payload = "eA==";
  task_->dispatch_payload_file.clear();
  EXPECT_FALSE(DispatchPayloadHook::IsNeeded(*job_, *task_));
}

TEST_F(DispatchPayloadHookTest, ADirectoryThatIsGoneSaysSo) {
  std::filesystem::remove_all(LocalPath());
  std::ofstream(LocalPath()) << "a file";
  const Result<PrestartResponse> response = Prestart();
  ASSERT_FALSE(response.ok());
  EXPECT_NE(response.error().message().find("the payload of the job"), std::string::npos);
}

}  // namespace
}  // namespace drover
