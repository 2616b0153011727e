// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "drover/drover.h"
#include "drover/drover_progress.h"

// A host for the tests of drivers. It uses the C interface directly and not the readers of the C++
// wrapper, so that a mistake in the wrapper shows. Its process service really starts processes.
namespace drover_test {

using Map = std::map<std::string, std::string>;
using namespace std::chrono_literals;

struct Failure {
  int code = 0;
  bool recoverable = false;
  std::string message;
};

struct Exit {
  int exit_code = 0;
  int signal = 0;
  bool oom_killed = false;
  std::string error;
};

// The content of a completion; the verb decides which members are set.
struct Result {
  int refused = 0;               // the verb's own return value
  std::optional<Failure> error;  // also of a refusal
  bool complete = false;         // false: it has not come in time
  drover_instance* instance = nullptr;
  int instance_isolation = -1;  // of the instance's own info, if any
  std::string instance_name;
  std::string handle;
  std::uint32_t handle_version = 0;
  int state = 0;
  std::optional<Exit> exit;
  std::int64_t started_at = 0;
  std::int64_t completed_at = 0;
  Map attributes;
  std::string network_ip;
  bool network_advertise = false;
  std::map<std::string, int> network_ports;

  bool ok() const { return complete && !error; }
  std::string text() const { return error ? error->message : ""; }
};

struct Message {
  int type = 0;
  int health = 0;
  std::string description;  // or an event's message
  Map attributes;
  std::uint64_t measured = 0;
  std::uint64_t rss = 0;
  std::vector<int> pids;  // of a sample
  std::int64_t timestamp = 0;
};

// One stream as the host received it.
struct StreamLog {
  std::vector<Message> messages;
  bool ended = false;
  std::optional<Failure> error;
  int after_end = 0;  // messages that came too late
};

struct Task {
  drover_run_id run = {};
  std::string id = "alloc/task/00000000";
  std::string task_name = "task";
  std::string task_dir;
  std::string user;
  std::string kill_signal;
  std::string config = "{}";
  Map env;
};

drover_run_id RunOf(int number);

class FakeHost {
 public:
  FakeHost();
  ~FakeHost();

  // Loads a driver's library and makes an instance of it.
  const drover_driver* Load(const std::string& file);
  Result Create(const std::string& config);
  Result Create(const drover_driver* driver, const std::string& config);
  Result Shutdown(std::chrono::milliseconds limit = 10s);
  drover_instance* instance() const { return instance_; }
  const drover_driver* driver() const { return driver_; }
  drover_host* raw();

  // Each of these calls the verb and returns the call's id; Finish waits for its completion.
  std::uint64_t Start(const Task& task);
  std::uint64_t Recover(const Task& task, const std::string* handle);
  std::uint64_t Wait(drover_run_id run);
  std::uint64_t Stop(drover_run_id run, std::chrono::nanoseconds timeout,
                     const std::string& signal = "");
  std::uint64_t Destroy(drover_run_id run, bool force);
  std::uint64_t Inspect(drover_run_id run);
  std::uint64_t Configure(const std::string& config);
  std::uint64_t RestoreComplete(const std::vector<drover_run_id>& runs);
  std::uint64_t Exec(drover_run_id run, const std::vector<std::string>& command, bool tty,
                     int input, int output, int error);
  Failure Resize(std::uint64_t session, int width, int height);
  Failure Signal(drover_run_id run, const std::string& name);  // waits for its completion
  // A call for a test that calls the verb itself; valid until the next one.
  const drover_call* NewCall(drover_run_id run, const char* verb = "start");
  std::uint64_t last_call() const { return own_call_.id; }
  Result Finish(std::uint64_t call, std::chrono::milliseconds limit = 20s);
  void CancelCall(std::uint64_t call);
  // Gives the next call up before its verb is called. The driver gets the cancellation only then,
  // not afterwards.
  void CancelNext() { cancel_next_ = true; }
  int completions(std::uint64_t call);

