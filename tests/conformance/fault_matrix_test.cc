// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

// Each fault in each function of a driver in a process of its own: the call ends in time, the
// driver is unhealthy and comes back, its tasks are not lost, and the driver beside it notices
// nothing. The test of a fault writes what each of its cells has taken into a report, and fails
// when one is missing there.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "host/base/gate.h"
#include "tests/conformance/call_verb.h"
#include "tests/conformance/contained_fixture.h"

namespace drover {
namespace {

#ifdef MOCK_DRIVER_SO

using testing::HasSubstr;

// All but the first are more of the same: they are in the long tests.
const std::vector<std::string> kShort = {"segv", "exit", "hang", "close", "heap", "threads"};
const std::vector<std::string> kLong = {"abort",  "throw",   "loop",       "deadlock",
                                        "silent", "garbage", "descriptors"};

// Those of the interface's list, and what is no verb but runs code of the driver as well.
std::vector<std::string> Verbs() {
#define DROVER_VERB_NAME(verb, tag) #verb,
  return {"create", DROVER_ASYNC_VERBS(DROVER_VERB_NAME) "fingerprint", "stats", "exec"};
#undef DROVER_VERB_NAME
}

// Functions that answer by themselves cannot be silent, and of a wait and a session nobody can tell
// how long they should last.
bool Possible(const std::string& fault, const std::string& verb) {
  static const std::set<std::string> kPlain = {"create", "inspect",  "stats", "fingerprint",
                                               "wait",   "shutdown", "exec"};
  return fault != "silent" || kPlain.count(verb) == 0;
}

std::vector<std::string> Cells(const std::string& fault) {
  std::vector<std::string> cells;
  for (const std::string& verb : Verbs()) {
    if (Possible(fault, verb)) cells.push_back(verb);
  }
  return cells;
}

Duration MedianOf(std::vector<Duration> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

int Threads(const std::string& pid) {
  const std::filesystem::directory_iterator tasks("/proc/" + pid + "/task");
  return static_cast<int>(std::distance(begin(tasks), end(tasks)));
}

class FaultTest : public ContainedFixture, public testing::WithParamInterface<std::string> {
 protected:
  static constexpr int kLeakedThreads = 64;  // by the mock

  const std::string fault_ = GetParam();
  std::string verb_;  // of the cell
  Duration took_{0};
  std::vector<Duration> beside_;
  Duration control_{0};

  static bool IsOfPlugin(const std::string& verb) {
    return verb == "create" || verb == "configure" || verb == "fingerprint" ||
           verb == "restore_complete" || verb == "shutdown";
  }
  // Of the plugin or of one task.
  std::string Faulty() const {
    if (fault_ == "hang") return R"("hang_in":")" + verb_ + "\"";
    if (fault_ == "silent") return R"("silent_in":")" + verb_ + "\"";
    return R"("crash_in":")" + verb_ + R"(","crash_by":")" + fault_ + "\"";
  }
  // Of those faults the process itself dies, so the last words name the function.
  bool Dies() const {
    static const std::set<std::string> kLives = {"hang", "loop", "deadlock", "silent", "threads"};
    return kLives.count(fault_) == 0;
  }
  // It does no harm: the threads end with their process.
  bool IsHarmless() const { return fault_ == "threads"; }

  // The driver beside it: how long the life of a task takes.
  Duration Life() {
    Driver* other = registry_->Find("test");
    const auto task = Config("{}");
    const TimePoint began = BootClock::now();
    EXPECT_TRUE(Await(other->Start(context_, task)).ok());
    EXPECT_TRUE(Await(other->Inspect(context_, task->run_id)).ok());
    EXPECT_TRUE(Await(other->Stop(context_, task->run_id, 1s, "")).ok());
    EXPECT_TRUE(Await(other->Destroy(context_, task->run_id, false)).ok());
    EXPECT_EQ(other->fingerprint().health, Health::kHealthy);
    return BootClock::now() - began;
  }
  void LiveUntil(const std::function<bool()>& done) {
    const TimePoint end = BootClock::now() + 20s;
    do beside_.push_back(Life());
    while (!done() && BootClock::now() < end);
    EXPECT_TRUE(done());
  }

  // The faulty call, with tasks of the other driver beside it until it has ended.
  Status Call(const std::shared_ptr<const TaskConfig>& task) {
    Status said;
    bool over = false;
    Duration took{0};
    const auto call = [](ContainedDriver* driver, std::string verb, Context context,
                         std::shared_ptr<const TaskConfig> about, Status* to, Duration* lasted,
                         bool* flag) -> Co<void> {
      const TimePoint began = BootClock::now();
      *to = co_await CallVerb(driver, verb, context, about, 2 * kLimit);
      *lasted = BootClock::now() - began;
      *flag = true;
    };
    Gate calling(&loop_);
    calling.Spawn(call(contained(), verb_, context_, task, &said, &took, &over));
    LiveUntil([&over] { return over; });
    Await(calling.Close());
    took_ = took;
    return said;
  }

