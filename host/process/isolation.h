// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "host/process/mount_tree.h"

namespace drover {

class PlanBuilder;

// The root file system of a task: in a mount namespace of its own, a read-only tmpfs with /proc,
// /sys and a minimal /dev, in which MOUNTS are attached in their order. Nothing is copied.
struct RootSpec {
  std::vector<MountTree> mounts;
  // The old root is gone for good. Without (where the agent's root cannot be pivoted, on an
  // initramfs), it is only covered, and what may call chroot can get out: so CAP_SYS_CHROOT cannot
  // be given.
  bool pivot = true;
};

// The namespaces of a run. Exec sessions enter them, too.
struct NamespaceSpec {
  bool pids = true;  // sees only processes of the run
  bool ipc = true;
  RootSpec root;
};

// The name of the step that compares the mounts with what they are to be.
inline constexpr char kVerifyStep[] = "verify the mounts";

// TARGET as the kernel tells it: without a second slash, and none at the end. Empty: the root.
std::string PlaceOf(const std::string& target);

// The name of the step that begins in the clean mount namespace.
inline constexpr char kCleanMountsStep[] = "begin without the mounts of the host";

// Adds the steps that make the namespaces, for the process that holds them. CLEAN_NAMESPACE: see
// process/clean_namespace.h; -1: the mounts begin as a copy of those of the agent.
void AddNamespaceSteps(const NamespaceSpec& namespaces, int clean_namespace, PlanBuilder* plan);

}  // namespace drover
