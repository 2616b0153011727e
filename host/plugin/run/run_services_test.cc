// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

// The services drover.task-env and drover.task-place, as a driver in this process calls them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>

#include "drover/drover_task_env.h"
#include "drover/drover_task_place.h"
#include "host/abi/abi_write.h"
#include "host/base/event.h"
#include "host/plugin/plugin_host.h"
#include "host/process/mock_processes_for_test.h"

namespace drover {
namespace {

using testing::_;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::NiceMock;
using testing::Return;

// What DONE got for one request.
struct RunAnswer {
  std::atomic<bool> come{false};
  std::int32_t code = DROVER_OK;
  std::string message;
  std::vector<std::string> texts;
  std::string cgroup;
  std::string directory;
};

bool TakeError(RunAnswer* answer, const drover_error* error) {
  if (error == nullptr) return false;
  answer->code = error->code;
  answer->message.assign(error->message, error->message_size);
  answer->come = true;
  return true;
}

void TakeTexts(void* context, const drover_error* error, const void* result) {
  auto* const answer = static_cast<RunAnswer*>(context);
  if (TakeError(answer, error)) return;
  const auto* const texts = static_cast<const drover_interpolate_result*>(result);
  for (std::size_t i = 0; i < texts->texts.count; ++i) {
    const drover_str& text = static_cast<const drover_str*>(texts->texts.data)[i];
    answer->texts.emplace_back(text.data, text.size);
  }
  answer->come = true;
}

void TakePlace(void* context, const drover_error* error, const void* result) {
  auto* const answer = static_cast<RunAnswer*>(context);
  if (TakeError(answer, error)) return;
  const auto* const place = static_cast<const drover_place*>(result);
  answer->cgroup.assign(place->cgroup.data, place->cgroup.size);
  if (place->directories.count == 1) {
    const auto* const pair = static_cast<const drover_pair*>(place->directories.data);
    answer->directory.assign(pair->value.data, pair->value.size);
  }
  answer->come = true;
}

void TakeEmpty(void* context, const drover_error* error, const void*) {
  auto* const answer = static_cast<RunAnswer*>(context);
  if (!TakeError(answer, error)) answer->come = true;
}

class RunServicesTest : public testing::Test {
 protected:
  RunServicesTest() {
    PluginHost::Parts parts;
    parts.plugin = "test";
    parts.loop = &loop_;
    parts.processes = &processes_;
    host_ = PluginHost::Make(std::move(parts));
    texts_ = static_cast<const drover_task_env*>(Find(DROVER_TASK_ENV_ID));
    places_ = static_cast<const drover_task_place*>(Find(DROVER_TASK_PLACE_ID));
    auto config = std::make_shared<TaskConfig>();
    config->run_id = run_;
    config->env = {{"A", "value"}};
    config->interpolate = [](const StringMap& env, std::string_view text,
                             bool strict) -> Result<std::string> {
      if (text == "long") return std::string(DROVER_TASK_ENV_BYTES_MAX + 1, 'x');
      if (text == "${B}" && strict) return Error(Code::kInvalidArgument, "B is unknown");
      return text == "${A}" ? env.at("A") : std::string(text);
    };
    host_->runs()[run_].config = config;
  }
  ~RunServicesTest() override {
    EXPECT_TRUE(loop_.RunToEnd(host_->CloseServices(), 60s));
    EXPECT_TRUE(loop_.RunToEnd(host_->Close(loop_.Now() + 5s), 60s));
  }

  const void* Find(const char* id) {
    return host_->face()->get_extension(host_->face(), ToStr(id));
  }
  void Interpolate(const RunId& run, const std::vector<std::string>& texts, std::uint32_t flags,
                   RunAnswer* answer) {
    std::vector<drover_str> strs;
    for (const std::string& text : texts) strs.push_back(ToStr(text));
    auto args = NewStruct<drover_interpolate_args>();
    args.flags = flags;
    args.texts = ToArray(strs);
    const drover_run_id raw = ToRunId(run);
    auto error = NewStruct<drover_error>();
    const std::int32_t code =
        texts_->interpolate(host_->face(), &raw, &args, &TakeTexts, answer, &error);
    End(code, error, answer);
  }
  template <typename Function>
  void Place(const Function& function, const RunId& run, drover_done done, RunAnswer* answer) {
    const drover_run_id raw = ToRunId(run);
    auto error = NewStruct<drover_error>();
    const std::int32_t code = function(host_->face(), &raw, done, answer, &error);
    End(code, error, answer);
  }
  // Waits for the answer, unless the request was refused.
  void End(std::int32_t code, const drover_error& error, RunAnswer* answer) {
    if (code != DROVER_OK) {
      answer->code = code;
      answer->message.assign(error.message, error.message_size);
      return;
    }
    const TimePoint end = BootClock::now() + 60s;
    while (!answer->come && BootClock::now() < end) {
      EXPECT_TRUE(loop_.RunToEnd(NextTurn(&loop_), 60s));
    }
    EXPECT_TRUE(answer->come);
  }

