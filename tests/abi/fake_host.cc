// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "fake_host.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <fstream>

namespace drover_test {
namespace {

std::string Text(drover_str in) { return std::string(in.data, in.data == nullptr ? 0 : in.size); }
drover_str Str(const std::string& in) { return drover_str{in.data(), in.size()}; }

Map Pairs(const drover_array& array) {
  Map out;
  for (std::size_t i = 0; i < array.count; ++i) {
    auto* pair = reinterpret_cast<const drover_pair*>(static_cast<const char*>(array.data) +
                                                      i * array.element_size);
    out[Text(pair->key)] = Text(pair->value);
  }
  return out;
}

Failure Read(int code, const drover_error& error) {
  return Failure{error.code != 0 ? error.code : code, (error.flags & DROVER_ERROR_RECOVERABLE) != 0,
                 std::string(error.message, error.message_size)};
}

drover_error NewError() {
  drover_error out = {};
  out.struct_size = sizeof out;
  return out;
}

int Fail(drover_error* error, int code, const std::string& message) {
  error->code = code;
  error->message_size = static_cast<std::uint32_t>(message.size());
  memcpy(error->message, message.data(), message.size());
  return code;
}

Exit ReadExit(const drover_exit_result* in) {
  return Exit{in->exit_code, in->signal, in->oom_killed != 0, Text(in->error)};
}

std::string Key(const drover_run_id& run) {
  return std::string(reinterpret_cast<const char*>(run.bytes), sizeof run.bytes);
}

std::int64_t BootTime(std::chrono::nanoseconds later) {
  timespec now;
  clock_gettime(CLOCK_BOOTTIME, &now);
  return now.tv_sec * 1000000000ll + now.tv_nsec + later.count();
}

std::int64_t WallTime() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace

drover_run_id RunOf(int number) {
  drover_run_id out = {};
  memcpy(out.bytes, &number, sizeof number);
  out.bytes[15] = 1;
  return out;
}

struct FakeHost::Host : drover_host {
  FakeHost* self;
};

struct FakeHost::Open {
  std::string verb;
  drover_call call = {};
  int completions = 0;
  Result result;
};

struct FakeHost::Process {
  drover_run_id run = {};
  pid_t pid = 0;
  std::vector<std::string> argv;
  Map env;
  std::string work_dir, user;
  int oom_score_adj = 0;
  std::int64_t started_at = 0;
  std::string output[2];
  std::optional<Exit> exit;
  std::vector<std::function<void(const Exit&)>> waiters;
  bool released = false;
};

// The functions of the host and of its services.
struct Service {
  static FakeHost* Self(const drover_host* host) {
    return static_cast<const FakeHost::Host*>(host)->self;
  }

  static const void* get_extension(const drover_host* host, drover_str id);

  static void complete(const drover_host* host, std::uint64_t id, const drover_error* error,
                       const void* result) {
    Self(host)->Completed(id, error, result);
  }
  static std::int32_t call_is_cancelled(const drover_host*, std::uint64_t) { return 0; }
  static std::int32_t call_cancel_fd(const drover_host*, std::uint64_t, drover_fd*,
                                     drover_error* error) {
    return Fail(error, DROVER_E_UNIMPLEMENTED, "not in the fake host");
  }
  static std::int32_t stream_send(const drover_host* host, std::uint64_t id,
                                  const drover_message* message) {
    FakeHost* self = Self(host);
    Message out;
    out.type = message->type;
    if (message->type == DROVER_MESSAGE_FINGERPRINT) {
      auto* in = reinterpret_cast<const drover_fingerprint*>(message);
      out.health = in->health;
      out.description = Text(in->description);
      out.attributes = Pairs(in->attributes);
    } else if (message->type == DROVER_MESSAGE_EVENT) {
      auto* in = reinterpret_cast<const drover_event*>(message);
      out.description = Text(in->message);
      out.attributes = Pairs(in->annotations);
    } else {
      auto* in = reinterpret_cast<const drover_stats*>(message);
      out.timestamp = in->timestamp;
      if (in->total != nullptr) {
        out.measured = in->total->measured;
        out.rss = in->total->rss;
      }
    }
    std::lock_guard<std::mutex> lock(self->mutex_);
    StreamLog& stream = self->streams_[id];
    if (stream.ended) ++stream.after_end;
    stream.messages.push_back(out);
    self->changed_.notify_all();
    return stream.messages.size() >= self->stop_after_ ? 1 : 0;
  }
  static void stream_end(const drover_host* host, std::uint64_t id, const drover_error* error) {
    FakeHost* self = Self(host);
    std::lock_guard<std::mutex> lock(self->mutex_);
    StreamLog& stream = self->streams_[id];
    if (stream.ended) ++stream.after_end;
    stream.ended = true;
    if (error != nullptr) stream.error = Read(0, *error);
    self->changed_.notify_all();
  }

