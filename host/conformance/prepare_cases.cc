// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// Cases for drivers that prepare tasks (drover.task-prepare/1/draft).
#include <algorithm>

#include "drover/drover_prepare.h"
#include "host/abi/abi_write.h"
#include "host/abi/wire.h"
#include "host/base/gate.h"
#include "host/conformance/driver_access.h"
#include "host/conformance/kit_case.h"

namespace drover {
namespace {

// The time for a thing that is there already, and for one that must be fetched.
constexpr Duration kSoon = 4s;
constexpr Duration kFetch = 8s;

// A task of the kit, and what it needs.
struct NeededThing {
  std::shared_ptr<const TaskConfig> task;
  std::string key;
};

// Calls Skip or Fail, and returns nothing, unless the driver prepares something for the kit's task.
Co<std::optional<NeededThing>> Needed(KitCase* kit, LoadedDriver* driver) {
  if (!driver->prepares()) {
    kit->Skip("it prepares no tasks");
    co_return std::nullopt;
  }
  const auto task = kit->Prepare(driver, kit->Lasting());
  if (!task) co_return std::nullopt;
  const Result<std::string> key = co_await driver->PrepareKey(kit->Within(kSoon), task);
  if (!key.ok()) {
    kit->Fail("key: " + Describe(key));
    co_return std::nullopt;
  }
  if (key->empty()) {
    kit->Skip("the task of the kit needs nothing");
    co_return std::nullopt;
  }
  co_return NeededThing{task, *key};
}

Co<bool> Fetch(KitCase* kit, LoadedDriver* driver, NeededThing thing) {
  const auto made = co_await driver->PrepareByKey(kit->Within(kFetch), thing.task, thing.key,
                                                  [](const TaskProgress&) {});
  if (!made.ok()) kit->Fail("prepare: " + Describe(made));
  co_return made.ok();
}

Co<void> GivesTheSameKey(KitCase* kit, LoadedDriver* driver) {
  const auto thing = co_await Needed(kit, driver);
  if (!thing) co_return;
  for (int i = 0; i < 3; ++i) {
    auto again = std::make_shared<TaskConfig>(*thing->task);
    again->run_id = RunId::Random();
    const auto key = co_await driver->PrepareKey(kit->Within(kSoon), again);
    KIT_EXPECT(key.ok() && *key == thing->key,
               "it gives another key for the same configuration, so nothing is ever shared");
  }
}

Co<void> PreparesAndLists(KitCase* kit, LoadedDriver* driver) {
  const auto thing = co_await Needed(kit, driver);
  if (!thing || !co_await Fetch(kit, driver, *thing)) co_return;
  const auto items = co_await driver->ListPrepared(kit->Within(kSoon));
  KIT_EXPECT(items.ok(), "list: " + Describe(items));
  const auto is_it = [&](const PreparedItem& item) { return item.key == thing->key; };
  KIT_EXPECT(std::ranges::count_if(*items, is_it) == 1,
             "list does not have the key that was prepared exactly once");
}

// An agent that dies meanwhile asks again.
Co<void> PreparesAgain(KitCase* kit, LoadedDriver* driver) {
  const auto thing = co_await Needed(kit, driver);
  if (!thing || !co_await Fetch(kit, driver, *thing)) co_return;
  const TimePoint began = kit->loop()->Now();
  if (!co_await Fetch(kit, driver, *thing)) co_return;
  if (kit->loop()->Now() - began > kSoon) {
    kit->Warn("it takes long to prepare what is there already");
  }
}

Co<void> RemovesAndForgets(KitCase* kit, LoadedDriver* driver) {
  const auto thing = co_await Needed(kit, driver);
  if (!thing || !co_await Fetch(kit, driver, *thing)) co_return;
  const Status removed = co_await driver->RemovePrepared(kit->Within(kFetch), thing->key);
  KIT_EXPECT(removed.ok(), "remove: " + Describe(removed));
  const auto items = co_await driver->ListPrepared(kit->Within(kSoon));
  KIT_EXPECT(items.ok(), "list: " + Describe(items));
  const auto is_it = [&](const PreparedItem& item) { return item.key == thing->key; };
  KIT_EXPECT(std::ranges::none_of(*items, is_it), "list still has a key that was removed");
  // The next task needs it again.
  (void)co_await Fetch(kit, driver, *thing);
}

Co<void> RemovesNothingUnknown(KitCase* kit, LoadedDriver* driver) {
  if (!driver->prepares()) co_return kit->Skip("it prepares no tasks");
  for (const std::string& key : {std::string("drover-kit-unknown"), std::string(1024, 'k'),
                                 std::string("../../etc"), std::string()}) {
    const Status removed = co_await driver->RemovePrepared(kit->Within(kSoon), key);
    KIT_EXPECT(removed.code() != Code::kTimeout, "it does not answer for a key that is not known");
    KIT_EXPECT(!removed.ok(), "it says that it has removed a key that was never prepared");
  }
}

Co<void> EndsWhenTheHostGivesUp(KitCase* kit, LoadedDriver* driver) {
  const auto thing = co_await Needed(kit, driver);
  if (!thing) co_return;
  const Context at_once = kit->Within(1ms);
  (void)co_await driver->PrepareByKey(at_once, thing->task, thing->key, nullptr);
  const TimePoint end = kit->loop()->Now() + kSoon;
  while (driver->host()->calls().size() > 0 && kit->loop()->Now() < end) {
    (void)co_await Sleep(kit->context(), 20ms);
  }
  KIT_EXPECT(driver->host()->calls().size() == 0,
             "a call that was given up is not completed within " + FormatDuration(kSoon));
  (void)co_await Fetch(kit, driver, *thing);
}

Co<void> FetchQuietly(KitCase* kit, LoadedDriver* driver, NeededThing thing) {
  (void)co_await Fetch(kit, driver, std::move(thing));
}

// The host shares calls, but after one that was given up, two may meet.
Co<void> PreparesSideBySide(KitCase* kit, LoadedDriver* driver) {
  const auto thing = co_await Needed(kit, driver);
  if (!thing) co_return;
  std::vector<Co<void>> all;
  for (int i = 0; i < 8; ++i) all.push_back(FetchQuietly(kit, driver, *thing));
  co_await InParallel(kit->loop(), std::move(all));
}

Co<void> ReadsLargerStructs(KitCase* kit, LoadedDriver* driver) {
  const auto thing = co_await Needed(kit, driver);
  if (!thing) co_return;
  const auto view = std::make_shared<TaskConfigView>(thing->task);
  auto args = NewStruct<drover_prepare_key_args>();
  args.config = view->get();
  const auto grown = std::make_shared<Carried<drover_prepare_key_args>>(&args);
  const auto call = [view, grown](PluginHost*, const drover_driver* table, drover_instance* self,
                                  const drover_call* frame, drover_error* error) {
    const auto* prepare = static_cast<const drover_task_prepare*>(
        table->get_extension(self, ToStr(DROVER_TASK_PREPARE_ID)));
    if (prepare == nullptr) return Refuse(Error(Code::kUnimplemented, "nothing"), error);
    return prepare->key(self, frame, grown->get(), error);
  };
  const auto ended =
      co_await DriverAccess::CallAs(driver, "prepare key", RunId(), nullptr, kSoon, call);
  KIT_EXPECT(ended, "it does not answer a host whose structs are larger");
  KIT_EXPECT(ended->ok(), "it refuses larger structs: " + Describe(*ended));
}

}  // namespace

const std::vector<KitEntry>& PrepareCases() {
  static const std::vector<KitEntry> cases = {
      {"prepare-key", "The key of a task depends on its configuration only", GivesTheSameKey},
      {"prepare-list", "What is prepared is listed", PreparesAndLists},
      {"prepare-again", "What is there may be prepared again", PreparesAgain},
      {"prepare-remove", "What is removed is gone, and can be prepared again", RemovesAndForgets},
      {"prepare-remove-unknown", "Unknown keys are not removed", RemovesNothingUnknown},
      {"prepare-given-up", "A preparation that is given up is completed soon",
       EndsWhenTheHostGivesUp},
      {"prepare-side-by-side", "One key may be prepared several times at a time",
       PreparesSideBySide},
      {"prepare-newer-host", "Larger structs are read", ReadsLargerStructs},
  };
  return cases;
}

}  // namespace drover
