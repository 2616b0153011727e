// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "mock_config.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <charconv>
#include <cstring>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "duration.h"

namespace mock {

const char kConfigSchema[] = R"({
  "type": "object",
  "additionalProperties": false,
  "properties": {
    "fs_isolation": {"type": "string", "default": "none"},
    "shutdown_periodic_after": {"type": "boolean", "default": false},
    "shutdown_periodic_duration": {"type": "integer", "default": 0},
    "prepare_log": {"type": "string"},
    "hang_in": {"type": "string"},
    "crash_in": {"type": "string"},
    "crash_by": {"type": "string"},
    "fail_in": {"type": "string"},
    "silent_in": {"type": "string"}
  }
})";

// Each line is a separate raw string, since g++ 12 accepts no raw string of several lines in a
// macro.
#define DROVER_MOCK_RUN_SCHEMA                       \
  R"("run_for": {"type": "string"},)"                \
  R"("exit_code": {"type": "integer"},)"             \
  R"("exit_signal": {"type": "integer"},)"           \
  R"("exit_err_msg": {"type": "string"},)"           \
  R"("signal_error": {"type": "string"},)"           \
  R"("stdout_string": {"type": "string"},)"          \
  R"("stdout_repeat": {"type": "integer"},)"         \
  R"("stdout_repeat_duration": {"type": "string"},)" \
  R"("stderr_string": {"type": "string"},)"          \
  R"("stderr_repeat": {"type": "integer"},)"         \
  R"("stderr_repeat_duration": {"type": "string"})"

const char kTaskConfigSchema[] = R"({
  "type": "object",
  "additionalProperties": false,
  "properties": {
    "start_error": {"type": "string"},
    "start_error_recoverable": {"type": "boolean"},
    "start_block_for": {"type": "string"},
    "prepare_key": {"type": "string"},
    "prepare_for": {"type": "string"},
    "prepare_error": {"type": "string"},
    "plugin_exit_after": {"type": "string"},
    "kill_after": {"type": "string"},
    "driver_ip": {"type": "string"},
    "driver_advertise": {"type": "boolean"},
    "driver_port_map": {"type": "string"},
    "exec_command": {"type": "object", "additionalProperties": false, "properties": {
    )" DROVER_MOCK_RUN_SCHEMA R"(}},
    "stats_error": {"type": "string"},
    "stats_error_recoverable": {"type": "boolean"},
    "stats_unimplemented": {"type": "boolean"},
    "stats_each_interval": {"type": "boolean"},
    "stats_close_after": {"type": "integer"},
    "stats_late_message": {"type": "boolean"},
    "renew_handle": {"type": "boolean"},
    "secret": {"type": "string"},
    "news_after": {"type": "string"},
    "news_ip": {"type": "string"},
    "news_health": {"type": "string"},
    "news_text": {"type": "string"},
    "news_of_nobody": {"type": "boolean"},
    "hang_in": {"type": "string"},
    "crash_in": {"type": "string"},
    "crash_by": {"type": "string"},
    "fail_in": {"type": "string"},
    "silent_in": {"type": "string"},
    )" DROVER_MOCK_RUN_SCHEMA R"(
  }
})";

