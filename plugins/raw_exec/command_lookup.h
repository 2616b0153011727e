// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace raw_exec {

// Finds the program of a task: below TASK_DIR in local/ and directly, then as an absolute path of
// the host, then, for a plain name, in the directories of PATH. A file below the task directory is
// made executable. Returns an absolute path; throws drover::Error. May block.
//
// Processes of this task or of other tasks can replace anything below TASK_DIR at any time. So
// nothing is changed by path: a mode is set only on a regular file that was opened beneath the
// directory without passing a link, and that has no other name.
std::string FindCommand(const std::string& command, const std::string& task_dir,
                        const std::string& path);

}  // namespace raw_exec
