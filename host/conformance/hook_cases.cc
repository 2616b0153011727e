// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// Cases for plugins with task hooks (drover.task-hooks/1/draft).
#include "drover/drover_task_hooks.h"
#include "host/abi/abi_names.h"
#include "host/abi/abi_write.h"
#include "host/abi/hook_values.h"
#include "host/abi/wire.h"
#include "host/base/gate.h"
#include "host/conformance/driver_access.h"
#include "host/conformance/kit_case.h"

namespace drover {
namespace {

constexpr Duration kAnswer = 10s;  // the time that a hook has for a task that asks for nothing
constexpr int kTasksAtOnce = 50;
constexpr std::int32_t kNoStage = 4711;

// A task whose job asks for nothing, and whose directories are gone: hooks must not trust them.
std::shared_ptr<PluginHookRequest> RequestFor(PluginHookStage stage, int number = 0) {
  auto request = std::make_shared<PluginHookRequest>();
  request->stage = stage;
  request->alloc_id = "00000000-0000-0000-0000-" + std::to_string(100'000'000'000 + number);
  request->task_name = "kit";
  request->alloc_name = "kit.group[" + std::to_string(number) + "]";
  request->job_id = "kit";
  request->job_namespace = "default";
  request->group_name = "group";
  request->node_id = "kit-node";
  request->node_name = "kit";
  request->driver = "exec";
  request->task_dir = "/nonexistent/drover-kit/kit";
  request->alloc_dir = "/nonexistent/drover-kit/alloc";
  request->local_dir = request->task_dir + "/local";
  request->secrets_dir = request->task_dir + "/secrets";
  request->log_dir = request->alloc_dir + "/logs";
  const bool has_run = stage != PluginHookStage::kPrestart && stage != PluginHookStage::kStop;
  if (has_run) request->run = RunId::Random();
  if (stage == PluginHookStage::kExited) request->exited = ExitResult{1, 0, false, ""};
  return request;
}

bool HasHookAt(const KitCase& kit, PluginHookStage stage) {
  return (kit.info().offers & HookOffer(stage)) != 0;
}

// Returns the first stage that the plugin offers. If it offers none, calls Skip.
std::optional<PluginHookStage> AnyStage(KitCase* kit) {
  for (const PluginHookStage stage : kPluginHookStages) {
    if (HasHookAt(*kit, stage)) return stage;
  }
  kit->Skip("it has no task hooks");
  return std::nullopt;
}

// Whether a hook with this answer has kept the rules. An error is an answer, too.
bool KeepsRules(KitCase* kit, const Result<PluginHookAnswer>& answer) {
  if (answer.ok()) return true;
  const std::string& why = answer.error().message();
  if (answer.code() == Code::kTimeout) kit->Fail("it does not answer: " + why);
  if (answer.code() == Code::kUnavailable) kit->Fail(why);
  if (why.find("its answer") != std::string::npos) kit->Fail(why);
  return !kit->decided();
}

Co<void> OffersWhatItHas(KitCase* kit, LoadedDriver* driver) {
  const auto has =
      co_await DriverAccess::HasExtension(driver, kit->context(), DROVER_TASK_HOOKS_ID);
  KIT_EXPECT(has.ok(), "get_extension: " + Describe(has));
  const bool offers = (kit->info().offers & kHookOffers) != 0;
  if (!offers && !*has) co_return kit->Skip("it has no task hooks");
  KIT_EXPECT(offers, std::string("it has ") + DROVER_TASK_HOOKS_ID +
                         " but offers no stage, so no hook is ever called");
}

Co<void> AnswersAt(KitCase* kit, LoadedDriver* driver, PluginHookStage stage) {
  if (!HasHookAt(*kit, stage)) co_return kit->Skip("it has no task hooks at this stage");
  const auto answer = co_await driver->CallHook(kit->Within(kAnswer), RequestFor(stage));
  if (!KeepsRules(kit, answer) || answer.ok()) co_return;
  kit->Warn("it fails for a task whose job asks for nothing: " + answer.error().message());
}

// An agent that dies between prestart and the start asks again.
Co<void> AnswersAgain(KitCase* kit, LoadedDriver* driver) {
  const auto stage = AnyStage(kit);
  if (!stage) co_return;
  auto request = RequestFor(*stage);
  for (int i = 0; i < 3 && !kit->decided(); ++i) {
    const auto answer = co_await driver->CallHook(kit->Within(kAnswer), request);
    if (!KeepsRules(kit, answer) || !answer.ok() || !answer->data) continue;
    auto next = std::make_shared<PluginHookRequest>(*request);
    next->data = *answer->data;
    request = std::move(next);
  }
}

Co<void> AskOne(KitCase* kit, LoadedDriver* driver, PluginHookStage stage, int number) {
  const auto answer = co_await driver->CallHook(kit->Within(kAnswer), RequestFor(stage, number));
  (void)KeepsRules(kit, answer);
}

Co<void> AnswersSideBySide(KitCase* kit, LoadedDriver* driver) {
  const auto stage = AnyStage(kit);
  if (!stage) co_return;
  std::vector<Co<void>> all;
  for (int i = 0; i < kTasksAtOnce; ++i) all.push_back(AskOne(kit, driver, *stage, i));
  co_await InParallel(kit->loop(), std::move(all));
}

// Calls the hook with the arguments ARGS, as another host would.
Co<std::optional<Status>> CallWith(LoadedDriver* driver,
                                   std::function<const drover_hook_args*()> args) {
  const auto call = [args = std::move(args)](PluginHost*, const drover_driver* table,
                                             drover_instance* self, const drover_call* frame,
                                             drover_error* error) {
    const auto* hooks = static_cast<const drover_task_hooks*>(
        table->get_extension(self, ToStr(DROVER_TASK_HOOKS_ID)));
    if (hooks == nullptr) return Refuse(Error(Code::kUnimplemented, "no hooks"), error);
    return hooks->hook(self, frame, args(), error);
  };
  co_return co_await DriverAccess::CallAs(driver, "hook", RunId(), nullptr, kAnswer, call);
}

Co<void> AnswersAnUnknownStage(KitCase* kit, LoadedDriver* driver) {
  if (!AnyStage(kit)) co_return;
  auto request = RequestFor(PluginHookStage::kStop);
  request->stage = static_cast<PluginHookStage>(kNoStage);
  const auto view = std::make_shared<HookArgsView>(request);
  const auto ended = co_await CallWith(driver, [view] { return view->get(); });
  KIT_EXPECT(ended, "it does not answer for a stage that it does not know");
}

Co<void> AnswersANewerHost(KitCase* kit, LoadedDriver* driver) {
  const auto stage = AnyStage(kit);
  if (!stage) co_return;
  const auto view = std::make_shared<HookArgsView>(RequestFor(*stage));
  const auto grown = std::make_shared<Carried<drover_hook_args>>(view->get());
  const auto ended = co_await CallWith(driver, [view, grown] { return grown->get(); });
  KIT_EXPECT(ended, "it does not answer a host whose structs are larger");
}

Co<void> EndsWhenGivenUp(KitCase* kit, LoadedDriver* driver) {
  const auto stage = AnyStage(kit);
  if (!stage) co_return;
  const Context at_once = kit->Within(1ms);
  (void)co_await driver->CallHook(at_once, RequestFor(*stage));
  const TimePoint end = kit->loop()->Now() + kAnswer;
  while (driver->host()->calls().size() > 0 && kit->loop()->Now() < end) {
    (void)co_await Sleep(kit->context(), 20ms);
  }
  KIT_EXPECT(driver->host()->calls().size() == 0,
             "a call that was given up is not completed within " + FormatDuration(kAnswer));
  const auto next = co_await driver->CallHook(kit->Within(kAnswer), RequestFor(*stage, 1));
  (void)KeepsRules(kit, next);
}

std::vector<KitEntry> MakeHookCases() {
  std::vector<KitEntry> cases = {
      {"hooks-offers", "The offers and the table of task hooks agree", OffersWhatItHas},
      {"hooks-again", "A hook may be called again for the same task", AnswersAgain},
      {"hooks-side-by-side", "Hooks answer for 50 tasks at a time", AnswersSideBySide},
      {"hooks-unknown-stage", "A stage that is not known is answered or refused",
       AnswersAnUnknownStage},
      {"hooks-newer-host", "A hook reads larger structs", AnswersANewerHost},
      {"hooks-given-up", "A hook that is given up is completed soon", EndsWhenGivenUp},
  };
  const std::pair<PluginHookStage, const char*> stages[] = {
      {PluginHookStage::kPrestart, "prestart"}, {PluginHookStage::kPoststart, "poststart"},
      {PluginHookStage::kPrekill, "prekill"},   {PluginHookStage::kExited, "exited"},
      {PluginHookStage::kStop, "stop"},
  };
  for (const auto& [stage, name] : stages) {
    const auto run = [stage](KitCase* kit, LoadedDriver* driver) {
      return AnswersAt(kit, driver, stage);
    };
    cases.push_back({std::string("hooks-") + name,
                     std::string("The hook ") + name + " answers for a task that asks for nothing",
                     run, "hooks"});
  }
  return cases;
}

}  // namespace

const std::vector<KitEntry>& HookCases() {
  static const std::vector<KitEntry> cases = MakeHookCases();
  return cases;
}

}  // namespace drover
