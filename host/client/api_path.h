// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace drover {

using Query = std::vector<std::pair<std::string, std::string>>;

// Returns the API's path of one object in a list, such as the path of a job. It consists of BASE, a
// slash, ID and REST. Characters of ID that are not allowed in a path are escaped.
std::string ApiPath(const std::string& base, const std::string& id, const std::string& rest = "");

// Returns PATH with QUERY added. PATH may have a query already. The values of QUERY are escaped.
std::string WithQuery(const std::string& path, const Query& query);

}  // namespace drover
