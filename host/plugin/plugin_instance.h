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

// The checked code and configuration of a plugin, from which its instances are made.
struct PluginCode {
  LoadedDriver::Parts driver;  // without a container
  std::string path;
  std::string config_json;
  // The code in this process; null: each instance has a process of its own for it.
  const drover_driver* table = nullptr;
  std::shared_ptr<PluginFile> file;  // only for such processes
  WorkerPool* workers = nullptr;     // start them

  bool in_process() const { return table != nullptr; }
  // "raw_exec 1.0", for messages.
  std::string Title() const { return driver.info.name + " " + driver.info.version; }
};

// One instance of a plugin, from its create to its shutdown: a LoadedDriver over the place where
// the code runs. A process of its own can end at any time; then this instance is of no use any
// more, and reports how it ended. Control thread only; always held by a shared_ptr.
class PluginInstance : public std::enable_shared_from_this<PluginInstance> {
 public:
  // Called on the control thread, with the number of the instance, until End begins.
  struct Listener {
    std::function<void(int number, const DriverEvent& event)> event;
    std::function<void(int number, const ContainerDeath& death)> died;
  };
  // NUMBER differs from that of every other instance of the plugin.
  PluginInstance(std::shared_ptr<const PluginCode> code, int number, Listener listener);
  ~PluginInstance() { port_->Close(); }

  // Launches the process, if it gets one, and makes the instance there. Once, first. A process that
  // hangs in this is kUnavailable, like one that crashes. End is needed also after an error.
  Co<Status> Create(Context context);
  // Returns when the driver has reported its health, or never will.
  Co<void> AwaitFirstFingerprint(Context context);
  // Shuts the instance down, and ends its process; the tasks go on. Returns at once when it has
  // been called before.
  Co<void> End();
  // Ends the process at once, because of WHY: it has nothing that a shutdown could spare.
  void Kill(const std::string& why);

  int number() const { return number_; }
  TimePoint made_at() const { return made_at_; }
  // The code, which may be called; null until Create has got so far.
  LoadedDriver* driver() { return driver_.get(); }
  const std::shared_ptr<const PluginCode>& code() const { return code_; }
  // False when there is no process, or it has ended or is being ended.
  bool alive() const;
  // Set when it is known how the process has ended.
  Event* died() { return &died_; }
  // Returns when that is known of a process that is ending; at once for every other.
  Co<void> AwaitDeath(Context context);
  // How the process has ended; empty while it has not.
  std::string death_text() const { return death_ ? death_->Text(code_->Title()) : std::string(); }
  // 0: there is no process.
  pid_t pid() const;
  // The last that the process wrote.
  std::string output() const { return process_ ? process_->output() : std::string(); }
  // Commands that run through this instance.
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
  // The thread of the process can outlive this object, and even the loop.
  const std::shared_ptr<LoopPort> port_;
  std::shared_ptr<ProcessContainer> process_;
  std::unique_ptr<LoadedDriver> driver_;
  std::optional<Result<PluginInfo>> loaded_;  // what the process said about its code
  std::optional<ContainerDeath> death_;
  Event heard_;  // one of the two
  Event died_;
  CallCount sessions_;
  bool ending_ = false;
};

}  // namespace drover
