// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/address.h"
#include "engine/cancel_token.h"
#include "engine/container_info.h"
#include "engine/container_watch.h"
#include "engine/engine_error.h"
#include "engine/engine_event.h"
#include "engine/exec_session.h"
#include "engine/http_client.h"
#include "engine/image_ref.h"
#include "engine/pull_progress.h"
#include "engine/registry_auth.h"
#include "engine/stream_loop.h"

namespace drover_docker {

struct EngineVersion {
  std::string name;     // "docker", or "podman"
  std::string version;  // such as 20.10.24
  std::string api;      // the largest version of the API, such as 1.41
  std::string min_api;  // may be empty
  std::string os, arch, kernel;
};

struct ImageInfo {
  std::string id;  // sha256:...
  std::vector<std::string> tags, digests;
  std::string os, arch;
  std::int64_t created_at = 0;  // ns since 1970
  std::uint64_t size = 0;       // bytes
  drover::StringMap labels;
  // Of an inspection only.
  std::string user, work_dir;
  std::vector<std::string> entrypoint, command, env;
  nlohmann::json raw;
};

struct LogsRequest {
  bool output = true;
  bool error = true;
  bool follow = false;
  bool timestamps = false;
  std::int64_t since = 0;  // ns since 1970; 0: from the begin
  std::int64_t tail = -1;  // the last lines only; -1: all
};

struct ExecState {
  bool running = false;
  int exit_code = 0;
  int pid = 0;
  std::string error;  // why there is no exit code of a command that does not run
};

struct EngineOptions {
  HttpLimits limits;                                       // of one plain request
  drover::Duration start_limit = std::chrono::minutes(2);  // of creates, starts and removals
  ContainerWatch::Options watch;
  std::size_t max_sessions = 64;  // exec sessions at a time
};

// A client of one container engine: dockerd from 20.10 on, or podman's compatible service. The
// functions block their thread, within limits, and throw EngineError for what the engine refuses,
// or drover::Error (see HttpClient). What reads long answers (Follow...) returns at once and calls
// back on the thread of a StreamLoop. ID is the id or the name of a container. [any-thread]
class Engine {
 public:
  // The largest and the smallest version of the API that this client speaks. It takes the largest
  // that the engine has, too.
  static constexpr int kMaxMinor = 41;
  static constexpr int kMinMinor = 32;

  explicit Engine(EngineAddress address, EngineOptions options = {});
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  // Ends all calls, streams, sessions and waits, and joins all threads.
  ~Engine();

  // Ends all blocking calls with Error(kCancelled), and refuses new ones. Streams and waits end
  // with the object.
  void Close();
  const EngineAddress& address() const { return client_.address(); }
  std::string Text() const { return address().Text(); }  // for messages

  // ------------------------------------------------------------------------------- the engine

  // Throws if the engine does not answer soon.
  void Ping(const CancelToken& cancel = {});
  // Asks for the version, and agrees with the engine about that of the API. Throws
  // Error(kFailedPrecondition) if there is none that both know.
  EngineVersion Version(const CancelToken& cancel = {});
  // Returns what the engine says about itself and the machine, such as Driver, CgroupVersion,
  // Runtimes.
  nlohmann::json Info(const CancelToken& cancel = {});
  // Returns the agreed version of the API, such as 1.41. Asks the engine if that has not happened.
  std::string ApiVersion(const CancelToken& cancel);

  // ------------------------------------------------------------------------------- containers

