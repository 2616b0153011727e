// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/conformance/fuzz/fuzz_sequence.h"

#include <array>
#include <cstdio>
#include <memory>
#include <utility>

#include "host/base/write_whole.h"
#include "host/conformance/fuzz/fuzz_model.h"
#include "host/conformance/kit_ask.h"
#include "host/conformance/kit_case.h"
#include "host/conformance/kit_leftovers.h"

namespace drover {
namespace {

constexpr Duration kPatience = 5s;  // for answers that must come

class FuzzSequence {
 public:
  FuzzSequence(KitCase* kit, LoadedDriver* driver)
      : kit_(kit),
        driver_(driver),
        model_((kit->info().needs & DROVER_NEEDS_PROCESS_SERVICE) != 0) {}

  Co<void> Run() {
    FuzzOffers offers;
    offers.signals = driver_->info().can_signal;
    offers.stats = driver_->info().has_stats;
    offers.exec = driver_->info().can_exec && kit_->CanRunBeside();
    offers.ending = kit_->HasEnding();
    exec_ = offers.exec;
    const std::vector<std::string> before = kit_->RunEntries();
    const std::vector<FuzzStep> steps = MakeFuzzSteps(kit_->seed(), kit_->spec().steps, offers);
    for (std::size_t i = 0; i < steps.size() && !kit_->decided(); ++i) {
      Announce(i + 1, steps[i]);
      std::string why = co_await Do(steps[i]);
      if (why.empty()) why = co_await CheckWaits();
      if (!why.empty()) Fail(i + 1, why);
    }
    if (!kit_->decided()) co_await End(before, steps.size());
  }

 private:
  struct OpenWait {
    bool over = false;
    FuzzAnswer answer;
  };
  struct OneRun {
    std::shared_ptr<const TaskConfig> config;
    bool ends = false;   // the task of CONFIG ends soon
    bool stale = false;  // a start of CONFIG was given up and may still come
    TaskHandle handle;
    std::vector<std::shared_ptr<OpenWait>> waits;
  };

  OneRun& Of(int run) { return runs_[static_cast<std::size_t>(run)]; }

  void Announce(std::size_t number, const FuzzStep& step) const {
    const std::string line = kStepMark + std::to_string(number) + ": " + FuzzStepText(step) + "\n";
    const int progress = kit_->spec().progress;
    if (progress >= 0) {
      (void)WriteWhole(progress, line);
    } else {
      std::fputs(line.c_str(), stderr);
    }
  }

  void Fail(std::size_t number, const std::string& why) {
    kit_->Fail("step " + std::to_string(number) + ": " + why);
  }

  Context ContextOf(const FuzzStep& step) const {
    return step.give_up > Duration(0) ? kit_->Within(step.give_up) : kit_->context();
  }

  static FuzzAnswer AnswerOf(const FuzzStep& step, const Context& context, Status status) {
    FuzzAnswer answer;
    const bool may_be = step.give_up > Duration(0) || step.verb == FuzzVerb::kWait;
    answer.given_up = may_be && context.cancelled() &&
                      (status.code() == Code::kTimeout || status.code() == Code::kCancelled);
    answer.status = std::move(status);
    return answer;
  }
  template <typename T>
  static Status StatusOf(const Result<T>& result) {
    return result.ok() ? Status() : Status(result.error());
  }

  // Does STEP. Returns why its answer is against the rules, or an empty text.
  Co<std::string> Do(FuzzStep step) {
    switch (step.verb) {
      case FuzzVerb::kStart:
        co_return co_await Start(step);
      case FuzzVerb::kRecover:
        co_return co_await Recover(step);
      case FuzzVerb::kWait:
        co_return co_await Wait(step);
      case FuzzVerb::kWaitOpen:
        co_return OpenOne(step);
      case FuzzVerb::kInspect:
        co_return co_await Inspect(step);
      case FuzzVerb::kReload:
        co_return co_await Reload();
      default:
        co_return co_await Plain(step);
    }
  }

