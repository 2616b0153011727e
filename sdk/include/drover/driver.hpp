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
#include <string_view>
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
// Most verbs have two forms, and a driver overrides one of them. The plain method, such as Start,
// runs on one of the few threads of the instance (see Lane). It may block, and it returns its
// result or throws drover::Error. The other method, such as StartAsync, runs on a thread of the
// host and must return soon. It may complete its call later, from any thread.
namespace drover {
inline namespace sdk_v1 {

// Describes a driver. All instances have the same Info, unless Driver::Configured changes it for an
// instance.
struct Info {
  std::uint64_t offers = 0;  // DROVER_CAP_... bits
  std::uint64_t needs = 0;   // DROVER_NEEDS_... bits
  drover_fs_isolation fs_isolation = DROVER_FS_NONE;
  std::string config_schema = R"({"type":"object","additionalProperties":false})";
  std::string task_config_schema = R"({"type":"object","additionalProperties":false})";
  // start_threads and stop_threads limit the threads for blocking methods. A thread is made when it
  // is needed. A call that finds no free thread waits for a thread. The wait does not extend the
  // call's deadline.
  //
  // The largest number of threads for Start, Recover and Plan. If Start pulls images, it is also
  // the largest number of images that are pulled at a time.
  unsigned start_threads = 4;
  // The largest number of threads for Stop and Destroy. A Stop uses a thread until its task ends.
  unsigned stop_threads = 64;
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

  // Returns the driver's health and its attributes on this machine. It is called every
  // ProbeInterval and after each Configure. It may block, and it has no ...Async form. If it
  // throws, the driver is reported as unhealthy, with the text of the exception.
  virtual Fingerprint Probe() { return Fingerprint{}; }
  virtual Duration ProbeInterval() const { return std::chrono::seconds(30); }
  // If a probe takes longer than this limit, the driver is reported as unhealthy until the probe
  // returns.
  virtual Duration ProbeLimit() const { return std::chrono::seconds(20); }

  // Returns the Info of this instance. INFO is the result of Describe. A driver overrides this
  // method if its configuration decides fs_isolation or offers. The method must not change other
  // members. The wrapper calls it once.
  virtual Info Configured(Info info) const { return info; }
  // Returns an optional part of the C interface that this wrapper does not have itself, such as
  // that of device.hpp; null if the driver has none with this id. [any-thread]
  virtual const void* Extension(std::string_view id) {
    (void)id;
    return nullptr;
  }
  // Takes a new configuration. If this method throws, the instance keeps the old configuration.
  virtual void Configure(const Json& config) {
    (void)config;
    throw Error(Code::kUnimplemented, "this driver takes no new configuration while it is loaded");
  }
  // Called when all tasks that the host knows have been recovered. RUNS are the runs of these
  // tasks. The driver may remove what is left of other runs.
  virtual void RestoreComplete(const std::vector<RunId>& runs) { (void)runs; }
  // Called before the instance is destroyed. The driver must wake all its waiting threads. The
  // tasks go on running.
  virtual void Shutdown() {}

  // ----------------------------------------------------------------------------------- one task

  virtual Started Start(const TaskConfig& task, const CallView& call) {
    (void)task, (void)call;
    throw Error(Code::kUnimplemented, "this driver starts nothing");
  }
  // Takes over a task that an earlier instance started. HANDLE is absent if no handle was stored;
  // the task may then never have been started. Throw kNotFound only if no part of the run exists:
  // the host may then start the task again. Every driver must override Recover or RecoverAsync,
  // since the driver's process may end before its tasks end.
  virtual Recovered Recover(const TaskConfig& task, const std::optional<TaskHandle>& handle,
                            const CallView& call) {
    (void)task, (void)handle, (void)call;
    throw Error(Code::kUnimplemented,
                "this driver recovers no tasks: its class has neither Recover nor RecoverAsync");
  }
  // Stops the task. Returns when the task has ended.
  virtual void Stop(const RunId& run, const StopRequest& request, const CallView& call) {
    (void)run, (void)request, (void)call;
    throw Error(Code::kUnimplemented, "this driver stops nothing");
  }
  // Forgets the task. If the task still runs, Destroy first ends it if FORCE is true, or else
  // throws kFailedPrecondition.
  virtual void Destroy(const RunId& run, bool force, const CallView& call) = 0;

  // Must complete CALL when the task ends, or at once if it has ended. Any number of calls may wait
  // for a task. Wait must not block: it stores CALL and returns. [any-thread]
  virtual void Wait(Call<ExitResult> call) = 0;
  // Returns the status of a task. It must not block. A driver that must ask another program for the
  // status overrides InspectAsync instead. Every driver must override one of both. [any-thread]
  virtual TaskStatus Inspect(const RunId& run) {
    (void)run;
    throw Error(
        Code::kUnimplemented,
        "this driver has no status of tasks: its class has neither Inspect nor InspectAsync");
  }
  // Sends a signal to the task. Returns when the task has received it.
  virtual void Signal(const RunId& run, const std::string& name, const CallView& call) {
    (void)run, (void)name, (void)call;
    throw Error(Code::kUnimplemented, "this driver sends no signals");
  }

  // Sends a sample on STREAM at once, and then at each interval. A driver with DROVER_CAP_STATS
  // must override this method. [any-thread]
  virtual void TaskStats(const RunId& run, const StatsRequest& request, Stream<Stats> stream) {
    (void)run, (void)request, (void)stream;
    throw Error(Code::kUnimplemented, "this driver has no statistics");
  }
  // Runs an extra command for a running task. The id of CALL identifies the session. A driver with
  // DROVER_CAP_EXEC must override this method. [any-thread]
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
  // Must complete CALL with the status of the task, within some seconds. It must not block: a
  // driver that asks another program passes CALL on, or to InBackground. The default calls Inspect
  // on the caller's thread, since most drivers only look the status up. [any-thread]
  virtual void InspectAsync(Call<TaskStatus> call) { call.Complete(Inspect(call.run_id())); }
  virtual void DestroyAsync(bool force, Call<Empty> call) {
    const auto destroy = [this, force](const CallView& view) {
      Destroy(view.run_id(), force, view);
      return Empty{};
    };
    InBackground(std::move(call), destroy, Lane::kStop);
  }
  // Sends the first result of Probe on STREAM. Later it sends each result that differs from the
  // last.
  virtual void Fingerprints(Stream<Fingerprint> stream) {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      watchers_.push_back(Watcher{std::move(stream), std::nullopt});
    }
    ProbeSoon();
  }
  // Stores STREAM. Emit sends the events on it.
  virtual void Events(Stream<Event> stream) {
    std::lock_guard<std::mutex> lock(mutex_);
    listeners_.push_back(std::move(stream));
  }

 protected:
  const Host& host() const { return host_; }

  // Runs WORK(call) on a thread of the instance. Completes CALL with the result or the exception of
  // WORK. If a start or a recover is given up while it waits for a thread, WORK does not run.
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

  // Runs Probe soon, before the end of the interval. [any-thread]
  void ProbeSoon() {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      // A running probe may have read the driver's state before it changed, so another probe must
      // follow. A probe that is posted but has not begun will read the new state.
      if (probing_ != 0) asked_again_ = true;
      if (probing_ != 0 || std::exchange(probe_posted_, true)) return;
    }
    PostProbe();
  }

