// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace drover {

// What AFTER has changed of BEFORE, in the shape that clients read: Type (None, Added, Deleted,
// Edited), ID, Fields, Objects and TaskGroups with their Tasks. Both are jobs as clients read them;
// null: there is none. What neither a user wrote nor a user sees in a job's text, such as indexes,
// is left out. A text of a map is a field with its key, "Meta[owner]"; a list of texts is an object
// in which they come and go; of a driver's configuration each value is a field with its place,
// "args[1]". Of an object that was edited what stays is told, too.
nlohmann::json DiffJobs(const nlohmann::json& before, const nlohmann::json& after);

}  // namespace drover
