// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

// What the driver tests/fault_drivers/test_prepare.c prepares, in this process and in one of its
// own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/base/directory_for_test.h"
#include "host/plugin/loaded_driver.h"
#include "host/plugin/registry_fixture.h"

namespace drover {
namespace {

using testing::HasSubstr;

class SupervisedPreparesTest : public RegistryFixture,
                               public testing::WithParamInterface<const char*> {
 protected:
  SupervisedPreparesTest() {
    isolation_ = GetParam();
    options_.limits.relaunch_first = 10ms;
    options_.limits.abandoned = 2s;
  }
  bool contained() const { return isolation_ == "process"; }
  Driver* Preparing() {
    Driver* const driver = LoadOne("prepares");
    EXPECT_TRUE(driver->Prepares());
    return driver;
  }
  static std::shared_ptr<const TaskConfig> Needs(const std::string& key,
                                                 const std::string& place = "") {
    return Config("{\"key\":\"" + key + "\",\"place\":\"" + place + "\"}");
  }
  Status Prepare(Driver* driver, std::shared_ptr<const TaskConfig> config) {
    return Prepare(driver, std::move(config), context_);
  }
  Status Prepare(Driver* driver, std::shared_ptr<const TaskConfig> config, Context context) {
    return Await(
        driver->PrepareTask(std::move(context), std::move(config), [](const TaskProgress&) {}));
  }
  std::vector<std::string> Listed() {
    std::vector<std::string> keys;
    LoadedDriver* const driver = registry_->FindLoaded("test");
    const auto items = Await(driver->ListPrepared(context_));
    if (!items.ok()) return {items.error().message()};
    for (const PreparedItem& item : *items) keys.push_back(item.key);
    return keys;
  }
};

INSTANTIATE_TEST_SUITE_P(All, SupervisedPreparesTest, testing::Values("in-process", "process"),
                         PlaceName);

TEST_P(SupervisedPreparesTest, AThingIsPreparedListedAndRemoved) {
  options_.limits.prepared_age = 200ms;
  Driver* const driver = Preparing();
  EXPECT_TRUE(Prepare(driver, Needs("")).ok());
  EXPECT_TRUE(Prepare(driver, Needs("redis " + isolation_)).ok());
  EXPECT_THAT(Listed(), testing::Contains("redis " + isolation_));
  // No run needs it, so it goes by itself.
  EXPECT_TRUE(Until([&] { return Listed().empty(); }, 20s));
}

TEST_P(SupervisedPreparesTest, WhatARunNeedsStays) {
  options_.limits.prepared_age = 100ms;
  Driver* const driver = Preparing();
  const auto config = Needs("nginx " + isolation_);
  EXPECT_TRUE(Prepare(driver, config).ok());
  EXPECT_TRUE(Await(driver->Start(context_, config)).ok());
  EXPECT_TRUE(Prepare(driver, config).ok());  // if it went before the start
  EXPECT_TRUE(Prepare(driver, Needs("other " + isolation_)).ok());
  EXPECT_TRUE(Until([&] { return Listed().size() == 1; }, 20s));
  registry_->CollectPrepared();
  EXPECT_EQ(Listed(), (std::vector<std::string>{"nginx " + isolation_}));
  EXPECT_TRUE(Await(driver->Destroy(context_, config->run_id, true)).ok());
  EXPECT_TRUE(Until([&] { return Listed().empty(); }, 20s));
}

TEST_P(SupervisedPreparesTest, ErrorsAndWrongKeysAreReported) {
  Driver* const driver = Preparing();
  const Status failed = Prepare(driver, Needs("fails"));
  EXPECT_EQ(failed.code(), Code::kPermissionDenied);
  EXPECT_EQ(failed.error().message(), "no such thing");
  EXPECT_THAT(Prepare(driver, Needs("bad")).error().message(),
              HasSubstr("its answer to prepare key"));
  EXPECT_EQ(driver->fingerprint().health, Health::kHealthy);
}

TEST_P(SupervisedPreparesTest, OneThatIsGivenUpEndsAndTheDriverStaysHealthy) {
  options_.limits.prepare = 200ms;
  Driver* const driver = Preparing();
  EXPECT_EQ(Prepare(driver, Needs("hangs")).code(), Code::kTimeout);  // its own limit
  const Context soon = context_.WithTimeout(50ms);
  EXPECT_EQ(Prepare(driver, Needs("hangs"), soon).code(), Code::kTimeout);
  EXPECT_EQ(driver->fingerprint().health, Health::kHealthy);
  EXPECT_TRUE(Until([&] { return registry_->FindLoaded("test")->host()->calls().size() == 0; }));
}

TEST_P(SupervisedPreparesTest, OneThatNeverEndsMakesTheDriverUnhealthy) {
  options_.limits.prepare = 100ms;
  options_.limits.abandoned = 100ms;
  Driver* const driver = Preparing();
  EXPECT_EQ(Prepare(driver, Needs("deaf")).code(), Code::kTimeout);
  EXPECT_THAT(log(), HasSubstr("prepare has not answered within 100ms"));
}

TEST_P(SupervisedPreparesTest, TheNextProcessGetsTheCallAgain) {
  if (!contained()) GTEST_SKIP() << "a crash would end this test";
  const DirectoryForTest directory;
  Driver* const driver = Preparing();
  const Status prepared = Prepare(driver, Needs("crashes once", directory.path() + "/place"));
  EXPECT_TRUE(prepared.ok()) << prepared.error().message();
  // Each of the two processes prints it once. The log has it a moment later.
  const std::string line = "wrote: prepares crashes once";
  EXPECT_TRUE(Until([&] { return CountInLog(line) >= 2; }));
  EXPECT_EQ(CountInLog(line), 2) << log();
}

TEST_P(SupervisedPreparesTest, AThingThatEndsEachProcessIsGivenUp) {
  if (!contained()) GTEST_SKIP() << "a crash would end this test";
  Driver* const driver = Preparing();
  const Status prepared = Prepare(driver, Needs("kills"));
  EXPECT_EQ(prepared.code(), Code::kUnavailable);
  EXPECT_THAT(prepared.error().message(), HasSubstr("crashed in prepare"));
  EXPECT_TRUE(Until([&] { return Prepare(driver, Needs("good")).ok(); }));
}

TEST_P(SupervisedPreparesTest, ADriverWithoutThePartPreparesNothing) {
  Driver* const driver = LoadOne("test");
  EXPECT_FALSE(driver->Prepares());
  EXPECT_TRUE(Prepare(driver, Needs("redis")).ok());
  EXPECT_TRUE(Listed().empty());
}

}  // namespace
}  // namespace drover
