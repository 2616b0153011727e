// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "drover/gate.hpp"
#include "drover/pool.hpp"
#include "drover/process.hpp"
#include "drover/stream.hpp"
#include "drover/task_output.hpp"
#include "drover/timer.hpp"

// The C++ interface of a driver instance to the host and the host's services.
namespace drover {
inline namespace sdk_v1 {

namespace abi {

// The data that all parts of one instance share. The pointer to the host is valid until the call of
// shutdown is completed. That completion must be the last use of the pointer.
struct Core {
  Core(const drover_host* host_in, unsigned start_threads, unsigned stop_threads)
      : host(host_in),
        gate(std::make_shared<Gate>()),
        calls(std::make_shared<CallTable>()),
        streams(std::make_shared<StreamTable>()),
        timers(std::make_shared<TimerTable>(host, Find<drover_timer>(DROVER_TIMER_ID), gate)),
        lanes(start_threads, stop_threads),
        diag_log(Find<drover_diag_log>(DROVER_DIAG_LOG_ID)),
        process(host, Find<drover_process>(DROVER_PROCESS_ID), gate),
        task_output(host, Find<drover_task_output>(DROVER_TASK_OUTPUT_ID), gate) {}

  template <typename T>
  const T* Find(std::string_view id) const {
    return static_cast<const T*>(host->get_extension(host, Str(id)));
  }

  const drover_host* const host;
  const std::shared_ptr<Gate> gate;
  const std::shared_ptr<CallTable> calls;
  const std::shared_ptr<StreamTable> streams;
  const std::shared_ptr<TimerTable> timers;
  Lanes lanes;
  const drover_diag_log* const diag_log;
  const ProcessService process;
  const TaskOutput task_output;
};

}  // namespace abi

enum class LogLevel {
  kTrace = DROVER_LOG_TRACE,
  kDebug = DROVER_LOG_DEBUG,
  kInfo = DROVER_LOG_INFO,
  kWarn = DROVER_LOG_WARN,
  kError = DROVER_LOG_ERROR,
};

// The host's functions and services for one driver instance. All copies refer to the same host.
// [any-thread]
class Host {
 public:
  explicit Host(std::shared_ptr<abi::Core> core) : core_(std::move(core)) {}

  // Writes a line to the agent's log. Never blocks.
  void Log(LogLevel level, std::string_view message) const { Write(level, nullptr, message); }
  void Log(LogLevel level, const RunId& run, std::string_view message) const {
    drover_run_id raw = abi::Encode(run);
    Write(level, &raw, message);
  }

  // Sets a timer that runs FUNCTION once, after DELAY, on a thread of the host's pool. FUNCTION
  // must not block. It does not run after the instance has shut down.
  Timer After(Duration delay, std::function<void()> function) const {
    return Timer(core_->timers, core_->timers->After(delay, std::move(function)));
  }

  // Runs JOB on one of the few threads that this instance has for LANE. JOB may block. An exception
  // of JOB is ignored.
  void Post(std::function<void()> job, Lane lane = Lane::kOther) const {
    core_->lanes.of(lane).Post([job = std::move(job)]() noexcept {
      try {
        job();
      } catch (...) {
      }
    });
  }

  const ProcessService& process() const { return core_->process; }
  const TaskOutput& task_output() const { return core_->task_output; }

  // Returns the extension of the host with this ID, or null. It is for services that this wrapper
  // does not support.
  const void* Extension(std::string_view id) const {
    return core_->host->get_extension(core_->host, abi::Str(id));
  }
  const drover_host* raw() const { return core_->host; }
  // The data of the instance, for the headers of further services.
  const std::shared_ptr<abi::Core>& core() const { return core_; }

 private:
  void Write(LogLevel level, const drover_run_id* run, std::string_view message) const {
    if (core_->diag_log == nullptr) return;
    core_->diag_log->write(core_->host, static_cast<std::int32_t>(level), run, abi::Str(message));
  }

  std::shared_ptr<abi::Core> core_;
};

}  // namespace sdk_v1
}  // namespace drover
