// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/task/task_record.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace drover {
namespace {

using nlohmann::json;

TaskStateRecord FullState() {
  TaskStateRecord state;
  state.state = RunnerState::kDead;
  state.failed = true;
  state.restarts = 3;
  state.last_restart = 11;
  state.started_at = 12;
  state.finished_at = 13;
  state.attempts = 2;
  state.attempts_since = 10;
  TaskEvent event = TaskEvent(event_type::kTerminated).With(event_key::kExitCode, "7");
  event.time = 14;
  event.display_message = "shown";
  state.events.emplace_back(std::move(event));
  return state;
}

LocalState FullLocal() {
  LocalState local;
  local.hooks["artifacts"] = {true, {{"sum", "abc"}}, {{"KEY", "value"}}, "80000"};
  local.run_id = RunId::Random();
  local.task_config_id = "alloc/task/12345678";
  local.mounts = {{"/in/task", "/on/host", true, "private", true}, {"/b", "/c", false, "", false}};
  local.devices = {{"/dev/a", "/dev/b", "rw"}};
  local.device_env = {{"CARD", "0"}};
  local.handle = TaskHandle{"exec", "1.2", 4, std::string("\0\xff{", 3)};
  local.exit = ExitResult{5, 9, true, "supervisor lost", 17};
  local.wish = RunWish::kRestartFailure;
  local.delay_until = TimePoint(7s);
  local.stop_since = TimePoint(9s + 1ns);
  local.network = DriverNetwork{{{"http", 8080}}, "10.0.0.1", true};
  local.run_complete = true;
  return local;
}

TEST(TaskRecordTest, EachFieldOfAStateIsReadAgain) {
  const auto read = DecodeTaskState(json::parse(EncodeTaskState(FullState()).dump()));
  ASSERT_TRUE(read.ok()) << read.error().message();
  EXPECT_EQ(*read, FullState());
  EXPECT_EQ(*DecodeTaskState(EncodeTaskState({})), TaskStateRecord());
}

TEST(TaskRecordTest, EachFieldOfALocalStateIsReadAgain) {
  const LocalState local = FullLocal();
  const auto read = DecodeLocalState(json::parse(EncodeLocalState(local).dump()));
  ASSERT_TRUE(read.ok()) << read.error().message();
  EXPECT_EQ(read->hooks, local.hooks);
  EXPECT_EQ(read->run_id, local.run_id);
  EXPECT_EQ(read->task_config_id, local.task_config_id);
  EXPECT_EQ(read->mounts, local.mounts);
  EXPECT_EQ(read->devices, local.devices);
  EXPECT_EQ(read->device_env, local.device_env);
  EXPECT_EQ(read->handle, local.handle);
  EXPECT_EQ(read->exit, local.exit);
  EXPECT_EQ(read->wish, local.wish);
  EXPECT_EQ(read->delay_until, local.delay_until);
  EXPECT_EQ(read->stop_since, local.stop_since);
  EXPECT_EQ(read->network, local.network);
  EXPECT_TRUE(read->run_complete);

  // A task without mounts and devices has nothing of them in its record.
  const json plain = EncodeLocalState({});
  for (const char* key : {"mounts", "devices", "device_env"}) EXPECT_FALSE(plain.contains(key));
  const auto empty = DecodeLocalState(plain);
  ASSERT_TRUE(empty.ok());
  EXPECT_TRUE(empty->mounts.empty() && empty->devices.empty() && empty->device_env.empty());
  EXPECT_FALSE(empty->run_id || empty->handle || empty->exit || empty->network ||
               empty->delay_until || empty->stop_since || empty->run_complete);
}

TEST(TaskRecordTest, WhatMakesNoSenseIsAnError) {
  EXPECT_FALSE(DecodeTaskState({{"state", "asleep"}}).ok());
  EXPECT_FALSE(DecodeTaskState({{"state", 7}}).ok());
  EXPECT_FALSE(DecodeTaskState(json::array()).ok());
  EXPECT_FALSE(DecodeLocalState({{"run", "xyz"}}).ok());
  EXPECT_FALSE(DecodeLocalState({{"handle", {{"state", "!"}}}}).ok());
  EXPECT_FALSE(DecodeLocalState({{"hooks", 3}}).ok());
  EXPECT_FALSE(DecodeLocalState({{"mounts", {3}}}).ok());
  EXPECT_FALSE(DecodeLocalState({{"devices", {{{"task_path", 3}}}}}).ok());
  EXPECT_FALSE(DecodeLocalState({{"wish", "fly"}}).ok());
  EXPECT_FALSE(DecodeLocalState({{"stop_since", "now"}}).ok());
}

}  // namespace
}  // namespace drover
