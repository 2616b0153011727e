// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

// The verbs of a driver, its streams, and the results of both.
#include "fake_state.h"

namespace drover_test {

#define CALL(verb, run, ...)                                                \
  drover_call call;                                                         \
  std::uint64_t call_id = NewCall(run, &call, #verb);                       \
  drover_##verb##_args args = {sizeof args, __VA_ARGS__};                   \
  drover_error error = NewError();                                          \
  Returned(call_id, driver_->verb(instance_, &call, &args, &error), error); \
  return call_id

Result FakeHost::Shutdown(std::chrono::milliseconds limit) {
  auto begin = [this]() -> std::uint64_t { CALL(shutdown, drover_run_id{}, 0); };
  Result result = Finish(begin(), limit);
  instance_ = nullptr;
  return result;
}

struct RawTask {
  drover_task_config raw = {};
  std::vector<drover_pair> env;
  explicit RawTask(const Task& task) {
    raw.struct_size = sizeof raw;
    raw.run_id = task.run;
    raw.id = Str(task.id);
    raw.task_name = Str(task.task_name);
    raw.task_dir = Str(task.task_dir);
    raw.user = Str(task.user);
    raw.kill_signal = Str(task.kill_signal);
    raw.driver_config = Str(task.config);
    for (auto& [key, value] : task.env) env.push_back(drover_pair{Str(key), Str(value)});
    raw.env = drover_array{env.data(), env.size(), sizeof(drover_pair)};
  }
};

std::uint64_t FakeHost::Start(const Task& task) {
  RawTask raw(task);
  CALL(start, task.run, 0, &raw.raw);
}
std::uint64_t FakeHost::Recover(const Task& task, const std::string* handle) {
  RawTask raw(task);
  drover_task_handle raw_handle = {sizeof(drover_task_handle), 1, {nullptr, 0}, {nullptr, 0}};
  if (handle != nullptr) raw_handle.state = Str(*handle);
  CALL(recover, task.run, 0, &raw.raw, handle == nullptr ? nullptr : &raw_handle);
}
std::uint64_t FakeHost::Wait(drover_run_id run) { CALL(wait, run, 0); }
std::uint64_t FakeHost::Inspect(drover_run_id run) { CALL(inspect, run, 0); }
std::uint64_t FakeHost::Stop(drover_run_id run, std::chrono::nanoseconds timeout,
                             const std::string& signal) {
  CALL(stop, run, 0, timeout.count(), Str(signal));
}
std::uint64_t FakeHost::Destroy(drover_run_id run, bool force) {
  CALL(destroy, run, force ? 1u : 0u);
}
std::uint64_t FakeHost::Configure(const std::string& config) {
  CALL(configure, drover_run_id{}, 0, Str(config));
}
std::uint64_t FakeHost::RestoreComplete(const std::vector<drover_run_id>& runs) {
  drover_array array{runs.data(), runs.size(), sizeof(drover_run_id)};
  CALL(restore_complete, drover_run_id{}, 0, array);
}

std::uint64_t FakeHost::Exec(drover_run_id run, const std::vector<std::string>& command, bool tty,
                             int input, int output, int error_fd) {
  auto* part = static_cast<const drover_task_exec*>(driver_->get_extension(
      instance_, drover_str{DROVER_TASK_EXEC_ID, sizeof(DROVER_TASK_EXEC_ID) - 1}));
  std::vector<drover_str> words;
  for (const std::string& word : command) words.push_back(Str(word));
  drover_call call;
  std::uint64_t id = NewCall(run, &call, "exec");
  drover_exec_args args = {};
  args.struct_size = sizeof args;
  args.tty = tty;
  args.command = drover_array{words.data(), words.size(), sizeof(drover_str)};
  args.width = 80;
  args.height = 24;
  auto give = [](int fd) { return drover_fd{fd, fd >= 0 ? DROVER_FD_GIVEN : DROVER_FD_NONE}; };
  args.input = give(input);
  args.output = give(output);
  args.error = give(error_fd);
  drover_error error = NewError();
  Returned(id, part->exec(instance_, &call, &args, &error), error);
  return id;
}

Failure FakeHost::Resize(std::uint64_t session, int width, int height) {
  auto* part = static_cast<const drover_task_exec*>(driver_->get_extension(
      instance_, drover_str{DROVER_TASK_EXEC_ID, sizeof(DROVER_TASK_EXEC_ID) - 1}));
  drover_error error = NewError();
  int code = part->resize(instance_, session, width, height, &error);
  return code == DROVER_OK ? Failure{} : Read(code, error);
}

Failure FakeHost::Signal(drover_run_id run, const std::string& name) {
  auto begin = [&]() -> std::uint64_t { CALL(signal, run, 0, Str(name)); };
  return Finish(begin()).error.value_or(Failure{});
}

Result FakeHost::Finish(std::uint64_t call, std::chrono::milliseconds limit) {
  std::unique_lock<std::mutex> lock(mutex_);
  auto open = calls_[call];
  changed_.wait_for(lock, limit, [&] { return open->result.complete; });
  return open->result;
}

void FakeHost::CancelCall(std::uint64_t call) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    calls_[call]->cancelled = true;
  }
  driver_->call_cancelled(instance_, call);
}

