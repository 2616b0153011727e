// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/plugin/loaded_driver.h"

#include "host/abi/abi_names.h"
#include "host/abi/abi_read.h"
#include "host/abi/abi_text.h"
#include "host/abi/abi_write.h"
#include "host/abi/capability_read.h"
#include "host/abi/optional_part.h"
#include "host/base/patience.h"
#include "host/plugin/devices/loaded_devices.h"
#include "host/process/kill_run.h"

namespace drover {
namespace {

template <typename T>
Result<CallValue> AsValue(Result<T> result) {
  if (!result.ok()) return result.error();
  return CallValue(std::move(*result));
}

Result<CallValue> DecodeEmpty(const void*) { return CallValue(); }
Result<CallValue> DecodeStarted(const void* result) {
  return AsValue(ReadStarted(static_cast<const drover_start_result*>(result)));
}
Result<CallValue> DecodeRecovered(const void* result) {
  return AsValue(ReadRecovered(static_cast<const drover_recover_result*>(result)));
}
Result<CallValue> DecodeExit(const void* result) {
  return AsValue(ReadExitResult(static_cast<const drover_exit_result*>(result)));
}
Result<CallValue> DecodeStatus(const void* result) {
  return AsValue(ReadStatus(static_cast<const drover_task_status*>(result)));
}
Result<CallValue> DecodeCapabilities(const void* result) {
  return AsValue(ReadCapabilities(static_cast<const drover_capabilities*>(result)));
}
Result<CallValue> DecodeInstance(const void* result) {
  DROVER_ASSIGN(const drover_create_result raw,
                CopyStruct(static_cast<const drover_create_result*>(result)));
  if (raw.instance == nullptr) return Error(Code::kInternal, "it made no instance");
  CreatedInstance created{raw.instance};
  if (raw.info != nullptr) {
    DROVER_ASSIGN(created.info, ReadInfo(raw.info));
  }
  return CallValue(std::move(created));
}

Status ToStatus(const Result<CallValue>& value) {
  if (!value.ok()) return value.error();
  return {};
}

std::string Joined(const std::vector<std::string>& names) {
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : ",") + name;
  return all;
}

// The capabilities as the attributes of a node show them.
StringMap CapabilityAttributes(const std::string& driver, const DriverCapabilities& of) {
  StringMap out;
  const std::string place = "driver." + driver + ".can.";
  const std::pair<const char*, const DriverCapabilities::Names*> lists[] = {
      {"network_modes", &of.network_modes},
      {"mount_kinds", &of.mount_kinds},
      {"propagations", &of.propagations},
      {"signals", &of.signals}};
  for (const auto& [name, list] : lists) {
    if (*list) out[place + name] = Joined(**list);
  }
  const std::pair<const char*, const DriverCapabilities::Answer*> answers[] = {
      {"users", &of.users},   {"hostname", &of.hostname},
      {"dns", &of.dns},       {"labels", &of.labels},
      {"remote", &of.remote}, {"must_create_network", &of.must_create_network}};
  for (const auto& [name, answer] : answers) {
    if (*answer) out[place + name] = **answer ? "true" : "false";
  }
  if (of.parallel_starts > 0) out[place + "parallel_starts"] = std::to_string(of.parallel_starts);
  return out;
}

PluginHost::Parts HostParts(const LoadedDriver::Parts& parts, std::shared_ptr<Redactor> redactor,
                            std::function<void()> changed) {
  PluginHost::Parts host;
  host.plugin = parts.info.name;
  host.loop = parts.loop;
  host.processes = parts.processes;
  if (parts.log) {
    host.log = [log = parts.log, redactor = std::move(redactor)](
                   PluginLogLevel level, const std::string& plugin, const RunId* run,
                   const std::string& message) {
      log(level, plugin, run, OneLine(redactor->Clean(message)));
    };
  }
  host.limits = parts.limits;
  host.core_mhz = parts.core_mhz;
  host.bind_runs = parts.bind_runs;
  host.node = NodeOfPlugin(parts.node, parts.info.name);
  host.pool_changed = std::move(changed);
  return host;
}

}  // namespace

