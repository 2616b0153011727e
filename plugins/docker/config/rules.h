// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "config/plugin_config.h"
#include "config/task_options.h"

// What the operator permits. docs/docker.md has the rules as a table.
namespace drover_docker {

// Throws drover::Error(kPermissionDenied) for the first option that the operator does not permit.
// The message names the option and the setting that permits it. ALLOC_ID is the allocation of the
// task: its containers may be named by "container:".
void CheckRules(const Settings& settings, const TaskOptions& options, const std::string& alloc_id);

// Returns the capabilities of the container, in the form of the engine ("NET_ADMIN"): the stock
// capabilities that are allowed, without cap_drop and with cap_add. "ALL" stands alone.
std::vector<std::string> ChooseCapabilities(const Settings& settings, const TaskOptions& options);

// Returns the limit of processes of the container; 0 means none.
std::int64_t ChoosePidsLimit(const Settings& settings, const TaskOptions& options);

// Returns whether NAME is the name of a container of the allocation.
bool IsOfAllocation(const std::string& name, const std::string& alloc_id);

// Returns the NAME of "container:NAME", or an empty text.
std::string ContainerOf(const std::string& mode);

// Prefixes of labels that a job cannot set.
bool IsReservedLabel(const std::string& name);

}  // namespace drover_docker
