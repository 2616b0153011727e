// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "host/base/text.h"
#include "host/job_restart/restart_plan.h"
#include "host/spec/job_fields.h"
#include "host/spec/strict_json.h"

namespace drover {
namespace {

using nlohmann::json;

constexpr std::size_t kMostNames = 100;  // of groups and of tasks
constexpr Duration kLongestWait = std::chrono::hours(24 * 7);

Error Wrong(const std::string& field, const std::string& why) {
  return Error(Code::kInvalidArgument, "/" + field + ": " + why);
}

Status ReadBatchSize(const json& value, RestartRequest* request) {
  std::optional<int> number;
  bool percent = false;
  if (value.is_number_integer()) {
    number = ParseNumber<int>(value.dump());
  } else if (value.is_string()) {
    std::string_view text = value.get_ref<const std::string&>();
    percent = text.ends_with('%');
    if (percent) text.remove_suffix(1);
    number = ParseNumber<int>(text);
  }
  if (!number || *number < 1 || (percent && *number > 100)) {
    return Wrong("BatchSize", JsonText(value) +
                                  " is neither a number of 1 or more, nor a percentage "
                                  "from \"1%\" to \"100%\"");
  }
  (percent ? request->percent : request->restart.batch_size) = *number;
  return {};
}

Status ReadFlag(const std::string& name, const json& value, bool* flag) {
  if (!value.is_boolean()) return Wrong(name, "must be true or false");
  *flag = value.get<bool>();
  return {};
}

Status ReadNames(const std::string& name, const json& value, std::vector<std::string>* names) {
  const bool texts = value.is_array() && value.size() <= kMostNames &&
                     std::ranges::all_of(value, [](const json& one) { return one.is_string(); });
  if (!texts) {
    return Wrong(name, "must be a list of at most " + std::to_string(kMostNames) + " names");
  }
  for (const json& one : value) names->push_back(one.get<std::string>());
  std::ranges::sort(*names);
  names->erase(std::ranges::unique(*names).begin(), names->end());
  return {};
}

Status ReadMember(const std::string& name, const json& value, RestartRequest* request) {
  JobRestart& restart = request->restart;
  if (name == "BatchSize") return ReadBatchSize(value, request);
  if (name == "BatchWait") {
    const bool right = ReadJsonDuration(value, &restart.batch_wait) && restart.batch_wait >= 0s &&
                       restart.batch_wait <= kLongestWait;
    if (!right) return Wrong(name, "must be a duration from 0 to 168h, as \"30s\" or nanoseconds");
    return {};
  }
  if (name == "OnError") {
    if (value != "fail" && value != "ignore") return Wrong(name, R"(must be "fail" or "ignore")");
    restart.ignore_errors = value == "ignore";
    return {};
  }
  if (name == "AllTasks") return ReadFlag(name, value, &restart.all_tasks);
  if (name == "Reschedule") return ReadFlag(name, value, &restart.reschedule);
  if (name == "NoShutdownDelay") return ReadFlag(name, value, &restart.no_shutdown_delay);
  if (name == "Groups") return ReadNames(name, value, &restart.groups);
  if (name == "Tasks") return ReadNames(name, value, &restart.tasks);
  return Wrong(name.substr(0, 100),
               "is not known; known are BatchSize, BatchWait, OnError, AllTasks, Reschedule, "
               "NoShutdownDelay, Groups and Tasks");
}

}  // namespace

Result<RestartRequest> ReadRestartRequest(const json& body) {
  RestartRequest request;
  if (!body.is_object()) {
    return Error(Code::kInvalidArgument, "the body must be an object, such as {\"BatchSize\": 1}");
  }
  for (const auto& [name, value] : body.items()) {
    if (!value.is_null()) DROVER_TRY(ReadMember(name, value, &request));
  }
  const JobRestart& restart = request.restart;
  if (!restart.tasks.empty() && restart.all_tasks) {
    return Wrong("Tasks", "names tasks, while AllTasks means all of them: leave one of them out");
  }
  if (restart.reschedule && (restart.all_tasks || !restart.tasks.empty())) {
    return Wrong("Reschedule",
                 "replaces whole allocations: leave Tasks and AllTasks out, or Reschedule");
  }
  return request;
}

}  // namespace drover
