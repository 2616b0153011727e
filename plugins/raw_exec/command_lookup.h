// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace raw_exec {

// Finds the program of a task and returns its absolute path. It searches local/ below TASK_DIR, and
// then TASK_DIR itself. Then it tries COMMAND as an absolute path of the host. Last, it searches
// for a plain name in the directories of PATH. A file below TASK_DIR is made executable. Throws
// drover::Error. May block.
//
// Processes of this task or of other tasks can replace anything below TASK_DIR at any time. So no
// file is changed by its path. A mode is set only on a regular file that was opened below TASK_DIR
// without following a link. The file must have no other name.
std::string FindCommand(const std::string& command, const std::string& task_dir,
                        const std::string& path);

}  // namespace raw_exec
