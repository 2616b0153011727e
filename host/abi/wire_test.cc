// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/abi/wire.h"

#include <gtest/gtest.h>

#include "host/abi/abi_write.h"
#include "host/abi/distinct_task.h"

namespace drover {
namespace {

// Marks the bytes of one struct that its field list reaches.
class Coverage {
 public:
  Coverage(void* start, std::size_t size) : start_(static_cast<char*>(start)), seen_(size) {}
  template <typename T>
  void operator()(T& field) {
    Mark(&field, sizeof field);
  }
  template <typename T>
  void Array(drover_array& field) {
    Mark(&field, sizeof field);
  }
  template <typename T>
  void Pointer(const T*& field) {
    Mark(&field, sizeof field);
  }
  std::string Missing() const {
    std::string missing;
    for (std::size_t i = 0; i < seen_.size(); ++i) {
      if (!seen_[i]) missing += " " + std::to_string(i);
    }
    return missing;
  }

 private:
  void Mark(void* field, std::size_t size) {
    const auto at = static_cast<std::size_t>(static_cast<char*>(field) - start_);
    for (std::size_t i = 0; i < size; ++i) seen_.at(at + i) = true;
  }
  char* start_;
  std::vector<bool> seen_;
};

template <typename T>
std::string MissingBytes() {
  T made{};
  Coverage coverage(&made, sizeof made);
  if constexpr (kHasSize<T>) coverage(made.struct_size);
  Fields(coverage, made);
  return coverage.Missing();
}

#define EXPECT_WHOLE(type) EXPECT_EQ(MissingBytes<type>(), "") << #type

// A field that is added to the header and not to the list would be lost on the way to a container.
TEST(WireTest, FieldListsReachEveryByte) {
  EXPECT_WHOLE(drover_pair);
  EXPECT_WHOLE(drover_info);
  EXPECT_WHOLE(drover_port);
  EXPECT_WHOLE(drover_mount);
  EXPECT_WHOLE(drover_device);
  EXPECT_WHOLE(drover_task_config);
  EXPECT_WHOLE(drover_task_handle);
  EXPECT_WHOLE(drover_driver_network);
  EXPECT_WHOLE(drover_exit_result);
  EXPECT_WHOLE(drover_task_status);
  EXPECT_WHOLE(drover_call);
  EXPECT_WHOLE(drover_create_args);
  EXPECT_WHOLE(drover_configure_args);
  EXPECT_WHOLE(drover_start_args);
  EXPECT_WHOLE(drover_start_result);
  EXPECT_WHOLE(drover_recover_args);
  EXPECT_WHOLE(drover_recover_result);
  EXPECT_WHOLE(drover_wait_args);
  EXPECT_WHOLE(drover_stop_args);
  EXPECT_WHOLE(drover_signal_args);
  EXPECT_WHOLE(drover_destroy_args);
  EXPECT_WHOLE(drover_inspect_args);
  EXPECT_WHOLE(drover_restore_complete_args);
  EXPECT_WHOLE(drover_shutdown_args);
  EXPECT_WHOLE(drover_empty_result);
  EXPECT_WHOLE(drover_fingerprint);
  EXPECT_WHOLE(drover_event);
  EXPECT_WHOLE(drover_usage);
  EXPECT_WHOLE(drover_stats);
  EXPECT_WHOLE(drover_stats_args);
  EXPECT_WHOLE(drover_exec_args);
  EXPECT_WHOLE(drover_isolation);
  EXPECT_WHOLE(drover_process_start_args);
  EXPECT_WHOLE(drover_process_info);
  EXPECT_WHOLE(drover_process_none_args);
  EXPECT_WHOLE(drover_process_usage_args);
  EXPECT_WHOLE(drover_process_signal_args);
  EXPECT_WHOLE(drover_process_stop_args);
  EXPECT_WHOLE(drover_process_state);
  EXPECT_WHOLE(drover_task_output_pipes);
  EXPECT_WHOLE(drover_device_value);
  EXPECT_WHOLE(drover_device_instance);
  EXPECT_WHOLE(drover_device_group);
  EXPECT_WHOLE(drover_devices);
  EXPECT_WHOLE(drover_reserve_args);
  EXPECT_WHOLE(drover_reserve_result);
  EXPECT_WHOLE(drover_device_instance_stats);
  EXPECT_WHOLE(drover_device_group_stats);
  EXPECT_WHOLE(drover_device_stats);
  EXPECT_WHOLE(drover_hook_args);
  EXPECT_WHOLE(drover_hook_result);
  EXPECT_WHOLE(drover_capabilities_args);
  EXPECT_WHOLE(drover_capabilities);
  EXPECT_WHOLE(drover_pause_args);
  EXPECT_WHOLE(drover_node_info);
  EXPECT_WHOLE(drover_progress_report);
  EXPECT_WHOLE(drover_command_args);
  EXPECT_WHOLE(drover_command_result);
  EXPECT_WHOLE(drover_process2_limit);
  EXPECT_WHOLE(drover_process2_descriptor);
  EXPECT_WHOLE(drover_process2_start_args);
  EXPECT_WHOLE(drover_process2_info);
  EXPECT_WHOLE(drover_process2_state);
  EXPECT_WHOLE(drover_process2_list);
  EXPECT_WHOLE(drover_process2_name_args);
  EXPECT_WHOLE(drover_process2_signal_args);
  EXPECT_WHOLE(drover_process2_stop_args);
  EXPECT_WHOLE(drover_process2_exec_args);
  EXPECT_WHOLE(drover_process2_session_args);
  EXPECT_WHOLE(drover_interpolate_args);
  EXPECT_WHOLE(drover_interpolate_result);
  EXPECT_WHOLE(drover_place);
  EXPECT_WHOLE(drover_prepare_key_args);
  EXPECT_WHOLE(drover_prepare_key_result);
  EXPECT_WHOLE(drover_prepare_args);
  EXPECT_WHOLE(drover_prepare_result);
  EXPECT_WHOLE(drover_prepared_list_args);
  EXPECT_WHOLE(drover_prepared_item);
  EXPECT_WHOLE(drover_prepared_list);
  EXPECT_WHOLE(drover_prepared_remove_args);
  EXPECT_WHOLE(drover_task_news);
}

// Tells which fields of a task configuration are empty.
class Empties {
 public:
  template <typename T>
  void operator()(T& field) {
    static const T kZero{};
    ++count_;
    if (std::memcmp(&field, &kZero, sizeof field) == 0) empty_.push_back(count_);
  }
  void operator()(drover_str& field) {
    ++count_;
    if (field.size == 0) empty_.push_back(count_);
  }
  template <typename T>
  void Array(drover_array& field) {
    ++count_;
    if (field.count == 0) empty_.push_back(count_);
  }
  const std::vector<int>& empty() const { return empty_; }

