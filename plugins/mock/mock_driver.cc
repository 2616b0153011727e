// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

// The driver mock_driver simulates tasks, for tests of the host. The configuration of a task sets
// the task's behaviour and faults. The driver has no thread per task.
#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "drover/capabilities.hpp"
#include "drover/entry.hpp"
#include "drover/news.hpp"
#include "drover/pause.hpp"
#include "drover/task_table.hpp"
#include "mock_config.h"
#include "mock_prepare.h"
#include "mock_run.h"

namespace mock {
namespace {

using drover::Call;
using drover::Code;
using drover::Empty;
using drover::Error;
using drover::ExitResult;
using drover::RunId;

struct Task {
  RunId run_id;
  TaskSpec spec;
  std::string name;
  std::atomic<bool> given_up{false};
  std::mutex mutex;              // guards the members below
  std::shared_ptr<MockRun> run;  // null before the task runs and after it has ended
  std::int64_t started_at = 0;
  std::int64_t completed_at = 0;
  std::optional<ExitResult> exited;
  std::vector<Call<ExitResult>> waiters;
  std::vector<Call<Empty>> stoppers;
};

class MockDriver : public drover::Driver {
 public:
  static drover::Info Describe() {
    drover::Info info;
    info.offers = DROVER_CAP_SIGNALS | DROVER_CAP_EXEC | DROVER_CAP_STATS | DROVER_CAP_HOSTNAME |
                  DROVER_CAP_DNS | DROVER_CAP_CAPABILITIES | DROVER_CAP_PAUSE | DROVER_CAP_NEWS;
    info.config_schema = kConfigSchema;
    info.task_config_schema = kTaskConfigSchema;
    return info;
  }

  static drover::Capabilities GetCapabilities() {
    drover::Capabilities out;
    out.network_modes = {"host", "none", "bridge", "cni"};
    out.users = out.hostname = out.dns = true;
    out.labels = out.remote = out.must_create_network = false;
    out.sensitive = {"/secret"};
    return out;
  }
  const void* Extension(std::string_view id) override {
    if (const void* pause = drover::TaskPauseOf<MockDriver>(id)) return pause;
    if (const void* news = drover::TaskNewsOf<MockDriver>(id)) return news;
    if (const void* prepare = drover::TaskPrepareOf<MockDriver>(id)) return prepare;
    return drover::CapabilitiesOf<MockDriver>(id);
  }

  MockDriver(drover::Host host_of_it, const drover::Json& config)
      : Driver(std::move(host_of_it)), prepares_(std::make_shared<MockPrepares>(host())) {
    isolation_ = IsolationOf(config);
    Take(config);
    Commit("create");
  }

  drover::Info Configured(drover::Info info) const override {
    info.fs_isolation = isolation_;
    return info;
  }

  ~MockDriver() override {
    // A task and its MockRun own each other until the run ends. Break this cycle for runs that have
    // not ended.
    tasks_.ForAll([](Task& task) {
      std::shared_ptr<MockRun> run;
      std::lock_guard<std::mutex> lock(task.mutex);
      run.swap(task.run);
    });
  }

  void ConfigureAsync(drover::Json config, Call<Empty> call) override {
    if (Faulty("configure", call)) return;
    Take(config);
    ProbeSoon();
    call.Complete(Empty{});
  }

  drover::Fingerprint Probe() override {
    Commit("fingerprint");
    drover::Fingerprint out;
    std::lock_guard<std::mutex> lock(mutex_);
    if (disabled_at_ != 0 && drover::WallNow() >= disabled_at_) {
      out.health = drover::Health::kUndetected;
      out.description = "disabled";
      return out;
    }
    out.attributes["driver.mock_driver"] = "true";
    return out;
  }
  drover::Duration ProbeInterval() const override { return std::chrono::milliseconds(500); }

  void Events(drover::Stream<drover::Event> stream) override {
    Commit("events");
    Driver::Events(std::move(stream));
  }

  void RestoreCompleteAsync(std::vector<RunId>, Call<Empty> call) override {
    if (Faulty("restore_complete", call)) return;
    call.Complete(Empty{});
  }

