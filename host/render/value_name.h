// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "host/template/template_values.h"

namespace drover {

// Returns the name of a value for people, as consul-template writes it, such as
// "kv.block(app/port)". A function that has no such name is written as it stands in a template.
std::string ValueName(const ValueRequest& request);

// Returns ARGUMENTS as one text, in which the length of each stands before it. So no others give
// the same text, whatever is in them.
std::string NameOfArguments(const std::vector<std::string>& arguments);

// Returns the text of an event about values that are MISSING: the first few in the order of their
// names, and how many more there are.
std::string MissingText(const std::vector<ValueRequest>& missing);

}  // namespace drover