  static void log(const drover_host* host, std::int32_t level, const drover_run_id*,
                  drover_str message) {
    FakeHost* self = Self(host);
    std::lock_guard<std::mutex> lock(self->mutex_);
    self->log_ += std::to_string(level) + " " + Text(message) + "\n";
  }

  static std::uint64_t after(const drover_host* host, std::int64_t delay, void (*function)(void*),
                             void* context) {
    FakeHost* self = Self(host);
    std::lock_guard<std::mutex> lock(self->mutex_);
    std::uint64_t id = ++self->last_id_;
    // Clamped, as time points overflow where the driver's delays do not.
    auto at = std::chrono::steady_clock::now() +
              std::chrono::nanoseconds(std::min<std::int64_t>(delay, 1000000000ll * 3600 * 1000));
    self->timers_.emplace(at, FakeHost::Timer{id, function, context});
    self->changed_.notify_all();
    return id;
  }
  static std::int32_t cancel(const drover_host* host, std::uint64_t id) {
    FakeHost* self = Self(host);
    std::lock_guard<std::mutex> lock(self->mutex_);
    for (auto at = self->timers_.begin(); at != self->timers_.end(); ++at) {
      if (at->second.id != id) continue;
      self->timers_.erase(at);
      return 1;
    }
    return 0;
  }

  // ------------------------------------------------------------------------ the process service

  // What is common to the functions: a planned failure, or the run's process.
  static std::int32_t Begin(const drover_host* host, const char* function, const drover_run_id* run,
                            drover_done done, void* context, drover_error* error,
                            std::shared_ptr<FakeHost::Process>* process, bool* ended) {
    FakeHost* self = Self(host);
    *ended = true;
    if (auto failure = self->TakeFailure(function)) {
      Failure planned = *failure;
      self->Post([done, context, planned] {
        drover_error out = NewError();
        Fail(&out, planned.code, planned.message);
        done(context, &out, nullptr);
      });
      return DROVER_OK;
    }
    *process = self->FindProcess(*run);
    if (*process == nullptr) return Fail(error, DROVER_E_NOT_FOUND, "no process of this run");
    *ended = false;
    return DROVER_OK;
  }

  static void Answer(FakeHost* self, drover_done done, void* context) {
    self->Post([done, context] {
      drover_empty_result result = {sizeof(drover_empty_result), 0};
      done(context, nullptr, &result);
    });
  }

  static std::int32_t start(const drover_host* host, const drover_run_id* run,
                            const drover_process_start_args* args, drover_done done, void* context,
                            drover_error* error) {
    FakeHost* self = Self(host);
    std::shared_ptr<FakeHost::Process> process;
    bool ended = false;
    int code = Begin(host, "start", run, done, context, error, &process, &ended);
    if (code == DROVER_OK && !ended) {
      return Fail(error, DROVER_E_FAILED_PRECONDITION, "the run has a process");
    }
    if (code == DROVER_OK) return code;
    *error = NewError();
    process = std::make_shared<FakeHost::Process>();
    process->run = *run;
    for (std::size_t i = 0; i < args->argv.count; ++i) {
      process->argv.push_back(Text(static_cast<const drover_str*>(args->argv.data)[i]));
    }
    process->env = Pairs(args->env);
    process->work_dir = Text(args->work_dir);
    process->user = Text(args->user);
    process->oom_score_adj = args->oom_score_adj;
    self->Post([self, process, done, context] { self_start(self, process, done, context); });
    return DROVER_OK;
  }

