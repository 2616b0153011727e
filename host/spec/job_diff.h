// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace drover {

// Returns the changes from BEFORE to AFTER in the form that clients read. The members are Type
// (None, Added, Deleted, Edited), ID, Fields, Objects, and TaskGroups with their Tasks. Each of
// BEFORE and AFTER is a job in the form that clients read, or null if there is no such job. Members
// that are not part of a job's text, such as indexes, are left out. Each text of a map is a field
// named by its key, such as "Meta[owner]". A list of texts is an object with a field for each text.
// Each value of a driver's configuration is a field named by its place, such as "args[1]". An
// edited object also lists its unchanged fields.
nlohmann::json DiffJobs(const nlohmann::json& before, const nlohmann::json& after);

}  // namespace drover
