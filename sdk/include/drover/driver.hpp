// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "drover/host.hpp"

// The base of a driver written in C++. docs/drivers.md explains how to write one.
//
//   class MyDriver : public drover::Driver {
//    public:
//     static drover::Info Describe();
//     MyDriver(drover::Host host, const drover::Json& config);
//     ... the methods below ...
//   };
//   DROVER_DRIVER(MyDriver, "my_driver", "0.1.0", "Apache-2.0")     // drover/entry.hpp
//
// Most verbs come in two forms; override one. The plain one may block, on one of the few threads of
// the instance (Lane), and returns or throws drover::Error. The one named ...Async is called on a
// thread of the host, must return soon, and completes its call whenever it is done, from any
// thread.
namespace drover {
inline namespace sdk_v1 {

// Describes a driver. Constant, except for the changes of Driver::Configured.
struct Info {
  std::uint64_t offers = 0;  // DROVER_CAP_... bits
  std::uint64_t needs = 0;   // DROVER_NEEDS_... bits
  drover_fs_isolation fs_isolation = DROVER_FS_NONE;
  std::string config_schema = R"({"type":"object","additionalProperties":false})";
  std::string task_config_schema = R"({"type":"object","additionalProperties":false})";
  // How many threads the blocking methods get. Threads are made when they are needed. A call that
  // finds none free waits for one while its time runs.
  unsigned start_threads = 4;  // Start, Recover and Plan: the number of images pulled at a time
  unsigned stop_threads = 64;  // Stop, which lasts as long as its task takes to end, and Destroy
};

namespace abi {
template <typename T>
struct LaneOf : std::integral_constant<Lane, Lane::kOther> {};
template <>
struct LaneOf<Started> : std::integral_constant<Lane, Lane::kStart> {};
template <>
struct LaneOf<Recovered> : std::integral_constant<Lane, Lane::kStart> {};
DROVER_SDK_ONCE inline Error GivenUpInQueue() {
  return Error(Code::kCancelled, "the call was given up before it had begun");
}
}  // namespace abi

class Driver {
 public:
  explicit Driver(Host host) : host_(std::move(host)) {}
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;
  virtual ~Driver() = default;

  // ------------------------------------------------------------------------------ the instance

  // Returns the driver's health and its attributes on this machine. Called every ProbeInterval and
  // after each Configure. Blocking form only. An exception becomes an unhealthy fingerprint.
  virtual Fingerprint Probe() { return Fingerprint{}; }
  virtual Duration ProbeInterval() const { return std::chrono::seconds(30); }
  // While a probe takes longer than this, the driver is reported as unhealthy.
  virtual Duration ProbeLimit() const { return std::chrono::seconds(20); }

  // Returns the info of this instance if it depends on the configuration: INFO, the result of
  // Describe, with another fs_isolation or other offers. Called once.
  virtual Info Configured(Info info) const { return info; }
  // Takes a new configuration. The instance keeps the old one if this throws.
  virtual void Configure(const Json& config) {
    (void)config;
    throw Error(Code::kUnimplemented, "this driver takes no new configuration while it is loaded");
  }
  // All tasks that the host knows have been recovered: leftovers of other runs may be removed.
  virtual void RestoreComplete(const std::vector<RunId>& runs) { (void)runs; }
  // The instance is about to be destroyed; tasks go on. Wake all threads that wait.
  virtual void Shutdown() {}

  // ----------------------------------------------------------------------------------- one task

  virtual Started Start(const TaskConfig& task, const CallView& call) {
    (void)task, (void)call;
    throw Error(Code::kUnimplemented, "this driver starts nothing");
  }
  // HANDLE is absent when none was stored: the start may never have happened. kNotFound means that
  // no part of the run exists, and the host may start the task again: throw it only if you know
  // this. Every driver needs this or RecoverAsync: its process may end before its tasks do.
  virtual Recovered Recover(const TaskConfig& task, const std::optional<TaskHandle>& handle,
                            const CallView& call) {
    (void)task, (void)handle, (void)call;
    throw Error(Code::kUnimplemented,
                "this driver recovers no tasks: its class has neither Recover nor RecoverAsync");
  }
  // Returns when the task has ended.
  virtual void Stop(const RunId& run, const StopRequest& request, const CallView& call) {
    (void)run, (void)request, (void)call;
    throw Error(Code::kUnimplemented, "this driver stops nothing");
  }
  // Forgets the task. A running one is kFailedPrecondition unless FORCE.
  virtual void Destroy(const RunId& run, bool force, const CallView& call) = 0;

  // Complete CALL when the task ends, at once if it has ended. Any number of calls may wait. Must
  // not block: keep the call. [any-thread]
  virtual void Wait(Call<ExitResult> call) = 0;
  // Only a look-up: must not block. [any-thread]
  virtual TaskStatus Inspect(const RunId& run) = 0;
  // Returns when the task has the signal.
  virtual void Signal(const RunId& run, const std::string& name, const CallView& call) {
    (void)run, (void)name, (void)call;
    throw Error(Code::kUnimplemented, "this driver sends no signals");
  }

  // With DROVER_CAP_STATS: sends a sample at once and then at each interval. [any-thread]
  virtual void TaskStats(const RunId& run, const StatsRequest& request, Stream<Stats> stream) {
    (void)run, (void)request, (void)stream;
    throw Error(Code::kUnimplemented, "this driver has no statistics");
  }
  // With DROVER_CAP_EXEC: runs a command beside the task; the call's id names the session.
  // [any-thread]
  virtual void Exec(ExecRequest request, Call<ExitResult> call) {
    (void)request, (void)call;
    throw Error(Code::kUnimplemented, "this driver runs no commands");
  }
  virtual void Resize(std::uint64_t session_id, int width, int height) {
    (void)session_id, (void)width, (void)height;
    throw Error(Code::kUnimplemented, "this driver has no terminals");
  }

  // -------------------------------------------------------------------- the asynchronous forms

  virtual void ConfigureAsync(Json config, Call<Empty> call) {
    auto shared = std::make_shared<Json>(std::move(config));
    InBackground(std::move(call), [this, shared](const CallView&) {
      Configure(*shared);
      ProbeSoon();
      return Empty{};
    });
  }
  virtual void RestoreCompleteAsync(std::vector<RunId> runs, Call<Empty> call) {
    InBackground(std::move(call), [this, runs = std::move(runs)](const CallView&) {
      RestoreComplete(runs);
      return Empty{};
    });
  }
  virtual void StartAsync(TaskConfig task, Call<Started> call) {
    auto shared = std::make_shared<TaskConfig>(std::move(task));
    InBackground(std::move(call),
                 [this, shared](const CallView& view) { return Start(*shared, view); });
  }
  virtual void RecoverAsync(TaskConfig task, std::optional<TaskHandle> handle,
                            Call<Recovered> call) {
    auto shared = std::make_shared<TaskConfig>(std::move(task));
    auto stored = std::make_shared<std::optional<TaskHandle>>(std::move(handle));
    InBackground(std::move(call), [this, shared, stored](const CallView& view) {
      return Recover(*shared, *stored, view);
    });
  }
  virtual void StopAsync(StopRequest request, Call<Empty> call) {
    const auto stop = [this, request = std::move(request)](const CallView& view) {
      Stop(view.run_id(), request, view);
      return Empty{};
    };
    InBackground(std::move(call), stop, Lane::kStop);
  }
  virtual void SignalAsync(std::string name, Call<Empty> call) {
    InBackground(std::move(call), [this, name = std::move(name)](const CallView& view) {
      Signal(view.run_id(), name, view);
      return Empty{};
    });
  }
  virtual void DestroyAsync(bool force, Call<Empty> call) {
    const auto destroy = [this, force](const CallView& view) {
      Destroy(view.run_id(), force, view);
      return Empty{};
    };
    InBackground(std::move(call), destroy, Lane::kStop);
  }
  // Sends the result of Probe whenever it changes.
  virtual void Fingerprints(Stream<Fingerprint> stream) {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      watchers_.push_back(Watcher{std::move(stream), std::nullopt});
    }
    ProbeSoon();
  }
  // Keeps the stream for Emit.
  virtual void Events(Stream<Event> stream) {
    std::lock_guard<std::mutex> lock(mutex_);
    listeners_.push_back(std::move(stream));
  }

 protected:
  const Host& host() const { return host_; }

  // Completes CALL with the result or the exception of WORK(call), which runs on a thread of the
  // instance. A start or recover that is given up while it waits for its thread is not begun.
  template <typename T, typename Work>
  void InBackground(Call<T> call, Work work, Lane lane = abi::LaneOf<T>::value) {
    const auto job = [call = std::move(call), work = std::move(work), lane] {
      if (lane == Lane::kStart && call.cancelled()) return call.Fail(abi::GivenUpInQueue());
      call.Run([&] { return work(call); });
    };
    host_.Post(job, lane);
  }

  // Sends an event of a task to the host. [any-thread]
  void Emit(const Event& event) {
    std::vector<Stream<Event>> listeners;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      listeners_.erase(std::remove_if(listeners_.begin(), listeners_.end(),
                                      [](const Stream<Event>& s) { return s.cancelled(); }),
                       listeners_.end());
      listeners = listeners_;
    }
    for (const Stream<Event>& listener : listeners) listener.Send(event);
  }

