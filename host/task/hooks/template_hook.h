// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/base/gate.h"
#include "host/base/worker_pool.h"
#include "host/render/render_function.h"
#include "host/render/watched_values.h"
#include "host/task/task_hook.h"
#include "host/task/task_seams.h"
#include "host/task/template_session.h"

namespace drover {

// The pointers are not owned. Their objects must outlive the hook.
struct TemplateHookOptions {
  Loop* loop = nullptr;
  std::shared_ptr<WatchedValues> values;
  TaskPreparer* preparer = nullptr;
  RenderFunction render;
  // Tries to render before, and fails with the code kTimeout if that takes long. May be empty.
  RenderFunction render_quickly;
  WorkerPool* pool = nullptr;       // renders quickly and writes; null: the calling thread does
  WorkerPool* slow_pool = nullptr;  // renders what takes long; null: POOL does
  // Returns a random number below BOUND, for the splay.
  std::function<std::uint64_t(std::uint64_t bound)> random;
  // Receives the errors that are only logged. May be empty.
  std::function<void(const Error&)> report;
};

// Renders the files of a task from its templates: all before each start, and each again when one of
// its values changes while the task runs. What the templates say follows a change then, after a
// splay: one restart, or else signals and scripts. A start waits until all values are known. The
// data of the hook has the hashes of the contents that the task knows, so a later agent does not
// restart a task whose files are what they were, and restarts one whose files are newer.
class TemplateHook : public TaskHook {
 public:
  explicit TemplateHook(TemplateHookOptions options);

  // Returns whether TASK needs the hook.
  static bool IsNeeded(const Task& task) { return !task.templates.empty(); }

  std::string_view name() const override { return "template"; }
  bool Has(HookStage stage) const override {
    return stage != HookStage::kPrekill && stage != HookStage::kUpdate;
  }
  Duration deadline(HookStage stage) const override;
  void Attach(std::weak_ptr<TaskControl> control) override { control_ = std::move(control); }
  Co<Result<PrestartResponse>> Prestart(Context context, PrestartRequest request) override;
  Co<Status> Poststart(Context context, PoststartRequest request) override;
  Co<Status> Exited(Context context, HookRequest request) override;
  Co<Status> Stop(Context context, HookRequest request) override;
  Co<Status> Shutdown(Context context, HookRequest request) override;

 private:
  using Session = std::shared_ptr<TemplateSession>;
  struct Round;   // what one rendering has left over
  struct Unsent;  // the signals that could not be sent

  Result<TemplateSession::Start> MakeStart(const PrestartRequest& request) const;
  Co<Status> RenderUntilKnown(Context context, Session session);
  Co<Status> AwaitMissing(Context context, Session session, std::uint64_t generation,
                          std::vector<ValueRequest> missing, std::shared_ptr<Round> told);
  Co<void> RenderSome(Context context, Session session, TemplateSession::Indices indices,
                      std::shared_ptr<Round> round);
  Co<void> NoteGone(Context context, Session session, TemplateSession::Written written);
  Co<Result<RenderedTemplate>> RenderOne(Context context, TemplateSession::Rendering rendering,
                                         std::size_t index);
  static Co<void> Follow(TemplateHook* self, Context context, Session session, bool first);
  Co<void> RenderDue(Context context, Session session);
  Co<void> Act(Context context, Session session, ChangePlan plan, std::shared_ptr<Unsent> unsent);
  Co<void> Keep(std::shared_ptr<TaskControl> control, Session session);
  Co<void> RunScripts(Context context, std::vector<TemplateScript> scripts);
  Co<void> RunFirstScripts(Context context, Session session);
  void Emit(const std::string& message);
  // Emits MESSAGE about the trouble of ABOUT, unless that was the last one about it.
  void EmitOnce(const std::string& about, const std::string& message);
  Co<void> End();

  const TemplateHookOptions options_;
  std::weak_ptr<TaskControl> control_;
  Session session_;  // null before the first start
  bool started_ = false;
  std::string asked_;                           // the generation for which a restart was asked
  std::map<std::string, std::string> trouble_;  // the last event about each file or signal
  std::optional<Context> following_;
  Gate running_;
};

}  // namespace drover
