// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/task/task_event.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <iterator>

#include "host/base/utf8.h"

namespace drover {
namespace {

constexpr std::size_t kMaxText = 4096;
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

std::string Escaped(unsigned char c) {
  constexpr char kHex[] = "0123456789abcdef";
  return {'\\', 'x', kHex[c >> 4], kHex[c & 15]};
}

std::string First(std::string_view text, std::string_view otherwise) {
  return std::string(text.empty() ? otherwise : text);
}

std::string TerminatedText(const TaskEvent& event) {
  std::string text = "Exit Code: " + First(event.Detail(event_key::kExitCode), "0");
  const std::string_view signal = event.Detail(event_key::kSignal);
  if (!signal.empty() && signal != "0") text += ", Signal: " + std::string(signal);
  const std::string_view message = event.Detail(event_key::kExitMessage);
  if (!message.empty()) text += ", Exit Message: \"" + std::string(message) + "\"";
  return text;
}

std::string KillingText(const TaskEvent& event) {
  const std::string_view reason = event.Detail(event_key::kKillReason);
  if (!reason.empty()) return std::string(reason);
  const std::string_view timeout = event.Detail(event_key::kKillTimeout);
  if (timeout.empty()) return "Sent interrupt";
  return "Sent interrupt. Waiting " + std::string(timeout) + " before force killing";
}

std::string RestartingText(const TaskEvent& event) {
  std::int64_t delay = 0;
  const std::string_view text = event.Detail(event_key::kStartDelay);
  std::from_chars(text.data(), text.data() + text.size(), delay);
  const std::string in = "Task restarting in " + FormatDuration(Duration(delay));
  const std::string_view reason = event.Detail(event_key::kRestartReason);
  if (reason.empty() || reason == kRestartWithinPolicy) return in;
  return std::string(reason) + " - " + in;
}

std::string SiblingText(const TaskEvent& event) {
  const std::string_view name = event.Detail(event_key::kFailedSibling);
  if (name.empty()) return "Task's sibling failed";
  return "Task's sibling \"" + std::string(name) + "\" failed";
}

// The unit in which BYTES are shown, as text and as its number of bytes.
struct ByteUnit {
  const char* name;
  double size;
};
ByteUnit ByteUnitFor(std::uint64_t bytes) {
  if (bytes >= std::uint64_t{1} << 30) return {"GiB", 1 << 30};
  if (bytes >= std::uint64_t{1} << 20) return {"MiB", 1 << 20};
  if (bytes >= std::uint64_t{1} << 10) return {"KiB", 1 << 10};
  return {"B", 1};
}

std::string InUnit(std::uint64_t bytes, const ByteUnit& unit) {
  if (unit.size == 1) return std::to_string(bytes);
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", static_cast<double>(bytes) / unit.size);
  return text;
}

// Returns how much is done, such as "45 % (12.3 of 27.0 MiB)" or "3 layers". Empty if nothing is.
std::string AmountText(const TaskProgress& progress) {
  const bool known = progress.total > 0;
  if (!known && progress.done == 0) return {};
  std::string done = std::to_string(progress.done);
  std::string total = std::to_string(progress.total);
  std::string unit = progress.unit;
  if (progress.unit == "bytes") {
    const ByteUnit shown = ByteUnitFor(known ? progress.total : progress.done);
    done = InUnit(progress.done, shown);
    total = InUnit(progress.total, shown);
    unit = shown.name;
  }
  if (!unit.empty()) unit = " " + unit;
  if (!known) return done + unit;
  const double percent =
      100.0 * static_cast<double>(progress.done) / static_cast<double>(progress.total);
  return std::to_string(static_cast<int>(percent)) + " % (" + done + " of " + total + unit + ")";
}

// The rule for the text of most event types. The text is one detail of the event, or a fixed
// sentence if the event has no such detail.
struct PlainText {
  std::string_view type;
  const char* key;  // null: the text is always the fixed sentence
  std::string_view otherwise;
};
constexpr std::array kPlainTexts = {
    PlainText{event_type::kReceived, nullptr, "Task received by client"},
    PlainText{event_type::kSetupFailure, event_key::kSetupError, "Task setup failed"},
    PlainText{event_type::kStarted, nullptr, "Task started by client"},
    PlainText{event_type::kFailedValidation, event_key::kValidationError,
              "Validation of task failed"},
    PlainText{event_type::kDriverFailure, event_key::kDriverError, "Failed to start task"},
    PlainText{event_type::kDriver, event_key::kDriverMessage, ""},
    PlainText{event_type::kKilled, event_key::kKillError, "Task successfully killed"},
    PlainText{event_type::kNotRestarting, event_key::kRestartReason,
              "Task exceeded restart policy"},
    PlainText{event_type::kRestartSignaled, event_key::kRestartReason, "Task signaled to restart"},
    PlainText{event_type::kSignaling, nullptr, "Task being sent a signal"},
    PlainText{event_type::kDownloadingArtifacts, event_key::kMessage,
              "Client is downloading artifacts"},
    PlainText{event_type::kArtifactFailed, event_key::kDownloadError,
              "Failed to download artifacts"},
    PlainText{event_type::kLeaderDead, nullptr, "Leader Task in Group dead"},
    PlainText{event_type::kMainDead, nullptr, "Main tasks in the group died"},
};

}  // namespace

TaskEvent TaskEvent::With(const char* key, std::string_view text) && {
  if (!text.empty()) details[key] = CleanEventText(text);
  return std::move(*this);
}

bool TaskEvent::fails_task() const { return Detail(event_key::kFailsTask) == "true"; }

std::string_view TaskEvent::Detail(const char* key) const {
  const auto found = details.find(key);
  return found == details.end() ? std::string_view() : std::string_view(found->second);
}

std::string DisplayMessage(const TaskEvent& event) {
  if (!event.display_message.empty()) return event.display_message;
  if (event.type == event_type::kTerminated) return TerminatedText(event);
  if (event.type == event_type::kKilling) return KillingText(event);
  if (event.type == event_type::kRestarting) return RestartingText(event);
  if (event.type == event_type::kSiblingFailed) return SiblingText(event);
  for (const PlainText& plain : kPlainTexts) {
    if (event.type != plain.type) continue;
    if (plain.key == nullptr) return std::string(plain.otherwise);
    return First(event.Detail(plain.key), plain.otherwise);
  }
  return std::string(event.Detail(event_key::kMessage));
}

TaskEvent TerminatedEvent(const ExitResult& result) {
  TaskEvent event(event_type::kTerminated);
  event.time = result.ended_at;
  return std::move(event)
      .With(event_key::kExitCode, std::to_string(result.exit_code))
      .With(event_key::kSignal, std::to_string(result.signal))
      .With(event_key::kOomKilled, result.oom_killed ? "true" : "false")
      .With(event_key::kExitMessage, result.error);
}

TaskEvent KillingEvent(Duration timeout) {
  return TaskEvent(event_type::kKilling).With(event_key::kKillTimeout, FormatDuration(timeout));
}

TaskEvent RestartingEvent(Duration delay, std::string_view reason) {
  return TaskEvent(event_type::kRestarting)
      .With(event_key::kStartDelay, std::to_string(delay.count()))
      .With(event_key::kRestartReason, reason);
}

TaskEvent OutputDroppedEvent(const DroppedOutput& dropped) {
  const std::string lines = std::to_string(dropped.lines);
  const std::string counted = lines + (dropped.lines == 1 ? " line" : " lines");
  std::string text;
  if (!dropped.ongoing) {
    text = counted + " of output dropped";
  } else {
    text = "Output is being dropped";
    if (dropped.lines > 0) text += ", " + counted + " before";
  }
  return TaskEvent(event_type::kOutputDropped)
      .Message(text + ": the disk of the log files is full or too slow")
      .With(event_key::kDroppedLines, lines)
      .With(event_key::kDroppedBytes, std::to_string(dropped.bytes));
}

TaskEvent DriverEventOf(std::string_view message, const StringMap& annotations) {
  // Only the host sets these keys. An annotation of a plugin with such a key is dropped.
  constexpr std::string_view kOfTheHost[] = {
      event_key::kFailsTask,     event_key::kDriverMessage, event_key::kDroppedAnnotations,
      event_key::kProgressPhase, event_key::kProgressDone,  event_key::kProgressTotal,
      event_key::kProgressUnit};
  TaskEvent event(event_type::kDriver);
  event = std::move(event).With(event_key::kDriverMessage, message);
  std::size_t size = event.Detail(event_key::kDriverMessage).size();
  std::size_t taken = 0;
  for (const auto& [key, value] : annotations) {
    if (std::ranges::find(kOfTheHost, key) != std::end(kOfTheHost)) continue;
    std::string clean_key = CleanEventText(key);
    std::string clean_value = CleanEventText(value);
    const std::size_t more = clean_key.size() + clean_value.size();
    if (taken == kMaxAnnotations || size + more > kMaxDriverEvent) continue;
    event.details[std::move(clean_key)] = std::move(clean_value);
    size += more;
    ++taken;
  }
  const std::size_t dropped = annotations.size() - taken;
  if (dropped == 0) return event;
  return std::move(event).With(event_key::kDroppedAnnotations, std::to_string(dropped));
}

TaskEvent ProgressEventOf(const TaskProgress& progress) {
  const std::string phase = First(progress.phase, "Working");
  std::string amount = AmountText(progress);
  if (!progress.text.empty()) amount += (amount.empty() ? "" : ", ") + progress.text;
  return TaskEvent(event_type::kDriver)
      .With(event_key::kDriverMessage, amount.empty() ? phase : phase + ": " + amount)
      .With(event_key::kProgressPhase, phase)
      .With(event_key::kProgressDone, std::to_string(progress.done))
      .With(event_key::kProgressTotal,
            progress.total == 0 ? std::string() : std::to_string(progress.total))
      .With(event_key::kProgressUnit, progress.unit);
}

bool IsProgress(const TaskEvent& event) {
  return event.details.find(event_key::kProgressPhase) != event.details.end();
}

std::string CleanEventText(std::string_view text) {
  std::string clean;
  while (!text.empty()) {
    std::size_t length = FirstCharacter(text).length;
    std::string piece;
    if (length == 0) {
      piece = kReplacement;
      length = 1;
    } else if (const auto c = static_cast<unsigned char>(text[0]);
               (c < 0x20 && c != '\n' && c != '\t') || c == 0x7f) {
      piece = Escaped(c);
    } else {
      piece = text.substr(0, length);
    }
    if (clean.size() + piece.size() > kMaxText - 3) {
      clean += "...";
      break;
    }
    clean += piece;
    text.remove_prefix(length);
  }
  return clean;
}

}  // namespace drover
