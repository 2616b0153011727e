// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/change_commands/restart_options.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "host/base/text.h"

namespace drover {
namespace {

Error Invalid(const std::string& option, const std::string& value, const std::string& why) {
  return Error(Code::kInvalidArgument, "Invalid -" + option + " value \"" + value + "\": " + why);
}

constexpr char kNobody[] = "\"ask\" cannot be used when terminal is not interactive";
constexpr char kDetached[] = "\"ask\" cannot be used with -detach: the agent can ask nobody";

}  // namespace

Status RestartOptions::Read(bool interactive) {
  std::string_view size = batch_size_text;
  percent = size.ends_with('%');
  if (percent) size.remove_suffix(1);
  const std::optional<int> number = ParseNumber<int>(size);
  if (!number || *number < 1 || (percent && *number > 100)) {
    return Invalid("batch-size", batch_size_text,
                   "write a number of 1 or more, or a percentage from 1% to 100%");
  }
  batch_size = *number;
  const bool somebody = interactive || yes;
  asks_between = batch_wait_text == "ask";
  if (asks_between && detach) return Invalid("batch-wait", "ask", kDetached);
  if (asks_between && !somebody) return Invalid("batch-wait", "ask", kNobody);
  if (!asks_between) {
    const Result<Duration> wait = ParseDuration(batch_wait_text);
    if (!wait.ok() || *wait < 0s) {
      return Invalid("batch-wait", batch_wait_text, "write a duration such as 30s, or ask");
    }
    batch_wait = *wait;
  }
  const std::string on_error = !on_error_text.empty() ? on_error_text : detach ? "fail" : "ask";
  if (on_error != "ask" && on_error != "fail") {
    return Invalid("on-error", on_error, "write ask or fail");
  }
  // --on-error=fail means what it says, also with --yes.
  ignores_errors = yes && on_error_text != "fail";
  asks_on_error = on_error == "ask" && !yes;
  if (asks_on_error && detach) return Invalid("on-error", "ask", kDetached);
  if (asks_on_error && !interactive) return Invalid("on-error", "ask", kNobody);
  if (reschedule && (all_tasks || !tasks.empty())) {
    return Error(Code::kInvalidArgument,
                 "-reschedule replaces whole allocations: leave -task and -all-tasks out");
  }
  return {};
}

std::size_t RestartOptions::SizeOfBatch(std::size_t count) const {
  const std::size_t size = static_cast<std::size_t>(batch_size);
  return percent ? std::max<std::size_t>((count * size + 99) / 100, 1) : size;
}

nlohmann::json RestartOptions::Body() const {
  nlohmann::json body = {{"BatchWait", batch_wait.count()},
                         {"OnError", ignores_errors ? "ignore" : "fail"},
                         {"AllTasks", all_tasks},
                         {"Reschedule", reschedule},
                         {"NoShutdownDelay", no_shutdown_delay},
                         {"Groups", groups},
                         {"Tasks", tasks}};
  if (percent) {
    body["BatchSize"] = batch_size_text;
  } else {
    body["BatchSize"] = batch_size;
  }
  return body;
}

}  // namespace drover