  // Streams.
  std::uint64_t Fingerprint();
  std::uint64_t Events();
  std::uint64_t Stats(drover_run_id run, std::chrono::nanoseconds interval, Failure* error,
                      std::uint32_t flags = 0);
  void CancelStream(std::uint64_t stream);
  int JoinStream(std::uint64_t stream, std::chrono::milliseconds limit);
  StreamLog stream(std::uint64_t id);
  // Waits until the stream has N messages or has ended.
  StreamLog AwaitMessages(std::uint64_t id, std::size_t n, std::chrono::milliseconds limit = 10s);
  // After so many messages stream_send returns that the stream is cancelled.
  void StopStreamsAfter(std::size_t messages) { stop_after_ = messages; }

  // The processes that the fake process service has started.
  int pid(drover_run_id run);
  std::string output(drover_run_id run);  // of a run's process, or through task-output
  std::string error_output(drover_run_id run);
  Map environment(drover_run_id run);
  std::vector<std::string> argv(drover_run_id run);
  std::string work_dir(drover_run_id run);
  std::string user(drover_run_id run);
  int oom_score_adj(drover_run_id run);
  std::string cgroup(drover_run_id run);
  Map v1_cgroups(drover_run_id run);
  std::string log();
  // The reports of progress that drivers have made, such as "Pulling 3/7 layers".
  std::vector<std::string> progress();
  void FailNext(const std::string& function, Failure failure);  // of the process service
  void HoldNext(const std::string& function);  // one of those, which gets no answer
  void AnswerHeld();                           // now it answers, with an error
  void HoldExits(bool held);  // while held, drivers do not see the end of any process
  // While held, no call of attach gets an answer.
  void HoldAttaches(bool held);
  // Returns how many open calls of the process service wait for the end of the run's process.
  std::size_t waits(drover_run_id run);
  void WithoutServices() { no_services_ = true; }

  // From now on only Advance moves the time of the driver's timers.
  void StopClock();
  void Advance(std::chrono::nanoseconds time);
  // Waits until a timer that is due in DELAY is set. Returns false when none comes.
  bool AwaitTimer(std::chrono::nanoseconds delay, std::chrono::milliseconds limit = 10s);

 private:
  struct Host;
  struct Process;
  struct Open;

  friend struct Service;
  friend struct FakeProcesses;
  std::uint64_t NewCall(drover_run_id run, drover_call* call, const char* verb);
  void Returned(std::uint64_t id, int code, const drover_error& error);
  void Completed(std::uint64_t id, const drover_error* error, const void* result);
  void Post(std::function<void()> job);
  std::shared_ptr<Process> FindProcess(drover_run_id run);
  std::optional<Failure> TakeFailure(const std::string& function);
  void PoolThread();
  void TimerThread();

  std::unique_ptr<Host> host_;
  const drover_driver* driver_ = nullptr;
  drover_instance* instance_ = nullptr;
  bool no_services_ = false;
  bool cancel_next_ = false;
  std::size_t stop_after_ = SIZE_MAX;
  drover_call own_call_ = {};

  std::mutex mutex_;
  std::list<std::function<void()>> kills_;  // of stops; timers hold their addresses
  std::condition_variable changed_;
  bool ending_ = false;
  bool exits_held_ = false;
  bool attaches_held_ = false;
  std::uint64_t last_id_ = 100;
  std::map<std::uint64_t, std::shared_ptr<Open>> calls_;
  std::map<std::uint64_t, StreamLog> streams_;
  std::map<std::string, std::shared_ptr<Process>> processes_;
  std::map<std::string, Failure> failures_;
  std::string hold_next_;
  std::vector<std::function<void()>> held_;
  std::string log_;
  std::vector<std::string> progress_;
  std::deque<std::function<void()>> jobs_;
  struct Timer {
    std::uint64_t id;
    void (*function)(void*);
    void* context;
  };
  std::chrono::steady_clock::time_point Now() const;
  std::optional<std::chrono::steady_clock::time_point> stopped_at_;
  std::multimap<std::chrono::steady_clock::time_point, Timer> timers_;
  std::vector<std::thread> threads_;
  std::vector<std::thread> watchers_;
};

}  // namespace drover_test
