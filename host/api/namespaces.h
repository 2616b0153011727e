// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>

#include "host/state/tables.h"

namespace drover {

// Returns the names of all namespaces: "default", and those that jobs or variables name.
std::set<std::string> NamespacesOf(const Tables& tables);

}  // namespace drover