  void Shutdown() override { Commit("shutdown"); }

  void StartAsync(drover::TaskConfig config, Call<drover::Started> call) override {
    auto task = std::make_shared<Task>();
    task->run_id = config.run_id;
    task->name = config.task_name;
    task->spec = TaskSpec::Read(config.driver_config);
    if (Faulty(*task, "start", call)) return;
    if (!tasks_.Insert(config.run_id, task)) {
      throw Error(Code::kFailedPrecondition, "task with ID \"" + config.id + "\" already started");
    }
    if (task->spec.start_block_for.count() == 0) return Begin(task, call);
    drover::Timer timer =
        host().After(task->spec.start_block_for, [this, task, call] { Begin(task, call); });
    call.OnCancel([this, task, call, timer]() mutable {
      if (!timer.Cancel()) return;
      tasks_.Erase(task->run_id, task);
      call.Fail(Error(Code::kCancelled, "the start was given up"));
    });
  }

  void RecoverAsync(drover::TaskConfig config, std::optional<drover::TaskHandle> handle,
                    Call<drover::Recovered> call) override {
    auto task = std::make_shared<Task>();
    task->run_id = config.run_id;
    task->name = config.task_name;
    task->spec = TaskSpec::Read(config.driver_config);
    if (Faulty(*task, "recover", call)) return;
    if (auto known = tasks_.Find(config.run_id)) {
      std::lock_guard<std::mutex> lock(known->mutex);
      return call.Complete(drover::Recovered{known->exited, std::nullopt});
    }
    // If there is no handle, the start did not complete. A start that did not complete leaves
    // nothing when the driver's process ends.
    if (!handle) throw Error(Code::kNotFound, "the task was never started");
    std::int64_t started_at = drover::Json::Parse(handle->state).Int("started_at");
    if (handle->format_version != 1 || started_at <= 0) {
      throw Error(Code::kInvalidArgument, "the handle is not one of this driver");
    }
    drover::Duration remaining =
        task->spec.run.run_for - drover::Duration(drover::WallNow() - started_at);
    tasks_.Insert(config.run_id, task);
    Run(task, started_at, remaining, nullptr, /*speak=*/false);
    drover::Recovered recovered;
    if (task->spec.renew_handle) recovered.handle = HandleOf(started_at);
    call.Complete(recovered);
  }

  // ------------------------------------------------- what tasks need before they start

  std::string PrepareKey(const drover::TaskConfig& config) {
    const TaskSpec spec = TaskSpec::Read(config.driver_config);
    spec.faults.Commit("prepare_key");
    Commit("prepare_key");
    return spec.prepare_key;
  }
  void PrepareAsync(const drover::TaskConfig& config, Call<drover::Prepared> call) {
    TaskSpec spec = TaskSpec::Read(config.driver_config);
    if (Faulty(spec.faults, "prepare", call) || Faulty("prepare", call)) return;
    prepares_->Begin(std::move(spec), std::move(call));
  }
  std::vector<drover::PreparedItem> ListPrepared() {
    Commit("list_prepared");
    return prepares_->List();
  }
  void RemovePrepared(const std::string& key) {
    Commit("remove_prepared");
    prepares_->Remove(key);
  }

  void Wait(Call<ExitResult> call) override {
    auto task = tasks_.Need(call.run_id());
    if (Faulty(*task, "wait", call)) return;
    std::unique_lock<std::mutex> lock(task->mutex);
    if (!task->exited) {
      drover::AddWaiter(&task->waiters, std::move(call));
      return;
    }
    ExitResult result = *task->exited;
    lock.unlock();
    call.Complete(result);
  }

  // Stops the task at once, whatever the timeout and the signal are.
  void StopAsync(drover::StopRequest, Call<Empty> call) override {
    auto task = tasks_.Need(call.run_id());
    if (Faulty(*task, "stop", call)) return;
    std::shared_ptr<MockRun> run;
    {
      std::lock_guard<std::mutex> lock(task->mutex);
      if (task->exited) return call.Complete(Empty{});
      run = task->run;
      if (run != nullptr) task->stoppers.push_back(call);
    }
    if (run == nullptr) throw Error(Code::kFailedPrecondition, "the task has not started yet");
    run->Kill();
  }

