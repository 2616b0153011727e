// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/abi/hook_values.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "host/abi/abi_read.h"
#include "host/abi/abi_text.h"
#include "host/abi/abi_write.h"

namespace drover {
namespace {

// What one answer may have.
constexpr std::size_t kMostVariables = 1024;
constexpr std::size_t kMostEnvBytes = 256u << 10;
constexpr std::size_t kMostPlaces = 128;  // mounts, and devices
constexpr std::size_t kMostPath = 4096;
constexpr std::size_t kMostDataBytes = 64u << 10;  // names included
constexpr std::size_t kMostEvent = 1024;

std::vector<drover_pair> Pairs(const StringMap& map) {
  std::vector<drover_pair> pairs;
  pairs.reserve(map.size());
  for (const auto& [key, value] : map) pairs.push_back({ToStr(key), ToStr(value)});
  return pairs;
}

// The members of PluginHookRequest that are texts, each with its member in the C header.
constexpr std::pair<std::string PluginHookRequest::*, drover_str drover_hook_args::*> kTexts[] = {
    {&PluginHookRequest::alloc_id, &drover_hook_args::alloc_id},
    {&PluginHookRequest::task_name, &drover_hook_args::task_name},
    {&PluginHookRequest::alloc_name, &drover_hook_args::alloc_name},
    {&PluginHookRequest::job_id, &drover_hook_args::job_id},
    {&PluginHookRequest::job_namespace, &drover_hook_args::job_namespace},
    {&PluginHookRequest::group_name, &drover_hook_args::group_name},
    {&PluginHookRequest::node_id, &drover_hook_args::node_id},
    {&PluginHookRequest::node_name, &drover_hook_args::node_name},
    {&PluginHookRequest::driver, &drover_hook_args::driver},
    {&PluginHookRequest::user, &drover_hook_args::user},
    {&PluginHookRequest::alloc_dir, &drover_hook_args::alloc_dir},
    {&PluginHookRequest::task_dir, &drover_hook_args::task_dir},
    {&PluginHookRequest::local_dir, &drover_hook_args::local_dir},
    {&PluginHookRequest::secrets_dir, &drover_hook_args::secrets_dir},
    {&PluginHookRequest::log_dir, &drover_hook_args::log_dir},
};

Error Bad(std::string what) { return Error(Code::kInternal, std::move(what)); }

// A text of the plugin for an error.
std::string Shown(std::string_view text) { return "\"" + SafeText(text, 100) + "\""; }

bool HasNul(std::string_view text) { return text.find('\0') != std::string_view::npos; }

bool IsVariable(std::string_view name) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  const auto fits = [&](char c) { return letter(c) || (c >= '0' && c <= '9'); };
  return !name.empty() && letter(name[0]) && std::all_of(name.begin(), name.end(), fits);
}

// Reads pairs whose texts are not changed: a secret that is cut or mended is no secret any more.
Result<StringMap> ReadExactly(const drover_array& from, const char* what, std::size_t most_pairs,
                              std::size_t most_bytes) {
  if (from.count > most_pairs) {
    return Bad(std::to_string(from.count) + " " + what + ": at most " + std::to_string(most_pairs) +
               " are allowed");
  }
  StringMap map;
  std::size_t bytes = 0;
  DROVER_TRY(
      ReadArray<drover_pair>(from, sizeof(drover_pair), [&](const drover_pair* at) -> Status {
        DROVER_ASSIGN(std::string key, ReadBytes(at->key, most_bytes));
        DROVER_ASSIGN(std::string value, ReadBytes(at->value, most_bytes));
        bytes += key.size() + value.size();
        if (bytes > most_bytes) {
          return Bad(std::string("its ") + what + " have more than " +
                     std::to_string(most_bytes >> 10) + " KiB");
        }
        if (!IsUtf8(key) || !IsUtf8(value) || HasNul(key) || HasNul(value)) {
          return Bad(std::string("its ") + what + ": " + Shown(key) + " is no text in UTF-8");
        }
        if (!map.emplace(key, std::move(value)).second) {
          return Bad(std::string("its ") + what + ": " + Shown(key) + " is there twice");
        }
        return {};
      }));
  return map;
}

Result<StringMap> ReadVariables(const drover_array& from) {
  DROVER_ASSIGN(StringMap env, ReadExactly(from, "variables", kMostVariables, kMostEnvBytes));
  for (const auto& [name, value] : env) {
    if (!IsVariable(name)) return Bad(Shown(name) + " is no name of a variable");
    if (name.starts_with("NOMAD_")) {
      return Bad("the variable " + Shown(name) + " belongs to the host");
    }
  }
  return env;
}

Result<std::string> ReadPath(drover_str from, const char* what) {
  DROVER_ASSIGN(std::string path, ReadBytes(from, kMostPath - 1));
  const std::string whole = path + "/";
  const bool fits = path.starts_with('/') && IsPlainText(path) &&
                    whole.find("/../") == std::string::npos &&
                    whole.find("/./") == std::string::npos;
  if (fits) return path;
  return Bad(std::string(what) + " " + Shown(path) + " is no absolute path without \"..\"");
}

Result<TaskMount> ReadMount(const drover_mount* from) {
  DROVER_ASSIGN(const drover_mount raw, CopyStruct(from));
  TaskMount mount;
  DROVER_ASSIGN(mount.task_path, ReadPath(raw.task_path, "the task_path of a mount"));
  DROVER_ASSIGN(mount.host_path, ReadPath(raw.host_path, "the host_path of a mount"));
  if (mount.task_path.find_first_not_of('/') == std::string::npos) {
    return Bad("a mount has the root of the task as its task_path");
  }
  mount.read_only = raw.read_only != 0;
  DROVER_ASSIGN(mount.propagation, ReadBytes(raw.propagation, 64));
  constexpr std::string_view kKnown[] = {"", "private", "host-to-task", "bidirectional"};
  if (std::find(std::begin(kKnown), std::end(kKnown), mount.propagation) == std::end(kKnown)) {
    return Bad("the propagation " + Shown(mount.propagation) + " of a mount is not known");
  }
  mount.no_links = true;
  return mount;
}

// Whether TEXT is some of the letters "rwm", each at most once.
bool ArePermissions(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (std::string_view("rwm").find(text[i]) == std::string_view::npos) return false;
    if (text.find(text[i], i + 1) != std::string_view::npos) return false;
  }
  return !text.empty();
}

