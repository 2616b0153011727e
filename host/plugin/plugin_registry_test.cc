// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/plugin/plugin_registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include "host/library/probe.h"
#include "host/plugin/call_table.h"
#include "host/plugin/loaded_driver.h"
#include "host/plugin/registry_fixture.h"

namespace drover {
namespace {

using testing::HasSubstr;

class PluginRegistryTest : public RegistryFixture {};

TEST_F(PluginRegistryTest, ABrokenPluginIsAnUnhealthyDriverAndTheOthersGoOn) {
  const std::vector<std::pair<std::string, std::string>> broken = {
      {"missing", "No such file"},
      {"abi_major", "ABI major 7"},
      {"two_exports", "exports 1 more symbols"},
      {"constructor_crashes", "crashes when it is loaded"},
      {"constructor_hangs", "hangs when it is loaded"},
      {"entry_null", "returned null"},
      {"needs", "install a newer Drover"},
      {"needs_process", "needs processes, which this host cannot start"},
      {"create_fails", "no color today"},
  };
  Add("test", TestPlugin("test"));
  for (const auto& [name, what] : broken) Add("b-" + name, TestPlugin(name));
  // Their code says that it is "test".
  for (std::size_t i = 1; i <= broken.size(); ++i) options_.plugins[i].name = "test";
  for (std::size_t i = 0; i < broken.size(); ++i) {
    // One registry for each, for two blocks may not have one name.
    PluginRegistryOptions options = options_;
    options.plugins = {options_.plugins[i + 1]};
    PluginProber impatient(300ms);
    if (broken[i].first == "constructor_hangs") options.prober = &impatient;
    PluginRegistry registry(&loop_, &workers_, nullptr, options);
    const PluginReport report = Await(registry.LoadAll(context_))[0];
    EXPECT_FALSE(report.loaded);
    EXPECT_THAT(report.message, HasSubstr(broken[i].second)) << broken[i].first;
    Driver* driver = registry.Find("test");
    ASSERT_NE(driver, nullptr);
    EXPECT_EQ(driver->fingerprint().health, Health::kUnhealthy);
    EXPECT_EQ(driver->fingerprint().description, report.message);
    const Result<StartedTask> started = Await(driver->Start(context_, Config("{}")));
    EXPECT_EQ(started.code(), Code::kUnavailable);
    EXPECT_THAT(started.error().message(), HasSubstr(broken[i].second));
    Await(registry.Shutdown());
  }
}

// The limit counts all threads of the user's.
TEST_F(PluginRegistryTest, WithoutAThreadAPluginIsNotLoadedAndNothingElseHappens) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  Add("test", TestPlugin("test"));
  const auto load = [this] {
    if (geteuid() == 0 && (setgid(64999) != 0 || setuid(64999) != 0)) return 3;
    const rlimit none{0, 0};
    setrlimit(RLIMIT_NPROC, &none);
    const PluginReport report = Load()[0];
    return report.message.find("no thread can be made") == std::string::npos ? 4 : 0;
  };
  EXPECT_EXIT(_exit(load()), testing::ExitedWithCode(0), "");
}

TEST_F(PluginRegistryTest, BlocksAreCheckedBeforeAnythingRuns) {
  Add("test", TestPlugin("test"));
  Add("test", TestPlugin("test"));
  Add("Bad Name", TestPlugin("test"));
  Add("other", TestPlugin("test"));
  Add("off", TestPlugin("constructor_crashes"));
  options_.plugins[4].enabled = false;
  Add("boxed", TestPlugin("test"));
  options_.plugins[5].isolation = "cardboard";
  Add("pinned", TestPlugin("test"));
  options_.plugins[6].sha256 = std::string(64, '0');
  Add("absent", "");
  const std::vector<PluginReport> reports = Load();
  EXPECT_TRUE(reports[0].loaded) << reports[0].message;
  EXPECT_THAT(reports[1].message, HasSubstr("configured twice"));
  EXPECT_THAT(reports[2].message, HasSubstr("no name for a driver"));
  EXPECT_THAT(reports[3].message, HasSubstr("is driver \"test\", not \"other\""));
  EXPECT_FALSE(reports[4].enabled);
  EXPECT_EQ(reports[4].message, "");
  EXPECT_EQ(registry_->Find("off"), nullptr);
  EXPECT_THAT(reports[5].message, HasSubstr("write \"process\" or"));
  EXPECT_THAT(reports[6].message, HasSubstr("the configuration wants 0000"));
  EXPECT_THAT(reports[7].message, HasSubstr("no plugin file for driver \"absent\""));
  EXPECT_EQ(registry_->Find("test")->fingerprint().health, Health::kHealthy);
}

TEST_F(PluginRegistryTest, TheFirstFingerprintIsThereWhenLoadingIsOver) {
  const Driver* driver = LoadOne("test");
  EXPECT_EQ(driver->info().name, "test");
  EXPECT_EQ(driver->info().version, "1.2.3");
  EXPECT_TRUE(driver->info().can_signal);
  EXPECT_TRUE(driver->info().has_stats);
  EXPECT_FALSE(driver->info().can_exec);
  EXPECT_EQ(driver->fingerprint().health, Health::kHealthy);
  EXPECT_EQ(driver->fingerprint().description, "Healthy\xef\xbf\xbd");  // it sent a broken byte
  EXPECT_EQ(driver->fingerprint().attributes.at("driver.test"), "true");
}

TEST_F(PluginRegistryTest, CallsOfADriverThatIsBeingLoadedWait) {
  Add("test", TestPlugin("slow_to_load"));
  registry_ = std::make_unique<PluginRegistry>(&loop_, &workers_, nullptr, options_);
  registry_->BeginLoading(context_);
  Driver* driver = registry_->Find("test");
  EXPECT_TRUE(registry_->IsLoading("test"));
  EXPECT_FALSE(registry_->IsLoading("another"));
  EXPECT_EQ(driver->fingerprint().health, Health::kUnhealthy);
  EXPECT_THAT(driver->fingerprint().description, HasSubstr("is still being loaded"));
  EXPECT_THAT(registry_->reports()[0].message, HasSubstr("is still being loaded"));
  EXPECT_TRUE(Await(driver->Start(context_, Config("{}"))).ok());
  EXPECT_TRUE(Await(registry_->AwaitLoaded(context_, "test")).ok());
  EXPECT_FALSE(registry_->IsLoading("test"));
  EXPECT_EQ(registry_->reports()[0].message, "");
  EXPECT_EQ(driver->fingerprint().health, Health::kHealthy);
}

TEST_F(PluginRegistryTest, ADriverThatIsBeingLoadedIsGivenUpByAShutdown) {
  Add("test", TestPlugin("slow_to_load"));
  registry_ = std::make_unique<PluginRegistry>(&loop_, &workers_, nullptr, options_);
  registry_->BeginLoading(context_);
  Await(registry_->Shutdown());
  EXPECT_FALSE(registry_->reports()[0].loaded);
  EXPECT_EQ(Await(registry_->Find("test")->Start(context_, Config("{}"))).code(),
            Code::kUnavailable);
}

// Its threads and sockets would stay for as long as the agent lives.
TEST_F(PluginRegistryTest, AnInstanceThatComesTooLateIsShutDown) {
  options_.limits.create = 20ms;
  Add("test", TestPlugin("create_late"));
  EXPECT_THAT(Load()[0].message, HasSubstr("did not answer to create within 20ms"));
  EXPECT_TRUE(Until([&] { return log().find("the instance goes") != std::string::npos; }));
  EXPECT_THAT(log(), HasSubstr("create has ended too late: its instance is shut down"));
}

TEST_F(PluginRegistryTest, AnInstanceThatIsNotMadeInTimeHoldsNoShutdownUp) {
  options_.limits.create = options_.limits.shutdown = 20ms;
  Add("test", TestPlugin("create_late"));
  EXPECT_THAT(Load()[0].message, HasSubstr("did not answer to create within 20ms"));
  Await(registry_->Shutdown());
  EXPECT_THAT(log(), HasSubstr("what it makes now is never shut down"));
}

TEST_F(PluginRegistryTest, TheLimitsOfABlockReachItsDriver) {
  Add("test", TestPlugin("start_never_answers"));
  options_.plugins[0].limits = {{"start", 50ms}, {"signal", 70s}, {"prepare", 2h}, {"stop", 3s}};
  options_.plugins[0].threads = 7;
  options_.limits.abandoned = 1ms;
  EXPECT_EQ(Load()[0].message, "");
  Driver* driver = registry_->Find("test");
  const auto config = Config("{}");
  const Result<StartedTask> started = Await(driver->Start(context_, config));
  EXPECT_EQ(started.code(), Code::kTimeout);
  EXPECT_THAT(started.error().message(), HasSubstr("did not answer to start within 50ms"));
  EXPECT_TRUE(Await(driver->Destroy(context_, config->run_id, true)).ok());
  // A caller that waits for it must know them.
  EXPECT_EQ(driver->LimitOf(&DriverLimits::start), 50ms);
  EXPECT_EQ(driver->LimitOf(&DriverLimits::signal), 70s);
  EXPECT_EQ(driver->LimitOf(&DriverLimits::prepare), 2h);
  EXPECT_EQ(driver->LimitOf(&DriverLimits::stop_extra), 3s);
  EXPECT_EQ(driver->LimitOf(&DriverLimits::destroy), options_.limits.destroy);
  EXPECT_EQ(registry_->FindLoaded("test")->host()->limits().threads, 7);
}

TEST_F(PluginRegistryTest, OtherLimitsAreAnotherInstance) {
  Add("test", TestPlugin("test"));
  EXPECT_EQ(Load()[0].message, "");
  Await(registry_->RestoreComplete(context_, "test", {}));
  const LoadedDriver* const first = registry_->FindLoaded("test");
  PluginConfig wanted = options_.plugins[0];
  EXPECT_EQ(*Await(registry_->Refresh(context_, wanted)), false);
  EXPECT_EQ(registry_->FindLoaded("test"), first);
  wanted.limits["start"] = 1h;
  const Result<bool> changed = Await(registry_->Refresh(context_, wanted));
  ASSERT_TRUE(changed.ok()) << changed.error().message();
  EXPECT_TRUE(*changed);
  EXPECT_NE(registry_->FindLoaded("test"), first);
  EXPECT_EQ(registry_->Find("test")->LimitOf(&DriverLimits::start), 1h);
}

// In this process, too.
TEST_F(PluginRegistryTest, ABlockMayGiveItsPluginLessTimeToLoad) {
  Add("test", TestPlugin("slow_to_load"));
  options_.plugins[0].limits = {{"load", 50ms}};
  EXPECT_THAT(Load()[0].message, HasSubstr("hangs when it is loaded, though it did not in the"));
}

TEST_F(PluginRegistryTest, AReloadWaitsForTheHealthAsLongAsTheBlockSays) {
  options_.limits.fingerprint = 50ms;
  Add("test", TestPlugin("test"));
  EXPECT_EQ(Load()[0].message, "");
  Await(registry_->RestoreComplete(context_, "test", {}));
  const Driver* const driver = registry_->Find("test");
  ASSERT_TRUE(Until([&] { return driver->fingerprint().health == Health::kHealthy; }));
  PluginConfig wanted = options_.plugins[0];
  wanted.file = TestPlugin("fingerprint_late");
  wanted.limits["fingerprint"] = 10s;
  const auto reloaded = Await(registry_->Reload(context_, wanted));
  EXPECT_TRUE(reloaded.ok()) << reloaded.error().message();
}

// The limits that an operator sets for a probe reach it.
TEST_F(PluginRegistryTest, TheLimitsOfABlockReachItsProbe) {
  PluginProber prober;
  options_.prober = &prober;
  const auto load = [&](const std::string& file, const ProbeLimits& limits) {
    options_.plugins.clear();
    Add("test", TestPlugin(file));
    options_.plugins[0].probe = limits;
    PluginRegistry registry(&loop_, &workers_, nullptr, options_);
    std::string message = Await(registry.LoadAll(context_))[0].message;
    Await(registry.Shutdown());
    return message;
  };
#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
  EXPECT_THAT(load("constructor_maps", {}), HasSubstr("crashes when it is loaded"));
  EXPECT_EQ(load("constructor_maps", {0s, 6000, 0}), "");
#endif
  EXPECT_THAT(load("constructor_writes", {}), HasSubstr("crashes when it is loaded"));
  EXPECT_EQ(load("constructor_writes", {0s, 2048, 2}), "");
  EXPECT_THAT(load("constructor_hangs", {200ms, 2048, 0}),
              HasSubstr("the probe was stopped after 200ms"));
}

TEST_F(PluginRegistryTest, OneFileServesTwoHostsAtATime) {
  LoadOne("test");
  PluginRegistry other(&loop_, &workers_, nullptr, options_);
  EXPECT_TRUE(Await(other.LoadAll(context_))[0].loaded);
  EXPECT_NE(other.Find("test"), registry_->Find("test"));
  Await(other.Shutdown());
  EXPECT_EQ(registry_->Find("test")->fingerprint().health, Health::kHealthy);
}

TEST_F(PluginRegistryTest, AfterShutdownCallsFailAndNothingIsLeft) {
  const long calls = PendingCall::live();
  Driver* driver = LoadOne("test");
  const auto config = Config("{}");
  ASSERT_TRUE(Await(driver->Start(context_, config)).ok());
  Await(registry_->RestoreComplete(context_, "test", {config->run_id}));
  Await(registry_->Shutdown());
  EXPECT_EQ(PendingCall::live(), calls);
  EXPECT_EQ(Await(registry_->Find("test")->Wait(context_, config->run_id)).code(),
            Code::kUnavailable);
  Await(registry_->Shutdown());  // again: nothing
}

}  // namespace
}  // namespace drover