LoadedDriver::LoadedDriver(Parts parts)
    : container_(std::move(parts.container)),
      info_(parts.info),
      driver_info_(ToDriverInfo(parts.info)),
      task_checker_(parts.task_checker),
      host_(PluginHost::Make(HostParts(parts, redactor_, [this] { UpdateHealth(); }))),
      stuck_(parts.stuck),
      hear_events_(parts.hear_events),
      hear_news_(parts.hear_news),
      first_fingerprint_(parts.loop),
      life_(parts.loop),
      gate_(parts.loop) {
  container_->UsePool(
      [host = std::weak_ptr<PluginHost>(host_)](const char* what, std::function<void()> function) {
        const auto alive = host.lock();
        if (alive) alive->pool().Post({what, std::move(function), alive->limits().hold, false});
      });
  told_.description = "the driver has not reported its health yet";
  fingerprint_ = told_;
}

LoadedDriver::~LoadedDriver() = default;

Co<Status> LoadedDriver::Create(Context context, std::string config_json) {
  DROVER_CO_TRY(context.status());  // checked before Create makes anything that Shutdown must await
  auto config = std::make_shared<const std::string>(std::move(config_json));
  const auto call = NewCall("create", RunId(), DecodeInstance);
  Verb create = [container = container_, host = host_, config](const drover_call* frame,
                                                               drover_error* error) {
    auto args = NewStruct<drover_create_args>();
    args.config = ToStr(*config);
    return container->Create(host->face(), frame, &args, error);
  };
  Result<CallValue> made =
      co_await Call(context, call, limits().create, /*control=*/true, std::move(create));
  if (!made.ok()) {
    if (!call->outcome) late_create_ = call;
    co_return made.error();
  }
  const auto& created = std::get<CreatedInstance>(*made);
  instance_ = created.instance;
  if (created.info) {
    PluginInfo rest = *created.info;
    rest.fs_isolation = info_.fs_isolation;
    rest.offers = info_.offers;
    if (rest != info_) {
      co_return Error(Code::kInternal,
                      "its instance says other things about itself than its "
                      "library, beside fs_isolation and offers");
    }
    driver_info_ = ToDriverInfo(*created.info);
  }

  struct Found {
    const drover_task_stats* stats = nullptr;
    const drover_task_exec* exec = nullptr;
    const drover_device_plugin* devices = nullptr;
    const drover_task_hooks* hooks = nullptr;
    const drover_capable* capable = nullptr;
    const drover_task_pause* pause = nullptr;
    const drover_task_prepare* prepare = nullptr;
    const drover_news_source* news = nullptr;
    Status broken;
  };
  auto found = std::make_shared<Found>();
  Plain ask = [container = container_, self = instance_, found](drover_error* error) {
    const drover_driver* of = container->table();
    const auto take = [&]<typename T>(const T** to, const char* id) {
      const Result<const T*> part = FindPart<T>(of, self, id);
      if (part.ok()) *to = *part;
      if (!part.ok() && found->broken.ok()) found->broken = part.error();
    };
    take(&found->stats, DROVER_TASK_STATS_ID);
    take(&found->exec, DROVER_TASK_EXEC_ID);
    take(&found->devices, DROVER_DEVICE_ID);
    take(&found->hooks, DROVER_TASK_HOOKS_ID);
    take(&found->news, DROVER_TASK_NEWS_ID);
    take(&found->pause, DROVER_TASK_PAUSE_ID);
    take(&found->capable, DROVER_CAPABILITIES_ID);
    take(&found->prepare, DROVER_TASK_PREPARE_ID);
    if (found->broken.ok()) found->broken = container->broken_part();
    if (container->alive()) return DROVER_OK;
    // When the driver's process has ended, the container returns null for every extension. This
    // null does not mean that the driver lacks the extension.
    WriteError(Error(Code::kUnavailable, "it ended in get_extension", /*recoverable=*/true), error);
    return DROVER_E_UNAVAILABLE;
  };
  DROVER_CO_TRY(co_await Invoke(context, "get_extension", RunId(), 0, limits().hold,
                                /*control=*/true, std::move(ask)));
  if (!found->broken.ok()) {
    co_return found->broken.error().WithContext("driver " + info_.name + " is broken");
  }
  if (driver_info_.has_stats) stats_ = found->stats;
  if (driver_info_.can_exec) exec_ = found->exec;
  if (driver_info_.has_stats && stats_ == nullptr) {
    co_return Error(Code::kInternal,
                    "driver " + info_.name + " offers stats but has no " + DROVER_TASK_STATS_ID);
  }
  if (driver_info_.can_exec && exec_ == nullptr) {
    co_return Error(Code::kInternal,
                    "driver " + info_.name + " offers exec but has no " + DROVER_TASK_EXEC_ID);
  }
  prepare_ = found->prepare;
  // The bits of the library count, since they decide which tasks have which hooks.
  driver_info_.hook_stages = ToDriverInfo(info_).hook_stages;
  driver_info_.only_task_hooks = ToDriverInfo(info_).only_task_hooks;
  if (driver_info_.hook_stages != 0) hooks_ = found->hooks;
  if (driver_info_.hook_stages != 0 && hooks_ == nullptr) {
    co_return Error(Code::kInternal, "driver " + info_.name + " offers task hooks but has no " +
                                         DROVER_TASK_HOOKS_ID);
  }

  driver_info_.can_pause = ToDriverInfo(info_).can_pause;
  if (driver_info_.can_pause) pause_ = found->pause;
  if (driver_info_.can_pause && pause_ == nullptr) {
    co_return Error(Code::kInternal,
                    "driver " + info_.name + " offers pause but has no " + DROVER_TASK_PAUSE_ID);
  }
  driver_info_.has_news = ToDriverInfo(info_).has_news;
  if (driver_info_.has_news && found->news == nullptr) {
    co_return Error(Code::kInternal,
                    "driver " + info_.name + " offers news but has no " + DROVER_TASK_NEWS_ID);
  }
  driver_info_.has_capabilities = ToDriverInfo(info_).has_capabilities;
  if (driver_info_.has_capabilities) {
    DROVER_CO_TRY(co_await AskCapabilities(context, found->capable));
  }

  Subscribe fingerprints = [container = container_, self = instance_](std::uint64_t id,
                                                                      drover_error* error) {
    return container->table()->fingerprint(self, id, error);
  };
  gate_.Spawn(KeepStream("fingerprint", DROVER_MESSAGE_FINGERPRINT, std::move(fingerprints),
                         [this](StreamMessage message) {
                           told_ = std::move(std::get<Fingerprint>(message));
                           first_fingerprint_.Set();
                           UpdateHealth();
                         }));
  gate_.Spawn(AwaitFingerprint());
  Subscribe events = [container = container_, self = instance_](std::uint64_t id,
                                                                drover_error* error) {
    return container->table()->events(self, id, error);
  };
  gate_.Spawn(
      KeepStream("events", DROVER_MESSAGE_EVENT, std::move(events), [this](StreamMessage message) {
        auto event = std::get<DriverEvent>(std::move(message));
        event.message = redactor_->Clean(std::move(event.message));
        for (auto& [key, value] : event.annotations) value = redactor_->Clean(std::move(value));
        if (hear_events_) hear_events_(event);
      }));
  if (driver_info_.has_news) FollowNews(found->news);
  if (found->devices != nullptr) {
    devices_ = std::make_unique<LoadedDevices>(this, found->devices);
    gate_.Spawn(devices_->Follow());
  }
  co_return Status();
}