  RealLoop loop_;
  NiceMock<MockProcesses> processes_;
  const RunId run_ = RunId::Random();
  std::shared_ptr<PluginHost> host_;
  const drover_task_env* texts_ = nullptr;
  const drover_task_place* places_ = nullptr;
};

TEST_F(RunServicesTest, TextsAreReplacedInTheirOrder) {
  RunAnswer answer;
  Interpolate(run_, {"${A}", "plain", "${B}", ""}, 0, &answer);
  EXPECT_EQ(answer.code, DROVER_OK) << answer.message;
  EXPECT_THAT(answer.texts, ElementsAre("value", "plain", "${B}", ""));
}

TEST_F(RunServicesTest, WrongRequestsForTextsAreRefused) {
  RunAnswer strict, other, many, much, flag, grows;
  Interpolate(run_, {"${B}"}, DROVER_TASK_ENV_STRICT, &strict);
  EXPECT_EQ(strict.code, DROVER_E_INVALID_ARGUMENT);
  EXPECT_EQ(strict.message, "B is unknown");
  Interpolate(RunId::Random(), {"${A}"}, 0, &other);
  EXPECT_EQ(other.code, DROVER_E_NOT_FOUND);
  Interpolate(run_, std::vector<std::string>(DROVER_TASK_ENV_TEXTS_MAX + 1), 0, &many);
  EXPECT_EQ(many.code, DROVER_E_INVALID_ARGUMENT);
  const std::string half(DROVER_TASK_ENV_BYTES_MAX / 2 + 1, 'x');
  Interpolate(run_, {half, half}, 0, &much);
  EXPECT_EQ(much.code, DROVER_E_INVALID_ARGUMENT);
  Interpolate(run_, {"${A}"}, 1u << 7, &flag);
  EXPECT_EQ(flag.code, DROVER_E_UNIMPLEMENTED);
  Interpolate(run_, {"long"}, 0, &grows);
  EXPECT_THAT(grows.message, HasSubstr("when their ${...} are replaced"));
}

TEST_F(RunServicesTest, ARunGetsItsPlaceAndTheHostKillsThere) {
  EXPECT_CALL(processes_, MakePlace(run_))
      .WillOnce(Return(RunPlace{"/drover/run", {{"", "/sys/fs/cgroup/drover/run"}}}));
  RunAnswer answer;
  Place(places_->make, run_, &TakePlace, &answer);
  EXPECT_EQ(answer.code, DROVER_OK) << answer.message;
  EXPECT_EQ(answer.cgroup, "/drover/run");
  EXPECT_EQ(answer.directory, "/sys/fs/cgroup/drover/run");
  EXPECT_TRUE(host_->FindRun(run_)->placed);
  EXPECT_TRUE(host_->FindRun(run_)->has_processes()) << "so the host kills and releases the run";
}

TEST_F(RunServicesTest, ARefusedPlaceLeavesNothing) {
  EXPECT_CALL(processes_, MakePlace(run_))
      .WillOnce(Return(Result<RunPlace>(Error(Code::kFailedPrecondition, "no cgroups"))));
  RunAnswer answer, other;
  Place(places_->make, run_, &TakePlace, &answer);
  EXPECT_EQ(answer.code, DROVER_E_FAILED_PRECONDITION);
  EXPECT_EQ(answer.message, "no cgroups");
  EXPECT_FALSE(host_->FindRun(run_)->placed);
  EXPECT_FALSE(host_->FindRun(run_)->has_processes());
  Place(places_->make, RunId::Random(), &TakePlace, &other);
  EXPECT_EQ(other.code, DROVER_E_NOT_FOUND);
}

TEST_F(RunServicesTest, APlaceCanBeRemovedEarly) {
  EXPECT_CALL(processes_, RemovePlace(_, run_)).WillOnce([](Context, RunId) -> Co<Status> {
    co_return Status();
  });
  RunAnswer answer;
  Place(places_->remove, run_, &TakeEmpty, &answer);
  EXPECT_EQ(answer.code, DROVER_OK) << answer.message;
}

TEST_F(RunServicesTest, ATaskWhoseNamespaceIsGoneGetsNoPlace) {
  EXPECT_CALL(processes_, MakePlace(run_)).WillOnce(Return(RunPlace{"/drover/run", {}}));
  auto config = std::make_shared<TaskConfig>(*host_->FindRun(run_)->config);
  config->network_namespace_path = "/nonexistent/netns";
  host_->FindRun(run_)->config = config;
  RunAnswer answer;
  Place(places_->make, run_, &TakePlace, &answer);
  EXPECT_NE(answer.code, DROVER_OK);
  EXPECT_THAT(answer.message, HasSubstr("/nonexistent/netns"));
}

}  // namespace
}  // namespace drover