  struct Created {
    std::string id;
    std::vector<std::string> warnings;
  };
  // BODY is the request of POST /containers/create. Throws EngineError: conflict() if the name is
  // taken, not_found() if the image is not there.
  Created CreateContainer(const std::string& name, const nlohmann::json& body,
                          const CancelToken& cancel);
  // Returns false if it ran already.
  bool StartContainer(const std::string& id, const CancelToken& cancel);
  // Returns false if it had ended already. The engine kills the container after TIMEOUT, rounded up
  // to seconds. An empty SIGNAL is that of the image (API 1.42), otherwise SIGNAL is sent by
  // KillContainer first where the engine does not know the parameter.
  bool StopContainer(const std::string& id, drover::Duration timeout, const std::string& signal,
                     const CancelToken& cancel);
  // Returns false if it does not run. SIGNAL is a name such as SIGKILL.
  bool KillContainer(const std::string& id, const std::string& signal, const CancelToken& cancel);
  ContainerInfo InspectContainer(const std::string& id, const CancelToken& cancel);
  // Returns all containers, also those that have ended, that have all LABELS ("name" or
  // "name=value").
  std::vector<ContainerInfo> ListContainers(const std::vector<std::string>& labels,
                                            const CancelToken& cancel);
  // Returns false if there is none. A removal that is in progress counts as done.
  bool RemoveContainer(const std::string& id, bool force, bool volumes, const CancelToken& cancel);
  void RenameContainer(const std::string& id, const std::string& name, const CancelToken& cancel);
  // Return false if the container is in that state already.
  bool PauseContainer(const std::string& id, const CancelToken& cancel);
  bool UnpauseContainer(const std::string& id, const CancelToken& cancel);
  // UPDATE is the request of POST /containers/ID/update.
  void UpdateContainer(const std::string& id, const nlohmann::json& update,
                       const CancelToken& cancel);

  // Blocks until the container has ended. Uses watch(), so no connection is held.
  ContainerInfo WaitContainer(const std::string& id, const CancelToken& cancel);
  // The watch, for waits without a thread.
  ContainerWatch& watch();

  // ----------------------------------------------------------------------------------- images

  std::vector<ImageInfo> ListImages(const CancelToken& cancel);
  // Returns nothing if there is no such image. REF is a reference or an id.
  std::optional<ImageInfo> InspectImage(const std::string& ref, const CancelToken& cancel);
  // Returns false if there is none. Throws EngineError with conflict() if a container uses it.
  bool RemoveImage(const std::string& ref, bool force, const CancelToken& cancel);
  void TagImage(const std::string& ref, const ImageRef& as, const CancelToken& cancel);
  // Pulls REF and returns the id of the image. Blocks. A silence of the engine of SILENCE ends it
  // with Error(kTimeout); 0: no limit. What the registry refuses is an EngineError, whose
  // not_found() is true if there is no such image. REPORT may be null. PLATFORM may be empty.
  std::string PullImage(const ImageRef& ref, const std::optional<RegistryAuth>& auth,
                        const PullCallback& report, drover::Duration silence,
                        const CancelToken& cancel, const std::string& platform = "");
  // Loads the images of the tar TAR_FD. Returns the names or ids that the engine reports; it may
  // report none.
  std::vector<std::string> LoadImage(int tar_fd, const CancelToken& cancel);
  // Puts the tar TAR_FD into the directory PATH of a container.
  void PutArchive(const std::string& id, const std::string& path, int tar_fd,
                  const CancelToken& cancel);

  // --------------------------------------------------------------------------------- networks

  // Returns nothing if there is no such network.
  std::optional<nlohmann::json> InspectNetwork(const std::string& name, const CancelToken& cancel);
  void ConnectNetwork(const std::string& network, const std::string& id,
                      const nlohmann::json& endpoint, const CancelToken& cancel);

  // ------------------------------------------------------------------------------ long answers

  // Cancels what it stands for. Dropping it does the same. [any-thread]
  class Subscription {
   public:
    Subscription() = default;
    explicit Subscription(std::function<void()> cancel);
    Subscription(Subscription&& other) noexcept;
    Subscription& operator=(Subscription&& other) noexcept;
    ~Subscription() { Cancel(); }
    void Cancel();

   private:
    std::function<void()> cancel_;
  };
  using OnEnd = std::function<void(std::optional<drover::Error>)>;

