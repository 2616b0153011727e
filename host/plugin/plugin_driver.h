// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/driver/driver.h"

namespace drover {

class ContainedDriver;
class LoadedDriver;

// One instance of a plugin, wherever its code runs. Control thread only.
class PluginDriver : public Driver {
 public:
  // A new configuration, already checked, for the living instance.
  virtual Co<Status> Configure(Context context, std::string config_json) = 0;
  // Tells the driver which runs the host knows.
  virtual Co<Status> RestoreComplete(Context context, std::vector<RunId> runs) = 0;
  // Returns when the driver has told its health, or will not.
  virtual Co<void> AwaitFirstFingerprint(Context context) = 0;
  // It has been replaced: when it ends by itself, it is not brought back.
  virtual void Retire() {}
  // Ends everything but the tasks; needed before destruction.
  virtual Co<void> Shutdown() = 0;

  // The driver's code as it is called now; null when it cannot be.
  virtual LoadedDriver* code() = 0;
  // Itself, when it has a process of its own.
  virtual ContainedDriver* contained() { return nullptr; }
};

}  // namespace drover
