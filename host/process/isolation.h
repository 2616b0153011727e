// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "host/process/mount_tree.h"

namespace drover {

class PlanBuilder;

// The root file system of a task, in a mount namespace of its own. It is a read-only tmpfs with
// /proc, /sys and a minimal /dev. MOUNTS are attached to it in their order. No file is copied.
struct RootSpec {
  std::vector<MountTree> mounts;
  // If true, the old root is unmounted. If false, the old root is only covered by the new root. An
  // agent on an initramfs sets PIVOT to false, because pivot_root does not work there. A process
  // with CAP_SYS_CHROOT can reach a covered root, so a task without PIVOT is refused this
  // capability.
  bool pivot = true;
};

// The namespaces of a run. Exec sessions of the run enter them, too.
struct NamespaceSpec {
  bool pids = true;  // the run sees only its own processes
  bool ipc = true;
  std::string hostname;  // what the run sees as the name of its host; empty: that of the host
  RootSpec root;
};

// The name of the step that checks whether the task's mounts are the planned mounts.
inline constexpr char kVerifyStep[] = "verify the mounts";

// Returns TARGET without double slashes and without a slash at the end, as the kernel prints it.
// Returns an empty text for the root.
std::string PlaceOf(const std::string& target);

// The name of the step by which a run begins in the clean mount namespace.
inline constexpr char kCleanMountsStep[] = "begin without the mounts of the host";

// Adds to PLAN the steps that make the namespaces. The process that holds the namespaces executes
// these steps. CLEAN_NAMESPACE is a descriptor from CleanNamespace::Get. If it is -1, the mounts
// begin as a copy of the agent's mounts.
void AddNamespaceSteps(const NamespaceSpec& namespaces, int clean_namespace, PlanBuilder* plan);

}  // namespace drover