  // Gives the run of STEP a task. Returns false after a verdict of the kit.
  bool MakeTask(const FuzzStep& step) {
    OneRun& run = Of(step.run);
    run = OneRun();
    run.ends = step.ends;
    const auto task = step.ends ? kit_->Ending() : kit_->LastingFor(exec_ ? "exec" : "");
    run.config = kit_->Prepare(driver_, task);
    return run.config != nullptr;
  }

  Co<std::string> Start(FuzzStep step) {
    OneRun& run = Of(step.run);
    const bool unknown = model_.IsUnknown(step.run);
    const bool other = !run.config || step.fresh || run.stale || run.ends != step.ends;
    if (unknown && other && !MakeTask(step)) co_return "";
    step.ends = run.ends;
    const Context context = ContextOf(step);
    const Result<StartedTask> started = co_await driver_->Start(context, run.config);
    const FuzzAnswer answer = AnswerOf(step, context, StatusOf(started));
    if (started.ok()) run.handle = started->handle;
    if (answer.given_up) run.stale = true;
    co_return model_.Judge(step, answer);
  }

  Co<std::string> Recover(FuzzStep step) {
    OneRun& run = Of(step.run);
    if (!run.config && !MakeTask(step)) co_return "";
    const TaskHandle handle = model_.IsUnknown(step.run) ? TaskHandle() : run.handle;
    const Context patient = kit_->Within(kPatience);
    const Result<RecoveredTask> back = co_await driver_->Recover(patient, run.config, handle);
    FuzzAnswer answer;
    answer.status = StatusOf(back);
    if (back.ok()) {
      answer.state = back->exited ? TaskState::kExited : TaskState::kRunning;
      answer.end = back->exited;
      if (back->handle != TaskHandle()) run.handle = back->handle;
    }
    co_return model_.Judge(step, answer);
  }

  Co<std::string> Wait(FuzzStep step) {
    const bool must = model_.IsEnded(step.run) || model_.IsUnknown(step.run);
    const Context context = kit_->Within(must ? kPatience : step.give_up);
    const Result<ExitResult> end = co_await driver_->Wait(context, IdOf(step.run));
    FuzzAnswer answer = AnswerOf(step, context, StatusOf(end));
    if (end.ok()) answer.end = *end;
    co_return model_.Judge(step, answer);
  }

  static Co<void> AwaitEnd(LoadedDriver* driver, Context context, RunId run,
                           std::shared_ptr<OpenWait> to) {
    const Result<ExitResult> end = co_await driver->Wait(context, run);
    to->answer.status = StatusOf(end);
    if (end.ok()) to->answer.end = *end;
    to->over = true;
  }

  std::string OpenOne(const FuzzStep& step) {
    if (model_.IsUnknown(step.run)) return "";
    auto wait = std::make_shared<OpenWait>();
    Of(step.run).waits.push_back(wait);
    kit_->loop()->Spawn(AwaitEnd(driver_, kit_->context(), IdOf(step.run), wait));
    return "";
  }

  Co<std::string> Inspect(FuzzStep step) {
    const Context context = ContextOf(step);
    const Result<TaskStatus> status = co_await driver_->Inspect(context, IdOf(step.run));
    FuzzAnswer answer = AnswerOf(step, context, StatusOf(status));
    if (status.ok()) {
      answer.state = status->state;
      answer.end = status->exit_result;
    }
    co_return model_.Judge(step, answer);
  }

  // The verbs whose answer is only a status.
  Co<std::string> Plain(FuzzStep step) {
    const RunId id = IdOf(step.run);
    const Context context = ContextOf(step);
    Status status;
    if (step.verb == FuzzVerb::kStop) {
      const std::string usual;
      status = co_await driver_->Stop(context, id, 300ms, usual);
    } else if (step.verb == FuzzVerb::kSignal) {
      const std::string name = "SIGCONT";
      status = co_await driver_->Signal(context, id, name);
    } else if (step.verb == FuzzVerb::kStats) {
      status = TimelyAnswer(co_await AskStats(kit_, driver_, id));
    } else if (step.verb == FuzzVerb::kExec) {
      status = TimelyAnswer(co_await AskExec(kit_, driver_, id));
    } else {
      status = co_await driver_->Destroy(context, id, step.verb == FuzzVerb::kDestroyForce);
    }
    const FuzzAnswer answer = AnswerOf(step, context, std::move(status));
    co_return model_.Judge(step, answer);
  }

