// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

// Each fault in each function of a driver in a process of its own: the call ends in time, the
// driver is unhealthy and comes back, its tasks are not lost, and the driver beside it notices
// nothing. The functions come from the lists from which a host's calls are made. The test of a
// fault writes the time of each of its cells into a report, and fails when the report lacks a cell.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "host/base/gate.h"
#include "host/process/mock_processes_for_test.h"
#include "tests/conformance/call_verb.h"
#include "tests/conformance/contained_fixture.h"
#include "tests/conformance/latencies.h"

namespace drover {
namespace {

#ifdef MOCK_DRIVER_SO

using testing::HasSubstr;

// The other faults are similar to these, so they are in the long tests.
const std::vector<std::string> kShort = {"segv", "exit", "hang", "close", "heap", "threads"};
const std::vector<std::string> kLong = {"abort",  "throw",   "loop",       "deadlock",
                                        "silent", "garbage", "descriptors"};

// Functions that answer when they return cannot be silent. A wait or a session may last for any
// time.
const std::set<std::string> kNeverSilent = {"create",
                                            "get_extension",
                                            "fingerprint",
                                            "events",
                                            "stream_cancel",
                                            "stream_join",
                                            "stats",
                                            "call_cancelled",
                                            "inspect",
                                            "wait",
                                            "exec",
                                            "exec.resize",
                                            "the end of a service",
                                            "a timer's function",
                                            "shutdown"};

// The recover that follows the end of a process, without a request.
const std::string kRelaunch = "recover by a new process";

std::vector<std::string> Cells(const std::string& fault) {
  std::vector<std::string> cells = CalledFunctions();
  cells.push_back(kRelaunch);
  if (fault == "silent") {
    std::erase_if(cells, [](const std::string& verb) { return kNeverSilent.count(verb) > 0; });
  }
  return cells;
}

int Threads(const std::string& pid) {
  const std::filesystem::directory_iterator tasks("/proc/" + pid + "/task");
  return static_cast<int>(std::distance(begin(tasks), end(tasks)));
}

class FaultTest : public ContainedFixture, public testing::WithParamInterface<std::string> {
 protected:
  static constexpr int kLeakedThreads = 64;  // by the mock
  static constexpr Duration kPatience = 1s;
  static constexpr Duration kControl = 100ms;
  static constexpr Duration kNoise = 10ms;
  // The time that a call may take beyond its deadline on a busy machine.
  static constexpr Duration kLate = 500ms * kSanitizerFactor;

  FaultTest() {
    options_.limits.stream_join = kLimit;
    options_.limits.relaunch_patience = kPatience;
    // The output of a task without a reader.
    ON_CALL(some_processes_, StartOutput)
        .WillByDefault(
            [](Context, OutputSpec) -> Co<Result<ProcessInfo>> { co_return ProcessInfo(); });
    ON_CALL(some_processes_, Release).WillByDefault([](Context, RunId) -> Co<Status> {
      co_return Status();
    });
    processes_ = &some_processes_;
  }
  ~FaultTest() override { End(); }

  testing::NiceMock<MockProcesses> some_processes_;
  const std::string fault_ = GetParam();
  std::string verb_;  // of the cell
  Duration took_{0};
  Latencies beside_;
  Latencies control_[2];  // before and after the cell
  Latencies control_of_cell_;
  Latencies all_beside_;  // of all cells
  Latencies all_control_;
  Duration usual_load_{0};
  std::vector<std::string> untraced_;  // the ends of processes that hung, without a backtrace

  // Called in each new process.
  bool IsAtBirth() const {
    return verb_ == "create" || verb_ == "get_extension" || verb_ == "fingerprint" ||
           verb_ == "events";
  }
  // Called by a timer, after the start of its task.
  bool IsTimer() const { return verb_ == "a timer's function"; }
  // Called after a call or stream was given up: nobody waits for it.
  bool IsUnawaited() const {
    return verb_ == "call_cancelled" || verb_ == "stream_cancel" || verb_ == "stream_join" ||
           IsTimer();
  }
  bool IsOfPlugin() const {
    if (IsTimer()) return false;
    return IsAtBirth() || IsUnawaited() || verb_ == "configure" || verb_ == "restore_complete" ||
           verb_ == "shutdown" || verb_ == "exec.resize";
  }
  // This test gives the call up.
  bool IsGivenUp() const { return verb_ == "wait" || verb_ == "stats" || IsUnawaited(); }

