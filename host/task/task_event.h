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

// The types of task events. Clients compare these texts.
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
inline constexpr std::string_view kAllocUnhealthy = "Alloc Unhealthy";
inline constexpr std::string_view kTemplate = "Template";
inline constexpr std::string_view kDownloadingArtifacts = "Downloading Artifacts";
inline constexpr std::string_view kArtifactFailed = "Failed Artifact Download";
// The types below exist only in Drover, not in Nomad.
inline constexpr std::string_view kOutputDropped = "Output Dropped";
inline constexpr std::string_view kDiskNearlyFull = "Disk Nearly Full";
inline constexpr std::string_view kTaskHook = "Task Hook";
inline constexpr std::string_view kPaused = "Paused";
inline constexpr std::string_view kResumed = "Resumed";
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
inline constexpr const char* kKillTimeout = "kill_timeout";  // a duration as text, such as "5s"
inline constexpr const char* kKillError = "kill_error";
inline constexpr const char* kKillReason = "kill_reason";
inline constexpr const char* kStartDelay = "start_delay";  // in nanoseconds, as a decimal text
inline constexpr const char* kRestartReason = "restart_reason";
inline constexpr const char* kFailedSibling = "failed_sibling";
inline constexpr const char* kDownloadError = "download_error";
inline constexpr const char* kFailsTask = "fails_task";  // the only value is "true"
// This key exists only in Drover, not in Nomad. Its value is the number of annotations that were
// left out of a driver's event.
inline constexpr const char* kDroppedAnnotations = "dropped_annotations";
// These two keys exist only in Drover, not in Nomad. They count dropped output since the run
// began.
inline constexpr const char* kDroppedLines = "dropped_lines";
inline constexpr const char* kDroppedBytes = "dropped_bytes";
// These keys exist only in Drover, not in Nomad. They belong to a report of progress. An event with
// kProgressPhase is one.
inline constexpr const char* kProgressPhase = "progress_phase";
inline constexpr const char* kProgressDone = "progress_done";
inline constexpr const char* kProgressTotal = "progress_total";  // absent if it is unknown
inline constexpr const char* kProgressUnit = "progress_unit";
}  // namespace event_key

// The reason for a restart that the policy allowed. Display messages leave this reason out.
inline constexpr std::string_view kRestartWithinPolicy = "Restart within policy";

// An event in the life of a task, which people and dashboards read. All facts are in DETAILS. The
// fields that older clients read are made from DETAILS when an event is served.
struct TaskEvent {
  std::string type;
  WallTime time = 0;  // 0: AppendTaskEvent sets the time
  StringMap details;
  std::string display_message;  // empty: DisplayMessage makes it from the details

  TaskEvent() = default;
  explicit TaskEvent(std::string_view of_type) : type(of_type) {}

  // Sets the detail KEY to TEXT and returns the event. Texts come from tasks and plugins, so
  // CleanEventText first cleans TEXT and limits its length. An empty TEXT sets nothing.
  TaskEvent With(const char* key, std::string_view text) &&;
  TaskEvent Message(std::string_view text) && {
    return std::move(*this).With(event_key::kMessage, text);
  }
  // Makes the event mark its task as failed.
  TaskEvent FailsTask() && { return std::move(*this).With(event_key::kFailsTask, "true"); }

  bool fails_task() const;
  // Returns the detail KEY, or an empty text if the event has no such detail.
  std::string_view Detail(const char* key) const;

  bool operator==(const TaskEvent&) const = default;
};

// An immutable event. The successive records of a task share it.
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

// Returns EVENT as a sentence for people.
std::string DisplayMessage(const TaskEvent& event);

TaskEvent TerminatedEvent(const ExitResult& result);
// TIMEOUT is the time between the kill signal and SIGKILL.
TaskEvent KillingEvent(Duration timeout);
TaskEvent RestartingEvent(Duration delay, std::string_view reason);
TaskEvent OutputDroppedEvent(const DroppedOutput& dropped);
// Makes a driver's event from MESSAGE and ANNOTATIONS. A plugin may send any number of annotations
// of any size. So the event contains at most kMaxAnnotations annotations. MESSAGE and the
// annotations together have at most kMaxDriverEvent bytes. If annotations were left out, the event
// contains their number.
TaskEvent DriverEventOf(std::string_view message, const StringMap& annotations);
// Makes an event of PROGRESS, with a text such as "Pulling image: 45 % (12.3 of 27.0 MiB)".
TaskEvent ProgressEventOf(const TaskProgress& progress);
// Returns whether EVENT is a report of progress. AppendTaskEvent replaces older reports by it.
bool IsProgress(const TaskEvent& event);
inline constexpr std::size_t kMaxDriverEvent = 8192;
inline constexpr std::size_t kMaxAnnotations = 16;

// Makes TEXT safe for the stored state, logs and API answers. The result is at most 4 KiB of valid
// UTF-8. Invalid bytes become U+FFFD. Control characters, except line feed and tab, become \xNN.
std::string CleanEventText(std::string_view text);

// The maximum number of events that a task keeps. Older events are dropped.
inline constexpr std::size_t kMaxTaskEvents = 10;
// How many of these may be reports of progress, each of another phase.
inline constexpr std::size_t kMaxProgressEvents = 3;

}  // namespace drover
