// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/conformance/conformance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <map>
#include <set>

#include "drover/drover_device.h"
#include "drover/drover_task_hooks.h"
#include "host/base/directory_for_test.h"
#include "host/conformance/kit_case.h"
#include "host/conformance/kit_file.h"
#include "host/library/test_files.h"
#include "host/process/isolation_for_test.h"

namespace drover {
namespace {

using Results = std::vector<ConformanceResult>;

Results RunKit(const std::string& file, ConformanceOptions options = {}) {
  options.parallel = 8;
  // Long, because machines that run tests are busy.
  if (options.limit == ConformanceOptions().limit) options.limit = 40s;
  Result<Results> results = RunConformance(file, options);
  EXPECT_TRUE(results.ok()) << results.error().message();
  return results.ok() ? *results : Results();
}

// The cases that did not pass, as "case VERDICT".
std::vector<std::string> Failures(const Results& results) {
  std::vector<std::string> failed;
  for (const ConformanceResult& result : results) {
    // A warning may be the machine's fault.
    if (result.verdict == Verdict::kPass || result.verdict == Verdict::kSkip ||
        result.verdict == Verdict::kWarn)
      continue;
    failed.push_back(result.name + " " + std::string(VerdictName(result.verdict)));
    std::printf("%s %s: %s\n", result.name.c_str(), VerdictName(result.verdict).data(),
                result.detail.c_str());
  }
  return failed;
}

int Count(const Results& results, Verdict verdict) {
  int count = 0;
  for (const ConformanceResult& result : results) count += result.verdict == verdict ? 1 : 0;
  return count;
}

struct Fault {
  const char* file;
  const char* fails;
  const char* also = "";  // a regular expression: cases that always fail together with it
};

void PrintTo(const Fault& fault, std::ostream* out) {
  *out << fault.file << " fails " << fault.fails;
}

// Every case without a family, all cases of the families in NAMES, and one of each other family.
std::vector<std::string> CasesAround(const Fault& fault) {
  const std::string names = std::string(fault.fails) + "|" + fault.also;
  const auto concerns = [&](const ConformanceCase& entry) {
    return names.find(entry.family) != std::string::npos;
  };
  std::vector<std::string> cases;
  std::set<std::string> seen;
  for (const ConformanceCase& entry : ConformanceCases()) {
    if (!entry.fault.empty()) continue;  // host_fault_test.cc
    if (entry.family.empty() || concerns(entry) || seen.insert(entry.family).second)
      cases.push_back(entry.name);
  }
  return cases;
}

class BrokenDriverTest : public testing::TestWithParam<Fault> {};

TEST_P(BrokenDriverTest, FailsTheCasesOfItsRuleAlone) {
  const char* reason = ReasonNotToIsolate();
  if (reason != nullptr && GetParam().file == std::string("exec_beside_another")) {
    GTEST_SKIP() << reason;
  }
  ConformanceOptions options;
  options.cases = CasesAround(GetParam());
  std::vector<std::string> failed = Failures(RunKit(TestPlugin(GetParam().file), options));
  EXPECT_EQ(std::erase(failed, GetParam().fails), 1u);
  EXPECT_THAT(failed, testing::Each(testing::MatchesRegex(GetParam().also)));
}

INSTANTIATE_TEST_SUITE_P(
    Faults, BrokenDriverTest,
    testing::Values(
        Fault{"blocks", "never-blocks FAIL"},
        Fault{"exit_code", "exit-code FAIL", "exit-code-(1|42|255) FAIL"},
        Fault{"completes_twice", "completes-once FAIL"},
        Fault{"start_twice", "start-known FAIL", "(ended|recovered)-start FAIL"},
        Fault{"recover_invents", "recover-unknown FAIL"},
        Fault{"recover_crashes", "recover-garbage CRASH", "recover-[a-z]+ CRASH"},
        Fault{"unknown_run", "unknown-run-stop FAIL",
              "(unknown-run|gone-run|two-instances)-(stop|destroy|destroy-force) FAIL"},
        Fault{"wait_only_before", "wait-many FAIL",
              "(ended-wait|wait-side-by-side|wait-stopped|"
              "recovered-wait|recover-cut) FAIL"},
        Fault{"stop_never_answers", "stop FAIL",
              "(.*stop.*|slow-starts|recovered-wait|wait-stopped|wait-other) FAIL"},
        Fault{"destroys_running", "destroy-running FAIL", "recovered-destroy FAIL"},
        Fault{"shutdown_hangs", "shutdown FAIL"}, Fault{"no_fingerprint", "fingerprint FAIL"},
        Fault{"sends_after_join", "stream-join FAIL"},
        Fault{"ignores_cancel", "wait-cancel FAIL", "cancelled-(before-|early-)?wait FAIL"},
        Fault{"one_at_a_time", "side-by-side FAIL"},
        Fault{"any_extension", "extension-unknown FAIL", "(extension-[a-z-]+|[a-z]+-offers) FAIL"},
        Fault{"hooks_silent", "hooks-again FAIL", "hooks-[a-z-]+ FAIL"},
        Fault{"hooks_unoffered", "hooks-offers FAIL"},
        Fault{"hooks_odd_answer", "hooks-exited FAIL", "hooks-[a-z-]+ FAIL"},
        Fault{"hooks_exact_sizes", "hooks-newer-host FAIL"},
        Fault{"hooks_known_stages", "hooks-unknown-stage CRASH"},
        Fault{"prepare_silent", "prepare-list FAIL", "prepare-[a-z-]+ FAIL"},
        Fault{"prepare_key_changes", "prepare-key FAIL", "prepare-[a-z-]+ FAIL"},
        Fault{"prepare_forgets", "prepare-list FAIL"},
        Fault{"prepare_keeps", "prepare-remove FAIL"}, Fault{"leaves_threads", "threads FAIL"},
        Fault{"leaves_children", "children FAIL"}, Fault{"stops_another", "ten-tasks FAIL"},
        Fault{"hurries", "stats-interval FAIL"}, Fault{"one_terminal", "exec-two-ttys FAIL"},
        Fault{"stop_awaits_readers", "paused-output FAIL"},
        Fault{"names_no_processes", "stats-processes FAIL"},
        Fault{"exec_beside_another", "exec-place FAIL"},
        Fault{"signals_the_gone", "gone-run-signal FAIL"},
        Fault{"deaf_when_ended", "ended-signal FAIL"},
        Fault{"deaf_when_recovered", "recovered-signal FAIL"},
        Fault{"drops_cancelled", "cancelled-before-start FAIL"},
        Fault{"cancels_what_is_there", "cancelled-unknown CRASH"},
        Fault{"too_late", "deadline-over-inspect FAIL"},
        Fault{"exact_sizes", "newer-host-signal FAIL"},
        Fault{"few_variables", "task-many-env FAIL"}, Fault{"reads_on", "task-page-ends CRASH"},
        Fault{"short_names", "signal-long CRASH", "signal-odd"},
        Fault{"stop_needs_time", "stop-at-once FAIL"},
        Fault{"few_waits", "wait-side-by-side FAIL", "wait-stopped FAIL"},
        Fault{"joins_only_its_own", "stream-unknown FAIL"},
        Fault{"stops_its_own_way", "stop-by-usr1 FAIL", "stop-by-term FAIL"},
        Fault{"loses_signals", "signal-usr1 FAIL"},
        Fault{"signals_behind_starts", "slow-starts FAIL"}),
    [](const auto& param) { return std::string(param.param.file); });

class DoubtfulDriverTest : public testing::TestWithParam<Fault> {};

TEST_P(DoubtfulDriverTest, ConformsWithAWarning) {
  ConformanceOptions options;
  options.cases = CasesAround(GetParam());
  const Results results = RunKit(TestPlugin(GetParam().file), options);
  EXPECT_TRUE(AllConform(results));
  for (const ConformanceResult& result : results) {
    if (result.name == GetParam().fails) EXPECT_EQ(result.verdict, Verdict::kWarn) << result.detail;
  }
}

INSTANTIATE_TEST_SUITE_P(Faults, DoubtfulDriverTest,
                         testing::Values(Fault{"slow_to_load", "probe-time"},
                                         Fault{"forgets_early_cancels", "cancelled-early-wait"},
                                         Fault{"open_schema", "unknown-keys"},
                                         Fault{"untyped", "schema-task-types"}),
                         [](const auto& param) { return std::string(param.param.file); });

TEST(ConformanceTest, AGoodDriverConforms) {
  const Results results = RunKit(TestPlugin("test"));
  EXPECT_TRUE(Failures(results).empty());
  EXPECT_GE(Count(results, Verdict::kPass), 180);
  for (const ConformanceResult& result : results) {
    if (result.verdict != Verdict::kSkip) continue;
    EXPECT_THAT(result.detail,
                testing::AnyOf("it offers no exec", "it prepares no tasks",
                               testing::HasSubstr("no commands"),
                               "it says nothing about what it can do", "it does not offer pause",
                               testing::MatchesRegex("it has no drover\\.[a-z-]+/[0-9]+/draft")))
        << result.name;
  }
}

// The driver that checks the host finds no fault of the host in any case.
TEST(ConformanceTest, TheKitKeepsTheThreadTags) {
  EXPECT_EQ(Failures(RunKit(TestPlugin("checks_tags"))), std::vector<std::string>());
}

TEST(ConformanceTest, WhatCannotBeLoadedIsOneFailure) {
  EXPECT_EQ(Failures(RunKit(TestPlugin("constructor_crashes"))),
            std::vector<std::string>{"load FAIL"});
  EXPECT_EQ(Failures(RunKit("/nonexistent.so")), std::vector<std::string>{"load FAIL"});
}

TEST(ConformanceTest, ADriverThatWalksArraysByItsOwnSizeIsFoundOut) {
  ConformanceOptions options;
  options.cases = {"whole-config"};
  EXPECT_TRUE(Failures(RunKit(TestPlugin("element_size"), options)).empty());
  options.isolation = "process";
  EXPECT_TRUE(Failures(RunKit(TestPlugin("element_size"), options)).empty());
  // The process of the driver dies, not the process of the kit.
  setenv("DROVER_GROWN", "1", /*overwrite=*/1);
  const auto failures = Failures(RunKit(TestPlugin("element_size"), options));
  unsetenv("DROVER_GROWN");
  EXPECT_EQ(failures, std::vector<std::string>{"whole-config FAIL"});
}

TEST(ConformanceTest, ADriverThatPreparesConforms) {
  ConformanceOptions options;
  for (const ConformanceCase& entry : ConformanceCases()) {
    if (entry.name.starts_with("prepare-")) options.cases.push_back(entry.name);
  }
  ASSERT_GE(options.cases.size(), 8u);
  for (const char* isolation : {"in-process", "process"}) {
    options.isolation = isolation;
    const Results results = RunKit(TestPlugin("prepares_for_the_kit"), options);
    EXPECT_EQ(Failures(results), std::vector<std::string>());
    EXPECT_EQ(Count(results, Verdict::kPass), static_cast<int>(options.cases.size()));
  }
}

TEST(ConformanceTest, ACaseThatIsNotOverInTimeIsReported) {
  ConformanceOptions options;
  options.cases = {"load"};
  options.limit = 1ms;  // less than any process takes to start
  EXPECT_EQ(Failures(RunKit(TestPlugin("test"), options)),
            std::vector<std::string>{"load TIMEOUT"});
}

// Each run with one seed makes the same bytes. Another seed makes others.
TEST(ConformanceTest, AFailureTellsItsSeed) {
  ConformanceOptions options;
  options.cases = {"recover-garbage"};
  options.seed = 4711;
  const Results results = RunKit(TestPlugin("takes_odd_handles"), options);
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0].verdict, Verdict::kFail);
  EXPECT_THAT(results[0].detail, testing::HasSubstr("--seed 4711"));
}

