// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/conformance/fuzz/fuzz_model.h"

#include "host/abi/abi_names.h"

namespace drover {
namespace {

std::string AnswerText(const FuzzAnswer& answer) {
  if (answer.given_up) return "not answered";
  if (!answer.status.ok()) {
    return std::string(CodeName(answer.status.code())) + ": " + answer.status.error().message();
  }
  std::string text = "OK";
  if (answer.state == TaskState::kRunning) text += ", running";
  if (answer.state == TaskState::kExited) text += ", exited";
  return text;
}

std::string EndText(const ExitResult& end) {
  return "code " + std::to_string(end.exit_code) + ", signal " + std::to_string(end.signal);
}

bool Failed(const FuzzAnswer& answer, Code code) { return answer.status.code() == code; }

}  // namespace

std::string FuzzModel::Unexpected(const Run& run, const FuzzAnswer& answer,
                                  const std::string& expected) {
  std::string states;
  const auto add = [&](unsigned bit, const char* name) {
    if ((run.possible & bit) != 0) states += (states.empty() ? "" : " or ") + std::string(name);
  };
  add(kUnknown, "unknown");
  add(kRunning, "running");
  add(kEnded, "ended");
  return "the run is " + states + ", so the answer must be " + expected + "; it was " +
         AnswerText(answer);
}

std::string FuzzModel::NoteNotFound(Run* run) {
  if ((run->possible & kUnknown) == 0) return "it must know the run, but says E_NOT_FOUND";
  Forget(run);
  return "";
}

std::string FuzzModel::NoteEnd(Run* run, const std::optional<ExitResult>& end) {
  run->possible = kEnded;
  if (!end) return "";
  const bool same =
      !run->end || (run->end->exit_code == end->exit_code && run->end->signal == end->signal);
  if (!same) {
    return "the task has ended with " + EndText(*end) + ", but before it had ended with " +
           EndText(*run->end);
  }
  run->end = end;
  return "";
}

std::string FuzzModel::JudgeStart(Run* run, const FuzzStep& step, const FuzzAnswer& answer) {
  const bool may_be_unknown = (run->possible & kUnknown) != 0;
  const unsigned started = kRunning | (step.ends ? kEnded : 0u);
  if (answer.given_up) {
    if (may_be_unknown) run->possible |= started;
    run->ends = run->ends || (may_be_unknown && step.ends);
    return "";
  }
  if (answer.status.ok()) {
    if (!may_be_unknown) return Unexpected(*run, answer, "E_FAILED_PRECONDITION");
    Forget(run);
    run->possible = started;
    run->ends = step.ends;
    return "";
  }
  const bool may_be_known = (run->possible & (kRunning | kEnded)) != 0;
  if (Failed(answer, Code::kFailedPrecondition) && may_be_known) {
    run->possible &= ~kUnknown;
    return "";
  }
  return Unexpected(*run, answer, may_be_unknown ? "OK" : "E_FAILED_PRECONDITION");
}

std::string FuzzModel::JudgeRecover(Run* run, const FuzzAnswer& answer) {
  if (Failed(answer, Code::kNotFound)) return NoteNotFound(run);
  const unsigned now = answer.state == TaskState::kExited ? kEnded : kRunning;
  if (!answer.status.ok() || (run->possible & now) == 0) {
    return Unexpected(*run, answer,
                      run->possible == kUnknown ? "E_NOT_FOUND" : "OK with the state of the task");
  }
  if (now == kEnded) return NoteEnd(run, answer.end);
  run->possible = kRunning;
  return "";
}

std::string FuzzModel::JudgeWait(Run* run, const FuzzAnswer& answer) {
  if (answer.given_up) {
    if (run->possible == kEnded || run->possible == kUnknown) {
      return Unexpected(*run, answer, run->possible == kEnded ? "OK" : "E_NOT_FOUND");
    }
    return "";
  }
  if (Failed(answer, Code::kNotFound)) return NoteNotFound(run);
  if (!answer.status.ok() || (run->possible & kEnded) == 0) {
    return Unexpected(*run, answer,
                      run->possible == kUnknown   ? "E_NOT_FOUND"
                      : run->possible == kRunning ? "given when the task ends"
                                                  : "OK");
  }
  return NoteEnd(run, answer.end);
}

std::string FuzzModel::JudgeStop(Run* run, const FuzzAnswer& answer) {
  if (answer.given_up) {
    if ((run->possible & kRunning) != 0) run->possible |= kEnded;
    return "";
  }
  if (Failed(answer, Code::kNotFound)) return NoteNotFound(run);
  if (!answer.status.ok() || run->possible == kUnknown) {
    return Unexpected(*run, answer, run->possible == kUnknown ? "E_NOT_FOUND" : "OK");
  }
  return NoteEnd(run, std::nullopt);
}

std::string FuzzModel::JudgeUse(Run* run, const FuzzStep& step, const FuzzAnswer& answer) {
  if (answer.given_up) return "";
  if (Failed(answer, Code::kTimeout)) return Unexpected(*run, answer, "given in time");
  if (run->possible == kRunning && !answer.status.ok()) return Unexpected(*run, answer, "OK");
  if (run->possible != kUnknown) return "";  // a task that has ended may have no use for the verb
  const bool is_signal = step.verb == FuzzVerb::kSignal;
  const bool refused = is_signal ? Failed(answer, Code::kNotFound) : !answer.status.ok();
  return refused ? "" : Unexpected(*run, answer, is_signal ? "E_NOT_FOUND" : "an error");
}

std::string FuzzModel::JudgeInspect(Run* run, const FuzzAnswer& answer) {
  if (answer.given_up) return "";
  if (Failed(answer, Code::kNotFound)) return NoteNotFound(run);
  const unsigned now = answer.state == TaskState::kExited    ? kEnded
                       : answer.state == TaskState::kRunning ? kRunning
                                                             : 0u;
  if (!answer.status.ok() || (run->possible & now) == 0) {
    return Unexpected(*run, answer,
                      run->possible == kUnknown ? "E_NOT_FOUND" : "OK with the state of the task");
  }
  if (now == kRunning) {
    run->possible = kRunning;
    return answer.end ? "it has a result of a task that runs" : "";
  }
  if (!answer.end) return "it has no result of a task that has ended";
  return NoteEnd(run, answer.end);
}

std::string FuzzModel::JudgeDestroy(Run* run, bool force, const FuzzAnswer& answer) {
  const bool may_be_ended = (run->possible & kEnded) != 0;
  if (answer.given_up) {
    if (force || may_be_ended) run->possible |= kUnknown;
    // With force, the task may have ended although the run is still known.
    if (force && (run->possible & kRunning) != 0) run->possible |= kEnded;
    return "";
  }
  if (Failed(answer, Code::kNotFound)) return NoteNotFound(run);
  if (answer.status.ok() && (force ? run->possible != kUnknown : may_be_ended)) {
    Forget(run);
    return "";
  }
  if (Failed(answer, Code::kFailedPrecondition) && !force && (run->possible & kRunning) != 0) {
    run->possible = kRunning;
    return "";
  }
  const bool refused = !force && run->possible == kRunning;
  return Unexpected(*run, answer,
                    run->possible == kUnknown ? "E_NOT_FOUND"
                    : refused                 ? "E_FAILED_PRECONDITION"
                                              : "OK");
}

std::string FuzzModel::Judge(const FuzzStep& step, const FuzzAnswer& answer) {
  Run* const run = &Of(step.run);
  if (run->ends && (run->possible & kRunning) != 0) run->possible |= kEnded;
  std::string why;
  switch (step.verb) {
    case FuzzVerb::kStart:
      why = JudgeStart(run, step, answer);
      break;
    case FuzzVerb::kRecover:
      why = JudgeRecover(run, answer);
      break;
    case FuzzVerb::kWait:
      why = JudgeWait(run, answer);
      break;
    case FuzzVerb::kStop:
      why = JudgeStop(run, answer);
      break;
    case FuzzVerb::kSignal:
    case FuzzVerb::kStats:
    case FuzzVerb::kExec:
      why = JudgeUse(run, step, answer);
      break;
    case FuzzVerb::kInspect:
      why = JudgeInspect(run, answer);
      break;
    case FuzzVerb::kDestroy:
    case FuzzVerb::kDestroyForce:
      why = JudgeDestroy(run, step.verb == FuzzVerb::kDestroyForce, answer);
      break;
    case FuzzVerb::kWaitOpen:  // its answer comes later
    case FuzzVerb::kReload:
      break;
  }
  return why.empty() ? why : FuzzStepText(step) + ": " + why;
}

std::string FuzzModel::JudgeOpenWait(int run, const FuzzAnswer& answer) {
  Run* const of = &Of(run);
  if (of->ends && (of->possible & kRunning) != 0) of->possible |= kEnded;
  // The destroy of a run ends its waits in any way.
  if ((of->possible & kUnknown) != 0) return "";
  const std::string why = JudgeWait(of, answer);
  if (why.empty()) return why;
  return "a wait of run " + std::to_string(run + 1) + " that was called before: " + why;
}

void FuzzModel::Reloaded() {
  if (keeps_ends_) return;
  for (Run& run : runs_) {
    if ((run.possible & kEnded) == 0) continue;
    // A simulated task may begin again, since its end was nowhere but in the instance.
    run.possible |= kRunning;
    run.end.reset();
  }
}

}  // namespace drover
