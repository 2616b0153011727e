// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <sched.h>
#include <sys/mount.h>

#include <boost/asio/signal_set.hpp>
#include <csignal>
#include <cstdlib>
#include <filesystem>

#include "host/agent/logging.h"
#include "host/agent/run_sweeper.h"
#include "host/cli/cli.h"
#include "host/cli/commands.h"
#include "host/cli/foreground_run.h"
#include "host/cli/node_setup.h"
#include "host/process/unit_cgroups.h"

namespace drover {
namespace {

// The directory of this run's allocations: the one that was asked for, or a new one that goes.
class AllocBase {
 public:
  static Result<AllocBase> Make(const std::string& wanted) {
    std::error_code error;
    if (!wanted.empty()) {
      const std::filesystem::path path = std::filesystem::absolute(wanted, error);
      std::filesystem::create_directories(path, error);
      if (error) {
        return Error(Code::kInvalidArgument, "--alloc-dir " + wanted + ": " + error.message());
      }
      return AllocBase(path.lexically_normal().string(), false);
    }
    const char* parent = std::getenv("TMPDIR");
    // Absolute: tasks get it as NOMAD_ALLOC_DIR and run elsewhere.
    std::string made =
        std::filesystem::absolute(parent != nullptr && *parent ? parent : "/tmp", error)
            .lexically_normal()
            .string() +
        "/drover-run-XXXXXX";
    if (mkdtemp(made.data()) == nullptr) {
      return ErrnoError(errno, "a new directory " + made + " (set $TMPDIR, or use --alloc-dir)");
    }
    std::filesystem::permissions(made, std::filesystem::perms(0711), error);
    return AllocBase(made, true);
  }

  const std::string& path() const { return path_; }
  bool made() const { return made_; }
  // Removes the directory if it was made here and is empty.
  void Remove() const {
    std::error_code error;
    if (made_) std::filesystem::remove(path_, error);
  }

 private:
  AllocBase(std::string path, bool made) : path_(std::move(path)), made_(made) {}
  std::string path_;
  bool made_;
};

Co<void> RunJob(Loop* loop, Node* node, RunView* view, ForegroundRun* run, JobFile file,
                int* code) {
  const Context context(loop);
  const std::vector<PluginReport> reports = co_await node->Start(context);
  for (const PluginReport& report : reports) {
    if (!report.message.empty()) view->Note("plugin " + report.name + ": " + report.message);
  }
  Status possible = node->CheckJob(file.job, file.place);
  if (possible.ok()) {
    auto shared = std::make_shared<const Job>(std::move(file.job));
    auto placed = node->Place(std::move(shared));
    if (placed.ok()) {
      *code = co_await run->Run(std::move(*placed));
    } else {
      possible = placed.error();
    }
  }
  if (!possible.ok()) {
    PrintError("run", possible.error());
    *code = kExitUsage;
  }
  co_await node->Shutdown();
}

// What is mounted for the tasks (their secrets) is seen by this process and them only, and so ends
// with them, even if nobody is left to unmount it. Before any thread is there.
void TakeMountsAlong() {
  if (unshare(CLONE_NEWNS) != 0) return;  // not root: then nothing will be mounted
  mount(nullptr, "/", nullptr, MS_REC | MS_SLAVE, nullptr);
}

}  // namespace

int RunCommand(const RunOptions& options) {
  Result<AgentConfig> config = CommandConfig(options.config_file, options.plugin_dirs);
  Result<JobFile> job = config.ok() ? ReadJobFile(options.job_file) : config.error();
  if (!job.ok()) {
    PrintError("run", job.error());
    return kExitUsage;
  }
  PrintWarnings("run", options.job_file, *job);
  if (options.config_file.empty() && options.plugin_dirs.empty()) {
    PrintError("run", Error(Code::kInvalidArgument,
                            "no drivers: name them with --config FILE or --plugin-dir DIR"));
    return kExitUsage;
  }
  const Result<AllocBase> base =
      AllocBase::Make(options.alloc_dir.empty() ? config->client.alloc_dir : options.alloc_dir);
  if (!base.ok()) {
    PrintError("run", base.error());
    return kExitUsage;
  }
  config->client.alloc_dir = base->path();

  SetUpLogging(config->log_level, config->log_format);
  TakeMountsAlong();
  // The sweeper is to be there, too: who stays behind keeps the unit from limiting its tasks.
  if (const auto unit = EnterUnitCgroups(); !unit.ok()) {
    PrintError("run", unit.error());
    return kExitFailed;
  }
  const Result<RunSweeper> sweeper = RunSweeper::Start(
      config->client.run_dir, config->client.max_kill_timeout + std::chrono::seconds(1));
  if (!sweeper.ok()) {
    PrintError("run", sweeper.error().WithContext("nobody will clear up if this run is killed"));
  }
  const LogThread log_thread;  // the sweeper was forked without it
  RealLoop loop;
  const std::unique_ptr<RunView> view = options.json ? NewJsonRunView() : NewTextRunView();
  NodeOptions node_options;
  ForegroundOptions foreground;
  foreground.logs = !options.no_logs;
  foreground.stats = !options.no_stats;
  foreground.keep = options.keep;
  foreground.stats_interval = config->telemetry.collection_interval;
  node_options.config = std::move(*config);
  node_options.foreground = true;
  node_options.keep_directories = options.keep;
  node_options.alloc_dir_is_own = base->made();
  Result<std::unique_ptr<Node>> node = Node::Create(&loop, std::move(node_options));
  if (!node.ok()) {
    PrintError("run", node.error());
    base->Remove();
    return kExitFailed;
  }

  ForegroundRun run(&loop, node->get(), view.get(), foreground);
  // A terminal or a reader that goes away must not leave the tasks to a hard end.
  boost::asio::signal_set signals(loop.io(), SIGINT, SIGTERM, SIGHUP);
  signals.add(SIGPIPE);
  bool stopping = false;
  std::function<void()> wait = [&] {
    signals.async_wait([&](const boost::system::error_code& error, int number) {
      if (error) return;
      // Only people and service managers ask twice; a broken pipe tells so with every line.
      const bool asked = number == SIGINT || number == SIGTERM;
      if (asked || !stopping) run.Interrupt();
      stopping = true;
      wait();
    });
  };
  wait();
  int code = kExitFailed;
  // A run has no limit.
  loop.RunToEnd(RunJob(&loop, node->get(), view.get(), &run, std::move(*job), &code),
                std::chrono::hours(24 * 365));
  if (!options.keep) base->Remove();
  return code;
}

}  // namespace drover