TEST(ConformanceTest, NamesOfCasesAreChecked) {
  ConformanceOptions options;
  options.cases = {"no-such-case"};
  EXPECT_EQ(RunConformance(TestPlugin("test"), options).code(), Code::kInvalidArgument);
  std::map<std::string, int> names;
  for (const ConformanceCase& entry : ConformanceCases()) ++names[entry.name];
  for (const auto& [name, count] : names) EXPECT_EQ(count, 1) << name;
}

// At least LEAST cases pass, the others are skipped. KIT is the content of a kit file, or empty.
void ExpectConforms(const std::string& file, const std::string& isolation, int least,
                    const std::string& kit = "") {
  ConformanceOptions options;
  options.kit_json = kit;
  options.isolation = isolation;
  const Results results = RunKit(file, options);
  EXPECT_EQ(Failures(results), std::vector<std::string>());
  EXPECT_GE(Count(results, Verdict::kPass), least);
}

// The content of the kit file of an example.
std::string ExampleKit(const std::string& example) {
  const Result<std::string> text =
      ReadKitFile(std::string(DROVER_EXAMPLES) + "/" + example + "/kit.json");
  EXPECT_TRUE(text.ok()) << text.error().message();
  return text.ok() ? *text : std::string();
}

class GxxTest : public testing::Test {
 protected:
  void Expect(const char* driver, int least) {
#ifdef GXX_DRIVERS
    ExpectConforms(std::string(GXX_DRIVERS) + "/" + driver, "in-process", least);
#else
    GTEST_SKIP() << "g++-12 is not installed: nothing to do with " << driver << ", " << least;
#endif
  }
};

