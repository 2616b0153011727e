// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "config/plugin_config.h"
#include "drover/types.hpp"

// The names and labels of containers. A container is found again by its labels.
namespace drover_docker {

inline constexpr char kRunLabel[] = "drover.run_id";
inline constexpr char kNodeLabel[] = "drover.node_id";
inline constexpr char kKindLabel[] = "drover.kind";  // "task" or "pause"
inline constexpr char kImageLabel[] = "drover.image";
inline constexpr char kNamespaceLabel[] = "drover.namespace";  // of a pause container
inline constexpr char kAllocLabel[] = "com.hashicorp.nomad.alloc_id";
inline constexpr char kTaskKind[] = "task";
inline constexpr char kPauseKind[] = "pause";

// Returns "TASK-ALLOCATION" in the characters that engines take. If the task's name has others, or
// is very long, the name ends with a part of the run's id, so that two tasks never share a name.
std::string ContainerName(const drover::TaskConfig& task);
// Returns the name of the pause container of the task's allocation.
std::string PauseName(const std::string& alloc_id);

// Returns whether a container with NAME and LABELS is one that a driver has made, for a task or as
// a pause container. Images carry labels, so a container of somebody else may have those of a task,
// but not its name.
bool IsNamedAsOurs(const std::string& name, const StringMap& labels);

// Returns the labels of the task's container, without those of the job. EXTRA are patterns such as
// "job_*", which choose more labels of "com.hashicorp.nomad.".
StringMap ContainerLabels(const drover::TaskConfig& task, const std::vector<std::string>& extra);

}  // namespace drover_docker
