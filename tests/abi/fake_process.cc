// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "driver_place.h"
#include "fake_state.h"

namespace drover_test {

struct FakeProcesses::Functions {
  // The common part of the functions: a planned failure, or the run's process.
  static std::int32_t Begin(const drover_host* host, const char* function, const drover_run_id* run,
                            drover_done done, void* context, drover_error* error,
                            std::shared_ptr<FakeHost::Process>* process, bool* ended) {
    FakeHost* self = Service::Self(host);
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
    {
      std::lock_guard<std::mutex> lock(self->mutex_);
      if (self->hold_next_ == function) {
        self->hold_next_.clear();
        self->held_.push_back([done, context] {
          drover_error out = NewError();
          Fail(&out, DROVER_E_CANCELLED, "given up");
          done(context, &out, nullptr);
        });
        return DROVER_OK;
      }
    }
    *process = self->FindProcess(*run);
    if (*process == nullptr) {
      const std::int32_t refused = Fail(error, DROVER_E_NOT_FOUND, "no process of this run");
      const std::string_view name(function);
      if (Place()->is_this_process() || name == "start" || name == "release") return refused;
      // The asking thread of a container cannot wait for its driver: it needs an answer.
      self->Post([done, context] {
        drover_error out = NewError();
        Fail(&out, DROVER_E_NOT_FOUND, "no process of this run");
        done(context, &out, nullptr);
      });
      return DROVER_OK;
    }
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
    FakeHost* self = Service::Self(host);
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
    if (DROVER_HAS(args, drover_process_start_args, v1_cgroups)) {
      process->cgroup = Text(args->cgroup);
      process->v1_cgroups = Pairs(args->v1_cgroups);
    }
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
      for (int i = 0; i < 2; ++i) Service::Collect(self, process, pipes[i][0], i);
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
      std::unique_lock<std::mutex> lock(self->mutex_);
      self->changed_.wait(lock, [self] { return !self->exits_held_; });
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
  FakeHost* self = Service::Self(host);                                           \
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
        std::unique_lock<std::mutex> lock(self->mutex_);
        self->changed_.wait(lock, [self] { return !self->attaches_held_; });
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
    std::function<void()>* job = nullptr;
    {
      std::lock_guard<std::mutex> lock(self->mutex_);
      self->kills_.emplace_back([self, process] {
        std::lock_guard<std::mutex> late(self->mutex_);
        if (!process->exit) kill(-process->pid, SIGKILL);
      });
      job = &self->kills_.back();
    }
    Service::after(
        host, args->timeout, [](void* c) { (*static_cast<std::function<void()>*>(c))(); }, job);
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
    FakeHost* self = Service::Self(host);
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
                            const drover_process_usage_args* args, drover_done done, void* context,
                            drover_error* error) {
    BEGIN("usage")
    bool processes = (args->flags & DROVER_STATS_PROCESSES) != 0;
    self->Post([process, processes, done, context] {
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
      drover_usage only = total;
      only.pid = process->pid;
      if (processes) out.processes = {&only, 1, sizeof only};
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
    FakeHost* self = Service::Self(host);
    std::lock_guard<std::mutex> lock(self->mutex_);
    self->log_ += "resize " + std::to_string(width) + "x" + std::to_string(height) + "\n";
    return DROVER_OK;
  }
  static void exec_end(const drover_host* host, void*) {
    FakeHost* self = Service::Self(host);
    std::lock_guard<std::mutex> lock(self->mutex_);
    self->log_ += "exec_end\n";
  }
};

const drover_process* FakeProcesses::Table() {
  using F = Functions;
  static const drover_process kProcess = {sizeof(drover_process),
                                          0,
                                          &F::start,
                                          &F::attach,
                                          &F::wait,
                                          &F::signal,
                                          &F::stop,
                                          &F::kill_run,
                                          &F::release,
                                          &F::usage,
                                          &F::exec,
                                          &F::exec_resize,
                                          &F::exec_end};
  return &kProcess;
}

}  // namespace drover_test