TEST_F(GxxTest, RawExecConforms) { Expect("raw_exec.so", 200); }
TEST_F(GxxTest, MockConforms) { Expect("mock_driver.so", 180); }

#ifdef RAW_EXEC_SO
TEST(ConformanceTest, RawExecConforms) { ExpectConforms(RAW_EXEC_SO, "in-process", 200); }
TEST(ConformanceTest, RawExecConformsInAProcess) { ExpectConforms(RAW_EXEC_SO, "process", 200); }
#endif
#ifdef EXEC_SO
TEST(ConformanceTest, ExecConforms) {
  if (const char* reason = ReasonNotToIsolate()) GTEST_SKIP() << reason;
  ExpectConforms(EXEC_SO, "in-process", 200);
}
TEST(ConformanceTest, ExecConformsInAProcess) {
  if (const char* reason = ReasonNotToIsolate()) GTEST_SKIP() << reason;
  ExpectConforms(EXEC_SO, "process", 200);
}
#endif
#ifdef HELLO_C_SO
// The driver that authors copy. Its tasks are no commands, and do not end on request.
TEST(ConformanceTest, HelloCConforms) {
  ExpectConforms(HELLO_C_SO, "in-process", 120, ExampleKit("hello_c"));
}
TEST(ConformanceTest, HelloCConformsInAProcess) {
  ExpectConforms(HELLO_C_SO, "process", 120, ExampleKit("hello_c"));
}
#endif
#ifdef HELLO_SO
// Its tasks are commands that its schema does not tell.
TEST(ConformanceTest, HelloConforms) {
  ExpectConforms(HELLO_SO, "in-process", 130, ExampleKit("hello"));
}
TEST(ConformanceTest, HelloConformsInAProcess) {
  ExpectConforms(HELLO_SO, "process", 130, ExampleKit("hello"));
}
#endif
#ifdef COMPANION_SO
// Each of its tasks has two processes.
TEST(ConformanceTest, CompanionConforms) {
  ExpectConforms(COMPANION_SO, "in-process", 120, ExampleKit("companion"));
}
TEST(ConformanceTest, CompanionConformsInAProcess) {
  ExpectConforms(COMPANION_SO, "process", 120, ExampleKit("companion"));
}
#endif
// Plugins of devices have no cases of tasks. On a machine without these devices some are skipped.
#ifdef MACHINE_SO
TEST(ConformanceTest, DevicesConform) { ExpectConforms(MACHINE_SO, "in-process", 15); }
TEST(ConformanceTest, DevicesConformInAProcess) { ExpectConforms(MACHINE_SO, "process", 15); }
#endif
#ifdef MACHINE_C_SO
TEST(ConformanceTest, DevicesInCConform) { ExpectConforms(MACHINE_C_SO, "in-process", 15); }
TEST(ConformanceTest, DevicesInCConformInAProcess) { ExpectConforms(MACHINE_C_SO, "process", 15); }
#endif
TEST(ConformanceTest, APluginHasOnlyCasesThatFitIt) {
  const PluginInfo driver;
  PluginInfo devices;
  devices.offers = DROVER_CAP_ONLY_DEVICES;
  EXPECT_FALSE(IsCaseFor("devices-list", driver));
  EXPECT_TRUE(IsCaseFor("shutdown", driver));
  EXPECT_TRUE(IsCaseFor("devices-list", devices));
  EXPECT_TRUE(IsCaseFor("load", devices));
  EXPECT_FALSE(IsCaseFor("shutdown", devices));
  PluginInfo hooks;
  hooks.offers = DROVER_CAP_ONLY_TASK_HOOKS | DROVER_CAP_HOOK_STOP;
  EXPECT_FALSE(IsCaseFor("hooks-again", driver));
  EXPECT_FALSE(IsCaseFor("hooks-again", devices));
  EXPECT_TRUE(IsCaseFor("hooks-again", hooks));
  EXPECT_TRUE(IsCaseFor("load", hooks));
  EXPECT_FALSE(IsCaseFor("shutdown", hooks));
  EXPECT_FALSE(IsCaseFor("devices-list", hooks));
}

#ifdef SECRETS_FILE_SO
// Plugins that only have hooks have no cases of tasks.
void ExpectHooksConform(const std::string& file, const std::string& plugin_config) {
  for (const char* place : {"in-process", "process"}) {
    ConformanceOptions options;
    options.plugin_config = plugin_config;
    options.isolation = place;
    const Results results = RunKit(file, options);
    EXPECT_EQ(Failures(results), std::vector<std::string>()) << place;
    EXPECT_GE(Count(results, Verdict::kPass), 20) << place;
  }
}
TEST(ConformanceTest, SecretsFileConforms) { ExpectHooksConform(SECRETS_FILE_SO, "{}"); }
TEST(ConformanceTest, ExitNotifierConforms) {
  const DirectoryForTest directory;
  ExpectHooksConform(EXIT_NOTIFIER_SO, "{\"file\": \"" + directory.path() + "/exits\"}");
}
#endif
#ifdef MOCK_DRIVER_SO
TEST(ConformanceTest, MockConforms) { ExpectConforms(MOCK_DRIVER_SO, "in-process", 180); }
TEST(ConformanceTest, MockConformsInAProcess) { ExpectConforms(MOCK_DRIVER_SO, "process", 180); }
#endif

}  // namespace
}  // namespace drover
