// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "drover/drover.h"
#include "host/base/result.h"

namespace drover {

// Checks TABLE, what the get_extension of a driver has returned for ID. Returns null if there is no
// table or it is too small for this ABI, and an error if it lacks a function. A table of an id that
// is no optional part of this ABI is returned as it is. Any thread.
Result<const void*> CheckPart(std::string_view id, const void* table);

// Asks a driver for an optional part. The result is that of CheckPart.
template <typename T>
Result<const T*> FindPart(const drover_driver* driver, drover_instance* self, std::string_view id) {
  DROVER_ASSIGN(const void* const table,
                CheckPart(id, driver->get_extension(self, {id.data(), id.size()})));
  return static_cast<const T*>(table);
}

}  // namespace drover