  void DestroyAsync(bool force, Call<Empty> call) override {
    auto task = tasks_.Find(call.run_id());
    if (task == nullptr) {
      if (Faulty("destroy", call)) return;
      throw Error(Code::kNotFound, "task not found for given id");
    }
    if (Faulty(*task, "destroy", call)) return;
    std::shared_ptr<MockRun> run;
    {
      std::lock_guard<std::mutex> lock(task->mutex);
      if (!task->exited && !force) {
        throw Error(Code::kFailedPrecondition, "cannot destroy running task");
      }
      run = task->run;
    }
    task->given_up = true;
    if (run != nullptr) run->Kill();
    tasks_.Erase(task->run_id, task);
    call.Complete(Empty{});
  }
  void Destroy(const RunId&, bool, const drover::CallView&) override {}  // never called

  drover::TaskStatus Inspect(const RunId& run) override {
    auto task = tasks_.Need(run);
    task->spec.faults.Commit("inspect");
    Commit("inspect");
    std::lock_guard<std::mutex> lock(task->mutex);
    drover::TaskStatus out;
    out.state = task->exited           ? drover::TaskState::kExited
                : task->run != nullptr ? drover::TaskState::kRunning
                                       : drover::TaskState::kUnknown;
    out.started_at = task->started_at;
    out.completed_at = task->completed_at;
    out.exit_result = task->exited;
    if (task->run != nullptr && task->run->paused()) out.attributes["paused"] = "true";
    return out;
  }

  void SignalAsync(std::string, Call<Empty> call) override {
    auto task = tasks_.Need(call.run_id());
    if (Faulty(*task, "signal", call)) return;
    const std::string& error = task->spec.run.signal_error;
    if (!error.empty()) throw Error(Code::kInternal, error);
    call.Complete(Empty{});
  }

  void News(drover::Stream<drover::TaskNews> stream) {
    Commit("news");
    news_.Add(std::move(stream));
  }

  void PauseAsync(bool paused, Call<Empty> call) {
    auto task = tasks_.Need(call.run_id());
    if (Faulty(*task, "pause", call)) return;
    std::shared_ptr<MockRun> run;
    {
      std::lock_guard<std::mutex> lock(task->mutex);
      run = task->run;
    }
    if (run == nullptr) throw Error(Code::kFailedPrecondition, "the task is not running");
    run->Pause(paused);
    call.Complete(Empty{});
  }

  void TaskStats(const RunId& run, const drover::StatsRequest& request,
                 drover::Stream<drover::Stats> stream) override {
    auto task = tasks_.Need(run);
    task->spec.faults.Commit("stats");
    Commit("stats");
    const TaskSpec& spec = task->spec;
    if (spec.stats_unimplemented) throw Error(Code::kUnimplemented, "stats not implemented");
    if (!spec.stats_error.empty()) {
      throw Error(Code::kInternal, spec.stats_error, spec.stats_error_recoverable);
    }
    const bool goes_on = spec.stats_each_interval || spec.stats_close_after > 0;
    auto sent = std::make_shared<std::int64_t>(0);
    SampleEvery(goes_on ? request.interval : kNever, stream,
                [this, task, stream, sent](drover::Done<drover::Stats> done) {
                  if (task->spec.stats_close_after > 0 && *sent >= task->spec.stats_close_after) {
                    std::uint64_t id = stream.id();
                    stream.End();
                    if (task->spec.stats_late_message) SendLate(id);
                    return;
                  }
                  ++*sent;
                  done(RandomSample());
                  if (!task->spec.stats_late_message) return;
                  // On purpose, break the rule that no message follows a cancellation.
                  stream.OnCancel([this, id = stream.id()] {
                    SendLate(id);
                    host().After(kLate, [this, id] { SendLate(id); });
                  });
                });
  }

