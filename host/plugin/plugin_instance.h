// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "host/base/loop_port.h"
#include "host/base/worker_pool.h"
#include "host/container/process_container.h"
#include "host/library/plugin_file.h"
#include "host/plugin/call_count.h"
#include "host/plugin/loaded_driver.h"

namespace drover {

// The checked code and configuration of a plugin. The plugin's instances are made from it.
struct PluginCode {
  LoadedDriver::Parts driver;  // has no container yet
  std::string path;
  std::string config_json;
  // The plugin's code if it runs in this process. If it is null, each instance gets a process of
  // its own.
  const drover_driver* table = nullptr;
  std::shared_ptr<PluginFile> file;  // set only for instances with a process of their own
  WorkerPool* workers = nullptr;     // threads that start these processes

  bool in_process() const { return table != nullptr; }
  // The name and the version for messages, such as "raw_exec 1.0".
  std::string Title() const { return driver.info.name + " " + driver.info.version; }
};

// One instance of a plugin, from its create to its shutdown. It consists of a LoadedDriver and,
// perhaps, a process for the plugin's code. If the process ends, the instance reports how the
// process ended, and cannot be used any more. Control thread only; always held by a shared_ptr.
class PluginInstance : public std::enable_shared_from_this<PluginInstance> {
 public:
  // These functions are called on the control thread, with the number of the instance, until End
  // begins.
  struct Listener {
    std::function<void(int number, const DriverEvent& event)> event;
    std::function<void(int number, const TaskNews& news)> news{};
    std::function<void(int number, const ContainerDeath& death)> died;
  };
  // NUMBER must differ from that of every other instance of the plugin.
  PluginInstance(std::shared_ptr<const PluginCode> code, int number, Listener listener);
  ~PluginInstance() { port_->Close(); }

  // Launches the process, if the plugin has one, and makes the instance in it. Call it once, before
  // all other methods. Fails with kUnavailable if the process crashes or hangs. Even if Create
  // fails, End must be called.
  Co<Status> Create(Context context);
  // Returns when the driver has reported its health, or will never report it.
  Co<void> AwaitFirstFingerprint(Context context);
  // Shuts the instance down and ends its process, but not its tasks. A second call returns
  // immediately.
  Co<void> End();
  // Ends the process immediately, without a shutdown. WHY is the reason, for messages.
  void Kill(const std::string& why);

  int number() const { return number_; }
  TimePoint made_at() const { return made_at_; }
  // The driver to call; null until Create has made it.
  LoadedDriver* driver() { return driver_.get(); }
  const std::shared_ptr<const PluginCode>& code() const { return code_; }
  // Returns false if the process does not exist, has ended or is being ended. Always true for code
  // in this process.
  bool alive() const;
  // Set when the end of the process has been reported.
  Event* died() { return &died_; }
  // If the process is ending, waits until its end has been reported. Otherwise returns immediately.
  Co<void> AwaitDeath(Context context);
  // How the process has ended; empty if it has not ended.
  std::string death_text() const { return death_ ? death_->Text(code_->Title()) : std::string(); }
  // Returns 0 if there is no process.
  pid_t pid() const;
  // The last part of the output of the process.
  std::string output() const { return process_ ? process_->output() : std::string(); }
  // Counts the commands (exec sessions) that run through this instance.
  CallCount* sessions() { return &sessions_; }

 private:
  Co<Status> Load(Context context);
  Co<Status> LaunchProcess(Context context);
  Loop* loop() const { return code_->driver.loop; }
  const DriverLimits& limits() const { return code_->driver.limits; }

  const std::shared_ptr<const PluginCode> code_;
  const int number_;
  const TimePoint made_at_;
  Listener listener_;
  // The host's thread that serves the process can outlive this object and even the loop.
  const std::shared_ptr<LoopPort> port_;
  std::shared_ptr<ProcessContainer> process_;
  std::unique_ptr<LoadedDriver> driver_;
  // The plugin's information, as its process reported it.
  std::optional<Result<PluginInfo>> loaded_;
  std::optional<ContainerDeath> death_;
  Event heard_;  // set when loaded_ or death_ is set
  Event died_;
  CallCount sessions_;
  bool ending_ = false;
};

}  // namespace drover