 private:
  int count_ = 0;
  std::vector<int> empty_;
};

std::string Text(drover_str text) { return std::string(text.data, text.size); }

std::vector<std::string> Texts(const drover_array& array) {
  std::vector<std::string> texts;
  const auto read = [&](const drover_str* text) -> Status {
    texts.push_back(Text(*text));
    return {};
  };
  EXPECT_TRUE(ReadArray<drover_str>(array, sizeof(drover_str), read).ok());
  return texts;
}

// Both sides by hand, so that a mistake in the lists cannot hide itself.
TEST(WireTest, EachFieldOfATaskConfigurationArrives) {
  const auto config = DistinctTask();
  const TaskConfigView view(config);
  Empties empties;
  drover_task_config copy = *view.get();
  Fields(empties, copy);
  EXPECT_TRUE(empties.empty().empty()) << "field number " << empties.empty()[0] << " is not set";

  const Carried<drover_task_config> carried(view.get());
  const drover_task_config* got = carried.get();
  ASSERT_NE(got, view.get());
  EXPECT_GT(got->struct_size, sizeof *got);
  const std::vector<std::pair<drover_str, std::string>> texts = {
      {got->id, config->id},
      {got->alloc_id, config->alloc_id},
      {got->alloc_name, config->alloc_name},
      {got->job_id, config->job_id},
      {got->job_name, config->job_name},
      {got->parent_job_id, config->parent_job_id},
      {got->job_namespace, config->job_namespace},
      {got->group_name, config->group_name},
      {got->task_name, config->task_name},
      {got->node_id, config->node_id},
      {got->node_name, config->node_name},
      {got->user, config->user},
      {got->alloc_dir, config->alloc_dir},
      {got->task_dir, config->task_dir},
      {got->local_dir, config->local_dir},
      {got->secrets_dir, config->secrets_dir},
      {got->log_dir, config->log_dir},
      {got->driver_config, config->driver_config_json},
      {got->kill_signal, config->kill_signal},
      {got->network_mode, config->network_mode},
      {got->network_namespace, config->network_namespace_path},
      {got->cpu_cores, config->cpu_cores},
      {got->hostname, config->hostname},
  };
  for (const auto& [there, here] : texts) EXPECT_EQ(Text(there), here);
  EXPECT_EQ(ReadRunId(got->run_id), config->run_id);
  EXPECT_EQ(got->logs_disabled, 1u);
  EXPECT_EQ(got->log_max_files, 21);
  EXPECT_EQ(got->log_max_file_size, 22);
  EXPECT_EQ(got->cpu_mhz, 23);
  EXPECT_EQ(got->memory_mb, 24);
  EXPECT_EQ(got->memory_max_mb, 25);
  EXPECT_EQ(got->memory_limit, 26);
  EXPECT_EQ(got->cpu_shares, 27);
  EXPECT_EQ(got->kill_timeout, 32);
  EXPECT_EQ(got->cpu_period, kCpuPeriod.count());
  EXPECT_EQ(got->cpu_quota, 33);
  EXPECT_EQ(ReadPairs(got->env).value(), config->env);
  EXPECT_EQ(ReadPairs(got->device_env).value(), config->device_env);
  EXPECT_EQ(ReadPairs(got->labels).value(), config->labels);
  EXPECT_EQ(Texts(got->dns_servers), config->dns.servers);
  EXPECT_EQ(Texts(got->dns_searches), config->dns.searches);
  EXPECT_EQ(Texts(got->dns_options), config->dns.options);
  std::vector<Port> ports;
  ASSERT_TRUE(ReadArray<drover_port>(got->ports, 16, [&](const drover_port* port) -> Status {
                ports.push_back({Text(port->label), port->value, port->to, Text(port->host_ip)});
                return {};
              }).ok());
  EXPECT_EQ(ports, config->ports);
  const auto* mount = static_cast<const drover_mount*>(got->mounts.data);
  EXPECT_EQ((TaskMount{Text(mount->task_path), Text(mount->host_path), mount->read_only != 0,
                       Text(mount->propagation)}),
            config->mounts[0]);
  const auto* device = static_cast<const drover_device*>(got->devices.data);
  EXPECT_EQ(
      (TaskDevice{Text(device->task_path), Text(device->host_path), Text(device->permissions)}),
      config->devices[0]);
}

TEST(WireTest, NullAndOlderStructsAreCarried) {
  EXPECT_EQ(Carried<drover_exit_result>(nullptr).get(), nullptr);
  auto old = NewStruct<drover_stop_args>();
  old.timeout = 5;
  old.signal = ToStr("lies behind its end");
  old.struct_size = offsetof(drover_stop_args, signal);
  const Carried<drover_stop_args> carried(&old);
  EXPECT_EQ(carried.get()->timeout, 5);
  EXPECT_EQ(carried.get()->signal.size, 0u);
}

TEST(AbiReadTest, BrokenDataOfADriverIsAnError) {
  drover_exit_result result{};
  EXPECT_EQ(ReadExitResult(&result).code(), Code::kInternal);  // no struct_size
  EXPECT_EQ(ReadExitResult(nullptr).code(), Code::kInternal);
  result = NewStruct<drover_exit_result>();
  result.error = {nullptr, 5};
  EXPECT_EQ(ReadExitResult(&result).code(), Code::kInternal);
  result.error = ToStr("bad \xff\x1b byte");
  EXPECT_EQ(ReadExitResult(&result)->error, "bad \xef\xbf\xbd? byte");
  drover_pair pair{};
  EXPECT_FALSE(ReadPairs({&pair, 1u << 30, sizeof pair}).ok());
  EXPECT_FALSE(ReadPairs({&pair, 1, 3}).ok());
  EXPECT_FALSE(ReadPairs({nullptr, 1, sizeof pair}).ok());
  EXPECT_TRUE(ReadPairs({nullptr, 0, 0}).ok());
  auto started = NewStruct<drover_start_result>();
  EXPECT_FALSE(ReadStarted(&started).ok());  // without a handle
}

// A struct of a driver that is older or newer than this host: SIZE bytes count, and behind the last
// known one stands what means nothing.
template <typename T>
struct OtherVersion {
  explicit OtherVersion(const T& from, std::size_t size) : known(from) {
    std::memset(later, 0x5a, sizeof later);
    known.struct_size = static_cast<std::uint32_t>(size);
  }
  T known;
  char later[64];
};
template <typename T>
OtherVersion<T> Newer(const T& from) {
  return OtherVersion<T>(from, sizeof(OtherVersion<T>));
}

TEST(AbiReadTest, StructsOfOlderDriversAreReadAsFarAsTheyGo) {
  auto exit = NewStruct<drover_exit_result>();
  exit.exit_code = 1;
  exit.signal = 2;
  exit.oom_killed = 3;
  exit.error = {reinterpret_cast<const char*>(1), 1u << 30};  // to be found out when it is read
  const OtherVersion old_exit(exit, offsetof(drover_exit_result, oom_killed));
  EXPECT_EQ(ReadExitResult(&old_exit.known).value(), (ExitResult{1, 2, false, ""}));

  auto handle = NewStruct<drover_task_handle>();
  handle.state = ToStr("bytes");
  auto started = NewStruct<drover_start_result>();
  started.handle = &handle;
  started.network = reinterpret_cast<const drover_driver_network*>(alignof(drover_driver_network));
  const OtherVersion old_start(started, offsetof(drover_start_result, network));
  EXPECT_EQ(ReadStarted(&old_start.known)->handle.state, "bytes");
  EXPECT_EQ(ReadStarted(&old_start.known)->network, std::nullopt);

  auto status = NewStruct<drover_task_status>();
  status.state = DROVER_TASK_RUNNING;
  status.started_at = 4;
  status.attributes = {nullptr, 1000, 1};
  const OtherVersion old_status(status, offsetof(drover_task_status, attributes));
  EXPECT_EQ(ReadStatus(&old_status.known)->started_at, 4);

  auto health = NewStruct<drover_fingerprint>();
  health.health = DROVER_HEALTHY;
  health.attributes = {nullptr, 1000, 1};
  const OtherVersion old_health(health, offsetof(drover_fingerprint, attributes));
  EXPECT_EQ(ReadFingerprint(&old_health.known)->health, Health::kHealthy);

  auto usage = NewStruct<drover_usage>();
  usage.measured = DROVER_STAT_RSS | DROVER_STAT_THROTTLED_TIME;
  usage.rss = 5;
  usage.throttled_time = 6;
  const OtherVersion old_usage(usage, offsetof(drover_usage, throttled_time));
  auto stats = NewStruct<drover_stats>();
  stats.total = &old_usage.known;
  EXPECT_EQ(ReadStats(&stats)->total.memory.rss, 5u);
  EXPECT_EQ(ReadStats(&stats)->total.cpu.throttled_time_ns, 0u);
}

TEST(AbiReadTest, WhatNewerDriversHaveMoreIsLeftOut) {
  auto exit = NewStruct<drover_exit_result>();
  exit.exit_code = 1;
  exit.error = ToStr("why");
  const auto new_exit = Newer(exit);
  EXPECT_EQ(ReadExitResult(&new_exit.known).value(), (ExitResult{1, 0, false, "why"}));
  auto handle = NewStruct<drover_task_handle>();
  handle.format_version = 9;
  const auto new_handle = Newer(handle);
  auto port = NewStruct<drover_port>();
  port.label = ToStr("http");
  port.value = 80;
  const OtherVersion<drover_port> ports[] = {Newer(port), Newer(port)};
  auto network = NewStruct<drover_driver_network>();
  network.ports = {ports, 2, sizeof ports[0]};
  const auto new_network = Newer(network);
  auto started = NewStruct<drover_start_result>();
  started.handle = &new_handle.known;
  started.network = &new_network.known;
  const auto new_start = Newer(started);
  const Result<StartedTask> read = ReadStarted(&new_start.known);
  ASSERT_TRUE(read.ok()) << read.error().message();
  EXPECT_EQ(read->handle.format_version, 9u);
  EXPECT_EQ(read->network->port_map, (std::map<std::string, int>{{"http", 80}}));
}

// The size of a text may be anything, and elements of an array may share one text.
TEST(WireTest, AMessageIsBounded) {
  const std::string text(1u << 20, 'x');
  WireMessage message;
  WireWriter endless(&message);
  endless(drover_str{text.data(), ~std::size_t{0}});
  EXPECT_FALSE(endless.ok());
  EXPECT_TRUE(message.too_large);
  EXPECT_LE(message.bytes.size(), sizeof(std::uint64_t));
  WireMessage many;
  WireWriter shared(&many);
  const std::vector<drover_pair> pairs(100, {ToStr(text), ToStr(text)});
  shared.Array<drover_pair>(ToArray(pairs));
  EXPECT_FALSE(shared.ok());
  EXPECT_LE(many.bytes.size(), kMaxWire);
  WireMessage whole;
  WireWriter fits(&whole);
  fits(ToStr(text));
  EXPECT_TRUE(fits.ok());
}

TEST(AbiReadTest, NewsOfATaskAreReadAndBounded) {
  auto raw = NewStruct<drover_task_news>();
  raw.type = DROVER_MESSAGE_TASK_NEWS;
  ASSERT_TRUE(ReadNews(&raw).ok());
  EXPECT_EQ(ReadNews(&raw)->what.healthy, std::nullopt);
  EXPECT_EQ(ReadNews(&raw)->what.paused, std::nullopt);
  EXPECT_TRUE(ReadNews(&raw)->what.texts.empty());
  const std::string text = std::string(5000, 'x') + "\n";
  raw.text = ToStr(text);
  raw.health = DROVER_UNHEALTHY;
  raw.paused = DROVER_NEWS_RESUMED;
  const Result<TaskNews> news = ReadNews(&raw);
  ASSERT_TRUE(news.ok()) << news.error().message();
  EXPECT_EQ(news->what.healthy, false);
  EXPECT_EQ(news->what.paused, false);
  EXPECT_EQ(news->what.texts.at(0).size(), std::size_t{DROVER_NEWS_TEXT});
  raw.paused = 7;
  EXPECT_FALSE(ReadNews(&raw).ok());
  raw.paused = 0;
  raw.health = -1;
  EXPECT_FALSE(ReadNews(&raw).ok());
}

TEST(AbiReadTest, ErrorsKeepTheirCodeAndTheirMessageIsBounded) {
  auto error = NewStruct<drover_error>();
  WriteError(Error(Code::kNotFound, std::string(5000, 'x'), true), &error);
  const Error read = ReadError(DROVER_OK, &error);
  EXPECT_EQ(read.code(), Code::kNotFound);
  EXPECT_TRUE(read.recoverable());
  EXPECT_EQ(read.message().size(), std::size_t{DROVER_ERROR_MESSAGE_MAX});
  error.message_size = 1u << 31;
  EXPECT_EQ(ReadError(77, &error).code(), Code::kInternal);
  WriteError(Error(Code::kInternal, "no luck"), &error);
  const Error unknown = ReadError(77, &error);
  EXPECT_EQ(unknown.message(), "no luck (unknown code 77)");
  WriteError(unknown, &error);
  EXPECT_EQ(ReadError(77, &error).message(), "no luck (unknown code 77)");
  EXPECT_EQ(ReadError(77, nullptr).message(), "(unknown code 77)");
  WriteError(Error(Code::kInternal, std::string("no luck\0?????", 13)), &error);
  EXPECT_EQ(ReadError(DROVER_OK, &error).message(), "no luck");
  EXPECT_EQ(ReadError(DROVER_E_TIMEOUT, nullptr).code(), Code::kTimeout);
  // A driver of before has a smaller error: not a byte behind it is written.
  struct {
    drover_error error;
  } small{};
  std::memset(&small, 0x77, sizeof small);
  small.error.struct_size = offsetof(drover_error, message) + 4;
  WriteError(Error(Code::kTimeout, "too slow"), &small.error);
  EXPECT_EQ(small.error.message_size, 4u);
  EXPECT_EQ(small.error.message[4], 0x77);
}

}  // namespace
}  // namespace drover
