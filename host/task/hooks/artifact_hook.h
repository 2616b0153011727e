// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/base/event.h"
#include "host/spec/blocks/artifact.h"
#include "host/task/task_hook.h"
#include "host/task/task_seams.h"

namespace drover {

// How far a download is.
struct ArtifactProgress {
  std::string shown;        // the source, without secrets
  std::uint64_t bytes = 0;  // that have arrived
  std::uint64_t total = 0;  // 0: unknown
};

struct ArtifactRequest {
  Artifact artifact;      // with all references replaced
  std::string job;        // the namespace and the id of the job, parted by a line feed
  std::string task;       // the name of the task
  std::size_t index = 0;  // of the artifact in its task
  TaskLocation location;
  std::string place;  // in the directory of the allocation; see ArtifactPlace
};

// Fetches artifacts. Control thread only.
class ArtifactFetcher {
 public:
  virtual ~ArtifactFetcher() = default;
  // Returns when the artifact is in its place. The context ends the download early. PROGRESS is
  // called now and then until then. The error names the source without its secrets.
  virtual Co<Status> Fetch(Context context, ArtifactRequest request,
                           std::function<void(const ArtifactProgress&)> progress) = 0;
  // The longest time that one artifact takes.
  virtual Duration longest() const = 0;
};

// Fetches the artifacts of a task before its first start, three at a time. After a failure, the
// restart policy decides, and the next start fetches only what is missing.
class ArtifactHook : public TaskHook {
 public:
  // The pointers are not owned. Their objects must outlive the hook.
  ArtifactHook(Loop* loop, ArtifactFetcher* fetcher, TaskPreparer* preparer, std::size_t artifacts);

  std::string_view name() const override { return "artifacts"; }
  bool Has(HookStage stage) const override { return stage == HookStage::kPrestart; }
  Duration deadline(HookStage stage) const override;
  void Attach(std::weak_ptr<TaskControl> control) override { control_ = std::move(control); }
  Co<Result<PrestartResponse>> Prestart(Context context, PrestartRequest request) override;
  TaskEvent FailureEvent(const Error& error) const override;

 private:
  struct Work;

  Result<std::vector<ArtifactRequest>> Requests(const PrestartRequest& request) const;
  static Co<void> FetchSome(ArtifactHook* self, std::shared_ptr<Work> work);
  void Emit(TaskEvent event) const;

  Loop* const loop_;
  ArtifactFetcher* const fetcher_;
  TaskPreparer* const preparer_;
  std::vector<bool> done_;  // which artifacts are in their places
  std::weak_ptr<TaskControl> control_;
};

// Returns the place in the allocation directory for DESTINATION, in which all references are
// replaced: a path relative to the task's directory, or one as the host or the task sees it.
// Returns nothing for a place that an artifact must not change.
std::optional<std::string> PlaceOfDestination(const std::string& destination,
                                              const std::string& task,
                                              const TaskLocation& location);

// Returns BYTES as people read them, such as "12.3 MB".
std::string ShownBytes(std::uint64_t bytes);

}  // namespace drover
