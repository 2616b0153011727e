// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// Cases for the optional parts of drivers that are drafts: drover.capabilities/1/draft and
// drover.task-pause/1/draft.
#include "drover/drover_capabilities.h"
#include "drover/drover_news.h"
#include "drover/drover_pause.h"
#include "host/abi/abi_write.h"
#include "host/abi/capability_read.h"
#include "host/conformance/driver_access.h"
#include "host/conformance/kit_case.h"

namespace drover {
namespace {

constexpr Duration kPartAnswer = 5s;

// Checks that the plugin has the part ID if and only if it offers BIT.
Co<void> OffersPart(KitCase* kit, LoadedDriver* driver, std::uint64_t bit, std::string id) {
  const auto has = co_await DriverAccess::HasExtension(driver, kit->context(), id);
  KIT_EXPECT(has.ok(), "get_extension: " + Describe(has));
  const bool offers = (kit->info().offers & bit) != 0;
  if (!offers && !*has) co_return kit->Skip("it has no " + id);
  KIT_EXPECT(*has, "it offers " + id + " but does not have it");
  KIT_EXPECT(offers, "it has " + id + " but does not offer it, so it is never called");
}

Co<void> OffersCapabilities(KitCase* kit, LoadedDriver* driver) {
  return OffersPart(kit, driver, DROVER_CAP_CAPABILITIES, DROVER_CAPABILITIES_ID);
}

// Asks for the capabilities again, as another host would. The answer of the first time is known.
Co<void> SaysTheSame(KitCase* kit, LoadedDriver* driver) {
  if (!driver->info().capabilities) co_return kit->Skip("it says nothing about what it can do");
  const auto ask = [](PluginHost*, const drover_driver* table, drover_instance* self,
                      const drover_call* frame, drover_error* error) {
    const auto* capable = static_cast<const drover_capable*>(
        table->get_extension(self, ToStr(DROVER_CAPABILITIES_ID)));
    if (capable == nullptr) return Refuse(Error(Code::kUnimplemented, "no capabilities"), error);
    const auto args = NewStruct<drover_capabilities_args>();
    return capable->capabilities(self, frame, &args, error);
  };
  for (int i = 0; i < 3; ++i) {
    const auto ended =
        co_await DriverAccess::CallAs(driver, "capabilities", RunId(), nullptr, kPartAnswer, ask);
    KIT_EXPECT(ended, "it does not say what it can do within " + FormatDuration(kPartAnswer));
    KIT_EXPECT(ended->ok(), "capabilities: " + Describe(*ended));
  }
}

// What the driver's info says by offers must not contradict its capabilities.
Co<void> SaysWhatItOffers(KitCase* kit, LoadedDriver* driver) {
  const auto said = driver->info().capabilities;
  if (!said) co_return kit->Skip("it says nothing about what it can do");
  KIT_EXPECT(said->hostname != false || !driver->info().takes_hostname,
             "it offers DROVER_CAP_HOSTNAME, but its capabilities say that it has no hostnames");
  KIT_EXPECT(said->dns != false || !driver->info().takes_dns,
             "it offers DROVER_CAP_DNS, but its capabilities say that it has no DNS");
  KIT_EXPECT(!said->signals || said->signals->empty() || driver->info().can_signal,
             "its capabilities name signals, but it does not offer DROVER_CAP_SIGNALS");
}

Co<void> OffersPause(KitCase* kit, LoadedDriver* driver) {
  return OffersPart(kit, driver, DROVER_CAP_PAUSE, DROVER_TASK_PAUSE_ID);
}

Co<void> OffersNews(KitCase* kit, LoadedDriver* driver) {
  return OffersPart(kit, driver, DROVER_CAP_NEWS, DROVER_TASK_NEWS_ID);
}

// Pauses the task of CONFIG, or lets it go on, and checks what inspect says then.
Co<bool> Paused(KitCase* kit, LoadedDriver* driver, RunId run, bool paused) {
  const Status done = co_await driver->Pause(kit->Within(kPartAnswer), run, paused);
  if (!done.ok()) {
    kit->Fail(std::string(paused ? "pause: " : "the end of a pause: ") + Describe(done));
    co_return false;
  }
  const Result<TaskStatus> status = co_await driver->Inspect(kit->context(), run);
  if (!status.ok() || status->state != TaskState::kRunning) {
    kit->Fail("a task that was paused must stay running, inspect: " + Describe(status));
    co_return false;
  }
  const auto said = status->attributes.find("paused");
  const bool is_paused = said != status->attributes.end() && said->second == "true";
  if (is_paused == paused) co_return true;
  kit->Fail(paused ? "inspect of a paused task has no attribute paused=true"
                   : "inspect says that a task is paused, but it goes on");
  co_return false;
}

Co<std::shared_ptr<const TaskConfig>> StartToPause(KitCase* kit, LoadedDriver* driver) {
  if (!driver->info().can_pause) {
    kit->Skip("it does not offer pause");
    co_return std::shared_ptr<const TaskConfig>();
  }
  const auto config = kit->Prepare(driver, kit->Lasting());
  if (!config || !co_await kit->Start(driver, config)) {
    co_return std::shared_ptr<const TaskConfig>();
  }
  co_return config;
}

Co<void> PausesAndResumes(KitCase* kit, LoadedDriver* driver) {
  const auto config = co_await StartToPause(kit, driver);
  if (!config) co_return;
  for (const bool paused : {true, true, false, false, true, false}) {
    if (!co_await Paused(kit, driver, config->run_id, paused)) co_return;
  }
  const Status stopped = co_await driver->Stop(kit->context(), config->run_id, 1s, "");
  KIT_EXPECT(stopped.ok(), "stop after a pause: " + Describe(stopped));
}

Co<void> DestroysPaused(KitCase* kit, LoadedDriver* driver) {
  const auto config = co_await StartToPause(kit, driver);
  if (!config || !co_await Paused(kit, driver, config->run_id, true)) co_return;
  const Status gone = co_await driver->Destroy(kit->context(), config->run_id, true);
  KIT_EXPECT(gone.ok(), "destroy with force of a paused task: " + Describe(gone));
}

Co<void> PausesNothingUnknown(KitCase* kit, LoadedDriver* driver) {
  if (!driver->info().can_pause) co_return kit->Skip("it does not offer pause");
  const Status done = co_await driver->Pause(kit->Within(kPartAnswer), RunId::Random(), true);
  KIT_EXPECT(done.code() == Code::kNotFound,
             "pause of a run that it does not know must be E_NOT_FOUND, it was " + Describe(done));
}

}  // namespace

const std::vector<KitEntry>& PartCases() {
  static const std::vector<KitEntry> cases = {
      {"capabilities-offers", "The offer and the table of capabilities agree", OffersCapabilities},
      {"capabilities-same", "Capabilities can be asked for again", SaysTheSame},
      {"capabilities-agree", "Capabilities do not contradict the offers", SaysWhatItOffers},
      {"news-offers", "The offer and the table of news agree", OffersNews},
      {"pause-offers", "The offer and the table of pause agree", OffersPause},
      {"pause-and-resume", "A paused task stays running, and goes on", PausesAndResumes},
      {"pause-destroy", "A paused task can be destroyed", DestroysPaused},
      {"pause-unknown", "A run that is not known cannot be paused", PausesNothingUnknown},
  };
  return cases;
}

}  // namespace drover