  static void self_start(FakeHost* self, std::shared_ptr<FakeHost::Process> process,
                         drover_done done, void* context) {
    int pipes[2][2];
    if (pipe2(pipes[0], O_CLOEXEC) != 0 || pipe2(pipes[1], O_CLOEXEC) != 0) abort();
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, pipes[0][1], 1);
    posix_spawn_file_actions_adddup2(&actions, pipes[1][1], 2);
    posix_spawn_file_actions_addchdir_np(&actions, process->work_dir.c_str());
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    std::vector<char*> argv;
    for (std::string& word : process->argv) argv.push_back(word.data());
    argv.push_back(nullptr);
    std::vector<std::string> env;
    for (auto& [key, value] : process->env) env.push_back(key + "=" + value);
    std::vector<char*> envp;
    for (std::string& word : env) envp.push_back(word.data());
    envp.push_back(nullptr);
    int error =
        posix_spawn(&process->pid, argv[0], &actions, &attributes, argv.data(), envp.data());
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    close(pipes[0][1]);
    close(pipes[1][1]);
    if (error != 0) {
      close(pipes[0][0]);
      close(pipes[1][0]);
      drover_error out = NewError();
      Fail(&out, DROVER_E_INTERNAL, "exec of " + process->argv[0] + ": " + strerror(error));
      done(context, &out, nullptr);
      return;
    }
    process->started_at = WallTime();
    {
      std::lock_guard<std::mutex> lock(self->mutex_);
      self->processes_[Key(process->run)] = process;
      for (int i = 0; i < 2; ++i) {
        self->watchers_.emplace_back([self, process, fd = pipes[i][0], i] {
          char buffer[4096];
          for (ssize_t n; (n = read(fd, buffer, sizeof buffer)) > 0;) {
            std::lock_guard<std::mutex> reading(self->mutex_);
            process->output[i].append(buffer, static_cast<std::size_t>(n));
          }
          close(fd);
        });
      }
      self->watchers_.emplace_back([self, process] { Watch(self, process); });
    }
    drover_process_info info = {sizeof(drover_process_info), process->pid};
    done(context, nullptr, &info);
  }

  static void Watch(FakeHost* self, std::shared_ptr<FakeHost::Process> process) {
    int status = 0;
    while (waitpid(process->pid, &status, 0) < 0 && errno == EINTR) {
    }
    kill(-process->pid, SIGKILL);
    Exit exit;
    if (WIFSIGNALED(status)) {
      exit.signal = WTERMSIG(status);
      exit.exit_code = 128 + exit.signal;
    } else {
      exit.exit_code = WEXITSTATUS(status);
    }
    std::vector<std::function<void(const Exit&)>> waiters;
    {
      std::lock_guard<std::mutex> lock(self->mutex_);
      process->exit = exit;
      waiters.swap(process->waiters);
      self->changed_.notify_all();
    }
    for (auto& waiter : waiters) waiter(exit);
  }

  static void OnExit(FakeHost* self, const std::shared_ptr<FakeHost::Process>& process,
                     std::function<void(const Exit&)> hear) {
    std::unique_lock<std::mutex> lock(self->mutex_);
    if (!process->exit) {
      process->waiters.push_back(std::move(hear));
      return;
    }
    Exit exit = *process->exit;
    lock.unlock();
    self->Post([exit, hear] { hear(exit); });
  }

  static drover_exit_result Raw(const Exit& exit) {
    drover_exit_result out = {};
    out.struct_size = sizeof out;
    out.exit_code = exit.exit_code;
    out.signal = exit.signal;
    out.error = Str(exit.error);
    return out;
  }

#define BEGIN(function)                                                           \
  FakeHost* self = Self(host);                                                    \
  std::shared_ptr<FakeHost::Process> process;                                     \
  bool ended = false;                                                             \
  int begun = Begin(host, function, run, done, context, error, &process, &ended); \
  if (begun != DROVER_OK || ended) return begun;

