// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace drover {

// The changes from BEFORE to AFTER, in the shape that clients read: Type (None, Added, Deleted,
// Edited), ID, Fields, Objects and TaskGroups with their Tasks. Both are jobs as clients read them;
// null: there is none. Members that are not part of a job's text, such as indexes, are left out. A
// text of a map is a field with its key, "Meta[owner]". A list of texts is an object with a field
// for each text. Each value of a driver's configuration is a field with its place, "args[1]". An
// edited object also lists its unchanged fields.
nlohmann::json DiffJobs(const nlohmann::json& before, const nlohmann::json& after);

}  // namespace drover