void LoadedDriver::FollowNews(const drover_news_source* source) {
  Subscribe open = [source, self = instance_](std::uint64_t id, drover_error* error) {
    return source->news(self, id, error);
  };
  gate_.Spawn(
      KeepStream("news", DROVER_MESSAGE_TASK_NEWS, std::move(open), [this](StreamMessage message) {
        auto news = std::get<TaskNews>(std::move(message));
        for (std::string& text : news.what.texts) {
          text = redactor_->Clean(std::move(text));
        }
        if (news.what.handle) {
          news.what.handle->driver = info_.name;
          news.what.handle->driver_version = info_.version;
        }
        if (hear_news_) hear_news_(news);
      }));
}

Co<Status> LoadedDriver::AskCapabilities(Context context, const drover_capable* capable) {
  if (capable == nullptr) {
    co_return Error(Code::kInternal, "driver " + info_.name + " offers capabilities but has no " +
                                         DROVER_CAPABILITIES_ID);
  }
  const auto call = NewCall("capabilities", RunId(), DecodeCapabilities);
  Verb verb = [capable, self = instance_](const drover_call* frame, drover_error* error) {
    const auto args = NewStruct<drover_capabilities_args>();
    return capable->capabilities(self, frame, &args, error);
  };
  Result<CallValue> said =
      co_await Call(context, call, limits().inspect, /*control=*/true, std::move(verb));
  if (!said.ok()) co_return said.error();
  auto capabilities =
      std::make_shared<const DriverCapabilities>(std::get<DriverCapabilities>(std::move(*said)));
  redactor_->SetPlaces(capabilities->sensitive);
  capability_attributes_ = CapabilityAttributes(info_.name, *capabilities);
  driver_info_.capabilities = std::move(capabilities);
  co_return Status();
}