  // Calls SAMPLE with the JSON of each sample, about one a second, and END once at the end.
  Subscription FollowStats(const std::string& id, std::function<void(const nlohmann::json&)> sample,
                           OnEnd end);
  // Returns one sample. An engine without "one-shot" takes about a second for it.
  nlohmann::json StatsOnce(const std::string& id, const CancelToken& cancel);
  // Calls HEARD with each event. FILTERS is the JSON of the parameter of that name, such as
  // {"type": ["container"]}. SINCE is in ns since 1970; 0: from now on.
  Subscription FollowEvents(const nlohmann::json& filters, std::int64_t since,
                            std::function<void()> begun,
                            std::function<void(const EngineEvent&)> heard, OnEnd end);
  // Passes the raw answer of the logs to HANDLERS; see logs/log_follower.h for the whole work.
  std::uint64_t OpenLogs(const std::string& id, const LogsRequest& request,
                         StreamLoop::Handlers handlers);
  // Returns the whole logs, at most MOST bytes of them, as output and error.
  std::pair<std::string, std::string> ReadLogs(const std::string& id, const LogsRequest& request,
                                               bool tty, std::size_t most,
                                               const CancelToken& cancel);

  // ------------------------------------------------------------------------------------- exec

  // Returns the id of the command. Throws EngineError with conflict() if the container does not
  // run.
  std::string ExecCreate(const std::string& id, const ExecSpec& spec, bool input,
                         const CancelToken& cancel);
  // Starts the command and takes the connection over.
  std::unique_ptr<HijackedStream> ExecStart(const std::string& exec_id, bool tty,
                                            const CancelToken& cancel);
  void ExecResize(const std::string& exec_id, int width, int height, const CancelToken& cancel);
  ExecState ExecInspect(const std::string& exec_id, const CancelToken& cancel);
  // Does all of it on a thread of its own: create, start, the bytes in both directions, and the
  // result, which goes to DONE once. CREATED gets the id for ExecResize; it may be null. A
  // cancelled session leaves its command to the engine, after closing its input and output.
  // Throws Error(kResourceExhausted) above max_sessions.
  void ExecSession(const std::string& id, ExecSpec spec, ExecStreams streams, CancelToken cancel,
                   std::function<void(const std::string& exec_id)> created,
                   std::function<void(drover::Outcome<drover::ExitResult>)> done);

  StreamLoop& streams() { return *streams_; }
  const EngineOptions& options() const { return options_; }

  // One request with the version of the API before TARGET. Throws EngineError for a status that
  // is neither 2xx nor 304; ACTION is a part of its message. For what has no function here.
  HttpResponse Ask(HttpRequest request, const std::string& action, const HttpLimits& limits,
                   const CancelToken& cancel);

 private:
  struct Sessions;

  nlohmann::json AskJson(HttpRequest request, const std::string& action, const HttpLimits& limits,
                         const CancelToken& cancel);
  HttpLimits LongLimits() const;
  // Looks whether ERROR, of a request, says that this is another engine than before.
  void Heed(const drover::Error& error);
  // Returns END with Heed before it.
  OnEnd Heeding(OnEnd end);
  std::string Versioned(const std::string& target, const CancelToken& cancel);
  // Does not ask the engine: without an agreed version it takes the newest.
  std::string KnownVersioned(const std::string& target);
  drover::ExitResult RunSession(const std::string& id, const ExecSpec& spec,
                                const ExecStreams& streams, const CancelToken& cancel,
                                const std::function<void(const std::string& exec_id)>& created);
  // Asks, and returns false if the engine answers with the status NO, or that nothing has changed.
  bool AskWhether(HttpRequest request, const std::string& action, const HttpLimits& limits, int no,
                  const CancelToken& cancel);

  const EngineOptions options_;
  HttpClient client_;
  std::unique_ptr<StreamLoop> streams_;
  std::mutex mutex_;         // guards the members below
  std::string api_version_;  // empty until it is agreed
  std::unique_ptr<ContainerWatch> watch_;
  bool closed_ = false;
  std::unique_ptr<Sessions> sessions_;
};

}  // namespace drover_docker