namespace {

bool Named(const std::string& list, const std::string& call) {
  for (std::size_t begin = 0; begin <= list.size();) {
    std::size_t end = list.find(',', begin);
    if (end == std::string::npos) end = list.size();
    if (list.compare(begin, end - begin, call) == 0) return true;
    begin = end + 1;
  }
  return false;
}

std::optional<drover::DriverNetwork> ReadNetwork(const drover::Json& config) {
  std::string ports = config.String("driver_port_map");
  drover::DriverNetwork out;
  out.ip = config.String("driver_ip");
  out.auto_advertise = config.Bool("driver_advertise");
  if (out.ip.empty() && ports.empty()) return std::nullopt;
  if (ports.empty()) return out;
  std::size_t colon = ports.find(':');
  int value = 0;
  const char* end = ports.data() + ports.size();
  const char* number = colon == std::string::npos ? end : ports.data() + colon + 1;
  auto parsed = std::from_chars(number, end, value);
  if (colon == 0 || parsed.ec != std::errc() || parsed.ptr != end || value < 1 || value > 65535) {
    throw drover::Error(drover::Code::kInvalidArgument,
                        "malformed port map \"" + ports + "\"; write it as label:port");
  }
  out.ports.push_back(drover::Port{ports.substr(0, colon), value, value, ""});
  return out;
}

constexpr int kThreads = 64;
constexpr int kDescriptors = 20;
constexpr int kHostSocket = 3;  // in a driver's own process, the socket to the host

// Makes threads that never end, but only once per process. Otherwise repeated probes would use up
// the threads of the machine.
void LeaveThreads() {
  static std::once_flag once;
  std::call_once(once, [] {
    for (int i = 0; i < kThreads; ++i) {
      std::thread([] {
        while (true) ::pause();
      }).detach();
    }
  });
}

// Overwrites the allocator's data before and after a block. The allocator later detects the damage.
void SmashHeap() {
  char* volatile block = static_cast<char*>(::malloc(40));
  volatile char* const bytes = block;
  for (int i = -16; i < 80; ++i) bytes[i] = 0x5a;
  ::free(block);
}

// Sends bytes that are not a frame, together with DESCRIPTORS unexpected descriptors. Then waits
// for ever.
void SendGarbage(int descriptors) {
  char text[] = "garbage";
  iovec part{text, sizeof(text)};
  alignas(cmsghdr) char control[CMSG_SPACE(kDescriptors * sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (descriptors > 0) {
    message.msg_control = control;
    message.msg_controllen = CMSG_SPACE(static_cast<std::size_t>(descriptors) * sizeof(int));
    cmsghdr* const head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(static_cast<std::size_t>(descriptors) * sizeof(int));
    std::array<int, kDescriptors> given{};  // all are 0, which is standard input
    std::memcpy(CMSG_DATA(head), given.data(), static_cast<std::size_t>(descriptors) * sizeof(int));
  }
  (void)!::sendmsg(kHostSocket, &message, MSG_NOSIGNAL);
  while (true) ::pause();
}

}  // namespace

Faults Faults::Read(const drover::Json& config) {
  return Faults{config.String("hang_in"), config.String("crash_in"), config.String("crash_by"),
                config.String("fail_in"), config.String("silent_in")};
}

void Faults::Commit(const char* call) const {
  if (Named(crash_in, call)) Crash();
  while (Named(hang_in, call)) ::pause();
  if (Named(fail_in, call)) {
    throw drover::Error(drover::Code::kInternal, std::string("mock failure in ") + call);
  }
}

void Faults::Crash() const {
  if (crash_by == "threads") return LeaveThreads();
  if (crash_by == "abort") ::abort();
  if (crash_by == "exit") ::exit(3);
  if (crash_by == "throw") std::thread([] { throw std::runtime_error("mock exception"); }).join();
  if (crash_by == "heap") SmashHeap();
  if (crash_by == "garbage") SendGarbage(0);
  if (crash_by == "descriptors") SendGarbage(kDescriptors);
  if (crash_by == "close") {
    for (int fd = 3; fd < 64; ++fd) ::shutdown(fd, SHUT_RDWR);
  }
  if (crash_by == "deadlock") {
    static std::mutex own;
    for (;;) own.lock();
  }
  static std::atomic<long> turns{0};
  while (crash_by == "loop") ++turns;
  ::raise(crash_by == "close" ? SIGSTOP : SIGSEGV);
}

bool Faults::Silent(const char* call) const { return Named(silent_in, call); }

bool Faults::Ends(const char* call) const { return Named(crash_in, call) || Named(hang_in, call); }

RunSpec RunSpec::Read(const drover::Json& config) {
  RunSpec out;
  out.run_for = ParseDuration("run_for", config.String("run_for"));
  out.exit_code = static_cast<int>(config.Int("exit_code"));
  out.exit_signal = static_cast<int>(config.Int("exit_signal"));
  out.exit_err_msg = config.String("exit_err_msg");
  out.signal_error = config.String("signal_error");
  const char* const kNames[] = {"stdout", "stderr"};
  for (int i = 0; i < 2; ++i) {
    std::string name = kNames[i];
    out.output[i].text = config.String(name + "_string");
    out.output[i].repeat = config.Int(name + "_repeat");
    out.output[i].gap =
        ParseDuration(name + "_repeat_duration", config.String(name + "_repeat_duration"));
  }
  return out;
}

TaskSpec TaskSpec::Read(const drover::Json& config) {
  TaskSpec out;
  out.run = RunSpec::Read(config);
  if (!config["exec_command"].is_null()) out.exec = RunSpec::Read(config["exec_command"]);
  out.faults = Faults::Read(config);
  out.start_error = config.String("start_error");
  out.start_error_recoverable = config.Bool("start_error_recoverable");
  out.start_block_for = ParseDuration("start_block_for", config.String("start_block_for"));
  out.prepare_key = config.String("prepare_key");
  out.prepare_for = ParseDuration("prepare_for", config.String("prepare_for"));
  out.prepare_error = config.String("prepare_error");
  out.plugin_exit_after = ParseDuration("plugin_exit_after", config.String("plugin_exit_after"));
  out.network = ReadNetwork(config);
  out.stats_error = config.String("stats_error");
  out.stats_error_recoverable = config.Bool("stats_error_recoverable");
  out.stats_unimplemented = config.Bool("stats_unimplemented");
  out.stats_each_interval = config.Bool("stats_each_interval");
  out.stats_close_after = config.Int("stats_close_after");
  out.stats_late_message = config.Bool("stats_late_message");
  out.renew_handle = config.Bool("renew_handle");
  if (const std::string after = config.String("news_after"); !after.empty()) {
    NewsSpec& news = out.news.emplace();
    news.after = ParseDuration("news_after", after);
    news.ip = config.String("news_ip");
    news.health = config.String("news_health");
    news.text = config.String("news_text");
    news.of_nobody = config.Bool("news_of_nobody");
    if (!news.health.empty() && news.health != "healthy" && news.health != "unhealthy") {
      throw drover::Error(drover::Code::kInvalidArgument,
                          "news_health: write healthy or unhealthy");
    }
  }
  return out;
}

}  // namespace mock