  static std::int32_t attach(const drover_host* host, const drover_run_id* run,
                             const drover_process_none_args*, drover_done done, void* context,
                             drover_error* error) {
    BEGIN("attach")
    self->Post([self, process, done, context] {
      drover_process_state state = {};
      state.struct_size = sizeof state;
      state.pid = process->pid;
      state.started_at = process->started_at;
      drover_exit_result raw;
      {
        std::lock_guard<std::mutex> lock(self->mutex_);
        state.state = process->exit ? DROVER_TASK_EXITED : DROVER_TASK_RUNNING;
        if (process->exit) {
          raw = Raw(*process->exit);
          state.exit_result = &raw;
        }
      }
      done(context, nullptr, &state);
    });
    return DROVER_OK;
  }
  static std::int32_t wait(const drover_host* host, const drover_run_id* run,
                           const drover_process_none_args*, drover_done done, void* context,
                           drover_error* error) {
    BEGIN("wait")
    OnExit(self, process, [done, context](const Exit& exit) {
      drover_exit_result raw = Raw(exit);
      done(context, nullptr, &raw);
    });
    return DROVER_OK;
  }
  static std::int32_t signal(const drover_host* host, const drover_run_id* run,
                             const drover_process_signal_args* args, drover_done done,
                             void* context, drover_error* error) {
    BEGIN("signal")
    kill(process->pid, args->number);
    Answer(self, done, context);
    return DROVER_OK;
  }
  static std::int32_t stop(const drover_host* host, const drover_run_id* run,
                           const drover_process_stop_args* args, drover_done done, void* context,
                           drover_error* error) {
    BEGIN("stop")
    kill(-process->pid, args->number);
    auto job = new std::function<void()>([self, process] {
      std::lock_guard<std::mutex> lock(self->mutex_);
      if (!process->exit) kill(-process->pid, SIGKILL);
    });
    after(
        host, args->timeout,
        [](void* c) {
          std::unique_ptr<std::function<void()>> f(static_cast<std::function<void()>*>(c));
          (*f)();
        },
        job);
    OnExit(self, process, [self, done, context](const Exit&) { Answer(self, done, context); });
    return DROVER_OK;
  }
  static std::int32_t kill_run(const drover_host* host, const drover_run_id* run,
                               const drover_process_none_args*, drover_done done, void* context,
                               drover_error* error) {
    BEGIN("kill")
    ::kill(-process->pid, SIGKILL);
    OnExit(self, process, [self, done, context](const Exit&) { Answer(self, done, context); });
    return DROVER_OK;
  }
  static std::int32_t release(const drover_host* host, const drover_run_id* run,
                              const drover_process_none_args*, drover_done done, void* context,
                              drover_error* error) {
    FakeHost* self = Self(host);
    std::shared_ptr<FakeHost::Process> process;
    bool ended = false;
    int begun = Begin(host, "release", run, done, context, error, &process, &ended);
    if (begun == DROVER_OK && ended) return begun;
    if (begun == DROVER_E_NOT_FOUND) {
      *error = NewError();
      Answer(self, done, context);
      return DROVER_OK;
    }
    ::kill(-process->pid, SIGKILL);
    OnExit(self, process, [self, process, done, context](const Exit&) {
      {
        std::lock_guard<std::mutex> lock(self->mutex_);
        process->released = true;
      }
      Answer(self, done, context);
    });
    return DROVER_OK;
  }
  static std::int32_t usage(const drover_host* host, const drover_run_id* run,
                            const drover_process_none_args*, drover_done done, void* context,
                            drover_error* error) {
    BEGIN("usage")
    self->Post([process, done, context] {
      drover_usage total = {};
      total.struct_size = sizeof total;
      total.measured = DROVER_STAT_RSS;
      std::ifstream file("/proc/" + std::to_string(process->pid) + "/statm");
      std::uint64_t size = 0;
      file >> size >> total.rss;
      total.rss *= 4096;
      drover_stats out = {};
      out.struct_size = sizeof out;
      out.type = DROVER_MESSAGE_STATS;
      out.timestamp = WallTime();
      out.total = &total;
      done(context, nullptr, &out);
    });
    return DROVER_OK;
  }
  static std::int32_t exec(const drover_host* host, const drover_run_id* run,
                           const drover_exec_args* args, drover_done done, void* context,
                           drover_error* error) {
    BEGIN("exec")
    std::vector<std::string> words;
    for (std::size_t i = 0; i < args->command.count; ++i) {
      words.push_back(Text(static_cast<const drover_str*>(args->command.data)[i]));
    }
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, args->input.fd, 0);
    posix_spawn_file_actions_adddup2(&actions, args->output.fd, 1);
    posix_spawn_file_actions_adddup2(&actions, args->error.fd, 2);
    pid_t pid = 0;
    char* none[] = {nullptr};
    int failed = posix_spawnp(&pid, argv[0], &actions, nullptr, argv.data(), none);
    posix_spawn_file_actions_destroy(&actions);
    close(args->input.fd);
    close(args->output.fd);
    close(args->error.fd);
    std::lock_guard<std::mutex> lock(self->mutex_);
    self->watchers_.emplace_back([pid, failed, done, context] {
      int status = 127 << 8;
      if (failed == 0) waitpid(pid, &status, 0);
      Exit exit;
      exit.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
      drover_exit_result raw = Raw(exit);
      done(context, nullptr, &raw);
    });
    return DROVER_OK;
  }
  static std::int32_t exec_resize(const drover_host* host, void*, std::int32_t width,
                                  std::int32_t height, drover_error*) {
    FakeHost* self = Self(host);
    std::lock_guard<std::mutex> lock(self->mutex_);
    self->log_ += "resize " + std::to_string(width) + "x" + std::to_string(height) + "\n";
    return DROVER_OK;
  }
  static void exec_end(const drover_host* host, void*) {
    FakeHost* self = Self(host);
    std::lock_guard<std::mutex> lock(self->mutex_);
    self->log_ += "exec_end\n";
  }

