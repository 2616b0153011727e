// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace raw_exec {

// Finds the program of a task and returns its absolute path. The function looks for COMMAND in
// local/ below TASK_DIR, and then in TASK_DIR itself. Then it uses COMMAND as a path of the host,
// if COMMAND is absolute. Last, it looks for a plain name in the directories of PATH. A file below
// TASK_DIR is made executable. Throws drover::Error. May block.
//
// Processes of this task or of other tasks can replace anything below TASK_DIR at any time. So no
// file is changed by its path. A mode is set only on a regular file that was opened below TASK_DIR
// without following a link. That file must have no other hard link.
std::string FindCommand(const std::string& command, const std::string& task_dir,
                        const std::string& path);

}  // namespace raw_exec
