// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// A library that would share a symbol with the whole process: an inline variable of default
// visibility. g++ makes it STB_GNU_UNIQUE.
#include <string>

#include "drover/drover.h"

extern "C" __attribute__((section(DROVER_MANIFEST_SECTION), used, visibility("hidden")))
const drover_manifest unique_manifest = {{'D', 'R', 'O', 'V', 'E', 'R', 'M', '0'},
                                         sizeof(drover_manifest),
                                         DROVER_ABI_MAJOR,
                                         0,
                                         0,
                                         "test",
                                         "1.2.3",
                                         "Apache-2.0"};

inline std::string shared_by_all = "one for all";

extern "C" const drover_driver* drover_driver_entry_v1() {
  return shared_by_all.empty() ? nullptr : nullptr;
}
