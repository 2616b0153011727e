// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/spec/blocks/disconnect_checks.h"

#include <gmock/gmock.h>

namespace drover {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> DisconnectFaults(const DisconnectPolicy& policy) {
  JobFaults faults;
  CheckDisconnect(policy, JobPlace("/D", &faults));
  std::vector<std::string> out;
  for (const JobFault& fault : faults.list()) out.push_back(fault.pointer + " " + fault.message);
  return out;
}

TEST(DisconnectChecksTest, OneOfTheTwoTimesAtMost) {
  EXPECT_THAT(DisconnectFaults({}), IsEmpty());
  EXPECT_THAT(DisconnectFaults({.lost_after = 1h}), IsEmpty());
  EXPECT_THAT(DisconnectFaults({.stop_on_client_after = 1h}), IsEmpty());
  EXPECT_EQ(DisconnectFaults({.lost_after = 1h, .stop_on_client_after = 1h}).size(), 1u);
}

TEST(DisconnectChecksTest, NoTimeIsNegativeOrEndless) {
  EXPECT_THAT(DisconnectFaults({.lost_after = -1s}),
              ElementsAre("/D/LostAfter must not be negative, but is -1s"));
  EXPECT_THAT(DisconnectFaults({.stop_on_client_after = -1s}),
              ElementsAre("/D/StopOnClientAfter must not be negative, but is -1s"));
  EXPECT_EQ(DisconnectFaults({.lost_after = Duration::max()}).size(), 1u);
}

}  // namespace
}  // namespace drover
