// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/base/time.h"

namespace drover {

// How long a driver may take for its calls, and how many threads of the host it may hold. The
// defaults are for normal use. Tests shorten them.
struct DriverLimits {
  int threads = 4;  // maximum number of threads in the plugin's pool
  // If this many threads are held past their limit at the same time, all calls fail immediately.
  int written_off_threads = 8;
  Duration hold = 30s;    // the longest time that any function may hold its thread
  Duration create = 30s;  // for one call of create or configure
  Duration start = std::chrono::minutes(10);
  Duration prepare = std::chrono::minutes(30);  // for what a task needs before its start
  // How much longer than its own limit a call may last, if the driver asks for more time.
  Duration extend = std::chrono::minutes(20);
  // A prepared thing that no task has used for this time is removed. 0: it stays for ever.
  Duration prepared_age = std::chrono::hours(1);
  Duration recover = 60s;
  Duration stop_extra = 10s;  // a stop may last its own timeout plus this time
  // When this time has passed after the timeout of a stop, the host itself kills the task.
  Duration kill_after = 1s;
  Duration destroy = 60s;
  Duration inspect = 10s;
  Duration signal = 10s;
  Duration shutdown = 10s;
  // For one helper program of the service drover.command.
  Duration command = std::chrono::minutes(10);
  // For one call of a task hook, by its stage.
  Duration prestart_hook = 60s;
  Duration poststart_hook = 10s;
  Duration prekill_hook = 10s;
  Duration exited_hook = 10s;
  Duration stop_hook = 10s;
  // The time until the first fingerprint. A driver that reports none by then is unhealthy.
  Duration fingerprint = 10s;
  Duration stream_join = 5s;
  // If a call is given up but has not ended, the next call for the same task waits for it to end,
  // but at most for this time.
  Duration abandoned = 5s;
  // The pause before a stream is opened again after a recoverable error. The pause is doubled each
  // time, up to resubscribe_last.
  Duration resubscribe_first = 1s;
  Duration resubscribe_last = 60s;
  Duration load = 10s;  // the longest time to load the plugin's code
  // The pause before a plugin's own process is launched again after the process has ended. The
  // pause is doubled each time, up to relaunch_last.
  Duration relaunch_first = 1s;
  Duration relaunch_last = 30s;
  // If a process has lived for this time before its end, the next pause is relaunch_first again.
  Duration relaunch_reset = 60s;
  Duration relaunch_patience = 5s;  // how long a call waits for a new process
  // A reload waits this long for the calls inside the old instance, and then gives them up.
  Duration reload_drain = 10s;
  // The time in which the new instance of a reload must recover all tasks.
  Duration reload_recover = 30s;
  // Added to each timer of the driver. Only the conformance kit sets it, to make timers late.
  Duration timer_lag{0};
  // How long the old instance continues to run after a reload, for the exec sessions that use it.
  Duration retire = std::chrono::hours(1);
};

// A limit that an operator may set for one plugin, by this name in the plugin's block.
struct NamedLimit {
  const char* name;
  Duration DriverLimits::* limit;
  bool may_be_zero = false;  // true: zero means never, or not at all
};
// A limit of zero would be none, and a longer one than this is a mistake.
inline constexpr Duration kLeastPluginLimit = 1ms;
inline constexpr Duration kMostPluginLimit = std::chrono::hours(24 * 365);
// The host calls fewer functions of a plugin at a time than its own process has threads for.
inline constexpr int kMostPluginThreads = 32;
inline constexpr NamedLimit kPluginLimits[] = {
    {"load", &DriverLimits::load},
    {"create", &DriverLimits::create},
    {"start", &DriverLimits::start},
    {"prepare", &DriverLimits::prepare},
    {"extend", &DriverLimits::extend, true},
    {"prepared_age", &DriverLimits::prepared_age, true},
    {"recover", &DriverLimits::recover},
    {"stop", &DriverLimits::stop_extra},
    {"destroy", &DriverLimits::destroy},
    {"inspect", &DriverLimits::inspect},
    {"signal", &DriverLimits::signal},
    {"shutdown", &DriverLimits::shutdown},
    {"hold", &DriverLimits::hold},
    {"fingerprint", &DriverLimits::fingerprint},
    {"prestart_hook", &DriverLimits::prestart_hook},
    {"poststart_hook", &DriverLimits::poststart_hook},
    {"prekill_hook", &DriverLimits::prekill_hook},
    {"exited_hook", &DriverLimits::exited_hook},
    {"stop_hook", &DriverLimits::stop_hook},
    {"command", &DriverLimits::command},
};

}  // namespace drover
