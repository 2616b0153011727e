// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/node/driver_fit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace drover {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class DriverFitTest : public ::testing::Test {
 protected:
  DriverFitTest() {
    driver_.name = "box";
    driver_.fs_isolation = FsIsolation::kImage;
    task_.name = "web";
    group_.networks.emplace_back();
  }
  std::vector<std::string> Mistakes() const {
    return DriverMistakes(driver_, group_, task_, "/G", "/G/Tasks/0");
  }

  DriverInfo driver_;
  TaskGroup group_;
  Task task_;
};

TEST_F(DriverFitTest, AHostnameNeedsADriverThatTakesIt) {
  EXPECT_THAT(Mistakes(), IsEmpty());
  group_.networks[0].hostname = "front";
  EXPECT_THAT(Mistakes(),
              ElementsAre("/G/Networks/0/Hostname: driver \"box\" of the task \"web\" gives its "
                          "tasks no hostname: remove it, or use another driver"));
  driver_.takes_hostname = true;
  EXPECT_THAT(Mistakes(), IsEmpty());
}

TEST_F(DriverFitTest, TheHostItselfNamesTasksWithARootOfTheHost) {
  group_.networks[0].hostname = "front";
  driver_.fs_isolation = FsIsolation::kChroot;
  EXPECT_THAT(Mistakes(), IsEmpty());
  driver_.fs_isolation = FsIsolation::kNone;  // JobWarnings warns of it
  EXPECT_THAT(Mistakes(), IsEmpty());
}

}  // namespace
}  // namespace drover
