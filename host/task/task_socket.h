// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/base/result.h"
#include "host/base/unique_fd.h"

namespace drover {

// Where a task finds the socket of the agent's API, relative to the task's directory.
inline constexpr char kTaskApiSocket[] = "secrets/api.sock";

// Makes the Unix socket PATH, which is relative to TASK_DIR, the directory of a task on the host,
// and listens on it. The socket belongs to the owner of TASK_DIR and has mode 0600. Whatever has
// the name is replaced at once. The directory of the socket must exist. USER_UNKNOWN is as for
// WriteTaskFile: then everybody who can enter TASK_DIR may connect. Blocks. [any thread]
//
// The task may change everything below TASK_DIR at any moment. So each step starts at a descriptor
// and follows no link. What a task puts in the way gives an error, or only harms that task.
Result<UniqueFd> ListenForTask(const std::string& task_dir, const std::string& path,
                               bool user_unknown);

// Removes the socket PATH, if it is one. Ignores errors, since the directory goes soon. Blocks.
// [any thread]
void RemoveTaskSocket(const std::string& task_dir, const std::string& path);

}  // namespace drover