  void Exec(drover::ExecRequest request, Call<ExitResult> call) override {
    auto task = tasks_.Need(request.run_id);
    if (Faulty(*task, "exec", call)) return;
    if (request.command.size() == 1 && request.command[0] == "showinput") {
      auto shared = std::make_shared<drover::ExecRequest>(std::move(request));
      return host().Post([shared, call] { ShowInput(*shared, call); });
    }
    if (!task->spec.exec) {
      throw Error(Code::kFailedPrecondition, "no exec command is configured");
    }
    auto pipes = std::make_shared<drover::OutputPipes>();
    if (request.tty) request.error = drover::Fd(::dup(request.output.get()));
    pipes->output = std::move(request.output);
    pipes->error = std::move(request.error);
    auto run = std::make_shared<MockRun>(
        host(), *task->spec.exec, [call](const ExitResult& result) { call.Complete(result); });
    call.OnCancel([run] { run->Kill(); });
    run->Begin(task->spec.exec->run_for, std::move(pipes), /*speak=*/true);
  }
  void Resize(std::uint64_t, int, int) override { Commit("resize"); }

  // Executes the faults that the plugin's configuration sets for CALL.
  void Commit(const char* call) { faults().Commit(call); }

 private:
  // Stores the settings of a new configuration of the plugin.
  void Take(const drover::Json& config) {
    if (IsolationOf(config) != isolation_) {
      throw Error(Code::kFailedPrecondition,
                  "/fs_isolation cannot change while the plugin is loaded: restart the agent");
    }
    prepares_->SetLog(config.String("prepare_log"));
    std::lock_guard<std::mutex> lock(mutex_);
    faults_ = Faults::Read(config);
    disabled_at_ = 0;
    if (config.Bool("shutdown_periodic_after")) {
      disabled_at_ = drover::WallNow() + config.Int("shutdown_periodic_duration") * 1000000000;
    }
  }

  static drover_fs_isolation IsolationOf(const drover::Json& config) {
    std::string isolation = config.String("fs_isolation", "none");
    if (isolation.empty() || isolation == "none") return DROVER_FS_NONE;
    if (isolation == "chroot") return DROVER_FS_CHROOT;
    if (isolation == "image") return DROVER_FS_IMAGE;
    throw Error(Code::kInvalidArgument,
                "/fs_isolation: \"" + isolation + "\" is not known: write none, chroot or image");
  }

  Faults faults() {
    std::lock_guard<std::mutex> lock(mutex_);
    return faults_;
  }
  // Executes the faults that the plugin's configuration sets for calls of NAME. Returns true if
  // CALL must never be completed.
  template <typename T>
  bool Faulty(const char* name, const Call<T>& call) {
    return Faulty(faults(), name, call);
  }
  template <typename T>
  bool Faulty(const Task& task, const char* name, const Call<T>& call) {
    return Faulty(task.spec.faults, name, call) || Faulty(name, call);
  }
  template <typename T>
  bool Faulty(const Faults& faults, const char* name, const Call<T>& call) {
    faults.Commit(name);
    if (!faults.Silent(name)) return false;
    std::lock_guard<std::mutex> lock(mutex_);
    silent_.push_back(call);
    return true;
  }

  void Begin(const std::shared_ptr<Task>& task, const Call<drover::Started>& call) {
    const TaskSpec& spec = task->spec;
    if (!spec.start_error.empty()) {
      tasks_.Erase(task->run_id, task);
      return call.Fail(Error(Code::kInternal, spec.start_error, spec.start_error_recoverable));
    }
    if (!spec.run.speaks() || !host().task_output().available()) {
      return Started(task, call, nullptr);
    }
    using Pipes = std::shared_ptr<drover::OutputPipes>;
    host().task_output().Open(task->run_id, [this, task, call](drover::Outcome<Pipes> outcome) {
      if (Faulty(*task, "done", call)) return;
      if (outcome.ok()) return Started(task, call, outcome.value());
      tasks_.Erase(task->run_id, task);
      call.Fail(outcome.error());
    });
  }

  static drover::TaskHandle HandleOf(std::int64_t started_at) {
    drover::Json::Object state;
    state["started_at"] = drover::Json(started_at);
    state["made_at"] = drover::Json(drover::WallNow());
    return drover::TaskHandle{1, drover::Json(std::move(state)).Text(), ""};
  }

