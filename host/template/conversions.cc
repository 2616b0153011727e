// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/template/conversions.h"

#include <cmath>
#include <limits>

#include "host/govalues/go_format.h"
#include "host/govalues/go_number.h"

namespace drover::templates {
namespace {

// Go's conversion of a number that does not fit gives the smallest integer.
std::int64_t WholeOf(double real) {
  if (!(real >= -9223372036854775808.0 && real < 9223372036854775808.0)) {
    return std::numeric_limits<std::int64_t>::min();
  }
  return static_cast<std::int64_t>(real);
}

std::int64_t IntegerOfText(std::string text) {
  // "12.00" counts as 12.
  const std::size_t point = text.find('.');
  if (point != std::string::npos && point > 0 && point + 1 < text.size() &&
      text.find_first_not_of('0', point + 1) == std::string::npos) {
    text.resize(point);
  }
  return ParseInt(text, 0).value_or(0);
}

}  // namespace

Result<std::string> TextOf(const Value& value, const Heap& heap) {
  if (value.is(Kind::kString)) return value.text();
  return Sprint({value}, heap.room());
}

Result<std::vector<std::string>> TextsOf(const Value& value, const Heap& heap) {
  std::vector<std::string> texts;
  if (value.IsNothing()) return texts;
  const List elements = value.is(Kind::kList) ? value.list() : List{value};
  std::size_t bytes = 0;
  for (const Value& element : elements) {
    if (element.IsNothing()) continue;
    DROVER_ASSIGN(std::string text, TextOf(element, heap));
    bytes += text.size();
    DROVER_TRY(heap.Allow(bytes));
    texts.push_back(std::move(text));
  }
  return texts;
}

std::int64_t IntegerOf(const Value& value) {
  switch (value.kind()) {
    case Kind::kBool:
      return value.boolean() ? 1 : 0;
    case Kind::kInt:
      return value.integer();
    case Kind::kUint:
      return static_cast<std::int64_t>(value.natural());
    case Kind::kFloat:
      return WholeOf(value.real());
    case Kind::kString:
      return IntegerOfText(value.text());
    default:
      return 0;
  }
}

double RealOf(const Value& value) {
  switch (value.kind()) {
    case Kind::kInt:
      return static_cast<double>(value.integer());
    case Kind::kUint:
      return static_cast<double>(value.natural());
    case Kind::kFloat:
      return value.real();
    case Kind::kString:
      return ParseFloat(value.text()).value_or(0);
    default:
      return static_cast<double>(IntegerOf(value));
  }
}

bool IsEmpty(const Value& value) { return !IsTrue(value); }

Result<List> ElementsOf(const Value& value, const char* tried) {
  if (value.is(Kind::kList)) return value.list();
  return CallError(std::string(tried) + " is not possible with the type " + TypeName(value));
}

}  // namespace drover::templates