  // Calls Probe now, not at the end of the interval. [any-thread]
  void ProbeSoon() {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      // A probe that has begun may have seen the old state; a posted one will see the new state.
      if (probing_ != 0) asked_again_ = true;
      if (probing_ != 0 || std::exchange(probe_posted_, true)) return;
    }
    PostProbe();
  }

  // Sends the samples of SAMPLE(done) on STREAM, at once and then at each INTERVAL. An error of
  // SAMPLE ends the stream. [any-thread]
  void SampleEvery(Duration interval, Stream<Stats> stream,
                   std::function<void(Done<Stats>)> sample) {
    if (interval < std::chrono::milliseconds(10)) interval = std::chrono::milliseconds(10);
    Done<Stats> next = [this, interval, stream, sample](Outcome<Stats> outcome) {
      if (!outcome.ok()) return stream.Fail(outcome.error());
      if (!stream.Send(outcome.value())) return;
      Timer timer = host_.After(
          interval, [this, interval, stream, sample] { SampleEvery(interval, stream, sample); });
      stream.OnCancel([timer]() mutable { timer.Cancel(); });
    };
    sample(std::move(next));
  }

 private:
  struct Watcher {
    Stream<Fingerprint> stream;
    std::optional<Fingerprint> last;
  };

  void PostProbe() {
    try {
      host_.Post([this] { ProbeNow(); }, Lane::kProbe);
    } catch (...) {  // no thread could be made: the next ProbeSoon tries again
      std::lock_guard<std::mutex> lock(mutex_);
      probe_posted_ = false;
      throw;
    }
  }
  // Runs on the thread of probes, one at a time, so that the messages have the probes' order.
  void ProbeNow() {
    std::uint64_t number = 0;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      probe_posted_ = false;
      number = probing_ = ++last_probe_;
    }
    Timer late;
    try {
      late = host_.After(ProbeLimit(), [this, number] { SendLateFingerprint(number); });
    } catch (...) {
      // Without a timer a probe that hangs is not reported; the probe itself needs none.
    }
    Fingerprint now;
    try {
      now = Probe();
    } catch (...) {
      now.health = Health::kUnhealthy;
      now.description = abi::CurrentError().message();
      now.attributes.clear();
    }
    late.Cancel();
    std::lock_guard<std::mutex> sending(sending_);
    {
      std::lock_guard<std::mutex> lock(mutex_);
      probing_ = 0;
    }
    SendFingerprint(now);
    bool again = false;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      next_probe_.Cancel();
      again = std::exchange(asked_again_, false) && !std::exchange(probe_posted_, true);
      if (!again && !watchers_.empty())
        next_probe_ = host_.After(ProbeInterval(), [this] { ProbeSoon(); });
    }
    if (again) PostProbe();
  }

  void SendLateFingerprint(std::uint64_t number) {
    std::lock_guard<std::mutex> sending(sending_);
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (probing_ != number) return;
    }
    Fingerprint late;
    late.health = Health::kUnhealthy;
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(ProbeLimit());
    late.description = "its health is not known: the probe has not returned for " +
                       std::to_string(seconds.count()) + " s";
    SendFingerprint(late);
  }

  // Sends NOW on the streams to which it is new. The caller holds SENDING_.
  void SendFingerprint(const Fingerprint& now) {
    std::vector<Stream<Fingerprint>> changed;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      watchers_.erase(std::remove_if(watchers_.begin(), watchers_.end(),
                                     [](const Watcher& w) { return w.stream.cancelled(); }),
                      watchers_.end());
      for (Watcher& watcher : watchers_) {
        if (watcher.last && *watcher.last == now) continue;
        watcher.last = now;
        changed.push_back(watcher.stream);
      }
    }
    for (const Stream<Fingerprint>& stream : changed) stream.Send(now);
  }

  const Host host_;
  std::mutex sending_;         // keeps the order of the messages
  std::mutex mutex_;           // guards the members below
  std::uint64_t probing_ = 0;  // the number of the probe that runs; 0: none
  std::uint64_t last_probe_ = 0;
  bool asked_again_ = false;   // during that probe
  bool probe_posted_ = false;  // and not begun
  std::vector<Watcher> watchers_;
  std::vector<Stream<Event>> listeners_;
  Timer next_probe_;
};

}  // namespace sdk_v1
}  // namespace drover