Co<Status> LoadedDriver::Configure(Context context, std::string config_json) {
  DROVER_CO_TRY(Usable());
  auto config = std::make_shared<const std::string>(std::move(config_json));
  const auto call = NewCall("configure", RunId(), DecodeEmpty);
  Verb verb = [container = container_, self = instance_, config](const drover_call* frame,
                                                                 drover_error* error) {
    auto args = NewStruct<drover_configure_args>();
    args.config = ToStr(*config);
    return container->table()->configure(self, frame, &args, error);
  };
  co_return ToStatus(co_await Call(context, call, limits().create, true, std::move(verb)));
}

Co<Status> LoadedDriver::RestoreComplete(Context context, std::vector<RunId> runs) {
  DROVER_CO_TRY(Usable());
  auto ids = std::make_shared<std::vector<drover_run_id>>();
  for (const RunId& run : runs) ids->push_back(ToRunId(run));
  const auto call = NewCall("restore_complete", RunId(), DecodeEmpty);
  Verb verb = [container = container_, self = instance_, ids](const drover_call* frame,
                                                              drover_error* error) {
    auto args = NewStruct<drover_restore_complete_args>();
    args.run_ids = ToArray(*ids);
    return container->table()->restore_complete(self, frame, &args, error);
  };
  co_return ToStatus(co_await Call(context, call, limits().recover, true, std::move(verb)));
}

Result<std::string> LoadedDriver::NormalizeConfigAt(const std::string& place,
                                                    const std::string& config_json, bool final) {
  if (!task_checker_) return config_json;
  Result<std::string> normal = task_checker_->Normalize(place, config_json, final);
  if (normal.ok()) return normal;
  return Error(normal.code(), redactor_->CleanFor(config_json, normal.error().message()),
               normal.error().recoverable());
}

