// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

// A driver that returns every field of its task's configuration as the attributes of inspect.
#include <map>
#include <mutex>

#include "drover/entry.hpp"

namespace {

std::string Join(const drover::StringMap& map) {
  std::string out;
  for (const auto& item : map) out += item.first + "=" + item.second + ";";
  return out;
}

class Echo : public drover::Driver {
 public:
  static drover::Info Describe() { return {}; }
  Echo(drover::Host host, const drover::Json&) : Driver(std::move(host)) {}

  drover::Started Start(const drover::TaskConfig& task, const drover::CallView&) override {
    std::lock_guard<std::mutex> lock(mutex_);
    last_ = task;
    return {drover::TaskHandle{7, std::string("a\0b\xff", 4), ""}, std::nullopt};
  }
  drover::Recovered Recover(const drover::TaskConfig& task,
                            const std::optional<drover::TaskHandle>& handle,
                            const drover::CallView&) override {
    std::lock_guard<std::mutex> lock(mutex_);
    last_ = task;
    handle_ = handle;
    drover::Recovered out;
    out.exited = drover::ExitResult{9, 0, true, "why"};
    return out;
  }
  void Wait(drover::Call<drover::ExitResult> call) override {
    call.Complete(drover::ExitResult{1, 2, true, "text"});
  }
  void Stop(const drover::RunId&, const drover::StopRequest& request,
            const drover::CallView&) override {
    std::lock_guard<std::mutex> lock(mutex_);
    stop_ = std::to_string(request.timeout.count()) + "," + request.signal;
  }
  void Destroy(const drover::RunId&, bool, const drover::CallView&) override {}
  drover::TaskStatus Inspect(const drover::RunId&) override {
    std::lock_guard<std::mutex> lock(mutex_);
    drover::TaskStatus out;
    auto& a = out.attributes;
    a["run_id"] = last_.run_id.Text();
    a["id"] = last_.id;
    a["alloc_id"] = last_.alloc_id;
    a["alloc_name"] = last_.alloc_name;
    a["job_id"] = last_.job_id;
    a["job_name"] = last_.job_name;
    a["parent_job_id"] = last_.parent_job_id;
    a["job_namespace"] = last_.job_namespace;
    a["group_name"] = last_.group_name;
    a["task_name"] = last_.task_name;
    a["node_id"] = last_.node_id;
    a["node_name"] = last_.node_name;
    a["env"] = Join(last_.env);
    a["device_env"] = Join(last_.device_env);
    a["user"] = last_.user;
    a["alloc_dir"] = last_.alloc_dir;
    a["task_dir"] = last_.task_dir;
    a["local_dir"] = last_.local_dir;
    a["secrets_dir"] = last_.secrets_dir;
    a["log_dir"] = last_.log_dir;
    a["driver_config"] = last_.driver_config_text;
    a["logs_disabled"] = std::to_string(last_.logs_disabled);
    a["log_max_files"] = std::to_string(last_.log_max_files);
    a["log_max_file_size"] = std::to_string(last_.log_max_file_size);
    a["cpu_mhz"] = std::to_string(last_.cpu_mhz);
    a["cpu_shares"] = std::to_string(last_.cpu_shares);
    a["memory_mb"] = std::to_string(last_.memory_mb);
    a["memory_max_mb"] = std::to_string(last_.memory_max_mb);
    a["memory_limit"] = std::to_string(last_.memory_limit);
    for (const auto& port : last_.ports) {
      a["ports"] += port.label + "," + std::to_string(port.value) + "," + std::to_string(port.to) +
                    "," + port.host_ip + ";";
    }
    for (const auto& mount : last_.mounts) {
      a["mounts"] += mount.task_path + "," + mount.host_path + "," +
                     std::to_string(mount.read_only) + "," + mount.propagation + ";";
    }
    for (const auto& device : last_.devices) {
      a["devices"] += device.task_path + "," + device.host_path + "," + device.permissions + ";";
    }
    a["kill_signal"] = last_.kill_signal;
    a["kill_timeout"] = std::to_string(last_.kill_timeout.count());
    a["network_mode"] = last_.network_mode;
    a["network_namespace"] = last_.network_namespace;
    a["cpu_cores"] = last_.cpu_cores;
    a["cpu_period"] = std::to_string(last_.cpu_period.count());
    a["cpu_quota"] = std::to_string(last_.cpu_quota.count());
    a["hostname"] = last_.hostname;
    a["labels"] = Join(last_.labels);
    for (const auto& text : last_.dns_servers) a["dns"] += text + ";";
    for (const auto& text : last_.dns_searches) a["dns"] += text + ";";
    for (const auto& text : last_.dns_options) a["dns"] += text + ";";
    if (!stop_.empty()) a["stop"] = stop_;
    if (handle_) {
      a["handle"] = std::to_string(handle_->format_version) + "," + handle_->state + "," +
                    handle_->driver_version;
    }
    out.state = drover::TaskState::kRunning;
    out.started_at = 11;
    out.completed_at = 12;
    return out;
  }

 private:
  std::mutex mutex_;
  drover::TaskConfig last_;
  std::optional<drover::TaskHandle> handle_;
  std::string stop_;
};

}  // namespace

DROVER_DRIVER(Echo, "echo", "0.1.0", "Apache-2.0")
