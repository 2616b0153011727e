// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

// The traces of DROVER_TRACE=abi. A process reads that variable once, so this program runs itself
// again with it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "host/conformance/conformance.h"

namespace drover {
namespace {

#ifdef RAW_EXEC_SO

constexpr char kCaseVariable[] = "DROVER_TRACED_CASE";

// Returns the output of another process that runs one case of the kit against raw_exec.
std::string TraceOf(const std::string& kit_case) {
  const std::string command = std::string(kCaseVariable) + "=" + kit_case + " DROVER_TRACE=abi '" +
                              std::filesystem::read_symlink("/proc/self/exe").string() +
                              "' --gtest_filter=TraceTest.EachCall* 2>&1";
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return "popen failed";
  std::string said;
  char buffer[4096];
  for (std::size_t n; (n = fread(buffer, 1, sizeof buffer, pipe)) > 0;) said.append(buffer, n);
  EXPECT_EQ(pclose(pipe), 0) << said;
  return said;
}

class TraceTest : public testing::Test {
 protected:
  // Runs only the case, in the process that TraceOf starts.
  void SetUp() override {
    const char* kit_case = std::getenv(kCaseVariable);
    if (kit_case == nullptr) return;
    ConformanceOptions options;
    options.cases = {kit_case};
    options.in_process = true;
    const auto results = RunConformance(RAW_EXEC_SO, options);
    ASSERT_TRUE(results.ok());
    EXPECT_EQ(results->at(0).verdict, Verdict::kPass) << results->at(0).detail;
    // The driver keeps its threads, so no static object may be destroyed under them.
    std::fflush(nullptr);
    std::_Exit(HasFailure() ? 1 : 0);
  }
};

TEST_F(TraceTest, EachCallOfBothSidesIsALine) {
  const std::string run = "run=[0-9a-f]+ [0-9.]+ms ";
  const std::string said = TraceOf("exit-code");
  for (const std::string& line : {
           "return start id=[0-9]+ " + run + "OK",
           "complete start id=[0-9]+ " + run + "OK",
           "host process.start id=0 " + run + "OK",
           std::string("done process.start id=0 run=- [0-9.]+ms OK"),
           "host process.wait id=0 " + run + "OK",
           std::string("done process.wait id=0 run=- [0-9.]+ms OK"),
           "complete wait id=[0-9]+ " + run + "OK",
           std::string("host get_extension id=0 run=- [0-9.]+ms found"),
           std::string("host stream_send id=[0-9]+ run=- [0-9.]+ms 0"),
           std::string("host timer.after id=0 run=- [0-9.]+ms [1-9]"),
       }) {
    EXPECT_THAT(said, testing::ContainsRegex("abi raw_exec " + line));
  }
}

TEST_F(TraceTest, WhatEndsCallsAndStreamsIsALineToo) {
  EXPECT_THAT(TraceOf("wait-cancel"),
              testing::ContainsRegex(
                  "abi raw_exec return call_cancelled id=[1-9][0-9]* run=- [0-9.]+ms OK"));
  const std::string stats = TraceOf("stream-join");
  for (const char* function : {"stats", "stream_cancel", "stream_join"}) {
    EXPECT_THAT(stats, testing::ContainsRegex("abi raw_exec return " + std::string(function) +
                                              " id=[1-9][0-9]* run=[-0-9a-f]+ [0-9.]+ms OK"));
  }
  const std::string exec = TraceOf("exec-resize");
  EXPECT_THAT(exec, testing::ContainsRegex(
                        "abi raw_exec return exec.resize id=[1-9][0-9]* run=- [0-9.]+ms OK"));
  EXPECT_THAT(exec, testing::ContainsRegex("abi raw_exec host process.exec_resize "));
}

#endif

}  // namespace
}  // namespace drover
