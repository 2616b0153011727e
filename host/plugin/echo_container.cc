// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/plugin/echo_container.h"

namespace drover {

std::unique_ptr<DriverContainer> NewContainer(Isolation, const drover_driver* driver) {
  return std::make_unique<InProcessContainer>(driver);
}

}  // namespace drover
