// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/view/decode_alloc.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace drover {
namespace {

using nlohmann::json;

TEST(DecodeAllocTest, TakesWhatIsThere) {
  const Allocation alloc = DecodeAlloc(json::parse(R"({
    "ID": "1", "Name": "j.g[0]", "TaskGroup": "g", "ClientStatus": "complete",
    "DesiredStatus": "stop", "CreateIndex": 3, "ModifyIndex": 9,
    "AllocatedResources": {"Shared": {"Ports": [
      {"Label": "http", "Value": 20001, "To": 80, "HostIP": "127.0.0.1"}]}, "Tasks": {
      "t": {"Networks": [{"IP": "::1", "DynamicPorts": [{"Label": "sql", "Value": 20002}],
                          "ReservedPorts": null}, 7]}, "u": null}}})"));
  EXPECT_EQ(alloc.name, "j.g[0]");
  EXPECT_EQ(alloc.client_status, ClientStatus::kComplete);
  EXPECT_EQ(alloc.desired_status, DesiredStatus::kStop);
  EXPECT_EQ(alloc.modify_index, 9u);
  EXPECT_EQ(alloc.ports, (std::vector<AllocatedPort>{{"http", 20001, 80, "127.0.0.1"},
                                                     {"sql", 20002, 0, "::1", "t"}}));

  const Allocation none = DecodeAlloc(json::parse(R"({"ID": 7, "AllocatedResources": []})"));
  EXPECT_EQ(none.id, "");
  EXPECT_EQ(none.client_status, ClientStatus::kPending);
}

TEST(DecodeAllocTest, TaskStatesKeepTheirEvents) {
  const auto states = DecodeTaskStates(json::parse(R"({
    "t": {"State": "dead", "Failed": true, "Restarts": 2, "StartedAt": "1970-01-01T00:00:02Z",
          "Events": [{"Type": "Started", "Time": 5, "DisplayMessage": "Task started by client",
                      "Details": {"exit_code": "1", "odd": 3}}, "no event"]},
    "u": null})"));
  ASSERT_EQ(states.size(), 2u);
  const TaskStateRecord& task = states.at("t");
  EXPECT_EQ(task.state, RunnerState::kDead);
  EXPECT_TRUE(task.failed);
  EXPECT_EQ(task.restarts, 2u);
  EXPECT_EQ(task.started_at, 2'000'000'000);
  ASSERT_EQ(task.events.size(), 2u);
  EXPECT_EQ(task.events[0]->type, "Started");
  EXPECT_EQ(task.events[0]->details, (StringMap{{"exit_code", "1"}}));
  EXPECT_EQ(states.at("u").state, RunnerState::kPending);
}

}  // namespace
}  // namespace drover