  void ExpectLastEnd() {
    const std::string said = last_end();
    EXPECT_THAT(said, HasSubstr("plugin mock_driver 0.1.0 "));
    if (fault_ == "close") EXPECT_THAT(said, HasSubstr("ended"));
    if (fault_ == "garbage") EXPECT_THAT(said, HasSubstr("it sent bytes that are no frame"));
    if (fault_ == "descriptors") {
      EXPECT_THAT(said, HasSubstr("it sent more descriptors than a frame has"));
    }
    if (fault_ == "exit") EXPECT_THAT(said, HasSubstr("exit code 3"));
    if (fault_ == "segv") EXPECT_THAT(said, HasSubstr("(signal 11, Segmentation fault)"));
    if (fault_ == "abort" || fault_ == "throw" || fault_ == "heap") {
      EXPECT_THAT(said, HasSubstr("(signal 6, Aborted)"));
    }
    if (fault_ == "throw") EXPECT_THAT(said, HasSubstr("mock exception"));
    // The function is known where a thread of the host's is in it; the wrapper's own threads run
    // probes and the end.
    const bool on_host_thread = verb_ != "fingerprint" && verb_ != "shutdown";
    if (fault_ != "silent" && on_host_thread) EXPECT_THAT(said, HasSubstr(verb_)) << said;
    const bool traced = fault_ == "segv" || fault_ == "abort" || fault_ == "heap";
    if (traced) EXPECT_THAT(said, HasSubstr("mock_driver.so(")) << said;
  }

  // What is measured of one that never serves: it dies again and again, in nobody's way.
  void RunUselessCell() {
    EXPECT_TRUE(Until([&] { return contained()->fingerprint().health == Health::kUnhealthy; }));
    LiveUntil([&] { return launches() >= 3; });
    ExpectLastEnd();
  }

  // The call that fails, and what follows: its own task is released, the other one is not lost.
  void RunFailingCell(const std::shared_ptr<const TaskConfig>& good,
                      const std::shared_ptr<const TaskConfig>& faulty) {
    int unhealthy = 0;
    const Subscription heard = contained()->OnFingerprint([&] {
      if (contained()->fingerprint().health == Health::kUnhealthy) ++unhealthy;
    });
    const Status said = Call(faulty);
    // Where a driver is told what was restored, nobody can do anything about its answer.
    EXPECT_TRUE(!said.ok() || verb_ == "restore_complete") << "a call that failed has succeeded";
    // Its own limit, that of its destroy after it and two launches; not the machine's delays.
    EXPECT_LT(took_, 6 * kLimit + 5s);
    EXPECT_TRUE(Until([&] { return unhealthy > 0; }));
    EXPECT_TRUE(Until([&] { return launches() >= 2; }));
    ExpectLastEnd();
    if (verb_ == "restore_complete") return;  // in which each new one dies, too
    if (verb_ == "wait" || verb_ == "stats") EXPECT_EQ(said.code(), Code::kTimeout);
    // It comes back, and knows the task.
    if (verb_ != "destroy") {
      const Status gone = Await(contained()->Destroy(context_, faulty->run_id, true));
      const bool released = gone.ok() || gone.code() == Code::kNotFound;
      if (verb_ == "recover") EXPECT_TRUE(released) << gone.error().message();
    }
    EXPECT_TRUE(Until([&] { return Healthy(); })) << contained()->fingerprint().description;
    ExpectRunning(good);
  }

  // A process with threads that nobody ends serves on.
  void RunHarmlessCell(const std::shared_ptr<const TaskConfig>& good,
                       const std::shared_ptr<const TaskConfig>& faulty) {
    const Status said = Call(faulty);
    static const std::set<std::string> kLasting = {"wait", "stats"};
    const Code expected = verb_ == "recover"          ? Code::kNotFound
                          : kLasting.count(verb_) > 0 ? Code::kTimeout
                                                      : Code::kOk;
    EXPECT_EQ(said.code(), expected) << said.error().message();
    EXPECT_GE(Threads(std::to_string(contained()->status().pid)), kLeakedThreads);
    EXPECT_TRUE(Healthy());
    EXPECT_EQ(launches(), 1);
    ExpectRunning(good);
  }

  void ExpectRunning(const std::shared_ptr<const TaskConfig>& task) {
    const Result<TaskStatus> status = Await(contained()->Inspect(context_, task->run_id));
    ASSERT_TRUE(status.ok()) << status.error().message();
    EXPECT_EQ(status->state, TaskState::kRunning);
  }

  void RunShutdownCell() {
    const pid_t pid = contained()->status().pid;
    const TimePoint began = BootClock::now();
    End();
    took_ = BootClock::now() - began;
    EXPECT_LT(took_, 2 * kLimit + 5s);
    EXPECT_TRUE(Until([pid] { return kill(pid, 0) != 0 && errno == ESRCH; })) << "it lives on";
  }

