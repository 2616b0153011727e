// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/agent/task_api_hook.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "host/base/await_for_test.h"
#include "host/base/directory_for_test.h"
#include "host/http/http_test_client.h"
#include "host/task/task_socket.h"

namespace drover {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Co<void> SayClient(HttpExchange* exchange) {
  HttpReply reply;
  reply.body = exchange->request().client;
  (void)co_await exchange->Reply(std::move(reply));
}

class TaskApiHookTest : public testing::Test {
 protected:
  TaskApiHookTest() {
    std::filesystem::create_directories(dir_.path() + "/secrets");
    job_->id = "web";
    job_->job_namespace = "team";
    alloc_->id = "alloc";
    alloc_->job = job_;
    MakeHook();
  }

  void MakeHook() {
    TaskApiHookOptions options;
    options.serve = [this](UniqueFd listener, const std::string& alloc_id, const std::string& job) {
      sharing_ = job;
      return server_->Serve(std::move(listener), alloc_id, job);
    };
    options.pool = &pool_;
    options.report = [this](const Error& error) { reports_.push_back(error.message()); };
    hook_ = std::make_unique<TaskApiHook>(std::move(options));
  }
  template <typename T>
  T Ask(Co<T> question) {
    return AwaitForTest(&loop_, std::move(question));
  }
  void Start(bool running = false) {
    PrestartRequest request;
    request.alloc = alloc_;
    request.location.task_dir = dir_.path();
    request.running = running;
    const Result<PrestartResponse> response =
        Ask(hook_->Prestart(Context(&loop_), std::move(request)));
    ASSERT_TRUE(response.ok());
    EXPECT_FALSE(response->done) << "each start has a socket";
  }
  // Returns what the server says at the socket of the task; "refused" if nobody is there.
  std::string Answer() {
    HttpTestClient client(dir_.path() + "/" + kTaskApiSocket);
    if (!client.connected()) return "refused";
    client.Send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    return client.ReadAnswer().body;
  }
  bool IsThere() const { return std::filesystem::exists(dir_.path() + "/" + kTaskApiSocket); }

  const DirectoryForTest dir_;
  RealLoop loop_;
  WorkerPool pool_{1};
  std::shared_ptr<Job> job_ = std::make_shared<Job>();
  std::shared_ptr<Allocation> alloc_ = std::make_shared<Allocation>();
  std::string sharing_;  // the job that shares the connections
  std::unique_ptr<HttpSocketServer> server_ =
      HttpSocketServer::Start(HttpServerOptions(), SayClient);
  std::vector<std::string> reports_;
  std::unique_ptr<TaskApiHook> hook_;
};

TEST_F(TaskApiHookTest, TheSocketIsThereFromTheStartToTheEnd) {
  EXPECT_EQ(Answer(), "refused");
  Start();
  EXPECT_EQ(Answer(), "alloc");
  Start();
  EXPECT_EQ(Answer(), "alloc") << "after a restart";
  EXPECT_TRUE(Ask(hook_->Stop(Context(&loop_), HookRequest())).ok());
  EXPECT_FALSE(IsThere());
  EXPECT_THAT(reports_, IsEmpty());
}

TEST_F(TaskApiHookTest, TheJobSharesConnections) {
  Start();
  EXPECT_EQ(sharing_, "team/web");
  job_->id = "web/dispatch-1";
  job_->parent_id = "web";
  Start();
  EXPECT_EQ(sharing_, "team/web") << "all that a job dispatches counts as the job";
}

TEST_F(TaskApiHookTest, TheNextAgentMakesItAgain) {
  Start();
  EXPECT_TRUE(Ask(hook_->Shutdown(Context(&loop_), HookRequest())).ok());
  EXPECT_TRUE(IsThere());
  MakeHook();
  Start(/*running=*/true);
  EXPECT_EQ(Answer(), "alloc");
}

TEST_F(TaskApiHookTest, ATaskWithoutASocketRunsAllTheSame) {
  std::filesystem::remove(dir_.path() + "/secrets");
  Start();
  EXPECT_THAT(reports_, ElementsAre(HasSubstr("the task has no socket of the API")));
  EXPECT_TRUE(Ask(hook_->Stop(Context(&loop_), HookRequest())).ok());
}

TEST_F(TaskApiHookTest, ATaskThatHasNeverStartedHasNone) {
  EXPECT_TRUE(Ask(hook_->Stop(Context(&loop_), HookRequest())).ok());
  EXPECT_FALSE(IsThere());
}

}  // namespace
}  // namespace drover