  static std::int32_t open_output(const drover_host* host, const drover_run_id* run,
                                  drover_done done, void* context, drover_error*) {
    FakeHost* self = Self(host);
    auto process = std::make_shared<FakeHost::Process>();
    process->run = *run;
    process->exit = Exit{};
    int pipes[2][2];
    if (pipe2(pipes[0], O_CLOEXEC) != 0 || pipe2(pipes[1], O_CLOEXEC) != 0) abort();
    {
      std::lock_guard<std::mutex> lock(self->mutex_);
      self->processes_[Key(*run)] = process;
      for (int i = 0; i < 2; ++i) {
        self->watchers_.emplace_back([self, process, fd = pipes[i][0], i] {
          char buffer[4096];
          for (ssize_t n; (n = read(fd, buffer, sizeof buffer)) > 0;) {
            std::lock_guard<std::mutex> reading(self->mutex_);
            process->output[i].append(buffer, static_cast<std::size_t>(n));
          }
          close(fd);
        });
      }
    }
    self->Post([done, context, out = pipes[0][1], err = pipes[1][1]] {
      drover_task_output_pipes raw = {};
      raw.struct_size = sizeof raw;
      raw.output = drover_fd{out, DROVER_FD_GIVEN};
      raw.error = drover_fd{err, DROVER_FD_GIVEN};
      done(context, nullptr, &raw);
    });
    return DROVER_OK;
  }
};

const void* Service::get_extension(const drover_host* host, drover_str id) {
  static const drover_process kProcess = {sizeof(drover_process),
                                          0,
                                          &start,
                                          &attach,
                                          &wait,
                                          &signal,
                                          &stop,
                                          &kill_run,
                                          &release,
                                          &usage,
                                          &exec,
                                          &exec_resize,
                                          &exec_end};
  static const drover_diag_log kLog = {sizeof(drover_diag_log), 0, &log};
  static const drover_timer kTimer = {sizeof(drover_timer), 0, &after, &cancel};
  static const drover_task_output kOutput = {sizeof(drover_task_output), 0, &open_output};
  if (Self(host)->no_services_) return nullptr;
  std::string name = Text(id);
  if (name == DROVER_PROCESS_ID) return &kProcess;
  if (name == DROVER_DIAG_LOG_ID) return &kLog;
  if (name == DROVER_TIMER_ID) return &kTimer;
  if (name == DROVER_TASK_OUTPUT_ID) return &kOutput;
  return nullptr;
}

FakeHost::FakeHost() : host_(std::make_unique<Host>()) {
  ::signal(SIGPIPE, SIG_IGN);
  host_->struct_size = sizeof(drover_host);
  host_->abi_minor = DROVER_ABI_MINOR;
  host_->get_extension = &Service::get_extension;
  host_->complete = &Service::complete;
  host_->call_is_cancelled = &Service::call_is_cancelled;
  host_->call_cancel_fd = &Service::call_cancel_fd;
  host_->stream_send = &Service::stream_send;
  host_->stream_end = &Service::stream_end;
  host_->self = this;
  for (int i = 0; i < 4; ++i) threads_.emplace_back([this] { PoolThread(); });
  threads_.emplace_back([this] { TimerThread(); });
}

FakeHost::~FakeHost() {
  if (instance_ != nullptr) Shutdown();
  std::vector<std::thread> watchers;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    for (auto& item : processes_) {
      if (!item.second->exit) kill(-item.second->pid, SIGKILL);
    }
    watchers.swap(watchers_);
  }
  for (std::thread& thread : watchers) thread.join();
  {
    std::lock_guard<std::mutex> lock(mutex_);
    ending_ = true;
    changed_.notify_all();
  }
  for (std::thread& thread : threads_) thread.join();
  // The contexts of timers that never fire are their owners': fire those of the fake itself.
}