  void RunCell() {
    const bool of_plugin = IsOfPlugin(verb_);
    options_.plugins[0].config_json = of_plugin ? "{" + Faulty() + "}" : "{}";
    const TimePoint loading = BootClock::now();
    const std::vector<PluginReport> reports = Load();
    took_ = BootClock::now() - loading;
    ASSERT_TRUE(reports[1].loaded) << reports[1].message;
    const bool never_lives =
        !IsHarmless() && (verb_ == "create" || (verb_ == "fingerprint" && Dies()));
    if (never_lives) {
      EXPECT_LT(took_, 5s + 4 * kLimit);
      return RunUselessCell();
    }
    ASSERT_TRUE(reports[0].loaded) << reports[0].message;
    // A task that nothing is wrong with: it is not lost, whatever happens.
    const auto good = Config(R"({"run_for":"1h"})");
    ASSERT_TRUE(Await(contained()->Start(context_, good)).ok());
    if (verb_ == "shutdown") return RunShutdownCell();
    if (verb_ == "fingerprint" || verb_ == "create") {
      const Health health = IsHarmless() ? Health::kHealthy : Health::kUnhealthy;
      LiveUntil([&] { return contained()->fingerprint().health == health; });
      return ExpectRunning(good);
    }
    if (verb_ != "restore_complete") RestoreComplete({});
    const auto faulty =
        Config(of_plugin ? R"({"run_for":"1h"})"
                         : R"({"run_for":"1h","exec_command":{},)" + Faulty() + "}");
    const bool begun = verb_ != "start" && verb_ != "recover";
    if (begun) ASSERT_TRUE(Await(contained()->Start(context_, faulty)).ok());
    if (IsHarmless()) return RunHarmlessCell(good, faulty);
    RunFailingCell(good, faulty);
  }

  void End() {
    if (!registry_) return;
    Await(registry_->Shutdown());
    registry_.reset();
  }

  // The same lives without any fault.
  void MeasureControl() {
    Load();
    for (int i = 0; i < 50; ++i) beside_.push_back(Life());
    control_ = MedianOf(beside_);
    End();
  }
};

std::vector<std::string> ReportedVerbs(const std::string& path) {
  std::vector<std::string> verbs;
  std::ifstream report(path);
  std::string line;
  std::getline(report, line);  // the head
  while (std::getline(report, line)) {
    std::istringstream cells(line);
    std::string fault, verb, milliseconds;
    std::getline(std::getline(std::getline(cells, fault, ','), verb, ','), milliseconds, ',');
    if (!milliseconds.empty()) verbs.push_back(verb);
  }
  return verbs;
}

TEST_P(FaultTest, InEachCallEndsThatAndNothingElse) {
  const std::string path = "fault-matrix-" + fault_ + ".csv";
  std::ofstream report(path);
  report << "fault,call,ms,driver beside it us,without a fault us\n";
  MeasureControl();
  const int threads = Threads("self");
  for (const std::string& verb : Cells(fault_)) {
    SCOPED_TRACE(fault_ + " in " + verb);
    verb_ = verb;
    beside_.clear();
    RunCell();
    End();
    if (HasFatalFailure()) continue;  // its row is missing
    report << fault_ << "," << verb << "," << took_ / 1ms << ",";
    if (!beside_.empty()) {
      const Duration beside = MedianOf(beside_);
      report << beside / 1us;
      // As long as ever, but for a machine that is busy with a loop or a launch.
      EXPECT_LT(beside, 4 * control_ + 25ms);
    }
    report << "," << control_ / 1us << std::endl;
  }
  EXPECT_EQ(ReportedVerbs(path), Cells(fault_));
  EXPECT_TRUE(Until([threads] { return Threads("self") <= threads; }));
  std::printf("%s", (std::stringstream() << std::ifstream(path).rdbuf()).str().c_str());
}

const auto kName = [](const testing::TestParamInfo<std::string>& info) { return info.param; };
INSTANTIATE_TEST_SUITE_P(Short, FaultTest, testing::ValuesIn(kShort), kName);
INSTANTIATE_TEST_SUITE_P(Long, FaultTest, testing::ValuesIn(kLong), kName);

// No cell is left out but those that cannot be.
TEST(FaultMatrixTest, IsComplete) {
  std::set<std::string> faults(kShort.begin(), kShort.end());
  faults.insert(kLong.begin(), kLong.end());
  EXPECT_THAT(faults, testing::UnorderedElementsAre("segv", "abort", "exit", "throw", "heap",
                                                    "loop", "hang", "deadlock", "close", "threads",
                                                    "silent", "garbage", "descriptors"));
  std::size_t cells = 0;
  for (const std::string& fault : faults) cells += Cells(fault).size();
  EXPECT_GE(Verbs().size(), 14u);
  EXPECT_EQ(cells, faults.size() * Verbs().size() - 7);
}

#endif

}  // namespace
}  // namespace drover
