// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "host/base/result.h"
#include "host/base/unique_fd.h"

namespace drover {

// Writes CONTENT to the file PATH, which is relative to TASK_DIR, the directory of a task on the
// host. The file belongs to the owner of TASK_DIR and has mode 0600. A file that has the name is
// replaced at once, so readers see the old content or the new one. The directory of the file must
// exist. Blocks. [any thread]
//
// USER_UNKNOWN means that the driver may choose the task's user later, or that the users of an
// image are not those of this machine. As long as TASK_DIR then belongs to root, everybody who can
// enter TASK_DIR may read the file. Only the user of the task can.
//
// The task may change everything below TASK_DIR at any moment. So each step starts at a descriptor
// and follows no link. What a task puts in the way gives an error, or only harms that task.
Status WriteTaskFile(const std::string& task_dir, const std::string& path, std::string_view content,
                     bool user_unknown);

// Opens the directory PATH below DIR, a directory of a task, without following links. The result
// can only be used to reach what is in it (O_PATH). Blocks. [any thread]
Result<UniqueFd> OpenTaskDirectory(int dir, const std::string& path);

}  // namespace drover
