// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/base/result.h"
#include "host/process/process_spec.h"

// These functions decide which users can reach the directories of tasks. The directory ALLOC_ID
// belongs to the agent, and only the users of its tasks may pass through it. The directory
// ALLOC_ID/TASK belongs to the task's user and is closed to other users. So a task may choose any
// file modes in its directory. The functions block. They may be called on any thread. PATH is only
// for error messages.
namespace drover {

// Makes USER the owner of the directory that is open as DIR.
Status GiveDirectory(int dir, const ProcessUser& user, const std::string& path);

// Makes USER the owner of the directory of a task, and of the directories local, tmp and secrets
// in it. Skips each of these three directories that does not exist. Returns an error if a link or
// a file is in the place of a directory.
Status GiveTaskDirectory(int task_dir, const ProcessUser& user, const std::string& path);

// Undoes what gave the directory of an ended task to USER: it belongs to the agent again, and USER
// may not pass through the allocation directory any more. What is in the directory stays as it is.
// Succeeds if there is no directory.
Status TakeBackTaskDirectory(const std::string& task_dir, const ProcessUser& user);

// Lets USER pass through DIR, a directory that is open for reading. DIR stays closed to other
// users. Does not change a directory through which everybody may pass. On a file system without
// access control lists, the user's group may pass; then all users who may pass through DIR must
// have the same group.
Status LetPass(int dir, const ProcessUser& user, const std::string& path);

// Makes USER the owner of TASK_DIR. Unless ISOLATED is true, also lets USER pass through the
// allocation directory; TASK_DIR is mounted for an isolated process. If the driver and not the job
// chose USER, the caller must call this function before a process of USER starts. Does nothing if
// TASK_DIR is empty or does not exist.
Status HandOverTaskDirectory(const std::string& task_dir, const ProcessUser& user, bool isolated);

}  // namespace drover