int FakeHost::completions(std::uint64_t call) {
  std::lock_guard<std::mutex> lock(mutex_);
  return calls_[call]->completions;
}

std::uint64_t FakeHost::Fingerprint() {
  std::uint64_t id;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    id = ++last_id_;
  }
  drover_error error = NewError();
  int code = driver_->fingerprint(instance_, id, &error);
  if (code != DROVER_OK) {
    std::lock_guard<std::mutex> lock(mutex_);
    streams_[id].ended = true;
    streams_[id].error = Read(code, error);
  }
  return id;
}

std::uint64_t FakeHost::Events() {
  std::uint64_t id;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    id = ++last_id_;
  }
  drover_error error = NewError();
  int code = driver_->events(instance_, id, &error);
  if (code != DROVER_OK) {
    std::lock_guard<std::mutex> lock(mutex_);
    streams_[id].ended = true;
    streams_[id].error = Read(code, error);
  }
  return id;
}

std::uint64_t FakeHost::Stats(drover_run_id run, std::chrono::nanoseconds interval,
                              Failure* failure, std::uint32_t flags) {
  auto* part = static_cast<const drover_task_stats*>(driver_->get_extension(
      instance_, drover_str{DROVER_TASK_STATS_ID, sizeof(DROVER_TASK_STATS_ID) - 1}));
  std::uint64_t id;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    id = ++last_id_;
  }
  drover_error error = NewError();
  drover_stats_args args = {sizeof args, flags, interval.count()};
  int code = part->stats(instance_, id, &run, &args, &error);
  *failure = code == DROVER_OK ? Failure{} : Read(code, error);
  return id;
}

void FakeHost::CancelStream(std::uint64_t stream) { driver_->stream_cancel(instance_, stream); }

int FakeHost::JoinStream(std::uint64_t stream, std::chrono::milliseconds limit) {
  drover_error error = NewError();
  return driver_->stream_join(instance_, stream, BootTime(limit), &error);
}

StreamLog FakeHost::stream(std::uint64_t id) {
  std::lock_guard<std::mutex> lock(mutex_);
  return streams_[id];
}

StreamLog FakeHost::AwaitMessages(std::uint64_t id, std::size_t n,
                                  std::chrono::milliseconds limit) {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait_for(lock, limit,
                    [&] { return streams_[id].messages.size() >= n || streams_[id].ended; });
  return streams_[id];
}

// Returns the process of a run, also of a released one.
#define PROCESS_FACT(type, name, expression)      \
  type FakeHost::name(drover_run_id run) {        \
    std::lock_guard<std::mutex> lock(mutex_);     \
    auto found = processes_.find(Key(run));       \
    if (found == processes_.end()) return type(); \
    return found->second->expression;             \
  }
PROCESS_FACT(int, pid, pid)
PROCESS_FACT(std::string, output, output[0])
PROCESS_FACT(std::string, error_output, output[1])
PROCESS_FACT(Map, environment, env)
PROCESS_FACT(std::vector<std::string>, argv, argv)
PROCESS_FACT(std::string, work_dir, work_dir)
PROCESS_FACT(std::string, user, user)
PROCESS_FACT(int, oom_score_adj, oom_score_adj)
PROCESS_FACT(std::string, cgroup, cgroup)
PROCESS_FACT(Map, v1_cgroups, v1_cgroups)
PROCESS_FACT(std::size_t, waits, waiters.size())

std::vector<std::string> FakeHost::progress() {
  std::lock_guard<std::mutex> lock(mutex_);
  return progress_;
}

std::string FakeHost::log() {
  std::lock_guard<std::mutex> lock(mutex_);
  return log_;
}

}  // namespace drover_test