  static Status TimelyAnswer(std::optional<Status> answer) {
    if (answer) return *answer;
    return Error(Code::kTimeout, "it was not answered within 3 s");
  }

  Co<std::string> Reload() {
    const Status ended = co_await kit_->Unload(driver_);
    if (!ended.ok()) co_return "reload: shutdown: " + Describe(ended);
    for (OneRun& run : runs_) run.waits.clear();  // they have ended with the instance
    driver_ = co_await kit_->Load(/*restore=*/false);
    if (driver_ == nullptr) co_return "reload: the next instance cannot be made: " + kit_->why();
    model_.Reloaded();
    std::vector<RunId> known;
    for (int i = 0; i < kFuzzRuns; ++i) {
      if (model_.IsUnknown(i)) continue;
      kit_->Note(driver_, IdOf(i));
      FuzzStep step;
      step.verb = FuzzVerb::kRecover;
      step.run = i;
      const std::string why = co_await Recover(step);
      if (!why.empty()) co_return "reload: " + why;
      if (!model_.IsUnknown(i)) known.push_back(IdOf(i));
    }
    const Status told = co_await driver_->RestoreComplete(kit_->context(), known);
    const bool taken = told.ok() || told.code() == Code::kUnimplemented;
    co_return taken ? std::string() : "reload: restore_complete: " + Describe(told);
  }

  // Checks the waits that are open. The wait of a task that has ended must be completed soon.
  Co<std::string> CheckWaits() {
    for (int i = 0; i < kFuzzRuns; ++i) {
      const bool must = model_.IsEnded(i) || model_.IsUnknown(i);
      std::vector<std::shared_ptr<OpenWait>> open;
      open.swap(Of(i).waits);
      for (const std::shared_ptr<OpenWait>& wait : open) {
        for (int tries = 0; must && !wait->over && tries < 300; ++tries) {
          (void)co_await Sleep(kit_->context(), 10ms);
        }
        if (!wait->over && must) {
          co_return "a wait of run " + std::to_string(i + 1) +
              " that was called before is not completed within 3 s of the task's end";
        }
        if (!wait->over) {
          Of(i).waits.push_back(wait);
          continue;
        }
        const std::string why = model_.JudgeOpenWait(i, wait->answer);
        if (!why.empty()) co_return why;
      }
    }
    co_return "";
  }

  // Destroys all runs. Nothing of them may be left.
  Co<void> End(std::vector<std::string> before, std::size_t steps) {
    for (int i = 0; i < kFuzzRuns; ++i) {
      if (model_.IsUnknown(i)) continue;
      FuzzStep step;
      step.verb = FuzzVerb::kDestroyForce;
      step.run = i;
      const std::string why = co_await Plain(step);
      if (!why.empty()) co_return Fail(steps, "at the end, " + why);
    }
    const std::string left = co_await AwaitNoNewRuns(kit_, std::move(before));
    if (!left.empty()) {
      Fail(steps, "all runs were destroyed, but the run directory of the host has " + left);
    }
  }

  // Returns the id of a run. A run that has had no task has an id that the driver does not know.
  RunId IdOf(int run) {
    const auto& config = Of(run).config;
    return config ? config->run_id : RunId::Random();
  }

  KitCase* const kit_;
  LoadedDriver* driver_;
  FuzzModel model_;
  bool exec_ = false;
  std::array<OneRun, kFuzzRuns> runs_;
};

Co<void> RunFuzzSequence(KitCase* kit, LoadedDriver* driver) {
  FuzzSequence sequence(kit, driver);
  co_await sequence.Run();
}

}  // namespace

const KitEntry& FuzzEntry() {
  static const KitEntry entry = {"fuzz", "A random sequence of verbs is answered by the rules",
                                 RunFuzzSequence};
  return entry;
}

}  // namespace drover
