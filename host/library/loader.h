// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "drover/drover.h"
#include "host/abi/plugin_info.h"
#include "host/base/result.h"
#include "host/library/plugin_file.h"

namespace drover {

// Loads the code of a checked file into this process and calls its entry function. The code is
// never unloaded, because nobody can know which of its functions still run. The file descriptor
// also stays open: its number is part of the name by which the dynamic linker identifies the file.
// The library's constructors run in this call, so the control thread must not make this call. Files
// are loaded one at a time, since the dynamic linker holds its lock during a load.
Result<const drover_driver*> LoadPluginCode(PluginFile file);

// Returns the path of the file that is being loaded now, or an empty text. A file whose
// constructors hang blocks all other loads for the life of the process. [any thread]
std::string PluginBeingLoaded();

// Returns the driver's description of itself, or an error if a check fails. The description must be
// complete, must have the manifest's name and version, and must need only what this host offers.
// FILE is for messages.
Result<PluginInfo> AskInfo(const std::string& file, const Manifest& manifest,
                           const drover_driver* driver);

}  // namespace drover
