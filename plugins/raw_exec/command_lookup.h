// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace raw_exec {

// Finds the program of a task and returns its absolute path. The function looks for COMMAND in
// local/ below TASK_DIR, and then in TASK_DIR itself. Then, if COMMAND is an absolute path, it
// takes that file of the host. Last, if COMMAND is a plain name, it looks in the directories of
// PATH. A file below TASK_DIR is made executable. Throws drover::Error. May block.
//
// Processes of this task or of other tasks can replace anything below TASK_DIR at any time. So the
// function changes no file by its path. It sets the mode only of a regular file that it has opened
// below TASK_DIR without following a link. The file must have no other hard link.
std::string FindCommand(const std::string& command, const std::string& task_dir,
                        const std::string& path);

}  // namespace raw_exec
