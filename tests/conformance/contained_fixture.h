// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "host/plugin/registry_fixture.h"
#include "host/plugin/supervised_driver.h"

namespace drover {

#ifdef MOCK_DRIVER_SO

// The mock driver in a process of its own, with short limits, beside a driver in this process.
class ContainedFixture : public RegistryFixture {
 protected:
  static constexpr Duration kLimit = 400ms;

  ContainedFixture() {
    auto& limits = options_.limits;
    limits.hold = limits.create = limits.start = limits.recover = limits.destroy = kLimit;
    limits.inspect = limits.signal = limits.shutdown = limits.stop_extra = kLimit;
    limits.fingerprint = kLimit;
    limits.abandoned = 10ms;
    limits.relaunch_first = 20ms;
    limits.relaunch_last = 100ms;
    limits.resubscribe_first = 20ms;
    Add("mock_driver", MOCK_DRIVER_SO);
    options_.plugins[0].isolation = "process";
    Add("test", TestPlugin("test"));
  }

  // An agent calls it for each of its drivers.
  void RestoreComplete(const std::vector<RunId>& runs) {
    for (const char* name : {"mock_driver", "test"}) {
      Await(registry_->RestoreComplete(context_, name, runs));
    }
  }
  SupervisedDriver* contained() {
    SupervisedDriver* driver = registry_->FindContained("mock_driver");
    EXPECT_NE(driver, nullptr) << registry_->Find("mock_driver")->fingerprint().description;
    return driver;
  }
  bool Healthy() {
    return contained()->fingerprint().health == Health::kHealthy && contained()->current();
  }
  int launches() { return contained()->status().launches; }
  std::string last_end() { return contained()->status().last_end; }
};

#endif

}  // namespace drover