Result<TaskDevice> ReadDevice(const drover_device* from) {
  DROVER_ASSIGN(const drover_device raw, CopyStruct(from));
  TaskDevice device;
  DROVER_ASSIGN(device.task_path, ReadPath(raw.task_path, "the task_path of a device"));
  DROVER_ASSIGN(device.host_path, ReadPath(raw.host_path, "the host_path of a device"));
  DROVER_ASSIGN(device.permissions, ReadBytes(raw.permissions, 64));
  if (ArePermissions(device.permissions)) return device;
  return Bad("the permissions " + Shown(device.permissions) + " of a device are no letters of rwm");
}

Status CheckCount(std::size_t count, const char* what) {
  if (count <= kMostPlaces) return {};
  return Bad(std::to_string(count) + " " + what + ": at most " + std::to_string(kMostPlaces) +
             " are allowed");
}

}  // namespace

HookArgsView::HookArgsView(std::shared_ptr<const PluginHookRequest> request)
    : request_(std::move(request)),
      meta_(Pairs(request_->meta)),
      data_(Pairs(request_->data)),
      exited_(NewStruct<drover_exit_result>()),
      view_(NewStruct<drover_hook_args>()) {
  view_.stage = static_cast<std::int32_t>(request_->stage);
  for (const auto& [text, to] : kTexts) view_.*to = ToStr((*request_).*text);
  view_.meta = ToArray(meta_);
  view_.data = ToArray(data_);
  if (request_->run) view_.run_id = ToRunId(*request_->run);
  if (!request_->exited) return;
  exited_.exit_code = request_->exited->exit_code;
  exited_.signal = request_->exited->signal;
  exited_.oom_killed = request_->exited->oom_killed ? 1 : 0;
  exited_.error = ToStr(request_->exited->error);
  view_.exit_result = &exited_;
}

Result<PluginHookAnswer> ReadHookAnswer(const drover_hook_result* from) {
  // A hook that has nothing to say may complete its call without a result.
  if (from == nullptr) return PluginHookAnswer();
  DROVER_ASSIGN(const drover_hook_result raw, CopyStruct(from));
  PluginHookAnswer answer;
  DROVER_ASSIGN(answer.env, ReadVariables(raw.env));
  DROVER_TRY(CheckCount(raw.mounts.count, "mounts"));
  DROVER_TRY(ReadArray<drover_mount>(raw.mounts,
                                     offsetof(drover_mount, propagation) + sizeof(drover_str),
                                     [&](const drover_mount* at) -> Status {
                                       DROVER_ASSIGN(TaskMount mount, ReadMount(at));
                                       answer.mounts.push_back(std::move(mount));
                                       return {};
                                     }));
  DROVER_TRY(CheckCount(raw.devices.count, "devices"));
  DROVER_TRY(ReadArray<drover_device>(raw.devices,
                                      offsetof(drover_device, permissions) + sizeof(drover_str),
                                      [&](const drover_device* at) -> Status {
                                        DROVER_ASSIGN(TaskDevice device, ReadDevice(at));
                                        answer.devices.push_back(std::move(device));
                                        return {};
                                      }));
  if (raw.keeps_data != 0) {
    DROVER_ASSIGN(answer.data, ReadExactly(raw.data, "data", kMostVariables, kMostDataBytes));
  } else if (raw.data.count > 0) {
    return Bad("it has data, but keeps_data is 0");
  }
  DROVER_ASSIGN(answer.event, ReadText(raw.event));
  answer.event = SafeText(answer.event, kMostEvent);
  std::replace(answer.event.begin(), answer.event.end(), '\n', ' ');
  return answer;
}

Status CheckHookAnswer(const PluginHookAnswer& answer, PluginHookStage stage) {
  if (stage == PluginHookStage::kPrestart) return {};
  if (answer.env.empty() && answer.mounts.empty() && answer.devices.empty()) return {};
  return Bad("only prestart may answer variables, mounts and devices");
}

}  // namespace drover
