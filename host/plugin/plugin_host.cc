// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/plugin/plugin_host.h"

#include <algorithm>
#include <string_view>

#include "drover/drover_command.h"
#include "drover/drover_process2.h"
#include "drover/drover_progress.h"
#include "drover/drover_task_env.h"
#include "drover/drover_task_place.h"
#include "host/abi/abi_text.h"
#include "host/abi/abi_write.h"
#include "host/plugin/host_process.h"
#include "host/plugin/named/host_process2.h"
#include "host/plugin/progress/progress_service.h"
#include "host/plugin/run/task_env_service.h"
#include "host/plugin/run/task_place_service.h"
#include "host/plugin/traced.h"

namespace drover {

// The object behind the table pointer that a driver gets. It derives from the function table, so a
// pointer to the table is also a pointer to this object.
struct PluginHost::Face : drover_host {
  // The members are set once, before the driver gets the table.
  std::weak_ptr<PluginHost> owner;
  PluginNode node;
  drover_node_info node_info{};  // points into NODE
};

namespace {

constexpr std::size_t kMaxLogLine = 8u << 10;

Error HostGone() { return Error(Code::kUnavailable, "the host has shut this driver down"); }

void Complete(const drover_host* face, std::uint64_t id, const drover_error* error,
              const void* result) {
  if (const auto host = PluginHost::From(face)) host->calls().Complete(id, error, result);
}

std::int32_t CallIsCancelled(const drover_host* face, std::uint64_t id) {
  const auto host = PluginHost::From(face);
  return !host || host->calls().IsCancelled(id) ? 1 : 0;
}

std::int32_t CallCancelFd(const drover_host* face, std::uint64_t id, drover_fd* out,
                          drover_error* error) {
  const auto host = PluginHost::From(face);
  Result<UniqueFd> fd = host ? host->calls().CancelFd(id) : Result<UniqueFd>(HostGone());
  if (fd.ok() && out == nullptr) fd = Error(Code::kInvalidArgument, "there is no place for the fd");
  if (!fd.ok()) {
    WriteError(fd.error(), error);
    return static_cast<std::int32_t>(fd.code());
  }
  *out = {fd->Release(), DROVER_FD_GIVEN};
  return DROVER_OK;
}

std::int32_t StreamSend(const drover_host* face, std::uint64_t id, const drover_message* message) {
  const auto host = PluginHost::From(face);
  return host ? host->streams().Send(id, message) : 1;
}

void StreamEnd(const drover_host* face, std::uint64_t id, const drover_error* error) {
  if (const auto host = PluginHost::From(face)) host->streams().End(id, error);
}

void WriteLog(const drover_host* face, std::int32_t level, const drover_run_id* run,
              drover_str message) {
  const auto host = PluginHost::From(face);
  if (!host || message.data == nullptr) return;
  if (level < DROVER_LOG_TRACE || level > DROVER_LOG_ERROR) level = DROVER_LOG_INFO;
  std::string text = SafeText(std::string_view(message.data, message.size), kMaxLogLine);
  for (char& c : text) c = c == '\n' ? ' ' : c;  // the message must stay on one line
  RunId id;
  if (run != nullptr) std::copy(std::begin(run->bytes), std::end(run->bytes), id.bytes.begin());
  host->Log(static_cast<PluginLogLevel>(level), text, run != nullptr ? &id : nullptr);
}

std::uint64_t TimerAfter(const drover_host* face, std::int64_t delay, void (*function)(void*),
                         void* context) {
  const auto host = PluginHost::From(face);
  if (!host || function == nullptr) return NextPluginId();
  constexpr Duration kLongest = std::chrono::hours(24 * 365);
  const Duration after = std::clamp(Duration(delay), Duration(0), kLongest);
  return host->timers().After(after + host->limits().timer_lag, function, context);
}

std::int32_t TimerCancel(const drover_host* face, std::uint64_t id) {
  const auto host = PluginHost::From(face);
  return host && host->timers().Cancel(id) ? 1 : 0;
}

const drover_node_info* GetNode(const drover_host* face) { return PluginHost::NodeInfoOf(face); }

std::int32_t MakeDirectories(const drover_host* face, drover_error* error) {
  const Status made = MakePluginDirectories(PluginHost::NodeOf(face));
  return made.ok() ? DROVER_OK : Refuse(made.error(), error);
}

const drover_diag_log kDiagLog = {sizeof(drover_diag_log), 0,
                                  Traced<"diag-log.write", WriteLog>::Call};
const drover_timer kTimer = {sizeof(drover_timer), 0, Traced<"timer.after", TimerAfter>::Call,
                             Traced<"timer.cancel", TimerCancel>::Call};
const drover_node kNode = {sizeof(drover_node), 0, Traced<"node.get", GetNode>::Call,
                           Traced<"node.make_directories", MakeDirectories>::Call};

const void* GetExtension(const drover_host* face, drover_str id) {
  const auto host = PluginHost::From(face);
  if (!host || id.data == nullptr) return nullptr;
  const std::string_view name(id.data, id.size);
  if (name == DROVER_DIAG_LOG_ID) return &kDiagLog;
  if (name == DROVER_TIMER_ID) return &kTimer;
  if (name == DROVER_COMMAND_ID) return CommandExtension();
  if (name == DROVER_NODE_ID) {
    return PluginHost::NodeOf(face).directory.empty() ? nullptr : &kNode;
  }
  if (name == DROVER_PROGRESS_ID) return ProgressExtension();
  if (name == DROVER_TASK_ENV_ID) return TaskEnvExtension();
  if (host->processes() == nullptr) return nullptr;
  if (name == DROVER_PROCESS_ID) return ProcessExtension();
  if (name == DROVER_PROCESS2_ID) return NamedProcessExtension();
  if (name == DROVER_TASK_OUTPUT_ID) return TaskOutputExtension();
  if (name == DROVER_TASK_PLACE_ID) return TaskPlaceExtension();
  return nullptr;
}

}  // namespace

std::shared_ptr<PluginHost> PluginHost::Make(Parts parts) {
  auto host = std::make_shared<PluginHost>(std::move(parts));
  host->face_->owner = host;
  // The static list keeps the table reachable for ever: a driver's thread may use it until the
  // process ends.
  static auto* const faces = new std::vector<Face*>;
  faces->push_back(host->face_);
  return host;
}

PluginHost::PluginHost(Parts parts)
    : parts_(std::move(parts)),
      port_(std::make_shared<LoopPort>(parts_.loop)),
      pool_(parts_.loop, port_, parts_.limits.threads, parts_.limits.written_off_threads,
            parts_.pool_changed),
      calls_(
          port_, [this](const std::string& what) { Log(PluginLogLevel::kWarn, what); },
          parts_.plugin),
      streams_(std::make_shared<StreamTable>(
          port_, [this](const std::string& what) { Log(PluginLogLevel::kWarn, what); })),
      timers_(std::make_shared<TimerTable>(parts_.loop, port_, &pool_, parts_.limits.hold)),
      progress_(std::make_shared<ProgressTable>(parts_.loop, port_, &calls_)),
      commands_(parts_.loop),
      services_context_(parts_.loop),
      services_(parts_.loop) {
  face_ = new Face;
  face_->node = parts_.node;
  face_->node_info = ToNodeInfo(face_->node);
  static_cast<drover_host&>(*face_) = {
      sizeof(drover_host),
      DROVER_ABI_MINOR,
      Traced<"get_extension", GetExtension>::Call,
      Complete,  // traced by the call table, which knows the verb
      Traced<"call_is_cancelled", CallIsCancelled>::Call,
      Traced<"call_cancel_fd", CallCancelFd>::Call,
      Traced<"stream_send", StreamSend>::Call,
      Traced<"stream_end", StreamEnd>::Call,
  };
}

const drover_host* PluginHost::face() const { return face_; }

std::shared_ptr<PluginHost> PluginHost::From(const drover_host* face) {
  if (face == nullptr) return nullptr;
  return static_cast<const Face*>(face)->owner.lock();
}

const PluginNode& PluginHost::NodeOf(const drover_host* face) {
  return static_cast<const Face*>(face)->node;
}

const drover_node_info* PluginHost::NodeInfoOf(const drover_host* face) {
  return &static_cast<const Face*>(face)->node_info;
}

void PluginHost::Log(PluginLogLevel level, const std::string& message, const RunId* run) const {
  if (parts_.log) parts_.log(level, parts_.plugin, run, message);
}

PluginHost::Run* PluginHost::FindRun(const RunId& run) {
  const auto found = runs_.find(run);
  return found == runs_.end() ? nullptr : &found->second;
}

Co<void> PluginHost::CloseServices() {
  services_context_.CancelWith(HostGone());
  co_await services_.Close();
}

Co<void> PluginHost::Close(TimePoint deadline) {
  timers_->Close();
  progress_->Close();
  co_await pool_.Close(deadline);
  calls_.EndAll(HostGone());
  port_->Close();
}

}  // namespace drover
