// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/alloc/task_verdict.h"

#include <gtest/gtest.h>

#include <sstream>

namespace drover {
namespace {

// "main=r side:sidecar=p": name, optional class or "leader", and state (p, r, d, f).
TaskVerdict Judge(const std::string& text) {
  TaskGroup group;
  TaskStates states;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    Task task;
    const auto equal = word.find('=');
    const auto colon = word.find(':');
    task.name = word.substr(0, std::min(equal, colon));
    const std::string kind = colon < equal ? word.substr(colon + 1, equal - colon - 1) : "";
    if (kind == "init") task.lifecycle = Lifecycle{Lifecycle::Hook::kPrestart, false};
    if (kind == "sidecar") task.lifecycle = Lifecycle{Lifecycle::Hook::kPoststart, true};
    if (kind == "poststop") task.lifecycle = Lifecycle{Lifecycle::Hook::kPoststop, true};
    task.leader = kind == "leader";
    TaskStateRecord record;
    const char letter = word.back();
    if (letter == 'r') record.state = RunnerState::kRunning;
    if (letter == 'd' || letter == 'f') record.state = RunnerState::kDead;
    record.failed = letter == 'f';
    states[task.name] = std::make_shared<const TaskStateRecord>(record);
    group.tasks.push_back(task);
  }
  return JudgeTasks(group, states);
}

std::string KillOf(const std::string& text) {
  const TaskVerdict verdict = Judge(text);
  if (!verdict.kill_event) return verdict.any_live ? "go on" : "over";
  const std::string_view sibling = verdict.kill_event->Detail(event_key::kFailedSibling);
  return verdict.kill_event->type + (sibling.empty() ? "" : ": " + std::string(sibling));
}

TEST(TaskVerdictTest, Table) {
  const std::vector<std::pair<std::string, std::string>> table = {
      {"main=p", "go on"},
      {"main=r", "go on"},
      {"main=d", "over"},
      {"main=f", "over"},
      {"a=r b=d", "go on"},  // one that ended well does not end the others
      {"a=r b=f", "Sibling Task Failed: b"},
      {"c=f b=f a=p", "Sibling Task Failed: c"},  // the first of the group
      {"lead:leader=r b=r", "go on"},
      {"lead:leader=d b=r", "Leader Task Dead"},
      {"lead:leader=f b=r", "Leader Task Dead"},  // takes precedence over the failed sibling
      {"lead:leader=d b=f c=r", "Leader Task Dead"},
      {"lead:leader=d b=d", "over"},
      {"main=r side:sidecar=r", "go on"},
      {"main=p side:sidecar=r", "go on"},
      {"main=d side:sidecar=r", "Main Tasks Dead"},
      {"main=d side:sidecar=p", "Main Tasks Dead"},
      {"main=f side:sidecar=r", "Sibling Task Failed: main"},
      {"main=d side:sidecar=d", "over"},
      {"init:init=f main=p side:sidecar=r", "Sibling Task Failed: init"},
      {"init:init=d main=p", "go on"},
      // Poststop tasks neither keep the allocation going nor end it.
      {"main=r stop:poststop=p", "go on"},
      {"main=d stop:poststop=p", "over"},
      {"main=d stop:poststop=r", "over"},
      {"main=r stop:poststop=f", "go on"},
      {"main=d side:sidecar=r stop:poststop=p", "Main Tasks Dead"},
      {"stop:poststop=p", "over"},
  };
  for (const auto& [text, verdict] : table) EXPECT_EQ(KillOf(text), verdict) << text;
}

}  // namespace
}  // namespace drover
