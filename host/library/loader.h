// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "drover/drover.h"
#include "host/abi/plugin_info.h"
#include "host/base/result.h"
#include "host/library/plugin_file.h"

namespace drover {

// Loads the code of a checked file into this process and asks its entry function. The code and the
// descriptor stay for the life of the process: code is never unloaded, since nobody can know what
// still runs in it, and the descriptor's number keeps its name for the dynamic linker unique.
// Constructors of the library run here: not for the control thread. One at a time: the dynamic
// linker holds its lock meanwhile.
Result<const drover_driver*> LoadPluginCode(PluginFile file);

// The file that is being loaded now; empty: none. One whose constructors hang keeps all others out
// for the life of the process. [any thread]
std::string PluginBeingLoaded();

// The driver's own description, checked: complete, of the manifest's name, without needs that this
// host does not know. FILE is for messages.
Result<PluginInfo> AskInfo(const std::string& file, const Manifest& manifest,
                           const drover_driver* driver);

}  // namespace drover