  Duration GivenUpAfter() const { return IsUnawaited() ? kLimit / 4 : 2 * kLimit; }

  // The configuration of the plugin or of one task.
  std::string Faulty() const {
    const std::string point = verb_ == "the end of a service" ? "done"
                              : verb_ == "exec.resize"        ? "resize"
                              : IsTimer()                     ? "timer"
                              : verb_ == kRelaunch            ? "recover"
                                                              : verb_;
    if (fault_ == "hang") return R"("hang_in":")" + point + "\"";
    if (fault_ == "silent") return R"("silent_in":")" + point + "\"";
    return R"("crash_in":")" + point + R"(","crash_by":")" + fault_ + "\"";
  }
  // The process itself dies of the other faults, so its last message names the function.
  bool Dies() const {
    static const std::set<std::string> kLives = {"hang", "loop", "deadlock", "silent", "threads"};
    return kLives.count(fault_) == 0;
  }
  // This fault is harmless: the threads end with their process.
  bool IsHarmless() const { return fault_ == "threads"; }

  // The time within which the faulty call must end.
  Duration Deadline() const {
    if (verb_ == "fingerprint" && !Dies() && !IsHarmless()) {
      return options_.first_fingerprint + 3 * usual_load_;
    }
    if (IsAtBirth()) return kLimit + 3 * usual_load_;
    if (verb_ == "stream_join") return kLimit + 1s;  // its own limit, and then that of its thread
    if (verb_ == "wait" || verb_ == "stats") return GivenUpAfter();
    // These calls wait for the next process. The host also repeats destroy there.
    if (verb_ == "start" || verb_ == "the end of a service" || verb_ == "recover") {
      return kLimit + kPatience;
    }
    if (verb_ == "destroy") return 2 * kLimit + kPatience;
    // Five processes: four may hang in it, and the host asks them where. The last one serves on.
    if (verb_ == kRelaunch) return 6 * (kLimit + 600ms + 3 * usual_load_);
    return kLimit;
  }

  // Measures the life of a task of the driver beside it.
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
    do beside_.Add(Life());
    while (!done() && BootClock::now() < end);
    EXPECT_TRUE(done());
  }

  // Makes the faulty call, and runs tasks of the other driver until it has ended.
  Status Call(const std::shared_ptr<const TaskConfig>& task) {
    Status said;
    bool over = false;
    Duration took{0};
    const auto call = [](SupervisedDriver* driver, std::string verb, Context context,
                         std::shared_ptr<const TaskConfig> about, Duration limit, Status* to,
                         Duration* lasted, bool* flag) -> Co<void> {
      const TimePoint began = BootClock::now();
      *to = co_await CallVerb(driver, verb, context, about, limit);
      *lasted = BootClock::now() - began;
      *flag = true;
    };
    Gate calling(&loop_);
    calling.Spawn(call(contained(), verb_, context_, task, GivenUpAfter(), &said, &took, &over));
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
    // The function is known if a thread of the host is in it. Probes and the end run on the
    // wrapper's own threads.
    const bool on_host_thread = verb_ != "fingerprint" && verb_ != "shutdown";
    if (fault_ != "silent" && on_host_thread) {
      EXPECT_THAT(said, HasSubstr(verb_ == kRelaunch ? "recover" : verb_)) << said;
    }
    // A smashed heap may also smash the loader's name of the file.
    static const std::set<std::string> kTraced = {"segv", "abort", "hang", "loop", "deadlock"};
    const bool traced = Dies() || on_host_thread;  // other hanging threads are not asked
    if (!traced || kTraced.count(fault_) == 0) return;
    if (Dies()) {
      EXPECT_THAT(said, HasSubstr("mock_driver.so("));
    } else if (said.find("mock_driver.so(") == std::string::npos) {
      untraced_.push_back(verb_ + ": " + said);
    }
  }

  // A driver that never serves. It dies again and again, and delays nobody, as the lives show.
  void RunUselessCell() {
    LiveUntil([&] { return contained()->fingerprint().health == Health::kUnhealthy; });
    LiveUntil([&] { return launches() >= 3; });
    ExpectLastEnd();
  }

  // The call fails. Then the host releases its task, and the other task is not lost.
  void RunFailingCell(const std::shared_ptr<const TaskConfig>& good,
                      const std::shared_ptr<const TaskConfig>& faulty) {
    int unhealthy = 0;
    const Subscription heard = contained()->OnFingerprint([&] {
      if (contained()->fingerprint().health == Health::kUnhealthy) ++unhealthy;
    });
    const Status said = Call(faulty);
    const TimePoint given_up = BootClock::now();
    LiveUntil([&] { return unhealthy > 0; });
    if (IsUnawaited()) took_ = BootClock::now() - given_up;
    // The host ignores a driver's error in restore_complete.
    EXPECT_TRUE(!said.ok() || verb_ == "restore_complete") << "a call that failed has succeeded";
    LiveUntil([&] { return launches() >= 2; });
    ExpectLastEnd();
    if (verb_ == "restore_complete") return;  // each new process dies in it, too
    if (IsGivenUp()) EXPECT_EQ(said.code(), Code::kTimeout);
    // The driver comes back, and knows the task.
    LiveUntil([&] { return Healthy(); });
    if (verb_ != "destroy") {
      const Status gone = Await(contained()->Destroy(context_, faulty->run_id, true));
      const bool released = gone.ok() || gone.code() == Code::kNotFound;
      if (verb_ == "recover") EXPECT_TRUE(released) << gone.error().message();
    }
    ExpectRunning(good);
  }

  // A process whose threads are left behind serves on.
  void RunHarmlessCell(const std::shared_ptr<const TaskConfig>& good,
                       const std::shared_ptr<const TaskConfig>& faulty) {
    const Status said = Call(faulty);
    const Code expected = verb_ == "recover"                      ? Code::kNotFound
                          : IsGivenUp() || verb_ == "exec.resize" ? Code::kTimeout
                                                                  : Code::kOk;
    EXPECT_EQ(said.code(), expected) << said.error().message();
    if (IsUnawaited() || verb_ == "exec.resize") took_ = Duration(0);  // not visible from here
    const std::string pid = std::to_string(contained()->status().pid);
    LiveUntil([&] { return Threads(pid) >= kLeakedThreads; });
    EXPECT_TRUE(Healthy());
    EXPECT_EQ(launches(), 1);
    ExpectRunning(good);
  }

  void ExpectRunning(const std::shared_ptr<const TaskConfig>& task) {
    const Result<TaskStatus> status = Await(contained()->Inspect(context_, task->run_id));
    ASSERT_TRUE(status.ok()) << status.error().message();
    EXPECT_EQ(status->state, TaskState::kRunning);
  }

  // Waiters for the end of the task get no answer, since the task goes on.
  void RunRelaunchCell(const std::shared_ptr<const TaskConfig>& good,
                       const std::shared_ptr<const TaskConfig>& faulty) {
    std::optional<Result<ExitResult>> end;
    Context watch = context_.Child();
    Gate waiting(&loop_);
    waiting.Spawn([](SupervisedDriver* driver, Context context, RunId run,
                     std::optional<Result<ExitResult>>* to) -> Co<void> {
      *to = co_await driver->Wait(context, run);
    }(contained(), watch, faulty->run_id, &end));
    const std::size_t logged = log().size();
    const auto given_up = [&] {
      return log().find("is not recovered any more", logged) != std::string::npos;
    };
    const TimePoint began = BootClock::now();
    kill(contained()->status().pid, SIGKILL);
    LiveUntil([&] { return launches() >= 2 && Healthy() && (IsHarmless() || given_up()); });
    took_ = BootClock::now() - began;
    EXPECT_FALSE(end) << "it is reported as ended: " << end->error().message();
    EXPECT_EQ(launches(), IsHarmless() ? 2 : 6);
    if (!IsHarmless()) ExpectLastEnd();
    ExpectRunning(good);
    watch.Cancel();
    Await(waiting.Close());
    const Status gone = Await(contained()->Destroy(context_, faulty->run_id, true));
    EXPECT_TRUE(gone.ok() || gone.code() == Code::kNotFound) << gone.error().message();
  }

  void RunShutdownCell() {
    const pid_t pid = contained()->status().pid;
    const TimePoint began = BootClock::now();
    End();
    took_ = BootClock::now() - began;
    EXPECT_TRUE(Until([pid] { return kill(pid, 0) != 0 && errno == ESRCH; })) << "it lives on";
  }

  void RunCell() {
    options_.plugins[0].config_json = IsOfPlugin() ? "{" + Faulty() + "}" : "{}";
    const TimePoint loading = BootClock::now();
    const std::vector<PluginReport> reports = Load();
    took_ = BootClock::now() - loading;
    ASSERT_TRUE(reports[1].loaded) << reports[1].message;
    const bool lives = IsHarmless() || (verb_ == "fingerprint" && !Dies());
    if (IsAtBirth() && !lives) return RunUselessCell();
    ASSERT_TRUE(reports[0].loaded) << reports[0].message;
    // A task without a fault: it must not be lost.
    const auto good = Config(R"({"run_for":"1h"})");
    ASSERT_TRUE(Await(contained()->Start(context_, good)).ok());
    if (verb_ == "shutdown") return RunShutdownCell();
    if (IsAtBirth()) {
      const Health health = IsHarmless() ? Health::kHealthy : Health::kUnhealthy;
      const TimePoint enough = BootClock::now() + kControl;
      LiveUntil([&] {
        return contained()->fingerprint().health == health && BootClock::now() >= enough;
      });
      return ExpectRunning(good);
    }
    if (verb_ != "restore_complete") RestoreComplete({});
    const auto faulty = Config(FaultyTask());
    const bool begun =
        verb_ != "start" && verb_ != "recover" && verb_ != "the end of a service" && !IsTimer();
    if (begun) ASSERT_TRUE(Await(contained()->Start(context_, faulty)).ok());
    if (verb_ == kRelaunch) return RunRelaunchCell(good, faulty);
    if (IsHarmless()) return RunHarmlessCell(good, faulty);
    RunFailingCell(good, faulty);
  }
  std::string FaultyTask() const {
    std::string task = R"({"run_for":"1h","exec_command":{)";
    task += verb_ == "exec.resize" ? R"("run_for":"1h"})" : "}";
    if (verb_ == "the end of a service") task += R"(,"stdout_string":"x")";
    return task + (IsOfPlugin() ? "}" : "," + Faulty() + "}");
  }

  void End() {
    if (!registry_) return;
    Await(registry_->Shutdown());
    registry_.reset();
  }

  // Measures the same lives without any fault.
  void MeasureControl() {
    control_[0] = std::exchange(control_[1], Latencies());
    options_.plugins[0].config_json = "{}";
    const TimePoint began = BootClock::now();
    Load();
    usual_load_ = BootClock::now() - began;
    const TimePoint end = BootClock::now() + kControl;
    do control_[1].Add(Life());
    while (BootClock::now() < end);
    End();
  }

  static void Write(std::ostream& report, const Latencies& beside, const Latencies& control) {
    report << beside.size() << "," << beside.Percent(50) / 1us << "," << beside.Percent(90) / 1us
           << "," << beside.Percent(100) / 1us << "," << control.Percent(90) / 1us << ","
           << control.Percent(100) / 1us << std::endl;
  }
  // Whether lives took as long as without the fault. A machine that is busy with a loop or a launch
  // may delay some of them, but none for as long as the faulty call.
  bool LivesAreAsEver() {
    control_of_cell_ = control_[0];
    control_of_cell_.Add(control_[1]);
    return beside_.Percent(50) < 3 * control_of_cell_.Percent(90) + kNoise &&
           beside_.Percent(100) < 3 * control_of_cell_.Percent(100) + kLimit / 2;
  }

  // Runs a cell with controls before and after it, up to three times: a delay by the machine itself
  // does not repeat.
  void RunAndJudgeCell(std::ostream& report) {
    for (int tries = 0; tries < 3; ++tries) {
      beside_ = Latencies();
      RunCell();
      End();
      if (HasFatalFailure()) return;  // its row is missing
      EXPECT_LT(took_, Deadline() + kLate);
      MeasureControl();
      if (LivesAreAsEver()) break;
    }
    EXPECT_TRUE(LivesAreAsEver());
    report << fault_ << "," << verb_ << "," << took_ / 1ms << ",";
    Write(report, beside_, control_of_cell_);
    all_beside_.Add(beside_);
    all_control_.Add(control_[1]);
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
  report << "fault,call,ms,lives beside it,median us,90 % us,longest us,90 % us without a fault,"
            "longest us without a fault\n";
  MeasureControl();
  const int threads = Threads("self");
  for (const std::string& verb : Cells(fault_)) {
    SCOPED_TRACE(fault_ + " in " + verb);
    verb_ = verb;
    RunAndJudgeCell(report);
  }
  EXPECT_EQ(ReportedVerbs(path), Cells(fault_));
  EXPECT_LT(all_beside_.Percent(90), 3 * all_control_.Percent(90) + kNoise);
  // A process that hangs has half a second to write where. A busy machine may let it have no
  // processor for as long, but not again and again.
  EXPECT_LE(untraced_.size(), 2u) << testing::PrintToString(untraced_);
  report << fault_ << ",all,,";
  Write(report, all_beside_, all_control_);
  EXPECT_TRUE(Until([threads] { return Threads("self") <= threads; }));
  if (HasFailure()) return;  // the reasons stand at the end of the output
  std::printf("%s", (std::stringstream() << std::ifstream(path).rdbuf()).str().c_str());
}