  void Started(const std::shared_ptr<Task>& task, const Call<drover::Started>& call,
               std::shared_ptr<drover::OutputPipes> pipes) {
    if (task->given_up) return call.Fail(Error(Code::kCancelled, "the start was given up"));
    std::int64_t now = drover::WallNow();
    Run(task, now, task->spec.run.run_for, std::move(pipes), /*speak=*/true);
    call.Complete(drover::Started{HandleOf(now), task->spec.network});
    if (!task->spec.faults.Ends("timer")) return;
    host().After(drover::Duration(0), [task] { task->spec.faults.Commit("timer"); });
  }

  void Run(const std::shared_ptr<Task>& task, std::int64_t started_at, drover::Duration remaining,
           std::shared_ptr<drover::OutputPipes> pipes, bool speak) {
    // The MockRun and the task own each other only until the run ends.
    auto run = std::make_shared<MockRun>(
        host(), task->spec.run, [task](const ExitResult& result) { Ended(*task, result); });
    {
      std::lock_guard<std::mutex> lock(task->mutex);
      task->run = run;
      task->started_at = started_at;
    }
    if (task->given_up) {
      run->Kill();
    } else {
      run->Begin(remaining, std::move(pipes), speak);
    }
    if (task->spec.news && speak) {  // only once: not after a recover
      host().After(task->spec.news->after, [this, task] { SendNews(*task); });
    }
    if (task->spec.plugin_exit_after.count() > 0) {
      host().After(task->spec.plugin_exit_after, [task] { PretendPluginExit(*task); });
    }
  }

  void SendNews(Task& task) {
    const NewsSpec& spec = *task.spec.news;
    drover::TaskNews news;
    news.run = task.run_id;
    {
      std::lock_guard<std::mutex> lock(task.mutex);
      news.handle = HandleOf(task.started_at);
    }
    if (!spec.ip.empty()) news.network = drover::DriverNetwork{spec.ip, true, {}};
    if (!spec.health.empty()) {
      news.health =
          spec.health == "healthy" ? drover::TaskHealth::kHealthy : drover::TaskHealth::kUnhealthy;
    }
    news.text = spec.text;
    news_.Send(news);
    if (spec.of_nobody) {
      for (std::uint8_t& byte : news.run.bytes) byte ^= 0x5a;
      news_.Send(news);
    }
  }

  static void Ended(Task& task, const ExitResult& result) {
    std::vector<Call<ExitResult>> waiters;
    std::vector<Call<Empty>> stoppers;
    std::shared_ptr<MockRun> run;  // destroyed after the lock is released
    {
      std::lock_guard<std::mutex> lock(task.mutex);
      task.exited = result;
      task.completed_at = drover::WallNow();
      waiters.swap(task.waiters);
      stoppers.swap(task.stoppers);
      run.swap(task.run);
    }
    for (auto& waiter : waiters) waiter.Complete(result);
    for (auto& stopper : stoppers) stopper.Complete(Empty{});
  }

  // Fails all waits as if the plugin had ended. The task goes on running.
  static void PretendPluginExit(Task& task) {
    std::vector<Call<ExitResult>> waiters;
    {
      std::lock_guard<std::mutex> lock(task.mutex);
      waiters.swap(task.waiters);
    }
    for (auto& waiter : waiters) {
      waiter.Fail(Error(Code::kUnavailable, "plugin is shut down"));
    }
  }

  static drover::Stats RandomSample() {
    static thread_local std::minstd_rand random{std::random_device{}()};
    drover::Stats out;
    out.timestamp = drover::WallNow();
    out.total.measured = DROVER_STAT_RSS;
    out.total.rss = random() % (64u << 20);
    return out;
  }

  // An interval so long that the stream stays open without further samples.
  static constexpr std::chrono::hours kNever{24 * 365};

  // A delay that is longer than a host needs to join a stream.
  static constexpr std::chrono::milliseconds kLate{20};