Co<Result<StartedTask>> LoadedDriver::Start(Context context,
                                            std::shared_ptr<const TaskConfig> config) {
  host_->runs()[config->run_id].config = config;
  redactor_->Learn(config->run_id, config->driver_config_json);
  const auto call = NewCall("start", config->run_id, DecodeStarted);
  call->brings_task = true;
  Verb verb = [container = container_, self = instance_, config](const drover_call* frame,
                                                                 drover_error* error) {
    const TaskConfigView view(config);
    auto args = NewStruct<drover_start_args>();
    args.config = view.get();
    return container->table()->start(self, frame, &args, error);
  };
  Result<CallValue> value = co_await CallInTurn(context, call, limits().start, std::move(verb));
  if (!value.ok()) co_return value.error();
  auto started = std::get<StartedTask>(std::move(*value));
  started.handle.driver = info_.name;
  started.handle.driver_version = info_.version;
  co_return started;
}

Co<Result<RecoveredTask>> LoadedDriver::Recover(Context context,
                                                std::shared_ptr<const TaskConfig> config,
                                                TaskHandle handle) {
  // While a recover that was given up is still running, the host refuses further recovers of the
  // run. Otherwise each of them could occupy another thread of the pool.
  if (host_->calls().IsAtIt("recover", config->run_id))
    co_return Error(Code::kUnavailable,
                    "driver " + info_.name + " has not ended an earlier recover of the run", true);
  PluginHost::Run& run = host_->runs()[config->run_id];
  run.config = config;
  run.inherited = true;
  redactor_->Learn(config->run_id, config->driver_config_json);
  auto stored = std::make_shared<const TaskHandle>(std::move(handle));
  const auto call = NewCall("recover", config->run_id, DecodeRecovered);
  call->brings_task = true;
  Verb verb = [container = container_, self = instance_, config, stored](const drover_call* frame,
                                                                         drover_error* error) {
    const TaskConfigView view(config);
    auto old = NewStruct<drover_task_handle>();
    old.format_version = stored->format_version;
    old.driver_version = ToStr(stored->driver_version);
    old.state = ToStr(stored->state);
    auto args = NewStruct<drover_recover_args>();
    args.config = view.get();
    const bool none = stored->driver.empty() && stored->state.empty();
    args.handle = none ? nullptr : &old;
    return container->table()->recover(self, frame, &args, error);
  };
  Result<CallValue> value = co_await CallInTurn(context, call, limits().recover, std::move(verb));
  if (!value.ok()) {
    if (value.code() == Code::kNotFound) ForgetRun(config->run_id);
    co_return value.error();
  }
  auto recovered = std::get<RecoveredTask>(std::move(*value));
  if (recovered.exited) {
    recovered.exited->error = redactor_->Clean(std::move(recovered.exited->error));
    if (const PluginHost::Run* known = host_->FindRun(config->run_id))
      recovered.exited->ended_at = known->ended_at;
  }
  if (recovered.handle.driver == kNewHandle) {
    recovered.handle.driver = info_.name;
    recovered.handle.driver_version = info_.version;
  } else {
    recovered.handle = *stored;
  }
  co_return recovered;
}

Co<Result<ExitResult>> LoadedDriver::Wait(Context context, RunId run) {
  DROVER_CO_TRY(Usable());
  const auto call = NewCall("wait", run, DecodeExit);
  Verb verb = [container = container_, self = instance_](const drover_call* frame,
                                                         drover_error* error) {
    const auto args = NewStruct<drover_wait_args>();
    return container->table()->wait(self, frame, &args, error);
  };
  Result<CallValue> value = co_await Call(context, call, Duration(0), false, std::move(verb));
  if (!value.ok()) co_return value.error();
  auto result = std::get<ExitResult>(std::move(*value));
  result.error = redactor_->Clean(std::move(result.error));
  if (const PluginHost::Run* known = host_->FindRun(run)) {
    result.ended_at = known->ended_at;
    if (RanOutOfMemory(run, *known, result)) result.oom_killed = true;
  }
  co_return result;
}

