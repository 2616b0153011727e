// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace drover {

// Selects the parts of a stored job that stay when a client registers a new version of the job.
struct Preserved {
  bool counts = false;     // if true, the counts of the job's groups stay
  bool resources = false;  // if true, the resources of the job's tasks stay
};

// Replaces parts of the job SENT by the same parts of the job BEFORE, and returns the result. WHAT
// chooses the parts. The function copies the parts between groups and tasks of the same name. SENT
// may be any JSON. BEFORE must be a job in the form in which clients receive it.
nlohmann::json Preserve(nlohmann::json sent, const nlohmann::json& before, Preserved what);

}  // namespace drover
