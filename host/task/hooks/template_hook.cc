// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/task/hooks/template_hook.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <set>
#include <type_traits>
#include <utility>

#include "host/base/event.h"
#include "host/render/value_name.h"
#include "host/task/change_script.h"

namespace drover {
namespace {

// A start waits for its values as long as nobody kills the task.
constexpr Duration kLongestStart = std::chrono::hours(24 * 365);
constexpr Duration kDeadline = 5s;
// The pause before an event about missing values, and between two of them.
constexpr Duration kMissingPause = 3s;
// The pause before a file is written again that could not be written.
constexpr Duration kWriteAgain = 10s;
// The first and the longest pause before a signal is sent again that could not be sent.
constexpr Duration kSendAgain = 10s;
constexpr Duration kSendAgainLast = 10min;

// Runs RUN on a thread of POOL, or at once if there is no pool.
template <typename F>
Co<std::invoke_result_t<F&>> RunOn(WorkerPool* pool, F run) {
  if (pool == nullptr) co_return run();
  co_return co_await pool->Run(std::move(run));
}

}  // namespace

// What one rendering leaves over, and what was said about it.
struct TemplateHook::Round {
  bool of_running = false;  // the task runs, and may have removed its files
  std::vector<ValueRequest> missing;
  std::vector<TemplateSession::Failed> failed;
  std::vector<TemplateSession::Failed> unwritten;
  std::string told;                     // the text of the last event about missing values
  std::optional<TimePoint> next_event;  // not before this
};

// What the task has not got to know yet, because a signal could not be sent.
struct TemplateHook::Unsent {
  std::set<std::string> signals;
  TimePoint at;       // they are not sent again before this
  Duration pause{0};  // that ends then; 0 if the last signals were sent
};

TemplateHook::TemplateHook(TemplateHookOptions options)
    : options_(std::move(options)), running_(options_.loop) {}

Duration TemplateHook::deadline(HookStage stage) const {
  return stage == HookStage::kPrestart ? kLongestStart : kDeadline;
}

// Finds the files of the templates and the environment of the task.
Result<TemplateSession::Start> TemplateHook::MakeStart(const PrestartRequest& request) const {
  TemplateSession::Start start;
  start.task = request.task;
  start.location = request.location;
  start.render = options_.render;
  start.render_quickly = options_.render_quickly;
  start.running = request.running;
  PrepareRequest prepare = PrepareRequestOf(request);
  prepare.running = true;  // the templates do not need the configuration of the driver
  DROVER_ASSIGN(TaskConfig config, options_.preparer->Prepare(prepare));
  start.env = std::make_shared<const StringMap>(std::move(config.env));
  // The host writes the files, so the paths are those of the host.
  prepare.driver.fs_isolation = FsIsolation::kNone;
  std::vector<std::string> paths;
  for (const TaskTemplate& of : request.task->templates) {
    paths.push_back(of.destination);
    paths.push_back(of.source);
  }
  DROVER_ASSIGN(paths, options_.preparer->Interpolate(prepare, std::move(paths)));
  for (std::size_t i = 0; i < request.task->templates.size(); ++i) {
    TemplateSession::Place& place = start.places.emplace_back();
    Result<TaskPlace> destination = PlaceInTask(request.location, paths[2 * i]);
    if (!destination.ok()) return destination.error().WithContext("destination");
    place.destination = *std::move(destination);
    if (paths[2 * i + 1].empty()) continue;
    Result<TaskPlace> source = PlaceInTask(request.location, paths[2 * i + 1]);
    if (!source.ok()) return source.error().WithContext("source");
    place.source = *std::move(source);
  }
  return start;
}

Co<Result<PrestartResponse>> TemplateHook::Prestart(Context context, PrestartRequest request) {
  co_await End();
  DROVER_CO_ASSIGN(TemplateSession::Start start, MakeStart(request));
  ValueScope scope;
  scope.name_space = request.alloc->job->job_namespace;
  const Job& job = *request.alloc->job;
  scope.job = job.parent_id.empty() ? job.id : job.parent_id;
  scope.group = request.alloc->group_name;
  scope.task = request.task->name;
  scope.alloc_id = request.alloc->id;
  const auto session = std::make_shared<TemplateSession>(
      std::move(start), options_.values->Open(std::move(scope)), request.data);
  PrestartResponse response;
  response.data = request.data;
  if (request.running) {  // what it has to know is found out while it runs
    session_ = session;
    co_return response;
  }
  if (session_) {
    const TaskGroup* const group = request.alloc->group();
    const bool again =
        group != nullptr && EffectiveRestartPolicy(*group, *request.task).render_templates;
    session->TakeOver(*session_, again);
  }
  session_ = session;
  DROVER_CO_TRY(co_await RenderUntilKnown(context, session));
  session->SetActed();
  if (!started_) session->SetFirstUnsure();
  asked_.clear();
  trouble_.clear();
  response.env = session->Env();
  response.data = session->Kept();
  co_return response;
}

// Renders all templates and writes their files.
Co<Status> TemplateHook::RenderUntilKnown(Context context, Session session) {
  const auto round = std::make_shared<Round>();
  round->next_event = options_.loop->Now() + kMissingPause;
  while (true) {
    const std::uint64_t generation = session->watch().generation();
    co_await RenderSome(context, session, session->ToRender(), round);
    DROVER_CO_TRY(context.status());
    for (const std::vector<TemplateSession::Failed>* list : {&round->failed, &round->unwritten}) {
      if (list->empty()) continue;
      const TemplateSession::Failed& first = list->front();
      co_return first.error
          .WithContext("the template of \"" + session->templates()[first.index].destination + "\"")
          .AsRecoverable();
    }
    if (round->missing.empty()) co_return Status();
    DROVER_CO_TRY(co_await AwaitMissing(context, session, generation, round->missing, round));
  }
}

// Returns when a value has changed since GENERATION. Tells in events what is still missing.
Co<Status> TemplateHook::AwaitMissing(Context context, Session session, std::uint64_t generation,
                                      std::vector<ValueRequest> missing,
                                      std::shared_ptr<Round> told) {
  const std::string text = MissingText(missing);
  while (true) {
    const bool silent = text == told->told;
    Context limited = silent ? context.Child() : context.WithDeadline(*told->next_event);
    const Status newer = co_await session->watch().WaitNewer(limited, generation);
    limited.Cancel("the wait is over");
    if (newer.ok()) co_return Status();
    DROVER_CO_TRY(context.status());
    told->told = text;
    told->next_event = options_.loop->Now() + kMissingPause;
    Emit(text);
  }
}

// Renders the templates INDICES and writes those whose values are all known.
Co<void> TemplateHook::RenderSome(Context context, Session session,
                                  TemplateSession::Indices indices, std::shared_ptr<Round> round) {
  round->missing.clear();
  round->failed.clear();
  round->unwritten.clear();
  const TemplateSession::Rendering rendering = session->Prepare(std::move(indices));
  std::vector<Result<RenderedTemplate>> results;
  for (const std::size_t index : rendering.indices) {
    results.push_back(co_await RenderOne(context, rendering, index));
    if (context.cancelled()) co_return;
  }
  const std::vector<TemplateSession::Written> taken =
      session->Take(rendering, std::move(results), &round->missing, &round->failed);
  for (const TemplateSession::Written& written : taken) {
    // After the end of the agent's patience, the objects of the options may be gone.
    if (context.cancelled()) co_return;
    if (round->of_running) {
      co_await NoteGone(context, session, written);
      if (context.cancelled()) co_return;
    }
    const Status status = co_await RunOn(options_.pool, written.write);
    if (status.ok()) {
      session->SetWritten(written);
    } else {
      round->unwritten.push_back({written.index, status.error()});
    }
  }
  if (context.cancelled()) co_return;
  // A template may ask for what the task may not have.
  if (const auto failed = session->WantUsed()) round->failed.push_back(*failed);
}

// Before the file of a running task is written, stores that the task must be informed if the file
// is gone. Afterwards nobody would see that.
Co<void> TemplateHook::NoteGone(Context context, Session session,
                                TemplateSession::Written written) {
  if (!session->InformsOfReturn(written.index)) co_return;
  const bool is_gone = co_await RunOn(options_.pool, written.is_gone);
  const auto control = control_.lock();
  if (context.cancelled() || !is_gone || !control) co_return;
  if (session->SetGone(written.index)) co_await Keep(control, session);
}

// Renders the template INDEX. Few templates take long. Only these wait for each other, so that
// those of one job do not keep all others from being rendered.
Co<Result<RenderedTemplate>> TemplateHook::RenderOne(Context context,
                                                     TemplateSession::Rendering rendering,
                                                     std::size_t index) {
  WorkerPool* pool = options_.pool;
  bool quickly = options_.render_quickly != nullptr;
  // A task that has ended must not keep others waiting for what it does not need any more.
  const auto over = std::make_shared<std::atomic<bool>>(false);
  const Subscription on_end = context.OnCancel([over] { *over = true; });
  while (true) {
    std::function<Result<RenderedTemplate>()> run = [&rendering, index, quickly,
                                                     over]() -> Result<RenderedTemplate> {
      if (*over) return Error(Code::kCancelled, "the task has ended");
      return rendering.run(index, quickly);
    };
    Result<RenderedTemplate> result = co_await RunOn(pool, std::move(run));
    const bool takes_long = !result.ok() && result.code() == Code::kTimeout;
    if (!quickly || !takes_long || context.cancelled()) co_return result;
    quickly = false;
    if (options_.slow_pool != nullptr) pool = options_.slow_pool;
  }
}

Co<Status> TemplateHook::Poststart(Context, PoststartRequest) {
  if (!session_) co_return Status();
  co_await End();
  const bool first = !started_ && !session_->is_running();
  started_ = true;
  // The context of Poststart ends when it returns.
  following_.emplace(options_.loop);
  running_.Spawn(Follow(this, *following_, session_, first));
  co_return Status();
}

// Keeps the files of the running task as new as their values, until CONTEXT ends.
Co<void> TemplateHook::Follow(TemplateHook* self, Context context, Session session, bool first) {
  Loop* const loop = self->options_.loop;
  if (session->is_running()) session->NoteAll(loop->Now());
  if (first) co_await self->RunFirstScripts(context, session);
  std::optional<TimePoint> act_at;
  const auto unsent = std::make_shared<Unsent>();
  while (!context.cancelled()) {
    const std::uint64_t generation = session->watch().generation();
    session->NoteChanges(loop->Now());
    co_await self->RenderDue(context, session);
    if (context.cancelled() || self->control_.expired()) break;
    ChangePlan plan = session->Plan();
    const bool holds_back = !unsent->signals.empty() && loop->Now() < unsent->at;
    if (holds_back) {
      for (const std::string& signal : unsent->signals) plan.signals.erase(signal);
    }
    const bool asked = plan.restart && self->asked_ == session->Generation();
    if (plan.empty() || asked) {
      act_at.reset();  // it may be what it was again
    } else if (!act_at) {
      const auto splay = static_cast<std::uint64_t>(plan.splay.count());
      const std::uint64_t part = splay == 0 ? 0 : self->options_.random(splay);
      act_at = loop->Now() + Duration(static_cast<std::int64_t>(part));
    }
    if (act_at && *act_at <= loop->Now()) {
      act_at.reset();
      co_await self->Act(context, session, std::move(plan), unsent);
      continue;
    }
    std::optional<TimePoint> wake = session->NextDue();
    if (act_at && (!wake || *act_at < *wake)) wake = act_at;
    if (holds_back && (!wake || unsent->at < *wake)) wake = unsent->at;
    Context limited = wake ? context.WithDeadline(*wake) : context.Child();
    (void)co_await session->watch().WaitNewer(limited, generation);
    limited.Cancel("the wait is over");
  }
}

Co<void> TemplateHook::RenderDue(Context context, Session session) {
  TemplateSession::Indices due = session->Due(options_.loop->Now());
  if (due.empty()) co_return;
  const auto round = std::make_shared<Round>();
  round->of_running = true;
  co_await RenderSome(context, session, due, round);
  if (context.cancelled()) co_return;
  const TimePoint now = options_.loop->Now();
  for (const TemplateSession::Failed& failed : round->failed) {
    const std::string& file = session->templates()[failed.index].destination;
    EmitOnce(file, "The file \"" + file + "\" stays as it is: " + failed.error.message());
    session->RetryFailed(failed.index, now);
    std::erase(due, failed.index);
  }
  for (const TemplateSession::Failed& unwritten : round->unwritten) {
    const std::string& file = session->templates()[unwritten.index].destination;
    EmitOnce(file, "The file \"" + file + "\" could not be written: " + unwritten.error.message());
    session->RetryAt(unwritten.index, now + kWriteAgain);
    std::erase(due, unwritten.index);
  }
  for (const std::size_t index : due) {
    session->SetRecovered(index);
    trouble_.erase(session->templates()[index].destination);
  }
}

// Does to the task what PLAN says. A restart stores by itself what the task knows then.
Co<void> TemplateHook::Act(Context context, Session session, ChangePlan plan,
                           std::shared_ptr<Unsent> unsent) {
  const auto control = control_.lock();
  if (!control) co_return;
  if (plan.restart) {
    asked_ = session->Generation();
    control->RequestRestart(
        TaskEvent(event_type::kRestartSignaled)
            .With(event_key::kRestartReason, "Template with change_mode restart re-rendered"),
        /*failure=*/false);
    co_return;
  }
  session->SetUnsure();
  co_await Keep(control, session);
  if (context.cancelled()) co_return;
  std::erase_if(unsent->signals,
                [&plan](const std::string& signal) { return plan.signals.contains(signal); });
  bool all_sent = true;
  for (const std::string& signal : plan.signals) {
    const Status sent = co_await control->Signal(
        TaskEvent(event_type::kSignaling).With(event_key::kSignal, signal), signal);
    if (sent.ok()) {
      trouble_.erase(signal);
      continue;
    }
    EmitOnce(signal, "The signal " + signal + " was not sent: " + sent.error().message());
    unsent->signals.insert(signal);
    all_sent = false;
  }
  if (context.cancelled()) co_return;
  co_await RunScripts(context, std::move(plan.scripts));
  if (context.cancelled()) co_return;
  if (!all_sent) {
    unsent->pause = std::clamp(2 * unsent->pause, kSendAgain, kSendAgainLast);
    unsent->at = options_.loop->Now() + unsent->pause;
  } else if (unsent->signals.empty()) {
    unsent->pause = Duration(0);
  }
  session->SetActed(unsent->signals);
  co_await Keep(control, session);
}

// Stores what the task knows.
Co<void> TemplateHook::Keep(std::shared_ptr<TaskControl> control, Session session) {
  const Status saved = co_await control->SaveHookData(std::string(name()), session->Kept());
  if (!saved.ok() && options_.report) {
    options_.report(saved.error().WithContext("what the task knows of its templates"));
  }
}

Co<void> TemplateHook::RunScripts(Context context, std::vector<TemplateScript> scripts) {
  const auto control = control_.lock();
  if (!control) co_return;
  for (const TemplateScript& script : scripts) {
    const Status status = co_await RunChangeScript(context, control, script);
    if (context.cancelled()) co_return;
    if (status.ok()) {
      Emit("Template ran script " + script.command);
      continue;
    }
    const std::string text =
        "Template failed to run script " + script.command + ": " + status.error().message();
    if (script.fail_on_error) {
      control->RequestKill(TaskEvent(event_type::kTemplate).Message(text).FailsTask());
      co_return;
    }
    Emit(text);
  }
}

// Runs the scripts that also follow the first start of the task.
Co<void> TemplateHook::RunFirstScripts(Context context, Session session) {
  std::vector<TemplateScript> scripts;
  for (const TaskTemplate& of : session->templates()) {
    if (RunsScriptFirst(of)) scripts.push_back(*of.script);
  }
  if (scripts.empty()) co_return;
  co_await RunScripts(context, std::move(scripts));
  const auto control = control_.lock();
  if (context.cancelled() || !control) co_return;
  session->SetActed();
  co_await Keep(control, session);
}

void TemplateHook::Emit(const std::string& message) {
  if (const auto control = control_.lock()) {
    control->EmitEvent(TaskEvent(event_type::kTemplate).Message(message));
  }
}

void TemplateHook::EmitOnce(const std::string& about, const std::string& message) {
  if (std::exchange(trouble_[about], message) != message) Emit(message);
}

Co<Status> TemplateHook::Exited(Context, HookRequest) {
  co_await End();
  co_return Status();
}

Co<Status> TemplateHook::Stop(Context, HookRequest) {
  co_await End();
  session_ = nullptr;
  co_return Status();
}

Co<Status> TemplateHook::Shutdown(Context, HookRequest) {
  co_await End();
  session_ = nullptr;
  co_return Status();
}

Co<void> TemplateHook::End() {
  if (following_) following_->Cancel("the task has ended");
  co_await running_.Join();
  following_.reset();
}

}  // namespace drover
