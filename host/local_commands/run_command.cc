// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <sched.h>
#include <sys/mount.h>

#include <algorithm>
#include <boost/asio/signal_set.hpp>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "host/agent/logging.h"
#include "host/cli/foreground_run.h"
#include "host/cli/job_file.h"
#include "host/cli/plugin_sources.h"
#include "host/local_commands/local_commands.h"
#include "host/node/node_for_plugins.h"
#include "host/node/run_sweeper.h"
#include "host/process/unit_cgroups.h"
#include "host/spec/blocks/service_policy.h"

namespace drover {
namespace {

// The directory for the allocations of this run. It is the directory that the options name, or
// otherwise a new directory.
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
    // The path must be absolute. Tasks receive the path as NOMAD_ALLOC_DIR, and have another
    // working directory than this program.
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
  // The directories that plugins have of their own, if they have asked for them.
  std::string plugin_data_dir() const { return path_ + "/plugin_data"; }
  bool made() const { return made_; }
  // Removes the directory if this object has created the directory and the directory is empty.
  void Remove() const {
    std::error_code error;
    if (!made_) return;
    RemovePluginDirectories(plugin_data_dir());
    std::filesystem::remove(path_, error);
  }

 private:
  AllocBase(std::string path, bool made) : path_(std::move(path)), made_(made) {}
  std::string path_;
  bool made_;
};

// Returns whether JOB asks for versions of CNI plugins. Only then are the plugins asked, which
// takes some milliseconds each.
bool WantsVersions(const Job& job) {
  const auto wants = [](const std::vector<Constraint>& constraints) {
    return std::ranges::any_of(constraints, [](const Constraint& one) {
      return (one.left + one.right).find("plugins.cni.version.") != std::string::npos;
    });
  };
  return wants(job.constraints) || std::ranges::any_of(job.groups, [&](const TaskGroup& group) {
           return wants(group.constraints) ||
                  std::ranges::any_of(group.tasks,
                                      [&](const Task& task) { return wants(task.constraints); });
         });
}

// In the foreground, nobody is there who starts children.
Status CheckStartsAtOnce(const JobFile& file) {
  if (!file.job.starts_children()) return {};
  const bool periodic = file.job.periodic.has_value();
  return Error(Code::kInvalidArgument,
               file.place + (periodic ? "/Periodic" : "/ParameterizedJob") +
                   ": such a job only starts others, which needs an agent: remove the block, or "
                   "submit the job by drover job run");
}

Co<void> RunJob(Loop* loop, Node* node, RunView* view, ForegroundRun* run, JobFile file,
                int* code) {
  const Context context(loop);
  const std::vector<PluginReport> reports = co_await node->Start(context);
  for (const PluginReport& report : reports) {
    if (!report.message.empty()) view->Note("plugin " + report.name + ": " + report.message);
  }
  Status possible = CheckStartsAtOnce(file);
  if (possible.ok()) possible = node->CheckJob(file.job, file.place);
  for (const std::string& warning : node->JobWarnings(file.job, file.place)) {
    view->Note("warning: " + file.places.WithPlaces(warning));
  }
  if (possible.ok() && WantsVersions(file.job)) (void)co_await node->RefreshNetworks();
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
    PrintError("run", file.places.WithPlaces(possible.error()));
    *code = kExitUsage;
  }
  co_await node->Shutdown();
}

// Moves this process to a new mount namespace. So no other process sees the tasks' mounts, such as
// their secrets. The kernel removes the mounts when the last process in the namespace ends, even if
// no process unmounts them. Must be called before any thread starts.
void TakeMountsAlong() {
  if (unshare(CLONE_NEWNS) != 0) return;  // only root can unshare; another user makes no mounts
  mount(nullptr, "/", nullptr, MS_REC | MS_SLAVE, nullptr);
}

struct RunCommand {
  std::string job_file;
  HclOptions hcl;
  PluginSources sources;
  // The directory for allocations. If the path is empty, the configuration gives the directory. If
  // the configuration gives none, the run makes a new directory and removes it at the end.
  std::string alloc_dir;
  bool json = false;
  bool no_logs = false;
  bool no_stats = false;
  bool keep = false;

  void Declare(CLI::App* command) {
    command->add_option("JOB", job_file, "The job file, in HCL or JSON; -: stdin")->required();
    hcl.Declare(command);
    sources.Declare(command);
    command->add_option("--alloc-dir", alloc_dir,
                        "Where the allocations get their directories (default: a new directory "
                        "below $TMPDIR)");
    command->add_flag("--json", json, "Prints one JSON object per line");
    command->add_flag("--no-logs", no_logs, "Does not print what the tasks write");
    command->add_flag("--no-stats", no_stats, "Does not measure the tasks");
    command->add_flag("--keep", keep, "Leaves the allocation directories behind");
    command->footer(
        "Exit code: 0 all allocations are complete, 1 one has failed, 2 the command line, the "
        "configuration or the job is wrong, 130 interrupted.");
  }

