// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "drover/drover.h"

namespace drover_test {

// Where the code of the drivers of fake hosts runs.
class DriverPlace {
 public:
  virtual ~DriverPlace() = default;
  // Null, and the reason, when the file cannot be loaded.
  virtual const drover_driver* Load(const std::string& file, std::string* why) = 0;
  // The host ends, its instances are shut down: nothing is called of it any more after this.
  virtual void Unload() {}
  // Then a driver's crash is one of this process, its timers are the host's, and so is the thread
  // that asks for a service.
  virtual bool is_this_process() const { return true; }
};

// This process, unless another place was set.
DriverPlace* Place();
void SetPlace(DriverPlace* place);

}  // namespace drover_test
