// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/base/result.h"
#include "host/process/process_spec.h"

// Who reaches the directories of tasks. ALLOC_ID belongs to the agent and is closed; users of the
// tasks in it may pass through it. ALLOC_ID/TASK belongs to the task's user and is closed, so what
// is below has the modes that the task likes. The functions block and may be called on any thread.
// PATH is the text for error messages only.
namespace drover {

// Gives the directory open as DIR to USER.
Status GiveDirectory(int dir, const ProcessUser& user, const std::string& path);

// Gives the directory of a task to USER, with those in it that are the task's. What is not there
// is left out; a link or a file in the place of one is an error.
Status GiveTaskDirectory(int task_dir, const ProcessUser& user, const std::string& path);

// Lets USER pass through the directory open as DIR, for reading, which stays closed to others; one
// that everybody may pass through stays as it is. The file system must have access control lists;
// without them all users that are let in must have one group, which is let in.
Status LetPass(int dir, const ProcessUser& user, const std::string& path);

// For a process of USER, which is not the task's user by its job, before it starts. One that is
// ISOLATED needs no way to TASK_DIR, since it is mounted for it. Without TASK_DIR nothing is done.
Status HandOverTaskDirectory(const std::string& task_dir, const ProcessUser& user, bool isolated);

}  // namespace drover