Co<Status> LoadedDriver::Stop(Context context, RunId run, Duration timeout, std::string signal) {
  auto name = std::make_shared<const std::string>(std::move(signal));
  const auto call = NewCall("stop", run, DecodeEmpty);
  Verb verb = [container = container_, self = instance_, timeout, name](const drover_call* frame,
                                                                        drover_error* error) {
    auto args = NewStruct<drover_stop_args>();
    args.timeout = timeout.count();
    args.signal = ToStr(*name);
    return container->table()->stop(self, frame, &args, error);
  };
  // The host kills the task after the timeout, even if the driver does not.
  const Loop::TimerId kill = loop()->After(timeout + limits().kill_after, [host = host_, run] {
    const PluginHost::Run* known = host->FindRun(run);
    if (known == nullptr || !known->has_processes()) return;
    host->Log(PluginLogLevel::kWarn, "the stop timeout is over: the host kills the task", &run);
    (void)host->processes()->Kill(run);
  });
  const Duration limit = timeout + limits().stop_extra;
  Result<CallValue> value = co_await CallInTurn(context, call, limit, std::move(verb));
  loop()->Cancel(kill);
  co_return ToStatus(value);
}

Co<Status> LoadedDriver::ForceKill(Context context, RunId run) {
  co_return co_await KillRun(host_->processes(), std::move(context), run);
}

Co<Status> LoadedDriver::Signal(Context context, RunId run, std::string signal) {
  DROVER_CO_TRY(Usable());
  if (!driver_info_.can_signal) {
    co_return Error(Code::kUnimplemented, "driver " + info_.name + " does not support signals");
  }
  auto name = std::make_shared<const std::string>(std::move(signal));
  const auto call = NewCall("signal", run, DecodeEmpty);
  Verb verb = [container = container_, self = instance_, name](const drover_call* frame,
                                                               drover_error* error) {
    auto args = NewStruct<drover_signal_args>();
    args.name = ToStr(*name);
    return container->table()->signal(self, frame, &args, error);
  };
  co_return ToStatus(
      co_await Call(context, call, limits().signal, /*control=*/false, std::move(verb)));
}

Co<Status> LoadedDriver::Pause(Context context, RunId run, bool paused) {
  DROVER_CO_TRY(Usable());
  if (pause_ != nullptr) {
    const auto call = NewCall("pause", run, DecodeEmpty);
    Verb verb = [pause = pause_, self = instance_, paused](const drover_call* frame,
                                                           drover_error* error) {
      auto args = NewStruct<drover_pause_args>();
      args.paused = paused ? 1 : 0;
      return pause->pause(self, frame, &args, error);
    };
    co_return ToStatus(
        co_await Call(context, call, limits().signal, /*control=*/false, std::move(verb)));
  }
  const PluginHost::Run* known = host_->FindRun(run);
  const bool of_host =
      known != nullptr && host_->processes() != nullptr && (known->inherited || known->asked > 0);
  if (!of_host) {
    co_return Error(Code::kUnimplemented, "driver " + info_.name + " cannot pause tasks");
  }
  const Status done = host_->processes()->SetPaused(run, paused);
  if (done.code() != Code::kNotFound) co_return done;
  co_return Error(Code::kUnimplemented, "driver " + info_.name + " cannot pause tasks");
}

Co<Status> LoadedDriver::Destroy(Context context, RunId run, bool force) {
  const auto call = NewCall("destroy", run, DecodeEmpty);
  Verb verb = [container = container_, self = instance_, force](const drover_call* frame,
                                                                drover_error* error) {
    auto args = NewStruct<drover_destroy_args>();
    args.force = force ? 1 : 0;
    return container->table()->destroy(self, frame, &args, error);
  };
  const Status status =
      ToStatus(co_await CallInTurn(context, call, limits().destroy, std::move(verb)));
  const bool gone = status.ok() || status.code() == Code::kNotFound;
  // After a destroy nothing of the run may be left, whatever the driver did. If the instance does
  // not know the run, an earlier agent may have left the run's cgroup and exit record.
  const PluginHost::Run* known = host_->FindRun(run);
  const bool may_be_left = known == nullptr || known->inherited || known->has_processes();
  Status released;
  if ((gone || force) && may_be_left && host_->processes() != nullptr) {
    // The release has a context of its own, because the driver may have used up the caller's time.
    const Context patient = life_.Child();
    released = co_await host_->processes()->Release(patient, run);
    if (!released.ok()) {
      host_->Log(PluginLogLevel::kWarn, "releasing it: " + released.error().message(), &run);
    }
  }
  if (gone) {
    ForgetRun(run);
  } else if (force) {
    host_->runs().erase(run);
    redactor_->Forget(run);
  }
  // The driver has released its part of the run, but the host has not released its own part.
  // Because of this error, the caller tries again.
  if (gone && !released.ok()) co_return released.error().WithContext("releasing it");
  co_return status;
}

