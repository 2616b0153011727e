// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "host/process/mount_tree.h"

namespace drover {

class PlanBuilder;

// The root file system of a task, in a mount namespace of its own: a read-only tmpfs with /proc,
// /sys and a minimal /dev. MOUNTS are attached to it in their order. Nothing is copied.
struct RootSpec {
  std::vector<MountTree> mounts;
  // True: the old root is unmounted. False, for an agent on an initramfs, whose root cannot be
  // pivoted: the old root is only covered. A process that may call chroot could get out then, so
  // CAP_SYS_CHROOT is refused.
  bool pivot = true;
};

// The namespaces of a run. Exec sessions enter them, too.
struct NamespaceSpec {
  bool pids = true;  // sees only processes of the run
  bool ipc = true;
  RootSpec root;
};

// The name of the step that compares the mounts with the planned ones.
inline constexpr char kVerifyStep[] = "verify the mounts";

// TARGET as the kernel prints it: without double slashes or a slash at the end. Empty: the root.
std::string PlaceOf(const std::string& target);

// The name of the step that begins in the clean mount namespace.
inline constexpr char kCleanMountsStep[] = "begin without the mounts of the host";

// Adds the steps that make the namespaces, for the process that holds them. CLEAN_NAMESPACE: see
// process/clean_namespace.h; -1: the mounts begin as a copy of those of the agent.
void AddNamespaceSteps(const NamespaceSpec& namespaces, int clean_namespace, PlanBuilder* plan);

}  // namespace drover
