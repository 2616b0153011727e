// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "tests/hcl/hostile_texts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>

#include "host/base/open_fds_for_test.h"
#include "host/base/time.h"
#include "host/hcl/hcl_diagnostics.h"
#include "host/hcl/hcl_program.h"

namespace drover {
namespace {

using testing::HasSubstr;
using testing::Not;

// A document may take 2 s. A busy machine may be late to notice that they are over.
constexpr Duration kSlack = 1s;

class HostileTextTest : public testing::TestWithParam<HostileFamily> {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(DROVER_HCL_FOR_TEST))
      GTEST_SKIP() << "this build has no drover-hcl";
    request_.file = "hostile.hcl";
    request_.schema = nlohmann::json::parse(std::ifstream(DROVER_HCL_SCHEMA_FOR_TEST));
    (void)DecodeHcl(request_);  // what stays in this process is made now
  }

  // Returns how the document of REQUEST_ ends, in a line.
  std::string Outcome() {
    const Result<HclReply> reply = DecodeHcl(request_);
    if (!reply.ok()) {
      EXPECT_NE(reply.code(), Code::kInternal) << reply.error().message();
      EXPECT_NE(reply.code(), Code::kUnimplemented) << reply.error().message();
      return reply.error().message();
    }
    if (reply->diagnostics.empty()) return "a result";
    const std::string text = DiagnosticsText(reply->diagnostics, {{request_.file, request_.text}});
    EXPECT_THAT(text, Not(HasSubstr("\x1b")));
    EXPECT_LT(text.size(), 200'000u);
    return std::to_string(reply->diagnostics.size()) + " diagnostics, first " +
           text.substr(0, text.find('\n'));
  }

  HclRequest request_;
};

TEST_P(HostileTextTest, EndsWithinItsLimitsAndLeavesThisProcessAsItWas) {
  const long descriptors = OpenFds();
  for (int number = 0; number < kTextsPerFamily; ++number) {
    request_.text = GetParam().text(number);
    const TimePoint begin = BootClock::now();
    const std::string outcome = Outcome();
    const Duration took = BootClock::now() - begin;
    EXPECT_LT(took, 2s + kSlack) << number;
    rusage usage{};
    getrusage(RUSAGE_CHILDREN, &usage);
    EXPECT_LE(static_cast<std::size_t>(usage.ru_maxrss) << 10, kMostHclMemory) << number;
    std::printf("%s %d: %.0f ms, %ld MiB so far: %s\n", GetParam().name.c_str(), number,
                std::chrono::duration<double, std::milli>(took).count(), usage.ru_maxrss >> 10,
                outcome.substr(0, 200).c_str());
  }
  EXPECT_EQ(OpenFds(), descriptors);
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

INSTANTIATE_TEST_SUITE_P(Families, HostileTextTest, testing::ValuesIn(HostileFamilies()),
                         [](const auto& info) { return info.param.name; });

TEST(HostileTextsTest, ThereAre200) { EXPECT_GE(HostileFamilies().size() * kTextsPerFamily, 200u); }

}  // namespace
}  // namespace drover
