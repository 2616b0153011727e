// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace drover {

using Query = std::vector<std::pair<std::string, std::string>>;

// The path of an element of a list: BASE and ID, whose odd characters are escaped, and REST.
std::string ApiPath(const std::string& base, const std::string& id, const std::string& rest = "");

// PATH and its query, whose values are escaped.
std::string WithQuery(const std::string& path, const Query& query);

}  // namespace drover
