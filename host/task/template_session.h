// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "host/base/result.h"
#include "host/base/time.h"
#include "host/render/change_plan.h"
#include "host/render/known_values.h"
#include "host/render/quiet_time.h"
#include "host/render/render_function.h"
#include "host/render/watched_values.h"
#include "host/task/rendered_file.h"
#include "host/task/task_hook.h"

namespace drover {

// How many bytes a template, or a file that a template reads, may have.
inline constexpr std::size_t kMostTemplateFile = std::size_t{4} << 20;

// Whether the script of TEMPLATE also runs once the task has started for the first time.
bool RunsScriptFirst(const TaskTemplate& of);

// The templates of a task, from one start of the task to the next: what each was rendered from and
// to, and what the running task knows. Control thread only, but for the functions that it returns.
class TemplateSession {
 public:
  struct Place {
    std::optional<TaskPlace> source;  // absent: the template is in the job
    TaskPlace destination;
  };
  struct Start {
    std::shared_ptr<const Task> task;
    TaskLocation location;
    std::vector<Place> places;  // of the task's templates
    std::shared_ptr<const StringMap> env;
    RenderFunction render;
    RenderFunction render_quickly;  // see TemplateHookOptions
    bool running = false;           // an earlier agent has started the task
  };
  using Indices = std::vector<std::size_t>;

  // KEPT is the data of the hook, with what the task knows.
  TemplateSession(Start start, std::unique_ptr<ValueWatch> watch, const StringMap& kept);

  // Takes over what EARLIER, the session of the start before, has rendered. With WRITE_AGAIN, all
  // files are rendered and written as if nothing had been rendered yet.
  void TakeOver(const TemplateSession& earlier, bool write_again);

  const std::vector<TaskTemplate>& templates() const { return start_.task->templates; }
  ValueWatch& watch() { return *watch_; }
  // Whether an earlier agent has started the task.
  bool is_running() const { return start_.running; }

  // One rendering of some of the templates.
  struct Rendering {
    Indices indices;
    std::shared_ptr<const ValueMap> values;
    // Renders the template INDEX, by Start::render_quickly if QUICKLY. Blocks. [any thread]
    std::function<Result<RenderedTemplate>(std::size_t index, bool quickly)> run;
  };
  Rendering Prepare(Indices indices) const;
  // Returns all templates but those that are rendered only once and have been.
  Indices ToRender() const;

  struct Written {
    std::size_t index = 0;
    std::string hash;
    StringMap env;
    std::function<bool()> is_gone;  // whether there is no such file; blocks [any thread]
    std::function<Status()> write;  // writes the file if that is needed; blocks [any thread]
  };
  struct Failed {
    std::size_t index = 0;
    Error error;
  };
  // Takes the results of a rendering. Returns what must be written; MISSING receives what was asked
  // for, but is not known yet, and FAILED the error of each template that could not be rendered.
  // Templates for which something is missing are due again when it is known.
  std::vector<Written> Take(const Rendering& rendering,
                            std::vector<Result<RenderedTemplate>> results,
                            std::vector<ValueRequest>* missing, std::vector<Failed>* failed);
  // Returns whether the running task, which may have removed its file, can be informed when the
  // file is written again. The start after a restart would find the file in any case.
  bool InformsOfReturn(std::size_t index) const;
  // The file of the template INDEX is gone. So the task may not know its content, although it was
  // informed of it, and must be informed once the file is there again. Returns whether that is new.
  bool SetGone(std::size_t index);
  // The file of WRITTEN is in its place.
  void SetWritten(const Written& written);
  // Watches what the templates have asked for, as long as they may be rendered again. Returns which
  // of them has asked for what the task may not have, if one has.
  std::optional<Failed> WantUsed();

  // Notes at NOW which templates have other values than they were last noted with.
  void NoteChanges(TimePoint now);
  // All templates are due, because it is not known what their files hold.
  void NoteAll(TimePoint now);
  // The template INDEX is due again at AT, although no value has changed.
  void RetryAt(std::size_t index, TimePoint at) { items_[index].retry = at; }
  // The template INDEX could not be rendered at NOW. It is due again after a pause, because the
  // cause may be another one than its values. The pause doubles until SetRecovered.
  void RetryFailed(std::size_t index, TimePoint now);
  void SetRecovered(std::size_t index) { items_[index].pause = Duration(0); }
  // Returns the templates that are due at NOW.
  Indices Due(TimePoint now) const;
  // Returns when the next template is due; nothing if none is changed.
  std::optional<TimePoint> NextDue() const;

  // What must be done to the running task.
  ChangePlan Plan() const;
  // The task gets to know what is rendered now. If the agent dies before SetActed, the next one
  // does not know whether the task does, and acts again.
  void SetUnsure();
  // The task knows all that is rendered, but what the signals UNSENT should have reported.
  void SetActed(const std::set<std::string>& unsent = {});
  // The scripts that follow the first start of the task have not run yet.
  void SetFirstUnsure();
  // Returns the data of the hook for a later agent.
  StringMap Kept() const;
  // Returns the hashes of all files, as one text.
  std::string Generation() const;
  // Returns the variables of those files that hold some.
  StringMap Env() const;

 private:
  using Seen = std::map<ValueRequest, std::shared_ptr<const nlohmann::json>>;
  // What is known about the file of a template.
  enum class File {
    kUnknown,    // it is written in any case
    kOfRunning,  // an earlier agent has written it, and the task uses it
    kKnown,      // this agent has written it
  };
  struct Item {
    File file = File::kUnknown;
    std::string rendered;  // the hash of what is in the file; empty: not known
    std::string acted;     // the hash of what the task knows
    bool gone = false;     // see SetGone
    StringMap env;
    std::set<ValueRequest> used;
    Seen noted;  // the values of USED when they were last noted; null if not known
    QuietTime quiet;
    std::optional<TimePoint> retry;
    Duration pause{0};  // the last one of RetryFailed
  };
  Seen Look(const std::set<ValueRequest>& used, const ValueMap& known) const;
  std::optional<TimePoint> DueOf(std::size_t index) const;
  bool IsDoneForGood(std::size_t index) const;

  const Start start_;
  const std::unique_ptr<ValueWatch> watch_;
  std::vector<Item> items_;
};

}  // namespace drover
