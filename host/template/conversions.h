// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/template/function.h"

namespace drover::templates {

// Returns VALUE as a text, as Sprig does: a text is itself, all others are printed.
Result<std::string> TextOf(const Value& value, const Heap& heap);
// Returns the elements of a list as texts. What is no list is one element; nil ones are left out.
Result<std::vector<std::string>> TextsOf(const Value& value, const Heap& heap);
// Return VALUE as a number, as Sprig does: true is 1, texts are read, and what makes no sense is 0.
std::int64_t IntegerOf(const Value& value);
double RealOf(const Value& value);
// Returns whether VALUE is zero, empty or nothing for Sprig.
bool IsEmpty(const Value& value);
// Returns the elements of a list, or an error that names what was TRIED with it.
Result<List> ElementsOf(const Value& value, const char* tried);

}  // namespace drover::templates
