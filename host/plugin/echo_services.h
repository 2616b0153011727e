// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "drover/drover.h"

namespace drover {

// The host's function table as a driver in an echo container is given it.
struct EchoHost : drover_host {
  const drover_host* outer = nullptr;  // the host's own
  void* instance = nullptr;            // of the container
};

// get_extension of such a table: the host's services, with arguments and results carried over the
// wire format.
const void* EchoHostExtension(const drover_host* face, drover_str id);

}  // namespace drover
