// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// Cases for each verb in each situation. They are made from the list of verbs.
#include <algorithm>
#include <initializer_list>
#include <string_view>

#include "host/abi/abi_write.h"
#include "host/base/gate.h"
#include "host/conformance/exec_streams.h"
#include "host/conformance/kit_ask.h"
#include "host/conformance/kit_case.h"
#include "host/conformance/verb_call.h"

namespace drover {
namespace {

using Answer = std::optional<Status>;

std::string Told(const Answer& answer) {
  return answer ? Describe(*answer) : "not answered within 3 s";
}
bool Is(const Answer& answer, Code code) { return answer && answer->code() == code; }
bool IsOk(const Answer& answer) { return answer && answer->ok(); }

// Calls VERB for RUN with the simplest arguments. VERB is any verb that takes a run.
Co<Answer> Ask(KitCase* kit, LoadedDriver* driver, std::string_view verb, RunId run,
               std::shared_ptr<const TaskConfig> config = nullptr) {
  if (verb == "stats") co_return co_await AskStats(kit, driver, run);
  if (verb == "exec") co_return co_await AskExec(kit, driver, run);
  VerbRequest request{run, config};
  if (verb == "signal") request.text = "SIGCONT";
  request.timeout = 100ms;
  request.force = verb == "destroy-force";
  const char* name = request.force ? "destroy" : verb.data();
  co_return co_await CallVerb(driver, name, request, Manner::kPlain);
}

// Returns whether the driver offers VERB. If the driver does not offer it, calls Skip.
bool Offers(KitCase* kit, LoadedDriver* driver, std::string_view verb) {
  if (verb == "signal" && !driver->info().can_signal) kit->Skip("it offers no signals");
  if (verb == "stats" && !driver->info().has_stats) kit->Skip("it offers no stats");
  if (verb == "exec" && !driver->info().can_exec) kit->Skip("it offers no exec");
  return !kit->decided();
}

// Checks the ANSWER of VERB for a run that the instance does not have. The answer must be
// E_NOT_FOUND. Only for stats and exec, it may be any error, as the ABI header says.
void ExpectUnknown(KitCase* kit, const std::string& what, std::string_view verb,
                   const Answer& answer) {
  if (verb == "stats" || verb == "exec") {
    if (!answer || answer->ok()) kit->Fail(what + " must be an error, it was " + Told(answer));
  } else if (!Is(answer, Code::kNotFound)) {
    kit->Fail(what + " must be E_NOT_FOUND, it was " + Told(answer));
  }
}

// Checks the ANSWER of a verb that must succeed.
void ExpectServed(KitCase* kit, const std::string& what, const Answer& answer) {
  if (!IsOk(answer)) kit->Fail(what + " must succeed, it was " + Told(answer));
}

Co<void> Unknown(KitCase* kit, LoadedDriver* driver, std::string_view verb) {
  if (!Offers(kit, driver, verb)) co_return;
  const Answer answer = co_await Ask(kit, driver, verb, RunId::Random());
  ExpectUnknown(kit, std::string(verb) + " of a run that was never started", verb, answer);
}

Co<void> Gone(KitCase* kit, LoadedDriver* driver, std::string_view verb) {
  if (!Offers(kit, driver, verb)) co_return;
  const auto task = kit->Lasting();
  if (!task || !co_await kit->Start(driver, task)) co_return;
  const Status gone = co_await driver->Destroy(kit->context(), task->run_id, true);
  KIT_EXPECT(gone.ok(), "destroy with force: " + Describe(gone));
  const Answer answer = co_await Ask(kit, driver, verb, task->run_id);
  ExpectUnknown(kit, std::string(verb) + " of a run that was destroyed", verb, answer);
}

Co<void> Ended(KitCase* kit, LoadedDriver* driver, std::string_view verb) {
  if (!Offers(kit, driver, verb)) co_return;
  const auto config = kit->Prepare(driver, kit->Ending());
  if (!config || !co_await kit->Start(driver, config)) co_return;
  const Context patient = kit->Within(5s);
  const Result<ExitResult> end = co_await driver->Wait(patient, config->run_id);
  KIT_EXPECT(end.ok(), "wait: " + Describe(end));
  const std::string what = std::string(verb) + " of a task that has ended";
  const Answer answer = co_await Ask(kit, driver, verb, config->run_id, config);
  if (verb == "start") {
    KIT_EXPECT(
        Is(answer, Code::kFailedPrecondition),
        what + ", which the driver knows, must be E_FAILED_PRECONDITION, it was " + Told(answer));
  } else if (verb == "signal" || verb == "stats" || verb == "exec") {
    // The verbs signal, stats and exec may have no meaning for a task that has ended. But the
    // driver must answer.
    KIT_EXPECT(answer, what + " is not answered within 3 s");
  } else {
    ExpectServed(kit, what, answer);
  }
}

// Unloads the instance of the driver while a task runs. Then calls VERB on a new instance that has
// recovered the task.
Co<void> Recovered(KitCase* kit, LoadedDriver* driver, std::string_view verb) {
  if (!Offers(kit, driver, verb)) co_return;
  if (verb == "exec" && !kit->CanRunBeside()) co_return kit->Skip("its tasks are no commands");
  const auto config = kit->Prepare(driver, kit->LastingFor(verb));
  if (!config) co_return;
  const Result<StartedTask> started = co_await driver->Start(kit->context(), config);
  KIT_EXPECT(started.ok(), "start: " + Describe(started));
  (void)co_await kit->Unload(driver);
  LoadedDriver* next = co_await kit->Load();
  if (next == nullptr) co_return;
  kit->Note(next, config->run_id);
  const Result<RecoveredTask> back =
      co_await next->Recover(kit->context(), config, started->handle);
  KIT_EXPECT(back.ok(), "recover in a new instance: " + Describe(back));
  const std::string what = std::string(verb) + " of a task that was recovered";
  if (verb == "wait") {
    const Status stopped =
        co_await next->Stop(kit->context(), config->run_id, 100ms, std::string());
    KIT_EXPECT(stopped.ok(), "stop of a task that was recovered: " + Describe(stopped));
  }
  const Answer answer = co_await Ask(kit, next, verb, config->run_id, config);
  if (verb == "start") {
    KIT_EXPECT(Is(answer, Code::kFailedPrecondition),
               what + " must be E_FAILED_PRECONDITION, it was " + Told(answer));
  } else if (verb == "destroy") {
    KIT_EXPECT(Is(answer, Code::kFailedPrecondition),
               what + ", without force and while it runs, must be E_FAILED_PRECONDITION, it was " +
                   Told(answer));
  } else {
    ExpectServed(kit, what, answer);
  }
}

Co<void> OtherInstance(KitCase* kit, LoadedDriver* first, std::string_view verb) {
  if (!Offers(kit, first, verb)) co_return;
  LoadedDriver* second = co_await kit->Load();
  if (second == nullptr) co_return;
  const auto task = kit->Lasting();
  if (!task || !co_await kit->Start(second, task)) co_return;
  const Answer answer = co_await Ask(kit, first, verb, task->run_id);
  ExpectUnknown(kit, std::string(verb) + " of a run that another instance of the library has", verb,
                answer);
  const Result<TaskStatus> there = co_await second->Inspect(kit->context(), task->run_id);
  KIT_EXPECT(
      there.ok() && there->state == TaskState::kRunning,
      std::string(verb) + " in one instance has ended the task of another: " + Describe(there));
}

const char* Words(Manner manner) {
  switch (manner) {
    case Manner::kCancelledBefore:
      return "that was given up before it was called";
    case Manner::kCancelledEarly:
      return "whose call_cancelled came before it";
    case Manner::kCancelled:
      return "that is given up as soon as it has returned";
    case Manner::kDeadlineOver:
      return "whose deadline was over before it was called";
    case Manner::kNewerHost:
      return "of a host whose structs are larger";
    default:
      return "";
  }
}

// Calls exec with a command that does not end by itself. MANNER says how the call is cancelled.
Co<Answer> ExecInManner(LoadedDriver* driver, RunId run, Manner manner, bool* told_again) {
  auto streams = std::make_shared<ExecStreams>();
  std::vector<std::string> command = {"/bin/sh", "-c", "exec sleep 60"};
  const auto request =
      std::make_shared<ExecRequest>(streams->Open(std::move(command), /*tty=*/false));
  DriverAccess::MakeCall make = [request, streams, manner](
                                    PluginHost* host, const drover_driver* table,
                                    drover_instance* self, const drover_call* call,
                                    drover_error* error) -> std::int32_t {
    const auto* exec = static_cast<const drover_task_exec*>(
        table->get_extension(self, ToStr(DROVER_TASK_EXEC_ID)));
    if (exec == nullptr) return DROVER_E_UNIMPLEMENTED;
    GiveUpBefore(manner, host, table, self, call->id);
    std::vector<drover_str> words;
    for (const std::string& word : request->command) words.push_back(ToStr(word));
    auto args = NewStruct<drover_exec_args>();
    args.command = ToArray(words);
    args.input = {request->input.Release(), DROVER_FD_GIVEN};
    args.output = {request->output.Release(), DROVER_FD_GIVEN};
    args.error = {request->error.Release(), DROVER_FD_GIVEN};
    const std::int32_t status = exec->exec(self, call, &args, error);
    if (status == DROVER_OK) GiveUpBehind(manner, host, table, self, call->id);
    return status;
  };
  co_return co_await DriverAccess::CallAs(driver, "exec", run, nullptr, 3s, std::move(make),
                                          told_again);
}

Co<Answer> AskInManner(LoadedDriver* driver, std::string_view verb, VerbRequest request,
                       Manner manner, bool* told_again) {
  if (verb == "exec") co_return co_await ExecInManner(driver, request.run, manner, told_again);
  co_return co_await CallVerb(driver, verb.data(), request, manner, 3s, told_again);
}

// Calls VERB in the way that MANNER says. The driver must complete the call, and must then work as
// before.
Co<void> InManner(KitCase* kit, LoadedDriver* driver, std::string_view verb, Manner manner) {
  if (!Offers(kit, driver, verb)) co_return;
  if (verb == "exec" && !kit->CanRunBeside()) co_return kit->Skip("its tasks are no commands");
  VerbRequest request;
  std::shared_ptr<const TaskConfig> config;
  LoadedDriver* asked = driver;
  const bool given_up = manner == Manner::kCancelled || manner == Manner::kCancelledBefore ||
                        manner == Manner::kCancelledEarly;
  if (verb == "configure") {
    request.text = kit->NormalPluginConfig();
  } else if (verb == "restore_complete") {
    asked = co_await kit->Load(/*restore=*/false);
    if (asked == nullptr) co_return;
  } else {
    // The call of wait ends only if the task ends or the call is cancelled. If the call is not
    // cancelled, the task must end.
    const bool ends = verb == "wait" && !given_up;
    config = kit->Prepare(driver, ends ? kit->Ending() : kit->LastingFor(verb));
    if (!config) co_return;
    if (verb != "start" && !co_await kit->Start(driver, config)) co_return;
    request.run = config->run_id;
    if (verb == "start" || verb == "recover") request.config = config;
    if (verb == "signal") request.text = "SIGCONT";
    request.timeout = 100ms;
    request.force = true;
  }
  const bool early = manner == Manner::kCancelledEarly;
  bool told_again = false;
  bool* const hears_of_it = early ? &told_again : nullptr;
  const Answer answer = co_await AskInManner(asked, verb, request, manner, hears_of_it);
  const std::string what = std::string(verb) + " " + Words(manner);
  KIT_EXPECT(answer, what + " is not completed within 3 s");
  if (told_again) {
    kit->Warn(what +
              " was not completed before the driver heard of it again, which this host sees " +
              "to and another need not: ask call_is_cancelled when a call has been entered");
  }
  if (manner == Manner::kNewerHost) {
    const bool refused = verb == "configure" && !answer->ok() && answer->code() != Code::kInternal;
    KIT_EXPECT(answer->ok() || refused, what + ": " + Told(answer));
  }
  if (!config) co_return;
  const Status gone = co_await driver->Destroy(kit->context(), config->run_id, true);
  KIT_EXPECT(gone.ok() || gone.code() == Code::kNotFound,
             "destroy with force, after " + what + ": " + Describe(gone));
  const Result<TaskStatus> after = co_await driver->Inspect(kit->context(), config->run_id);
  KIT_EXPECT(after.code() == Code::kNotFound, "inspect of what was destroyed after " + what +
                                                  " must be E_NOT_FOUND, it was " +
                                                  Describe(after));
}

// Cancels calls that the driver does not have. This also happens in practice, if the host cancels a
// call while the driver completes the same call.
Co<void> CancelsTheCompleted(KitCase* kit, LoadedDriver* driver) {
  const auto task = kit->Lasting();
  if (!task || !co_await kit->Start(driver, task)) co_return;
  DriverAccess::MakeCall cancel = [](PluginHost* host, const drover_driver* table,
                                     drover_instance* self, const drover_call* call,
                                     drover_error*) -> std::int32_t {
    // The driver has no call with any of these four ids. A call with the id CALL->ID is pending in
    // the host, but the driver has never received this call.
    for (const std::uint64_t id : {call->id - 1, call->id, std::uint64_t{0}, ~std::uint64_t{0}})
      table->call_cancelled(self, id);
    (void)host;
    return DROVER_E_CANCELLED;
  };
  (void)co_await DriverAccess::CallAs(driver, "call_cancelled", task->run_id, nullptr, 3s,
                                      std::move(cancel));
  const Result<TaskStatus> after = co_await driver->Inspect(kit->context(), task->run_id);
  KIT_EXPECT(after.ok() && after->state == TaskState::kRunning,
             "after call_cancelled of calls that it does not have, inspect of a running task is " +
                 Describe(after));
}

Co<void> UnknownStream(KitCase* kit, LoadedDriver* driver) {
  auto joined = std::make_shared<std::int32_t>(-1);
  DriverAccess::MakeCall ask = [joined](PluginHost*, const drover_driver* table,
                                        drover_instance* self, const drover_call* call,
                                        drover_error* error) -> std::int32_t {
    table->stream_cancel(self, call->id);
    const TimePoint until = BootClock::now() + 500ms;
    *joined = table->stream_join(self, call->id, until.time_since_epoch().count(), error);
    return DROVER_E_CANCELLED;
  };
  (void)co_await DriverAccess::CallAs(driver, "stream_join", RunId(), nullptr, 3s, std::move(ask));
  KIT_EXPECT(*joined == DROVER_OK,
             "stream_join of a stream that it does not have must be DROVER_OK, it was " +
                 std::to_string(*joined));
  const Answer there = co_await Ask(kit, driver, "inspect", RunId::Random());
  KIT_EXPECT(Is(there, Code::kNotFound), "inspect of an unknown run, after it: " + Told(there));
}

// Adds one case for each of VERBS. The cases store pointers to the names in VERBS, so these names
// must be string literals.
using VerbFunction = Co<void> (*)(KitCase* kit, LoadedDriver* driver, std::string_view verb);
void AddVerbs(std::vector<KitEntry>* to, const std::string& family, const std::string& what,
              std::initializer_list<const char*> verbs, VerbFunction function) {
  for (const char* verb : verbs) {
    const auto run = [function, verb](KitCase* kit, LoadedDriver* driver) {
      return function(kit, driver, verb);
    };
    to->push_back({family + "-" + verb, std::string(verb) + " " + what, run, family});
  }
}

// Adds a case for each asynchronous verb. If MANNER is a cancellation, also adds a case for exec,
// because the driver must complete a cancelled exec like any other call.
void AddManner(std::vector<KitEntry>* to, const std::string& family, Manner manner,
               const std::string& what) {
  std::vector<const char*> verbs;
  for (const KitVerb& entry : KitVerbs()) verbs.push_back(entry.name);
  if (family.starts_with("cancelled")) verbs.push_back("exec");
  for (const char* const name_of : verbs) {
    const std::string_view verb = name_of;
    if (verb == "shutdown") continue;  // after a shutdown the case cannot call the instance
    const auto run = [verb, manner](KitCase* kit, LoadedDriver* driver) {
      return InManner(kit, driver, verb, manner);
    };
    std::string name = family + "-" + name_of;
    std::replace(name.begin(), name.end(), '_', '-');
    to->push_back({name, std::string(verb) + " " + Words(manner) + " " + what, run, family});
  }
}

std::vector<KitEntry> MakeVerbCases() {
  std::vector<KitEntry> cases;
  AddVerbs(&cases, "unknown-run", "of a run that was never started is E_NOT_FOUND",
           {"wait", "stop", "signal", "destroy", "destroy-force", "inspect", "exec"}, Unknown);
  AddVerbs(&cases, "gone-run", "of a run that was destroyed is E_NOT_FOUND",
           {"wait", "stop", "signal", "destroy", "destroy-force", "inspect", "stats", "exec"},
           Gone);
  AddVerbs(&cases, "ended", "of a task that has ended is answered as the header says",
           {"start", "recover", "wait", "stop", "signal", "destroy", "inspect", "stats", "exec"},
           Ended);
  AddVerbs(&cases, "recovered", "of a task that was recovered is as that of one it started",
           {"start", "recover", "wait", "stop", "signal", "destroy", "destroy-force", "inspect",
            "stats", "exec"},
           Recovered);
  AddVerbs(&cases, "two-instances", "of a run of another instance finds and does nothing",
           {"wait", "stop", "signal", "destroy", "destroy-force", "inspect", "stats", "exec"},
           OtherInstance);
  AddManner(&cases, "cancelled-before", Manner::kCancelledBefore, "is completed soon");
  AddManner(&cases, "cancelled-early", Manner::kCancelledEarly, "is completed soon");
  AddManner(&cases, "cancelled", Manner::kCancelled, "is completed soon");
  AddManner(&cases, "deadline-over", Manner::kDeadlineOver, "is completed all the same");
  AddManner(&cases, "newer-host", Manner::kNewerHost, "is as that of this one");
  cases.push_back({"cancelled-unknown", "call_cancelled of a call that is over does nothing",
                   CancelsTheCompleted});
  cases.push_back({"stream-unknown", "A stream that it does not have has ended", UnknownStream});
  return cases;
}

}  // namespace

const std::vector<KitEntry>& VerbCases() {
  static const std::vector<KitEntry> cases = MakeVerbCases();
  return cases;
}

}  // namespace drover