drover_host* FakeHost::raw() { return host_.get(); }

void FakeHost::Post(std::function<void()> job) {
  std::lock_guard<std::mutex> lock(mutex_);
  jobs_.push_back(std::move(job));
  changed_.notify_all();
}

void FakeHost::PoolThread() {
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return ending_ || !jobs_.empty(); });
    if (jobs_.empty()) return;
    auto job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    job();
    lock.lock();
  }
}

void FakeHost::TimerThread() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (!ending_ || !timers_.empty()) {
    if (timers_.empty()) {
      changed_.wait(lock);
      continue;
    }
    auto at = timers_.begin();
    // When the host ends, what is left fires at once: each context is freed by its function.
    auto when = at->first;  // a copy: the timer may be cancelled during the wait
    if (!ending_ && when > std::chrono::steady_clock::now()) {
      changed_.wait_until(lock, when);
      continue;
    }
    Timer timer = at->second;
    timers_.erase(at);
    jobs_.push_back([timer] { timer.function(timer.context); });
    changed_.notify_all();
  }
}

std::shared_ptr<FakeHost::Process> FakeHost::FindProcess(drover_run_id run) {
  std::lock_guard<std::mutex> lock(mutex_);
  auto found = processes_.find(Key(run));
  if (found == processes_.end() || found->second->released) return nullptr;
  return found->second;
}

std::optional<Failure> FakeHost::TakeFailure(const std::string& function) {
  std::lock_guard<std::mutex> lock(mutex_);
  auto found = failures_.find(function);
  if (found == failures_.end()) return std::nullopt;
  Failure out = found->second;
  failures_.erase(found);
  return out;
}

void FakeHost::FailNext(const std::string& function, Failure failure) {
  std::lock_guard<std::mutex> lock(mutex_);
  failures_[function] = std::move(failure);
}

const drover_driver* FakeHost::Load(const std::string& file) {
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    log_ += std::string(dlerror()) + "\n";
    return nullptr;
  }
  auto entry = reinterpret_cast<drover_driver_entry>(dlsym(library, DROVER_ENTRY_SYMBOL));
  if (entry == nullptr) return nullptr;
  driver_ = entry();
  return driver_;
}

std::uint64_t FakeHost::NewCall(drover_run_id run, drover_call* call, const char* verb) {
  auto open = std::make_shared<Open>();
  std::lock_guard<std::mutex> lock(mutex_);
  std::uint64_t id = ++last_id_;
  open->verb = verb;
  open->call.struct_size = sizeof(drover_call);
  open->call.id = id;
  open->call.run_id = run;
  open->call.deadline = BootTime(60s);
  *call = open->call;
  calls_[id] = open;
  return id;
}

const drover_call* FakeHost::NewCall(drover_run_id run) {
  NewCall(run, &own_call_, "start");
  return &own_call_;
}

void FakeHost::Returned(std::uint64_t id, int code, const drover_error& error) {
  if (code == DROVER_OK) return;
  std::lock_guard<std::mutex> lock(mutex_);
  Result& result = calls_[id]->result;
  result.refused = code;
  result.complete = true;
  result.error = Read(code, error);
  changed_.notify_all();
}

void FakeHost::Completed(std::uint64_t id, const drover_error* error, const void* raw) {
  std::lock_guard<std::mutex> lock(mutex_);
  auto found = calls_.find(id);
  if (found == calls_.end()) abort();
  Open& open = *found->second;
  if (++open.completions > 1) return;
  Result& result = open.result;
  result.complete = true;
  changed_.notify_all();
  if (error != nullptr) {
    result.error = Read(0, *error);
    return;
  }
  if (open.verb == "create") {
    result.instance = static_cast<const drover_create_result*>(raw)->instance;
  } else if (open.verb == "start") {
    auto* in = static_cast<const drover_start_result*>(raw);
    result.handle = Text(in->handle->state);
    result.handle_version = in->handle->format_version;
    if (in->network != nullptr) {
      result.network_ip = Text(in->network->ip);
      result.network_advertise = in->network->auto_advertise != 0;
      for (std::size_t i = 0; i < in->network->ports.count; ++i) {
        auto* port = static_cast<const drover_port*>(in->network->ports.data) + i;
        result.network_ports[Text(port->label)] = port->value;
      }
    }
  } else if (open.verb == "recover") {
    auto* in = static_cast<const drover_recover_result*>(raw);
    result.state = in->state;
    if (in->handle != nullptr) result.handle = Text(in->handle->state);
    if (in->exit_result != nullptr) result.exit = ReadExit(in->exit_result);
  } else if (open.verb == "wait" || open.verb == "exec") {
    result.exit = ReadExit(static_cast<const drover_exit_result*>(raw));
  } else if (open.verb == "inspect") {
    auto* in = static_cast<const drover_task_status*>(raw);
    result.state = in->state;
    result.started_at = in->started_at;
    result.completed_at = in->completed_at;
    if (in->exit_result != nullptr) result.exit = ReadExit(in->exit_result);
    result.attributes = Pairs(in->attributes);
  }
}

