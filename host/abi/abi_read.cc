// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/abi/abi_read.h"

#include "host/abi/abi_names.h"
#include "host/abi/abi_text.h"
#include "host/abi/abi_usage.h"

namespace drover {
namespace {

Result<drover_str> Checked(drover_str text) {
  if (text.data == nullptr && text.size > 0) {
    return Error(Code::kInternal, "a text of " + std::to_string(text.size) + " bytes has no data");
  }
  return text;
}

Result<TaskHandle> ReadHandle(const drover_task_handle* from) {
  DROVER_ASSIGN(const drover_task_handle raw, CopyStruct(from));
  TaskHandle handle;  // the caller sets driver and driver_version
  handle.format_version = raw.format_version;
  DROVER_ASSIGN(handle.state, ReadBytes(raw.state, kMaxState));
  return handle;
}

Result<DriverNetwork> ReadNetwork(const drover_driver_network* from) {
  DROVER_ASSIGN(const drover_driver_network raw, CopyStruct(from));
  DriverNetwork network;
  network.auto_advertise = raw.auto_advertise != 0;
  DROVER_ASSIGN(network.ip, ReadText(raw.ip));
  DROVER_TRY(ReadArray<drover_port>(raw.ports, offsetof(drover_port, label) + sizeof(drover_str),
                                    [&](const drover_port* at) -> Status {
                                      DROVER_ASSIGN(const drover_port port, CopyStruct(at));
                                      DROVER_ASSIGN(std::string label, ReadText(port.label));
                                      network.port_map[std::move(label)] = port.value;
                                      return {};
                                    }));
  return network;
}

Result<ResourceUsage> ReadUsage(const drover_usage* from, int* pid) {
  DROVER_ASSIGN(const drover_usage raw, CopyStruct(from));
  ResourceUsage usage;
  *pid = raw.pid;
  const StatSet measured(raw.measured);
  ForEachStat(&usage, &raw, [&](Stat stat, auto& to, auto value) {
    // A NaN or a negative value counts as not measured. A NaN would make the JSON of the API
    // invalid.
    if (!measured.Has(stat) || !(value >= 0)) return;
    to = value;
    usage.measured.Add(stat);
  });
  return usage;
}

}  // namespace

Result<std::string> ReadText(drover_str text) {
  DROVER_ASSIGN(const drover_str checked, Checked(text));
  return SafeText(std::string_view(checked.data, checked.size), kMaxText);
}

Result<std::string> ReadBytes(drover_str bytes, std::size_t limit) {
  DROVER_ASSIGN(const drover_str checked, Checked(bytes));
  if (checked.size > limit) {
    return Error(Code::kInternal, "a text of " + std::to_string(checked.size) +
                                      " bytes is longer than the " + std::to_string(limit) +
                                      " that are allowed");
  }
  return std::string(checked.data, checked.size);
}

Result<StringMap> ReadPairs(drover_array pairs) {
  StringMap map;
  DROVER_TRY(
      ReadArray<drover_pair>(pairs, sizeof(drover_pair), [&](const drover_pair* pair) -> Status {
        DROVER_ASSIGN(std::string key, ReadText(pair->key));
        DROVER_ASSIGN(map[std::move(key)], ReadText(pair->value));
        return {};
      }));
  return map;
}

RunId ReadRunId(const drover_run_id& from) {
  RunId run;
  std::copy(std::begin(from.bytes), std::end(from.bytes), run.bytes.begin());
  return run;
}

Error ReadError(std::int32_t status, const drover_error* error) {
  Code code = Code::kInternal;
  bool recoverable = false;
  std::string message;
  if (error != nullptr) {
    std::uint32_t size = 0;
    std::memcpy(&size, error, sizeof size);
    constexpr std::size_t kHead = offsetof(drover_error, message);
    if (size >= kHead && size <= kMaxStruct) {
      if (status == DROVER_OK) status = error->code;
      recoverable = (error->flags & DROVER_ERROR_RECOVERABLE) != 0;
      const std::size_t room = std::min<std::size_t>(size - kHead, DROVER_ERROR_MESSAGE_MAX);
      const std::string_view text(error->message, std::min<std::size_t>(error->message_size, room));
      // A driver in C may give the size of its buffer.
      message = SafeText(text.substr(0, text.find('\0')), DROVER_ERROR_MESSAGE_MAX);
    }
  }
  if (status >= DROVER_E_INTERNAL && status <= DROVER_E_RESOURCE_EXHAUSTED) {
    code = static_cast<Code>(status);
  } else {
    const std::string unknown = "(unknown code " + std::to_string(status) + ")";
    // On its way out of a container, an error is read more than once.
    if (!message.ends_with(unknown)) message += (message.empty() ? "" : " ") + unknown;
  }
  while (!message.empty() && (message.back() == '\n' || message.back() == '.')) message.pop_back();
  if (message.empty()) message = std::string("the driver says only: ") + CodeName(code).data();
  return Error(code, std::move(message), recoverable);
}

Result<PluginInfo> ReadInfo(const drover_info* from) {
  DROVER_ASSIGN(const drover_info raw, CopyStruct(from));
  PluginInfo info;
  const auto text = [](drover_str in, const char* what, std::size_t limit) -> Result<std::string> {
    Result<std::string> bytes = ReadBytes(in, limit);
    if (!bytes.ok()) return bytes.error().WithContext(std::string("its info: ") + what);
    if (!IsUtf8(*bytes)) {
      return Error(Code::kInvalidArgument, std::string("its info: ") + what + " is no UTF-8");
    }
    return bytes;
  };
  DROVER_ASSIGN(info.name, text(raw.name, "name", 1024));
  DROVER_ASSIGN(info.version, text(raw.version, "version", 1024));
  DROVER_ASSIGN(info.config_schema, text(raw.config_schema, "config_schema", kMaxSchema));
  DROVER_ASSIGN(info.task_config_schema,
                text(raw.task_config_schema, "task_config_schema", kMaxSchema));
  if (!IsDriverName(info.name)) {
    return Error(Code::kInvalidArgument,
                 "its info names the driver \"" + SafeText(info.name, 100) +
                     "\": use lower case letters, digits, '_' and '-', at most 63");
  }
  if (!IsPlainText(info.version) || info.version.size() > 63) {
    return Error(Code::kInvalidArgument, "its info has no usable version");
  }
  if (raw.fs_isolation < DROVER_FS_NONE || raw.fs_isolation > DROVER_FS_IMAGE) {
    return Error(Code::kInvalidArgument,
                 "its info has the unknown fs_isolation " + std::to_string(raw.fs_isolation));
  }
  info.fs_isolation = static_cast<FsIsolation>(raw.fs_isolation);
  info.offers = raw.offers & kKnownOffers;
  info.needs = raw.needs;
  return info;
}

Result<ExitResult> ReadExitResult(const drover_exit_result* from) {
  DROVER_ASSIGN(const drover_exit_result raw, CopyStruct(from));
  ExitResult result;
  result.exit_code = raw.exit_code;
  result.signal = raw.signal;
  result.oom_killed = raw.oom_killed != 0;
  DROVER_ASSIGN(result.error, ReadText(raw.error));
  return result;
}

Result<StartedTask> ReadStarted(const drover_start_result* from) {
  DROVER_ASSIGN(const drover_start_result raw, CopyStruct(from));
  StartedTask started;
  if (raw.handle == nullptr) {
    return Error(Code::kInternal, "it started the task but gave no handle");
  }
  DROVER_ASSIGN(started.handle, ReadHandle(raw.handle));
  if (raw.network != nullptr) {
    DROVER_ASSIGN(started.network, ReadNetwork(raw.network));
  }
  return started;
}

Result<RecoveredTask> ReadRecovered(const drover_recover_result* from) {
  DROVER_ASSIGN(const drover_recover_result raw, CopyStruct(from));
  RecoveredTask recovered;
  if (raw.handle != nullptr) {
    DROVER_ASSIGN(recovered.handle, ReadHandle(raw.handle));
    recovered.handle.driver = kNewHandle;
  }
  if (raw.state == DROVER_TASK_EXITED) {
    if (raw.exit_result == nullptr) {
      return Error(Code::kInternal, "it recovered a task that has ended, without its result");
    }
    DROVER_ASSIGN(recovered.exited, ReadExitResult(raw.exit_result));
  } else if (raw.state != DROVER_TASK_RUNNING) {
    return Error(Code::kInternal,
                 "it recovered a task in the unknown state " + std::to_string(raw.state));
  }
  return recovered;
}

Result<TaskStatus> ReadStatus(const drover_task_status* from) {
  DROVER_ASSIGN(const drover_task_status raw, CopyStruct(from));
  if (raw.state < DROVER_TASK_UNKNOWN || raw.state > DROVER_TASK_EXITED) {
    return Error(Code::kInternal, "unknown task state " + std::to_string(raw.state));
  }
  TaskStatus status;
  status.state = static_cast<TaskState>(raw.state);
  status.started_at = raw.started_at;
  status.completed_at = raw.completed_at;
  if (raw.exit_result != nullptr) {
    DROVER_ASSIGN(status.exit_result, ReadExitResult(raw.exit_result));
  }
  DROVER_ASSIGN(status.attributes, ReadPairs(raw.attributes));
  return status;
}

Result<Fingerprint> ReadFingerprint(const drover_fingerprint* from) {
  DROVER_ASSIGN(const drover_fingerprint raw, CopyStruct(from));
  if (raw.health < DROVER_UNDETECTED || raw.health > DROVER_HEALTHY) {
    return Error(Code::kInternal, "unknown health " + std::to_string(raw.health));
  }
  Fingerprint fingerprint;
  fingerprint.health = static_cast<Health>(raw.health);
  DROVER_ASSIGN(fingerprint.description, ReadText(raw.description));
  DROVER_ASSIGN(fingerprint.attributes, ReadPairs(raw.attributes));
  return fingerprint;
}

Result<DriverEvent> ReadEvent(const drover_event* from) {
  DROVER_ASSIGN(const drover_event raw, CopyStruct(from));
  DriverEvent event;
  event.run_id = ReadRunId(raw.run_id);
  DROVER_ASSIGN(event.message, ReadText(raw.message));
  DROVER_ASSIGN(event.annotations, ReadPairs(raw.annotations));
  return event;
}

Result<TaskNews> ReadNews(const drover_task_news* from) {
  DROVER_ASSIGN(const drover_task_news raw, CopyStruct(from));
  TaskNews news;
  news.run_id = ReadRunId(raw.run_id);
  if (raw.health < DROVER_UNDETECTED || raw.health > DROVER_HEALTHY) {
    return Error(Code::kInternal, "unknown health " + std::to_string(raw.health));
  }
  if (raw.health != DROVER_UNDETECTED) news.what.healthy = raw.health == DROVER_HEALTHY;
  if (raw.paused < DROVER_NEWS_SAME || raw.paused > DROVER_NEWS_RESUMED) {
    return Error(Code::kInternal, "unknown state of a pause " + std::to_string(raw.paused));
  }
  if (raw.paused != DROVER_NEWS_SAME) news.what.paused = raw.paused == DROVER_NEWS_PAUSED;
  if (raw.handle != nullptr) {
    DROVER_ASSIGN(news.what.handle, ReadHandle(raw.handle));
  }
  if (raw.network != nullptr) {
    DROVER_ASSIGN(news.what.network, ReadNetwork(raw.network));
    if (news.what.network->port_map.size() > DROVER_NEWS_PORTS) {
      return Error(Code::kInternal,
                   "a network with more than " + std::to_string(DROVER_NEWS_PORTS) + " ports");
    }
  }
  DROVER_ASSIGN(std::string text, ReadText(raw.text));
  text = SafeText(text, DROVER_NEWS_TEXT);
  std::replace(text.begin(), text.end(), '\n', ' ');
  if (!text.empty()) news.what.texts.push_back(std::move(text));
  return news;
}

Result<TaskUsage> ReadStats(const drover_stats* from) {
  DROVER_ASSIGN(const drover_stats raw, CopyStruct(from));
  TaskUsage usage;
  usage.timestamp = raw.timestamp;
  int pid = 0;
  if (raw.total != nullptr) {
    DROVER_ASSIGN(usage.total, ReadUsage(raw.total, &pid));
  }
  DROVER_TRY(ReadArray<drover_usage>(raw.processes, offsetof(drover_usage, rss),
                                     [&](const drover_usage* at) -> Status {
                                       DROVER_ASSIGN(ResourceUsage process, ReadUsage(at, &pid));
                                       usage.pids[pid] = std::move(process);
                                       return {};
                                     }));
  return usage;
}

}  // namespace drover
