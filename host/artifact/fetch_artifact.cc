// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/artifact/fetch_artifact.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "host/alloc/dir_tree.h"
#include "host/artifact/fetch_child.h"
#include "host/artifact/fetch_file.h"
#include "host/artifact/place_artifact.h"
#include "host/artifact/staged_files.h"
#include "host/base/durable_step.h"
#include "host/child/child_input.h"
#include "host/child/child_process.h"
#include "host/child/give_up_rights.h"
#include "host/child/self_spawn.h"

namespace drover {
namespace {

// The process itself ends in time. It is killed when it does not.
constexpr Duration kFetchGrace = 15s;
constexpr std::size_t kMostAnswer = 64 << 10;

bool IsNetworkVariable(std::string_view name) {
  constexpr std::string_view kNames[] = {"http_proxy", "https_proxy",   "HTTPS_PROXY",
                                         "all_proxy",  "ALL_PROXY",     "no_proxy",
                                         "NO_PROXY",   "SSL_CERT_FILE", "SSL_CERT_DIR"};
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

std::vector<std::string> FetchEnvironment() {
  std::vector<std::string> environment = {"PATH=/usr/bin:/bin", "LANG=C.UTF-8"};
  for (std::string& variable : OwnEnvironment()) {
    if (IsNetworkVariable(std::string_view(variable).substr(0, variable.find('=')))) {
      environment.push_back(std::move(variable));
    }
  }
  return environment;
}

// Makes the directory of the process that fetches, which belongs to its user.
Result<UniqueFd> MakeStaging(int root, const std::string& name) {
  if (mkdirat(root, name.c_str(), 0700) != 0) return ErrnoError(errno, "make " + name);
  DROVER_ASSIGN(UniqueFd dir, OpenStaged(root, name, O_RDONLY | O_DIRECTORY));
  // In a small user namespace that user is missing. Then the process stays root, too.
  if (geteuid() == 0 && fchown(dir.get(), DROVER_FETCH_USER, DROVER_FETCH_USER) != 0) {
    (void)!fchown(dir.get(), DROVER_NOBODY, DROVER_NOBODY);
  }
  return dir;
}

Result<Fetched> AnswerOf(const ChildEnd& end, Duration limit) {
  if (end.stopped) return Error(Code::kCancelled, "the download was stopped");
  if (end.timed_out) {
    return Error(Code::kTimeout, "the download takes longer than " + FormatDuration(limit), true);
  }
  if (end.signal != 0) {
    return Error(Code::kUnavailable,
                 "the process that fetches has died by signal " + std::to_string(end.signal) +
                     " (" + strsignal(end.signal) + ")",
                 true);
  }
  Result<Fetched> fetched = FetchAnswerFromJson(end.output);
  if (fetched.ok() || end.stderr_tail.empty() || fetched.code() != Code::kInternal) return fetched;
  return Error(Code::kUnavailable, fetched.error().message() + "; it wrote: " + end.stderr_tail,
               true);
}

Result<Fetched> RunFetchProcess(const ArtifactFetch& fetch, const FetchOrder& order, Duration limit,
                                int staging, int cached) {
  DROVER_ASSIGN(const UniqueFd input, MakeChildInput(FetchOrderToJson(order)));
  DROVER_ASSIGN(ChildPipe output, MakeChildPipe());
  DROVER_ASSIGN(ChildPipe errors, MakeChildPipe());
  SelfSpawn self;
  self.name = "drover-fetch";
  self.arguments = {kFetchArgument};
  self.environment = FetchEnvironment();
  self.descriptors = {{input.get(), kFetchOrder},
                      {errors.write.get(), STDERR_FILENO},
                      {staging, kFetchInto},
                      {output.write.get(), kFetchAnswer}};
  // Always passed: otherwise a file that the process opens would get this number.
  const UniqueFd nowhere(fetch.progress < 0 ? open("/dev/null", O_WRONLY | O_CLOEXEC) : -1);
  self.descriptors.push_back({fetch.progress < 0 ? nowhere.get() : fetch.progress, kFetchProgress});
  if (cached >= 0) self.descriptors.push_back({cached, kFetchCached});
  AwaitedChild child;
  DROVER_ASSIGN(child.pid, SpawnSelf(std::move(self)));
  output.write.Reset();
  errors.write.Reset();
  child.output = std::move(output.read);
  child.errors = std::move(errors.read);
  child.most_output = kMostAnswer;
  child.ends_when_full = true;
  child.limit = limit + kFetchGrace;
  child.stop = fetch.stop;
  return AnswerOf(AwaitChild(std::move(child)), limit);
}

// One artifact on its way.
class ArtifactFetcherRun {
 public:
  ArtifactFetcherRun(const ArtifactFetch& fetch, const ArtifactSource& source, int root)
      : fetch_(fetch), source_(source), root_(root) {}

  Status Run() {
    DROVER_TRY(RemoveStaging());  // an agent that died has left it
    const Status status = FetchAndPlace();
    const Status removed = RemoveStaging();
    return status.ok() ? removed : status;
  }

 private:
  Status FetchAndPlace() {
    FetchOrder order = fetch_.order;
    UniqueFd cached;
    if (fetch_.cache != nullptr && source_.checksum &&
        source_.kind == ArtifactSource::Kind::kHttp) {
      cached = fetch_.cache->Find(*source_.checksum);
      order.is_cached = cached.valid();
      order.keeps_download = !order.is_cached;
    }
    const bool by_git = source_.kind == ArtifactSource::Kind::kGit;
    const Duration limit = by_git ? order.limits.git_time : order.limits.http_time;
    UniqueFd staging;
    Result<Fetched> fetched = DurableStep(Step::kFetchArtifact, [&]() -> Result<Fetched> {
      DROVER_ASSIGN(staging, MakeStaging(root_, fetch_.staging));
      return RunFetchProcess(fetch_, order, limit, staging.get(), cached.get());
    });
    if (!fetched.ok()) {
      // What is in the cache may be broken. The next try downloads it.
      if (order.is_cached && fetched.code() != Code::kCancelled) {
        fetch_.cache->Drop(*source_.checksum);
      }
      return fetched.error();
    }
    if (order.keeps_download) KeepDownload(staging.get());
    if (IsStopped(fetch_.stop)) return Error(Code::kCancelled, "the download was stopped");
    return DurableStep(Step::kPlaceArtifact, [&] { return Place(*fetched, staging.get()); });
  }

  // The cache is of use only to others, so that its errors do not matter here.
  void KeepDownload(int staging) {
    const Result<UniqueFd> file = OpenStaged(staging, kFetchDownload, O_RDONLY | O_NONBLOCK);
    struct stat info{};
    if (!file.ok() || fstat(file->get(), &info) != 0 || !S_ISREG(info.st_mode)) return;
    (void)fetch_.cache->Keep(*source_.checksum, file->get(), fetch_.stop);
  }

  Status Place(const Fetched& fetched, int staging) {
    PlaceOrder place;
    place.from = staging;
    DROVER_ASSIGN(place.path, StagedPath(fetched.path));
    place.directory = fetched.directory;
    place.root = root_;
    place.to = fetch_.place;
    if (!fetched.directory && fetch_.order.artifact.mode != Artifact::Mode::kFile) {
      DROVER_ASSIGN(const std::string name, StagedPath(fetched.filename));
      if (name.empty()) return Error(Code::kInternal, "the fetched file has no name");
      place.to += "/" + name;
    }
    if (place.to.find('/') == std::string::npos && !fetched.directory) {
      return Error(Code::kInvalidArgument,
                   "the destination is the task's directory, but mode is \"file\"");
    }
    if (place.to.starts_with(fetch_.task + "/private/") || place.to == fetch_.task + "/private") {
      return Error(Code::kInvalidArgument, "the directory \"private\" of a task is the agent's");
    }
    place.most_files = 32 * fetch_.order.limits.most_files;  // a clone of git has files of git
    if (fetch_.chown) {
      DROVER_ASSIGN(const UniqueFd task, OpenStaged(root_, fetch_.task, O_RDONLY | O_DIRECTORY));
      struct stat info{};
      if (fstat(task.get(), &info) != 0) return ErrnoError(errno, "the task's directory");
      place.owner = std::pair(info.st_uid, info.st_gid);
    }
    return PlaceArtifact(place);
  }

  Status RemoveStaging() const {
    return RemoveTreeAt(root_, fetch_.staging, fetch_.root + "/" + fetch_.staging);
  }

  const ArtifactFetch& fetch_;
  const ArtifactSource& source_;
  const int root_;
};

}  // namespace

Status FetchArtifact(const ArtifactFetch& fetch) {
  const Artifact& artifact = fetch.order.artifact;
  DROVER_ASSIGN(const ArtifactSource source,
                ParseArtifactSource(artifact.source, artifact.options, artifact.mode));
  if (source.kind == ArtifactSource::Kind::kFile &&
      !IsBelowAny(source.url.path, fetch.order.file_sources)) {
    return Error(Code::kPermissionDenied,
                 "source " + source.url.Shown() +
                     ": is a file of the machine, and not in a directory of artifact { "
                     "file_sources } in the client block of the agent's configuration");
  }
  const UniqueFd root(open(fetch.root.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!root) return ErrnoError(errno, "the allocation's directory").AsRecoverable();
  return ArtifactFetcherRun(fetch, source, root.get()).Run();
}

}  // namespace drover