Result FakeHost::Create(const std::string& config) { return Create(driver_, config); }

Result FakeHost::Create(const drover_driver* driver, const std::string& config) {
  driver_ = driver;
  drover_call call;
  std::uint64_t id = NewCall({}, &call, "create");
  drover_create_args args = {sizeof args, 0, Str(config)};
  drover_error error = NewError();
  Returned(id, driver->create(host_.get(), &call, &args, &error), error);
  Result result = Finish(id);
  instance_ = result.ok() ? result.instance : nullptr;
  return result;
}

#define CALL(verb, run, ...)                                                \
  drover_call call;                                                         \
  std::uint64_t call_id = NewCall(run, &call, #verb);                       \
  drover_##verb##_args args = {sizeof args, __VA_ARGS__};                   \
  drover_error error = NewError();                                          \
  Returned(call_id, driver_->verb(instance_, &call, &args, &error), error); \
  return call_id;

Result FakeHost::Shutdown(std::chrono::milliseconds limit) {
  auto begin = [this]() -> std::uint64_t { CALL(shutdown, drover_run_id{}, 0) };
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
  CALL(start, task.run, 0, &raw.raw)
}
std::uint64_t FakeHost::Recover(const Task& task, const std::string* handle) {
  RawTask raw(task);
  drover_task_handle raw_handle = {sizeof(drover_task_handle), 1, {nullptr, 0}, {nullptr, 0}};
  if (handle != nullptr) raw_handle.state = Str(*handle);
  CALL(recover, task.run, 0, &raw.raw, handle == nullptr ? nullptr : &raw_handle)
}
std::uint64_t FakeHost::Wait(drover_run_id run){
    CALL(wait, run, 0)} std::uint64_t FakeHost::Inspect(drover_run_id run){
    CALL(inspect, run, 0)} std::uint64_t FakeHost::Stop(drover_run_id run,
                                                        std::chrono::nanoseconds timeout,
                                                        const std::string& signal){
    CALL(stop, run, 0, timeout.count(),
         Str(signal))} std::uint64_t FakeHost::Destroy(drover_run_id run, bool force){
    CALL(destroy, run,
         force ? 1u : 0u)} std::uint64_t FakeHost::Configure(const std::string& config){
    CALL(configure, drover_run_id{}, 0, Str(config))} std::uint64_t
    FakeHost::RestoreComplete(const std::vector<drover_run_id>& runs) {
  drover_array array{runs.data(), runs.size(), sizeof(drover_run_id)};
  CALL(restore_complete, drover_run_id{}, 0, array)
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
  auto begin = [&]() -> std::uint64_t { CALL(signal, run, 0, Str(name)) };
  return Finish(begin()).error.value_or(Failure{});
}

Result FakeHost::Finish(std::uint64_t call, std::chrono::milliseconds limit) {
  std::unique_lock<std::mutex> lock(mutex_);
  auto open = calls_[call];
  changed_.wait_for(lock, limit, [&] { return open->result.complete; });
  return open->result;
}

void FakeHost::CancelCall(std::uint64_t call) { driver_->call_cancelled(instance_, call); }

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
                              Failure* failure) {
  auto* part = static_cast<const drover_task_stats*>(driver_->get_extension(
      instance_, drover_str{DROVER_TASK_STATS_ID, sizeof(DROVER_TASK_STATS_ID) - 1}));
  std::uint64_t id;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    id = ++last_id_;
  }
  drover_error error = NewError();
  int code = part->stats(instance_, id, &run, interval.count(), &error);
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

// The process of a run, also of a released one.
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

std::string FakeHost::log() {
  std::lock_guard<std::mutex> lock(mutex_);
  return log_;
}

}  // namespace drover_test
