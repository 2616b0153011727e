// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/plugin/service_done.h"

#include "drover/drover_command.h"
#include "drover/drover_task_env.h"
#include "drover/drover_task_place.h"
#include "host/abi/abi_trace.h"
#include "host/abi/abi_usage.h"
#include "host/abi/abi_write.h"
#include "host/process/network_namespace.h"

namespace drover {
namespace {

drover_exit_result ToExit(int exit_code, int signal, bool oom_killed, const std::string& error) {
  auto result = NewStruct<drover_exit_result>();
  result.exit_code = exit_code;
  result.signal = signal;
  result.oom_killed = oom_killed ? 1 : 0;
  result.error = ToStr(error);
  return result;
}

drover_usage ToUsage(int pid, const ResourceUsage& from) {
  auto usage = NewStruct<drover_usage>();
  usage.pid = pid;
  usage.measured = from.measured.bits();
  ForEachStat(&from, &usage, [](Stat, auto value, auto& to) { to = value; });
  return usage;
}

void AddMemory(const MemoryUsage& from, ResourceUsage* to) {
  to->memory.cache = from.cache;
  to->memory.mapped_file = from.mapped_file;
  to->memory.usage = from.usage;
  to->measured.Add(Stat::kCache, Stat::kMappedFile, Stat::kUsage);
  if (from.max_usage) {
    to->memory.max_usage = *from.max_usage;
    to->measured.Add(Stat::kMaxUsage);
  }
  if (from.kernel_usage) {
    to->memory.kernel_usage = *from.kernel_usage;
    to->measured.Add(Stat::kKernelUsage);
  }
}

}  // namespace

void ServiceDone::Post(std::function<void()> call, std::int32_t status) {
  auto traced = [host = host_, what = what_, status, call = std::move(call)] {
    const TimePoint began = BootClock::now();
    call();
    TraceDone(host->plugin(), what, began, status);
  };
  if (!host_->pool().Post(
          {std::string("done of ") + what_, std::move(traced), host_->limits().hold, false})) {
    host_->Log(PluginLogLevel::kError, std::string("the end of ") + what_ +
                                           " cannot be reported: its threads are all held");
  }
}

bool ServiceDone::Failed(const Status& status) {
  if (status.ok()) return false;
  const auto code = static_cast<std::int32_t>(status.code());
  const auto fail = [function = function_, context = context_, error = status.error()] {
    auto out = NewStruct<drover_error>();
    WriteError(error, &out);
    function(context, &out, nullptr);
  };
  Post(fail, code);
  return true;
}

void ServiceDone::Finish(Status status) {
  if (Failed(status)) return;
  Post([function = function_, context = context_] {
    const auto result = NewStruct<drover_empty_result>();
    function(context, nullptr, &result);
  });
}

void ServiceDone::Finish(Result<ProcessInfo> info) {
  if (!info.ok()) return (void)Failed(info.error());
  Post([function = function_, context = context_, pid = info->pid] {
    auto result = NewStruct<drover_process_info>();
    result.pid = pid;
    function(context, nullptr, &result);
  });
}

void ServiceDone::Finish(Result<ProcessExit> end) {
  if (!end.ok()) return (void)Failed(end.error());
  Post([function = function_, context = context_, from = std::move(*end)] {
    const auto result = ToExit(from.exit_code, from.signal, from.oom_killed, from.error);
    function(context, nullptr, &result);
  });
}

void ServiceDone::Finish(Result<ExecExit> end) {
  if (!end.ok()) return (void)Failed(end.error());
  Post([function = function_, context = context_, from = std::move(*end)] {
    const auto result = ToExit(from.exit_code, from.signal, false, from.error);
    function(context, nullptr, &result);
  });
}

void ServiceDone::FinishAttach(Result<ProcessService::Attached> attached) {
  if (!attached.ok()) return (void)Failed(attached.error());
  Post([function = function_, context = context_, from = std::move(*attached)] {
    auto state = NewStruct<drover_process_state>();
    drover_exit_result exit_result{};
    if (const auto* info = std::get_if<ProcessInfo>(&from)) {
      state.state = DROVER_TASK_RUNNING;
      state.pid = info->pid;
      state.started_at = info->started_at;
    } else {
      const auto& end = std::get<ProcessExit>(from);
      exit_result = ToExit(end.exit_code, end.signal, end.oom_killed, end.error);
      state.state = DROVER_TASK_EXITED;
      state.started_at = end.started_at;
      state.exit_result = &exit_result;
    }
    function(context, nullptr, &state);
  });
}

void ServiceDone::Finish(Result<TaskUsage> usage) {
  if (!usage.ok()) return (void)Failed(usage.error());
  Post([function = function_, context = context_, from = std::move(*usage)] {
    const drover_usage total = ToUsage(0, from.total);
    std::vector<drover_usage> processes;
    for (const auto& [pid, process] : from.pids) {
      processes.push_back(ToUsage(pid, process));
    }
    auto stats = NewStruct<drover_stats>();
    stats.type = DROVER_MESSAGE_STATS;
    stats.timestamp = from.timestamp;
    stats.total = &total;
    stats.processes = ToArray(processes);
    function(context, nullptr, &stats);
  });
}

void ServiceDone::Finish(Result<HelperEnd> end) {
  if (!end.ok()) return (void)Failed(end.error());
  const auto from = std::make_shared<const HelperEnd>(std::move(*end));
  Post([function = function_, context = context_, from] {
    const drover_exit_result exited = ToExit(from->exit_code, from->signal, false, "");
    auto result = NewStruct<drover_command_result>();
    result.exit_result = &exited;
    result.flags = (from->output_truncated ? DROVER_COMMAND_OUTPUT_TRUNCATED : 0) |
                   (from->errors_truncated ? DROVER_COMMAND_ERROR_TRUNCATED : 0);
    result.output = ToStr(from->output);
    result.error = ToStr(from->errors);
    function(context, nullptr, &result);
  });
}

void ServiceDone::Deliver(std::function<void(drover_done, void*)> call) {
  Post([function = function_, context = context_, call = std::move(call)] {
    call(function, context);
  });
}

void ServiceDone::FinishTexts(MakeTexts make) {
  Post([function = function_, context = context_, make = std::move(make)] {
    const Result<std::vector<std::string>> texts = make();
    if (!texts.ok()) {
      auto error = NewStruct<drover_error>();
      WriteError(texts.error(), &error);
      return function(context, &error, nullptr);
    }
    std::vector<drover_str> strs;
    for (const std::string& text : *texts) strs.push_back(ToStr(text));
    auto result = NewStruct<drover_interpolate_result>();
    result.texts = ToArray(strs);
    function(context, nullptr, &result);
  });
}

void ServiceDone::FinishPlace(Result<RunPlace> place, std::string network) {
  if (!place.ok()) return (void)Failed(place.error());
  Post([function = function_, context = context_, from = std::move(*place),
        network = std::move(network)] {
    UniqueFd opened;
    if (!network.empty()) {
      Result<UniqueFd> found = OpenNetworkNamespace(network);
      if (!found.ok()) {
        auto error = NewStruct<drover_error>();
        WriteError(found.error(), &error);
        return function(context, &error, nullptr);
      }
      opened = std::move(*found);
    }
    std::vector<drover_pair> directories;
    for (const auto& [controller, path] : from.directories) {
      directories.push_back({ToStr(controller), ToStr(path)});
    }
    auto result = NewStruct<drover_place>();
    result.cgroup = ToStr(from.cgroup);
    result.directories = ToArray(directories);
    result.network_namespace = ToStr(network);
    result.network.fd = -1;
    if (opened) result.network = {opened.Release(), DROVER_FD_GIVEN};
    function(context, nullptr, &result);
  });
}

void ServiceDone::FinishPipes(UniqueFd output, UniqueFd error) {
  // The file descriptors are in a shared object, since the function object must be copyable. The
  // function object passes them to the driver when it runs.
  auto fds = std::make_shared<std::pair<UniqueFd, UniqueFd>>(std::move(output), std::move(error));
  Post([function = function_, context = context_, fds] {
    auto pipes = NewStruct<drover_task_output_pipes>();
    pipes.output = {fds->first.Release(), DROVER_FD_GIVEN};
    pipes.error = {fds->second.Release(), DROVER_FD_GIVEN};
    function(context, nullptr, &pipes);
  });
}

TaskUsage ToTaskUsage(const ProcessUsage& usage, PluginHost::Run* run, TimePoint now, WallTime wall,
                      double core_mhz) {
  TaskUsage sample;
  sample.timestamp = wall;
  sample.total.memory.rss = usage.rss;
  sample.total.memory.swap = usage.swap;
  sample.total.measured.Add(Stat::kRss, Stat::kSwap);
  if (usage.memory) AddMemory(*usage.memory, &sample.total);
  for (const ProcessUsage::Process& process : usage.processes) {
    ResourceUsage& to = sample.pids[process.pid];
    to.memory.rss = process.rss;
    to.memory.swap = process.swap;
    to.measured.Add(Stat::kRss, Stat::kSwap);
  }
  if (usage.throttling) {
    sample.total.cpu.throttled_periods = usage.throttling->periods;
    sample.total.cpu.throttled_time_ns = static_cast<std::uint64_t>(usage.throttling->time.count());
    sample.total.measured.Add(Stat::kThrottledPeriods, Stat::kThrottledTime);
  }
  if (run == nullptr) return sample;
  if (run->sampled != TimePoint() && now > run->sampled) {
    const auto share = [&](Duration spent, Duration before) {
      return 100.0 * static_cast<double>(std::max(Duration(0), spent - before).count()) /
             static_cast<double>((now - run->sampled).count());
    };
    auto& cpu = sample.total.cpu;
    cpu.user_mode = share(usage.user_time, run->user_time);
    cpu.system_mode = share(usage.system_time, run->system_time);
    // The percentage is computed from the total time, not from the user and system shares, since a
    // kernel may move time from one of them to the other.
    cpu.percent = share(usage.user_time + usage.system_time, run->user_time + run->system_time);
    sample.total.measured.Add(Stat::kUserMode, Stat::kSystemMode, Stat::kPercent);
    if (core_mhz > 0) {
      cpu.total_ticks = cpu.percent / 100 * core_mhz;
      sample.total.measured.Add(Stat::kTotalTicks);
    }
  }
  run->sampled = now;
  run->user_time = usage.user_time;
  run->system_time = usage.system_time;
  return sample;
}

}  // namespace drover
