// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/base/time.h"

namespace drover {

// How long a driver may take, and how much of the host it may hold. The defaults are for operation;
// tests shorten them.
struct DriverLimits {
  int threads = 4;              // of the plugin's pool
  int written_off_threads = 8;  // held past their deadline at one time; then calls fail at once
  Duration hold = 30s;          // the longest that any function may hold its thread
  Duration create = 30s;        // create and configure, each
  Duration start = std::chrono::minutes(10);
  Duration recover = 60s;
  Duration stop_extra = 10s;  // stop: its own timeout and this
  Duration kill_after = 1s;   // stop: the host itself kills so long after the timeout
  Duration destroy = 60s;
  Duration inspect = 10s;
  Duration signal = 10s;
  Duration shutdown = 10s;
  Duration fingerprint = 10s;  // the first one; a driver without one is unhealthy
  Duration stream_join = 5s;
  // A call that was given up keeps its task's turn until it has ended, or so long.
  Duration abandoned = 5s;
  Duration resubscribe_first = 1s;  // a stream that ended recoverably; doubled each time
  Duration resubscribe_last = 60s;
  Duration load = 10s;  // until its code is loaded
  // For a plugin in a process of its own.
  Duration relaunch_first = 1s;  // after its process has ended; doubled each time
  Duration relaunch_last = 30s;
  Duration relaunch_reset = 60s;    // one that has lived for so long begins with the first again
  Duration relaunch_patience = 5s;  // how long a call waits for it
  // For a reload of a plugin.
  Duration reload_drain = 10s;    // until the calls that are on their way are given up
  Duration reload_recover = 30s;  // until the new instance has recovered all tasks
  // How long the old instance stays for the commands that run through it.
  Duration retire = std::chrono::hours(1);
};

// A limit that an operator may set for one plugin, by the name in its block.
struct NamedLimit {
  const char* name;
  Duration DriverLimits::* limit;
};
inline constexpr NamedLimit kPluginLimits[] = {
    {"load", &DriverLimits::load},       {"create", &DriverLimits::create},
    {"start", &DriverLimits::start},     {"recover", &DriverLimits::recover},
    {"destroy", &DriverLimits::destroy}, {"inspect", &DriverLimits::inspect},
    {"signal", &DriverLimits::signal},   {"shutdown", &DriverLimits::shutdown},
    {"hold", &DriverLimits::hold},       {"fingerprint", &DriverLimits::fingerprint},
};

}  // namespace drover
