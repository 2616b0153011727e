// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string.h>
#include <sys/types.h>
#include <time.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fake_host.h"

// The state that the parts of the fake host share.
namespace drover_test {

inline std::string Text(drover_str in) {
  return std::string(in.data, in.data == nullptr ? 0 : in.size);
}
inline drover_str Str(const std::string& in) { return drover_str{in.data(), in.size()}; }

inline Map Pairs(const drover_array& array) {
  Map out;
  for (std::size_t i = 0; i < array.count; ++i) {
    auto* pair = reinterpret_cast<const drover_pair*>(static_cast<const char*>(array.data) +
                                                      i * array.element_size);
    out[Text(pair->key)] = Text(pair->value);
  }
  return out;
}

inline Failure Read(int code, const drover_error& error) {
  return Failure{error.code != 0 ? error.code : code, (error.flags & DROVER_ERROR_RECOVERABLE) != 0,
                 std::string(error.message, error.message_size)};
}

inline drover_error NewError() {
  drover_error out = {};
  out.struct_size = sizeof out;
  return out;
}

inline int Fail(drover_error* error, int code, const std::string& message) {
  error->code = code;
  error->message_size = static_cast<std::uint32_t>(message.size());
  memcpy(error->message, message.data(), message.size());
  return code;
}

inline Exit ReadExit(const drover_exit_result* in) {
  return Exit{in->exit_code, in->signal, in->oom_killed != 0, Text(in->error)};
}

inline std::string Key(const drover_run_id& run) {
  return std::string(reinterpret_cast<const char*>(run.bytes), sizeof run.bytes);
}

inline std::int64_t BootTime(std::chrono::nanoseconds later) {
  timespec now;
  clock_gettime(CLOCK_BOOTTIME, &now);
  return now.tv_sec * 1000000000ll + now.tv_nsec + later.count();
}

inline std::int64_t WallTime() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

struct FakeHost::Host : drover_host {
  FakeHost* self;
};

struct FakeHost::Open {
  std::string verb;
  drover_call call = {};
  int completions = 0;
  bool cancelled = false;
  Result result;
};

struct FakeHost::Process {
  drover_run_id run = {};
  pid_t pid = 0;
  std::vector<std::string> argv;
  Map env;
  std::string work_dir, user, cgroup;
  Map v1_cgroups;
  int oom_score_adj = 0;
  std::int64_t started_at = 0;
  std::string output[2];
  std::optional<Exit> exit;
  std::vector<std::function<void(const Exit&)>> waiters;
  bool released = false;
};

// The host's own functions, its log, timers and output pipes: fake_services.cc.
struct Service {
  static FakeHost* Self(const drover_host* host) {
    return static_cast<const FakeHost::Host*>(host)->self;
  }
  static void Fill(drover_host* host);
  static std::uint64_t after(const drover_host* host, std::int64_t delay, void (*function)(void*),
                             void* context);
  // Reads FD as the output (0) or the error output (1) of PROCESS, and closes it. The caller holds
  // the host's mutex.
  static void Collect(FakeHost* self, const std::shared_ptr<FakeHost::Process>& process, int fd,
                      int stream);
  struct Functions;
};

// The process service, which really starts processes: fake_process.cc.
struct FakeProcesses {
  static const drover_process* Table();
  struct Functions;
};

}  // namespace drover_test
