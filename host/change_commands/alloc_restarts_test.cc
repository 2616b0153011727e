// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/change_commands/alloc_restarts.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <csignal>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "host/http/http_test_client.h"

namespace drover {
namespace {

using nlohmann::json;

constexpr char kOld[] = "abcdef01-0000-4000-8000-000000000000";
constexpr char kNew[] = "abcdef02-0000-4000-8000-000000000000";

// An agent that answers a request for a restart or a stop when it was asked for something else so
// often as a test says.
class AllocRestartsTest : public testing::Test {
 protected:
  AllocRestartsTest() {
    // The threads of the server begin with the signals blocked.
    signals_.emplace();
    server_ = StartTestServer({}, [this](HttpExchange* exchange) { return Answer(exchange); });
    ClientOptions options;
    options.address = "http://127.0.0.1:" + std::to_string(server_->port());
    client_.emplace(std::move(*ApiClient::Create(options)));
    client_->Watch(signals_->fd(), [this] { return Left(); });
  }

  Co<void> Answer(HttpExchange* exchange) {
    const std::string path = exchange->request().path;
    json answer = json::object();
    if (exchange->request().method == "PUT") {
      if (interrupts_) pthread_kill(main_, SIGINT);
      while (looks_ < looks_before_answer_ && !exchange->context().cancelled()) {
        (void)co_await Sleep(exchange->context(), 5ms);
      }
      answer["Index"] = 7;
    } else if (path == "/v1/status/leader") {
      if (silent_) {
        co_await exchange->context().Cancelled();
        co_return;
      }
      answer = "127.0.0.1:4647";
      ++looks_;
    } else if (path == "/v1/job/web/evaluations") {
      answer = json::array();
    } else {
      answer = json::array({{{"ID", kOld}, {"DesiredStatus", "stop"}}});
      if (++looks_ > 3) {
        answer[0]["NextAllocation"] = kNew;
        answer.push_back({{"ID", kNew}, {"ClientStatus", "running"}});
      }
    }
    HttpReply reply = TextReply(200, answer.dump());
    reply.headers.emplace_back("X-Nomad-Index", std::to_string(10 + looks_));
    [[maybe_unused]] const Status sent = co_await exchange->Reply(std::move(reply));
  }
  bool Left() {
    while (const int number = signals_->Next()) {
      if (number == SIGINT) return true;
    }
    return false;
  }

  Result<BatchOutcome> Run(Duration still_waiting) {
    testing::internal::CaptureStdout();
    Terminal terminal;
    AllocRestarts restarts(
        &*client_, &terminal, &*signals_, &options_, {"web", "default", "service"},
        [this] { return Left(); }, still_waiting);
    Result<BatchOutcome> outcome = restarts.Run({{kOld, "g", {}}});
    said_ = testing::internal::GetCapturedStdout();
    return outcome;
  }

  const pthread_t main_ = pthread_self();
  std::atomic<int> looks_ = 0;
  std::atomic<int> looks_before_answer_ = 0;
  std::atomic<bool> interrupts_ = false;
  std::atomic<bool> silent_ = false;
  RestartOptions options_;
  std::optional<SignalQueue> signals_;
  std::unique_ptr<HttpServer> server_;
  std::optional<ApiClient> client_;
  std::string said_;
};

TEST_F(AllocRestartsTest, SaysThatItStillWaitsForARestart) {
  looks_before_answer_ = 2;
  const auto outcome = Run(10ms);
  ASSERT_TRUE(outcome.ok()) << outcome.error().message();
  EXPECT_TRUE(outcome->errors.empty());
  EXPECT_FALSE(outcome->left);
  EXPECT_NE(said_.find("Still waiting for the restart of allocation \"abcdef01\"\n"), said_.npos)
      << said_;
}

TEST_F(AllocRestartsTest, SaysThatItStillWaitsForAReplacement) {
  options_.reschedule = true;
  const auto outcome = Run(Duration(1));
  ASSERT_TRUE(outcome.ok()) << outcome.error().message();
  EXPECT_TRUE(outcome->errors.empty());
  EXPECT_NE(said_.find("Still waiting for the replacement of allocation \"abcdef01\"\n"),
            said_.npos)
      << said_;
  EXPECT_TRUE(said_.ends_with("Allocation \"abcdef01\" is replaced by \"abcdef02\"\n")) << said_;
}

TEST_F(AllocRestartsTest, SaysNothingMoreOfWhatIsQuick) {
  const auto outcome = Run(60s);
  ASSERT_TRUE(outcome.ok()) << outcome.error().message();
  EXPECT_EQ(said_, "Restarting allocation \"abcdef01\" of group \"g\"\n");
}

TEST_F(AllocRestartsTest, AnAgentThatHangsIsNotWaitedForWithoutEnd) {
  looks_before_answer_ = 1;
  silent_ = true;
  client_->Watch(signals_->fd(), [this] { return Left(); }, 50ms);
  EXPECT_EQ(Run(10ms).code(), Code::kTimeout);
  // A stop has the limit itself.
  options_.reschedule = true;
  const auto outcome = Run(10ms);
  ASSERT_TRUE(outcome.ok()) << outcome.error().message();
  ASSERT_EQ(outcome->errors.size(), 1u);
  EXPECT_TRUE(outcome->errors[0].starts_with("Error restarting allocation \"abcdef01\": "));
  EXPECT_NE(outcome->errors[0].find("it has not answered in time"), std::string::npos);
}

TEST_F(AllocRestartsTest, ASignalEndsTheWaitForAnAgentThatHangs) {
  looks_before_answer_ = 1;
  interrupts_ = true;
  for (const bool reschedule : {false, true}) {
    options_.reschedule = reschedule;
    const auto outcome = Run(60s);
    ASSERT_TRUE(outcome.ok()) << outcome.error().message();
    EXPECT_TRUE(outcome->left);
    EXPECT_TRUE(outcome->errors.empty());
  }
}

}  // namespace
}  // namespace drover
