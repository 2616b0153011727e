// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/base/result.h"
#include "host/process/process_spec.h"

// Decides which users reach the directories of tasks. ALLOC_ID belongs to the agent and is closed
// to others; only the users of its tasks may pass through it. ALLOC_ID/TASK belongs to the task's
// user and is closed to others, so a task may choose any modes below it. The functions block and
// may be called on any thread. PATH is for error messages only.
namespace drover {

// Gives the directory open as DIR to USER.
Status GiveDirectory(int dir, const ProcessUser& user, const std::string& path);

// Gives the directory of a task to USER, with the directories local, tmp and secrets in it. Missing
// ones are skipped; a link or a file in the place of one is an error.
Status GiveTaskDirectory(int task_dir, const ProcessUser& user, const std::string& path);

// Lets USER pass through DIR, a directory opened for reading, which stays closed to others. Leaves
// a directory as it is if everybody may pass through it. On a file system without access control
// lists it lets the user's group pass, and all users must have the same group.
Status LetPass(int dir, const ProcessUser& user, const std::string& path);

// Gives TASK_DIR to USER before a process of USER starts, for a USER whom the driver chose and not
// the job. An ISOLATED process need not pass through the allocation's directory, since TASK_DIR is
// mounted for it. Does nothing if TASK_DIR is empty or does not exist.
Status HandOverTaskDirectory(const std::string& task_dir, const ProcessUser& user, bool isolated);

}  // namespace drover