const auto kName = [](const testing::TestParamInfo<std::string>& info) { return info.param; };
INSTANTIATE_TEST_SUITE_P(Short, FaultTest, testing::ValuesIn(kShort), kName);
INSTANTIATE_TEST_SUITE_P(Long, FaultTest, testing::ValuesIn(kLong), kName);

// The matrix lacks only the cells that cannot exist.
TEST(FaultMatrixTest, IsComplete) {
  std::set<std::string> faults(kShort.begin(), kShort.end());
  faults.insert(kLong.begin(), kLong.end());
  EXPECT_THAT(faults, testing::UnorderedElementsAre("segv", "abort", "exit", "throw", "heap",
                                                    "loop", "hang", "deadlock", "close", "threads",
                                                    "silent", "garbage", "descriptors"));
  // The number of functions in the tables of the header, without info, and two more: those that
  // get the end of a service and of a timer.
  constexpr std::size_t kTables = (sizeof(drover_driver) - offsetof(drover_driver, create) +
                                   sizeof(drover_task_stats) - offsetof(drover_task_stats, stats) +
                                   sizeof(drover_task_exec) - offsetof(drover_task_exec, exec)) /
                                  sizeof(void (*)());
  EXPECT_EQ(CalledFunctions().size(), kTables + 2);
  for (const std::string& fault : faults) {
    const std::size_t left_out = fault == "silent" ? kNeverSilent.size() : 0;
    EXPECT_EQ(Cells(fault).size(), kTables + 2 + 1 - left_out) << fault;
  }
}

#endif

}  // namespace
}  // namespace drover
