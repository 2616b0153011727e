// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "drover/drover.h"

namespace drover_test {

// Where the code of the drivers of fake hosts runs.
class DriverPlace {
 public:
  virtual ~DriverPlace() = default;
  // Returns null, and the reason, when the file cannot be loaded.
  virtual const drover_driver* Load(const std::string& file, std::string* why) = 0;
  // The host ends and its instances are shut down: no function of it is called after this.
  virtual void Unload() {}
  // Whether drivers run in this process. Then the process dies with a driver that crashes, drivers
  // use the timers of the host, and they call services on the host's thread.
  virtual bool is_this_process() const { return true; }
};

// This process, unless another place was set.
DriverPlace* Place();
void SetPlace(DriverPlace* place);

}  // namespace drover_test