  // Sends a message after the end of its stream. It calls the host's C function directly, since the
  // wrapper would not send the message.
  void SendLate(std::uint64_t stream) {
    drover_stats late = {};
    late.struct_size = sizeof late;
    late.type = DROVER_MESSAGE_STATS;
    host().raw()->stream_send(host().raw(), stream, reinterpret_cast<const drover_message*>(&late));
  }

  // Reads at most 1 MiB of the input and writes it to the output. Blocks.
  static void ShowInput(drover::ExecRequest& request, const Call<ExitResult>& call) {
    std::string input;
    char buffer[4096];
    while (request.input.ok() && input.size() < (1u << 20)) {
      pollfd ready = {request.input.get(), POLLIN, 0};
      if (::poll(&ready, 1, 100) == 0) {
        if (call.cancelled()) return call.Fail(Error(Code::kCancelled, "the command was ended"));
        continue;
      }
      ssize_t n = ::read(request.input.get(), buffer, sizeof buffer);
      if (n <= 0) break;
      input.append(buffer, static_cast<std::size_t>(n));
    }
    std::string text =
        std::string("TTY: ") + (request.tty ? "true" : "false") + "\nStdin:\n" + input + "\n";
    WriteAll(request.output.get(), text);
    request.output = drover::Fd();
    request.error = drover::Fd();
    call.Complete(ExitResult{});
  }

  const std::shared_ptr<MockPrepares> prepares_;
  drover_fs_isolation isolation_ = DROVER_FS_NONE;  // fixed when the instance is made
  drover::TaskTable<Task> tasks_;
  drover::NewsSender news_;
  std::mutex mutex_;  // guards the members below
  Faults faults_;
  std::int64_t disabled_at_ = 0;  // in ns since 1970; 0 means never
  std::vector<drover::CallView> silent_;
};

// The driver class that the plugin exports. Some functions in the wrapper's function table do not
// call MockDriver. This class replaces these functions, so that they can have faults, too.
class MockPlugin : public MockDriver {
 public:
  using MockDriver::MockDriver;

  // Returns the function table of this class. MADE is the table of MockDriver. Must be called once.
  static const drover_driver* Table(const drover_driver* made) {
    Made() = *made;
    static drover_driver table = *made;
    table.get_extension = &GetExtension;
    table.stream_cancel = &StreamCancel;
    table.stream_join = &StreamJoin;
    table.call_cancelled = &CallCancelled;
    return &table;
  }

 private:
  static drover_driver& Made() {
    static drover_driver made = {};
    return made;
  }
  static std::int32_t CommitIn(const char* call, drover_instance* self, drover_error* error) {
    return drover::abi::Guard(error, [&] {
      static_cast<MockDriver&>(drover::abi::Instance::From(self)->driver()).Commit(call);
    });
  }

  static const void* GetExtension(drover_instance* self, drover_str id) noexcept {
    if (CommitIn("get_extension", self, nullptr) != DROVER_OK) return nullptr;
    return Made().get_extension(self, id);
  }
  static void StreamCancel(drover_instance* self, std::uint64_t stream) noexcept {
    (void)CommitIn("stream_cancel", self, nullptr);
    Made().stream_cancel(self, stream);
  }
  static std::int32_t StreamJoin(drover_instance* self, std::uint64_t stream, std::int64_t deadline,
                                 drover_error* error) noexcept {
    std::int32_t code = CommitIn("stream_join", self, error);
    return code == DROVER_OK ? Made().stream_join(self, stream, deadline, error) : code;
  }
  static void CallCancelled(drover_instance* self, std::uint64_t call) noexcept {
    (void)CommitIn("call_cancelled", self, nullptr);
    Made().call_cancelled(self, call);
  }
};

}  // namespace
}  // namespace mock

template <>
const drover_driver* drover::abi::Descriptor<mock::MockPlugin>(
    const drover_info* (*info)(void), std::uint32_t min_host_minor) noexcept {
  static const drover_driver* const kTable =
      mock::MockPlugin::Table(drover::abi::Descriptor<mock::MockDriver>(info, min_host_minor));
  return kTable;
}

DROVER_DRIVER(mock::MockPlugin, "mock_driver", "0.1.0", "Apache-2.0")