  // Calls SAMPLE(done) at once and then at each INTERVAL. SAMPLE must pass a sample to DONE, which
  // sends it on STREAM. If SAMPLE passes an error, the stream ends with that error. [any-thread]
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
    } catch (...) {  // no thread could be made; the next ProbeSoon posts again
      std::lock_guard<std::mutex> lock(mutex_);
      probe_posted_ = false;
      throw;
    }
  }
  // Runs one probe and sends its result. Lane::kProbe has one thread, so the results are sent in
  // the order of the probes.
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
      // The probe runs even if the timer could not be set. Without the timer, a probe that hangs is
      // not reported.
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

  // Sends NOW on each stream whose last fingerprint differs from NOW. The caller must hold
  // SENDING_.
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
  std::mutex sending_;         // held while fingerprints are sent, to keep their order
  std::mutex mutex_;           // guards the members below
  std::uint64_t probing_ = 0;  // the number of the running probe; 0 if none runs
  std::uint64_t last_probe_ = 0;
  bool asked_again_ = false;   // ProbeSoon was called while a probe ran
  bool probe_posted_ = false;  // a probe is posted and has not begun
  std::vector<Watcher> watchers_;
  std::vector<Stream<Event>> listeners_;
  Timer next_probe_;
};

}  // namespace sdk_v1
}  // namespace drover