Co<Result<TaskStatus>> LoadedDriver::Inspect(Context context, RunId run) {
  DROVER_CO_TRY(Usable());
  const auto call = NewCall("inspect", run, DecodeStatus);
  Verb verb = [container = container_, self = instance_](const drover_call* frame,
                                                         drover_error* error) {
    const auto args = NewStruct<drover_inspect_args>();
    return container->table()->inspect(self, frame, &args, error);
  };
  Result<CallValue> value = co_await Call(context, call, limits().inspect, false, std::move(verb));
  if (!value.ok()) co_return value.error();
  auto status = std::get<TaskStatus>(std::move(*value));
  const PluginHost::Run* known = host_->FindRun(run);
  if (pause_ == nullptr && known != nullptr && host_->processes() != nullptr &&
      host_->processes()->IsPaused(run)) {
    status.attributes["paused"] = "true";
  }
  co_return status;
}

// A create that was given up may still make its instance, with threads and sockets. Without this
// wait that instance would never be shut down. The host has cancelled the create, so the wait is
// limited to the time that a shutdown may take.
Co<void> LoadedDriver::AwaitLateCreate() {
  const std::shared_ptr<PendingCall> call = std::move(late_create_);
  if (!call || !container_->alive()) co_return;
  const Context context(loop());
  const Patience patience(context, limits().shutdown);
  (void)co_await call->done.Wait(patience.context());
  if (!call->outcome) {
    host_->Log(PluginLogLevel::kError,
               "create has not ended " + FormatDuration(limits().shutdown) +
                   " after it was given up: what it makes now is never shut down");
  } else if (call->outcome->ok()) {
    host_->Log(PluginLogLevel::kWarn, "create has ended too late: its instance is shut down");
    instance_ = std::get<CreatedInstance>(**call->outcome).instance;
  }
}

Co<void> LoadedDriver::Shutdown() {
  if (ending_) co_return;
  host_->BeginShutdown();
  life_.Cancel("the driver is being shut down");
  co_await gate_.Join();
  // Before the driver's shutdown, the host ends all requests of the driver to services, and drops
  // the driver's timers. So the host calls no function for such a request or timer after the
  // shutdown has begun. Timers that the driver sets during its shutdown still run.
  co_await host_->CloseServices();
  host_->timers().DropAll();
  co_await AwaitLateCreate();
  co_await host_->pool().Drain(loop()->Now() + limits().shutdown);
  if (instance_ != nullptr && !host_->pool().exhausted() && container_->alive()) {
    const Context context(loop());
    const auto call = NewCall("shutdown", RunId(), DecodeEmpty);
    Verb verb = [container = container_, self = instance_](const drover_call* frame,
                                                           drover_error* error) {
      const auto args = NewStruct<drover_shutdown_args>();
      return container->table()->shutdown(self, frame, &args, error);
    };
    const Status status =
        ToStatus(co_await Call(context, call, limits().shutdown, true, std::move(verb)));
    shutdown_status_ = status;
    if (!status.ok()) {
      host_->Log(PluginLogLevel::kWarn, "shutting it down: " + status.error().message());
    }
  }
  ending_ = true;
  co_await gate_.Close();
  co_await host_->Close(loop()->Now() + 2s);
  overdue_.clear();
  UpdateHealth();
}

}  // namespace drover
