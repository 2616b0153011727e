// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/base/time.h"
#include "host/driver/driver.h"
#include "host/process/dropped_output.h"
#include "host/spec/job.h"

namespace drover {

// The types of task events, as clients compare them.
namespace event_type {
inline constexpr std::string_view kReceived = "Received";
inline constexpr std::string_view kTaskSetup = "Task Setup";
inline constexpr std::string_view kSetupFailure = "Setup Failure";
inline constexpr std::string_view kStarted = "Started";
inline constexpr std::string_view kFailedValidation = "Failed Validation";
inline constexpr std::string_view kDriverFailure = "Driver Failure";
inline constexpr std::string_view kDriver = "Driver";
inline constexpr std::string_view kKilling = "Killing";
inline constexpr std::string_view kKilled = "Killed";
inline constexpr std::string_view kTerminated = "Terminated";
inline constexpr std::string_view kRestarting = "Restarting";
inline constexpr std::string_view kNotRestarting = "Not Restarting";
inline constexpr std::string_view kRestartSignaled = "Restart Signaled";
inline constexpr std::string_view kSignaling = "Signaling";
inline constexpr std::string_view kSiblingFailed = "Sibling Task Failed";
inline constexpr std::string_view kLeaderDead = "Leader Task Dead";
inline constexpr std::string_view kMainDead = "Main Tasks Dead";
inline constexpr std::string_view kHookFailed = "Task hook failed";
inline constexpr std::string_view kRestoreFailed = "Failed Restoring Task";
inline constexpr std::string_view kPluginUnhealthy = "Plugin became unhealthy";
inline constexpr std::string_view kPluginHealthy = "Plugin became healthy";
inline constexpr std::string_view kWaitingShutdownDelay = "Waiting for shutdown delay";
inline constexpr std::string_view kSkippingShutdownDelay = "Skipping shutdown delay";
// Only Drover has this one.
inline constexpr std::string_view kOutputDropped = "Output Dropped";
}  // namespace event_type

// The keys of an event's details.
namespace event_key {
inline constexpr const char* kMessage = "message";
inline constexpr const char* kSetupError = "setup_error";
inline constexpr const char* kValidationError = "validation_error";
inline constexpr const char* kDriverError = "driver_error";
inline constexpr const char* kDriverMessage = "driver_message";
inline constexpr const char* kExitCode = "exit_code";
inline constexpr const char* kSignal = "signal";
inline constexpr const char* kOomKilled = "oom_killed";
inline constexpr const char* kExitMessage = "exit_message";
inline constexpr const char* kKillTimeout = "kill_timeout";  // text of a duration
inline constexpr const char* kKillError = "kill_error";
inline constexpr const char* kKillReason = "kill_reason";
inline constexpr const char* kStartDelay = "start_delay";  // nanoseconds, decimal
inline constexpr const char* kRestartReason = "restart_reason";
inline constexpr const char* kFailedSibling = "failed_sibling";
inline constexpr const char* kFailsTask = "fails_task";  // "true"
// Only in Drover: the number of annotations that were left out of a driver's event.
inline constexpr const char* kDroppedAnnotations = "dropped_annotations";
// Only in Drover: counted since the run began.
inline constexpr const char* kDroppedLines = "dropped_lines";
inline constexpr const char* kDroppedBytes = "dropped_bytes";
}  // namespace event_key

// The reason of a restart that the policy allowed. Display messages leave it out.
inline constexpr std::string_view kRestartWithinPolicy = "Restart within policy";

// Something that happened to a task, for people and for dashboards. The details are the only copy
// of the facts. The fields that older clients read are made from them when an event is served.
struct TaskEvent {
  std::string type;
  WallTime time = 0;  // 0: set when the event is appended
  StringMap details;
  std::string display_message;  // empty: DisplayMessage makes it from the details

  TaskEvent() = default;
  explicit TaskEvent(std::string_view of_type) : type(of_type) {}

  // Sets a detail and returns the event. Texts come from tasks and plugins, so each is bounded and
  // cleaned first (see CleanEventText). An empty text sets nothing.
  TaskEvent With(const char* key, std::string_view text) &&;
  TaskEvent Message(std::string_view text) && {
    return std::move(*this).With(event_key::kMessage, text);
  }
  // Marks the task as failed.
  TaskEvent FailsTask() && { return std::move(*this).With(event_key::kFailsTask, "true"); }

  bool fails_task() const;
  // The detail, or empty.
  std::string_view Detail(const char* key) const;

  bool operator==(const TaskEvent&) const = default;
};

// An event that does not change any more. The successive records of a task share it.
class SharedTaskEvent {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): one is as good as the other.
  SharedTaskEvent(TaskEvent event) : event_(std::make_shared<const TaskEvent>(std::move(event))) {}
  // NOLINTNEXTLINE(google-explicit-constructor)
  operator const TaskEvent&() const { return *event_; }
  const TaskEvent* operator->() const { return event_.get(); }
  bool operator==(const SharedTaskEvent& other) const {
    return event_ == other.event_ || *event_ == *other.event_;
  }

 private:
  std::shared_ptr<const TaskEvent> event_;  // never null
};

// The event as a sentence for people.
std::string DisplayMessage(const TaskEvent& event);

TaskEvent TerminatedEvent(const ExitResult& result);
// TIMEOUT is the time between the kill signal and the kill.
TaskEvent KillingEvent(Duration timeout);
TaskEvent RestartingEvent(Duration delay, std::string_view reason);
TaskEvent OutputDroppedEvent(const DroppedOutput& dropped);
// Contains MESSAGE and as many of ANNOTATIONS as fit in kMaxDriverEvent bytes together: a plugin
// may send any number of any size. The event says how many were left out.
TaskEvent DriverEventOf(std::string_view message, const StringMap& annotations);
inline constexpr std::size_t kMaxDriverEvent = 8192;
inline constexpr std::size_t kMaxAnnotations = 16;

// Makes TEXT safe for state, logs and answers: at most 4 KiB of valid UTF-8. Invalid bytes become
// U+FFFD; control characters, except line feed and tab, become \xNN.
std::string CleanEventText(std::string_view text);

// A task keeps at most this many events; older ones are dropped.
inline constexpr std::size_t kMaxTaskEvents = 10;

}  // namespace drover