  int Run() const {
    Result<AgentConfig> config = sources.Read("run");
    Result<JobFile> job = config.ok() ? ReadJobFile(job_file, hcl) : config.error();
    if (!job.ok()) return Fail("run", job.error(), kExitUsage);
    const Status registered = ApplyPolicy(*config, &*job);
    PrintWarnings("run", job_file, *job);
    if (!registered.ok()) return Fail("run", registered.error(), kExitUsage);
    if (sources.empty()) {
      const Error none(Code::kInvalidArgument,
                       "no drivers: name them with --config PATH or --plugin-dir DIR");
      return Fail("run", none, kExitUsage);
    }
    const Result<AllocBase> base =
        AllocBase::Make(alloc_dir.empty() ? config->client.alloc_dir : alloc_dir);
    if (!base.ok()) return Fail("run", base.error(), kExitUsage);
    config->client.alloc_dir = base->path();

    SetUpLogging(config->log_level, config->log_format);
    TakeMountsAlong();
    // EnterUnitCgroups does not move child processes, so it must be called before RunSweeper::Start
    // forks a child. A child that stayed in the cgroup of the systemd unit would prevent limits for
    // the tasks of this run.
    const auto unit = EnterUnitCgroups();
    if (!unit.ok()) return Fail("run", unit.error(), kExitFailed);
    const Result<RunSweeper> sweeper = RunSweeper::Start(
        config->client.run_dir, config->client.max_kill_timeout + std::chrono::seconds(1));
    if (!sweeper.ok()) {
      PrintError("run", sweeper.error().WithContext("nobody will clear up if this run is killed"));
    }
    const LogThread log_thread;  // must start after RunSweeper::Start has forked its child
    return RunAllocations(std::move(*config), std::move(*job), *base);
  }

  // Decides who registers the services of JOB. A refusal is an error.
  static Status ApplyPolicy(const AgentConfig& config, JobFile* job) {
    JobFaults faults, warnings;
    ApplyServicePolicy(ServicePolicyOf(config, true), job->place, &job->job, &faults, &warnings);
    for (JobFault& warning : warnings.Take()) job->warnings.push_back(std::move(warning));
    return faults.empty() ? Status() : Status(faults.ToError());
  }

  int RunAllocations(AgentConfig config, JobFile job, const AllocBase& base) const {
    RealLoop loop;
    const std::unique_ptr<RunView> view = json ? NewJsonRunView() : NewTextRunView();
    ForegroundOptions foreground;
    foreground.logs = !no_logs;
    foreground.stats = !no_stats;
    foreground.keep = keep;
    foreground.stats_interval = config.telemetry.collection_interval;
    NodeOptions options;
    options.config = std::move(config);
    options.foreground = true;
    options.keep_directories = keep;
    options.alloc_dir_is_own = base.made();
    options.plugin_data_dir = base.plugin_data_dir();
    options.agent_version = DROVER_VERSION;
    const Result<std::unique_ptr<Node>> node = Node::Create(&loop, std::move(options));
    if (!node.ok()) {
      base.Remove();
      return Fail("run", node.error(), kExitFailed);
    }

    ForegroundRun run(&loop, node->get(), view.get(), foreground);
    // SIGHUP comes when the terminal has closed, and SIGPIPE when the reader of the output has
    // closed. In both cases this program must still stop its tasks before it exits.
    boost::asio::signal_set signals(loop.io(), SIGINT, SIGTERM, SIGHUP);
    signals.add(SIGPIPE);
    bool stopping = false;
    std::function<void()> wait = [&] {
      signals.async_wait([&](const boost::system::error_code& error, int number) {
        if (error) return;
        // Only SIGINT and SIGTERM are a second request to stop. SIGPIPE is not, because a broken
        // pipe causes a SIGPIPE for each line that is printed.
        const bool asked = number == SIGINT || number == SIGTERM;
        if (asked || !stopping) run.Interrupt();
        stopping = true;
        wait();
      });
    };
    wait();
    int code = kExitFailed;
    // RunToEnd needs a time limit, but a run must have no limit. So the limit is a year.
    loop.RunToEnd(RunJob(&loop, node->get(), view.get(), &run, std::move(job), &code),
                  std::chrono::hours(24 * 365));
    if (!keep) base.Remove();
    return code;
  }
};

}  // namespace

void AddRun(const CommandGroup& drover) {
  drover.Add<RunCommand>(
      "run", "Runs a job in the foreground: Ctrl-C stops it in order, a second Ctrl-C kills it");
}

}  // namespace drover
