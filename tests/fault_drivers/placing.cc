// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

// A driver that is its own engine: it starts the processes of its tasks itself, in the places that
// the host gives their runs, and removes a place before the host does. For tests of places without
// an engine such as dockerd.
//
//   config { script = "echo ready; sleep 60" }
//
// An engine is a shell outside of the place. It starts the task inside, and awaits it. It outlives
// the agent, and what it knows is in files of the task directory, so that the next agent finds it:
//
//   RUN.begun  the engine may have been started
//   RUN.pid    the process of the task
//   RUN.exit   the exit code of the task
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <fstream>
#include <mutex>
#include <thread>

#include "drover/entry.hpp"
#include "drover/signals.hpp"
#include "drover/task_place.hpp"
#include "drover/task_table.hpp"

namespace {

using drover::Code;
using drover::Error;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

const char kEngine[] = R"(/bin/sh -c "$INSIDE"
echo $? > "$FILES.exit.new"; mv "$FILES.exit.new" "$FILES.exit")";
const char kInside[] = R"(
for place in $PLACES; do echo $$ > "$place/engine/cgroup.procs" || exit 125; done
echo $$ > "$FILES.pid.new"; mv "$FILES.pid.new" "$FILES.pid"
exec /bin/sh -c "$SCRIPT")";

// The number in a file, or -1 without one.
int NumberIn(const std::string& path) {
  int number = -1;
  std::ifstream(path) >> number;
  return number;
}

// Starts a shell that outlives this process and has none of its descriptors.
pid_t StartEngine(const drover::StringMap& env) {
  std::vector<std::string> texts;
  for (const auto& [name, value] : env) texts.push_back(name + "=" + value);
  std::vector<char*> words;
  for (std::string& text : texts) words.push_back(text.data());
  words.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDWR, 0);
  posix_spawn_file_actions_adddup2(&files, 0, 1);
  posix_spawn_file_actions_adddup2(&files, 0, 2);
  posix_spawnattr_t how;
  posix_spawnattr_init(&how);
  posix_spawnattr_setflags(&how,
                           POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  sigset_t set;
  sigemptyset(&set);
  posix_spawnattr_setsigmask(&how, &set);
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGCHLD}) sigaddset(&set, number);
  posix_spawnattr_setsigdefault(&how, &set);
  std::string shell = "sh", flag = "-c", script = kEngine;
  char* const argv[] = {shell.data(), flag.data(), script.data(), nullptr};
  pid_t pid = 0;
  const int error = posix_spawn(&pid, "/bin/sh", &files, &how, argv, words.data());
  posix_spawnattr_destroy(&how);
  posix_spawn_file_actions_destroy(&files);
  if (error != 0) throw Error(Code::kInternal, "cannot start the engine");
  return pid;
}

class Placing : public drover::Driver {
 public:
  static drover::Info Describe() {
    drover::Info info;
    info.task_config_schema = R"({"type": "object", "required": ["script"],
      "additionalProperties": false, "properties": {"script": {"type": "string"}}})";
    return info;
  }
  Placing(drover::Host host, const drover::Json&) : Driver(std::move(host)) {
    watcher_ = std::thread([this] {
      while (!ending_) {
        tasks_.ForAll([](Task& task) { task.Look(); });
        std::this_thread::sleep_for(milliseconds(10));
      }
    });
  }
  ~Placing() override { Shutdown(); }
  void Shutdown() override {
    ending_ = true;
    if (watcher_.joinable()) watcher_.join();
  }

  drover::Started Start(const drover::TaskConfig& config, const drover::CallView&) override {
    const auto place = drover::MakePlace(host(), config.run_id);
    const auto task = std::make_shared<Task>();
    task->files = FilesOf(config);
    drover::StringMap env = config.env;
    env["INSIDE"] = kInside;
    env["SCRIPT"] = config.driver_config.String("script");
    env["FILES"] = task->files;
    for (const auto& [controller, path] : place->directories) {
      if (::mkdir((path + "/engine").c_str(), 0755) != 0 && errno != EEXIST)
        throw Error(Code::kInternal, "cannot make a cgroup in " + path);
      env["PLACES"] += path + " ";
    }
    std::ofstream(task->files + ".begun") << "\n";
    task->engine = StartEngine(env);
    tasks_.Insert(config.run_id, task);
    return {drover::TaskHandle{1, "begun", ""}, std::nullopt};
  }
  // With a handle or without: the files say what has become of the run.
  drover::Recovered Recover(const drover::TaskConfig& config,
                            const std::optional<drover::TaskHandle>&,
                            const drover::CallView&) override {
    auto task = tasks_.Find(config.run_id);
    if (task == nullptr) {
      task = std::make_shared<Task>();
      task->files = FilesOf(config);
      if (::access((task->files + ".begun").c_str(), F_OK) != 0)
        throw Error(Code::kNotFound, "it was never started");
      drover::MakePlace(host(), config.run_id);
      if (!task->AwaitPid()) throw Error(Code::kNotFound, "its engine was never started");
      task->Look();
      tasks_.Insert(config.run_id, task);
    }
    const std::lock_guard<std::mutex> lock(task->mutex);
    return {task->exited, std::nullopt};
  }
  void Wait(drover::Call<drover::ExitResult> call) override {
    const auto task = tasks_.Need(call.run_id());
    std::unique_lock<std::mutex> lock(task->mutex);
    if (!task->exited) return AddWaiter(&task->waiters, std::move(call));
    const drover::ExitResult result = *task->exited;
    lock.unlock();
    call.Complete(result);
  }
  void Stop(const drover::RunId& run, const drover::StopRequest& request,
            const drover::CallView&) override {
    const auto task = tasks_.Need(run);
    const auto end = steady_clock::now() + request.timeout;
    task->Signal(drover::SignalNumber(request.signal).value_or(SIGTERM));
    while (!task->has_ended() && steady_clock::now() < end)
      std::this_thread::sleep_for(milliseconds(5));
    for (int i = 0; !task->has_ended() && i < 1000; ++i) {
      task->Signal(SIGKILL);
      std::this_thread::sleep_for(milliseconds(5));
    }
  }
  void Destroy(const drover::RunId& run, bool force, const drover::CallView&) override {
    const auto task = tasks_.Need(run);
    if (!force && !task->has_ended()) throw Error(Code::kFailedPrecondition, "the task runs");
    try {
      drover::RemovePlace(host(), run);
    } catch (const Error& error) {  // the host tries again after this call
      host().Log(drover::LogLevel::kWarn, run, "removing its place: " + error.message());
    }
    tasks_.Erase(run);
  }
  drover::TaskStatus Inspect(const drover::RunId& run) override {
    const auto task = tasks_.Need(run);
    const std::lock_guard<std::mutex> lock(task->mutex);
    drover::TaskStatus status;
    status.state = task->exited ? drover::TaskState::kExited : drover::TaskState::kRunning;
    status.exit_result = task->exited;
    return status;
  }

 private:
  struct Task {
    std::string files;  // the beginning of the names of its files
    pid_t engine = 0;   // if this process is the parent
    std::mutex mutex;   // guards the members below
    std::optional<drover::ExitResult> exited;
    std::vector<drover::Call<drover::ExitResult>> waiters;

    // Waits a moment for an engine that the last agent may have started just before its end.
    bool AwaitPid() const {
      for (int i = 0; i < 200; ++i) {
        if (NumberIn(files + ".pid") > 0 || NumberIn(files + ".exit") >= 0) return true;
        std::this_thread::sleep_for(milliseconds(5));
      }
      return false;
    }
    void Signal(int number) const {
      const int pid = NumberIn(files + ".pid");
      if (pid > 0) ::kill(pid, number);
    }
    bool has_ended() {
      const std::lock_guard<std::mutex> lock(mutex);
      return exited.has_value();
    }
    // Reports the end of the task, if it has ended.
    void Look() {
      if (engine > 0) ::waitpid(engine, nullptr, WNOHANG);
      const int code = NumberIn(files + ".exit");
      std::vector<drover::Call<drover::ExitResult>> told;
      drover::ExitResult result;
      result.exit_code = code;
      if (code > 128) result.signal = code - 128;
      {
        const std::lock_guard<std::mutex> lock(mutex);
        if (code < 0 || exited) return;
        exited = result;
        told.swap(waiters);
      }
      for (const auto& waiter : told) waiter.Complete(result);
    }
  };
  static std::string FilesOf(const drover::TaskConfig& config) {
    return config.task_dir + "/" + config.run_id.Text();
  }

  drover::TaskTable<Task> tasks_;
  std::atomic<bool> ending_{false};
  std::thread watcher_;
};

}  // namespace

DROVER_DRIVER_MINOR(Placing, "placing", "0.1.0", "Apache-2.0", 1)
