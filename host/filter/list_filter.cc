// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/filter/list_filter.h"

#include <re2/re2.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "host/base/text.h"
#include "host/filter/filter_syntax.h"

// The texts of the errors are those that clients of Nomad expect.
namespace drover {
namespace {

using nlohmann::json;

// Names of the objects that may have any key. Every other object has fixed fields, and a filter
// that names an unknown field is an error.
constexpr std::string_view kMaps[] = {"Attributes",
                                      "CSIControllerPlugins",
                                      "CSINodePlugins",
                                      "ClassEligibility",
                                      "ClassExhausted",
                                      "ClassFiltered",
                                      "Config",
                                      "ConstraintFiltered",
                                      "Details",
                                      "DimensionExhausted",
                                      "Drivers",
                                      "Env",
                                      "FailedTGAllocs",
                                      "Header",
                                      "HostNetworks",
                                      "HostVolumes",
                                      "Links",
                                      "Meta",
                                      "NodesAvailable",
                                      "QueuedAllocations",
                                      "ResourcesExhausted",
                                      "Scores",
                                      "Summary",
                                      "TaskLifecycles",
                                      "TaskResources",
                                      "TaskStates",
                                      "Tasks",
                                      "Volumes"};

// A name in an any or all expression, and its current value. `outer` leads to the names of the
// expressions around it.
struct Binding {
  const std::string& name;
  const json& value;
  // True if VALUE is the key of a member or the index of an element. Such a value has no fields.
  bool key;
  const Binding* outer;
};

std::string PointerOf(const std::vector<std::string>& way) {
  std::string pointer;
  for (const std::string& part : way) pointer += "/" + part;
  return pointer;
}

std::string Named(const FilterNode& node) {
  std::string name;
  for (const std::string& part : node.field) name += (name.empty() ? "" : ".") + part;
  return name;
}

Error Wrong(const std::string& what) {
  return Error(Code::kInvalidArgument, "failed to read result page: " + what);
}

Error NotFound(const std::string& what) { return Wrong("error finding value in datum: " + what); }

// Returns the name of VALUE's type in Go.
std::string KindOf(const json& value) {
  if (value.is_boolean()) return "bool";
  if (value.is_number_float()) return "float64";
  if (value.is_number()) return "int";
  if (value.is_string()) return "string";
  return value.is_array() ? "slice" : value.is_object() ? "map" : "invalid";
}

Error Incomparable(const FilterNode& node, const char* how, const json& value) {
  return Wrong("cannot perform " + std::string(how) + " operations on type " + KindOf(value) +
               " for selector: \"" + Named(node) + "\"");
}

// Returns true if VALUE equals the value that TEXT stands for. Returns no value if TEXT cannot be
// a value of VALUE's type.
std::optional<bool> Equals(const json& value, const std::string& text) {
  if (value.is_string()) return value.get_ref<const std::string&>() == text;
  if (value.is_boolean()) {
    const std::optional<bool> wanted = ParseBool(text);
    if (!wanted) return std::nullopt;
    return value.get<bool>() == *wanted;
  }
  if (!value.is_number()) return std::nullopt;
  // Integers are compared as integers, because a double is not exact above 2^53.
  if (value.is_number_integer()) {
    if (const auto whole = ParseNumber<std::int64_t>(text)) return value == json(*whole);
  }
  const auto number = ParseNumber<double>(text);
  if (!number) return std::nullopt;
  return value.get<double>() == *number;
}

class FilterRun {
 public:
  FilterRun(const json& element, ListFilter::Budget* budget) : element_(element), budget_(budget) {}

  Result<bool> Holds(const FilterNode& node, const Binding* bound) {
    using Kind = FilterNode::Kind;
    DROVER_TRY(Spend(1));
    switch (node.kind) {
      case Kind::kNot: {
        DROVER_ASSIGN(const bool inner, Holds(*node.left, bound));
        return !inner;
      }
      case Kind::kAnd:
      case Kind::kOr: {
        DROVER_ASSIGN(const bool left, Holds(*node.left, bound));
        if (left == (node.kind == Kind::kOr)) return left;
        return Holds(*node.right, bound);
      }
      default:
        break;
    }
    DROVER_ASSIGN(const json* const found, Find(node.field, bound));
    switch (node.kind) {
      case Kind::kAny:
      case Kind::kAll:
        return found == nullptr ? node.kind == Kind::kAll : HoldsOf(node, *found, bound);
      case Kind::kNil:
        if (found == nullptr) return true;
        if (!found->is_structured()) return Incomparable(node, "is-nil", *found);
        return false;
      case Kind::kEmpty:
        if (found == nullptr) return true;
        if (found->is_string()) return found->get_ref<const std::string&>().empty();
        if (!found->is_structured()) return Incomparable(node, "is-empty", *found);
        return found->empty();
      case Kind::kContains:
        return found != nullptr ? Contains(node, *found) : false;
      case Kind::kMatches:
        return found != nullptr ? Matches(node, *found) : false;
      default:
        return found != nullptr ? IsEqual(node, *found) : false;
    }
  }

 private:
  Status Spend(std::size_t steps) {
    if (steps > budget_->steps) {
      return Wrong("the filter looks at too much: make it simpler, or the list shorter");
    }
    budget_->steps -= steps;
    return {};
  }
  // Uses one step for every 64 bytes of TEXT, because long texts take more time.
  Status SpendOn(const std::string& text) { return Spend(text.size() / 64); }

  // Returns the value at the path WAY; null if there is no value, or if the value is JSON's null.
  Result<const json*> Find(const std::vector<std::string>& way, const Binding* bound) {
    const json* at = &element_;
    std::size_t part = 0;
    for (; bound != nullptr; bound = bound->outer) {
      if (bound->name != way[0]) continue;
      if (bound->key && way.size() > 1) {
        return Wrong("/" + way[0] + " references a " + KindOf(bound->value) + " so " +
                     PointerOf(way) + " is invalid");
      }
      at = &bound->value;
      part = 1;
      break;
    }
    for (; part < way.size() && !at->is_null(); ++part) {
      if (at->is_object()) {
        const auto member = at->find(way[part]);
        if (member != at->end()) {
          at = &*member;
        } else if (part > 0 && IsMap(way, part)) {
          return nullptr;
        } else {
          return NotFound(PointerOf(way) + " at part " + std::to_string(part) +
                          ": couldn't find key: struct field with name \"" + way[part] + "\"");
        }
      } else if (at->is_array()) {
        const auto index = ParseNumber<std::size_t>(way[part]);
        if (!index || *index >= at->size()) {
          return NotFound(PointerOf(way) + " at part " + std::to_string(part) + ": index " +
                          way[part] + " is out of range (length = " + std::to_string(at->size()) +
                          ")");
        }
        at = &(*at)[*index];
      } else {
        return NotFound(PointerOf(way) + ": at part " + std::to_string(part) +
                        ", invalid value kind: " + KindOf(*at));
      }
    }
    return at->is_null() ? nullptr : at;
  }

  // Returns true if WAY[PART] is a key of an object that may have any key. Inside a driver's
  // configuration, every object may have any key.
  static bool IsMap(const std::vector<std::string>& way, std::size_t part) {
    const auto end = way.begin() + static_cast<std::ptrdiff_t>(part);
    return std::find(way.begin(), end, "Config") != end ||
           std::find(std::begin(kMaps), std::end(kMaps), way[part - 1]) != std::end(kMaps);
  }

  Result<bool> HoldsOf(const FilterNode& node, const json& value, const Binding* bound) {
    if (!value.is_structured()) return Wrong(Named(node) + " is not a list or a map");
    const bool all = node.kind == FilterNode::Kind::kAll;
    std::size_t number = 0;
    for (auto item = value.begin(); item != value.end(); ++item) {
      const json key = value.is_object() ? json(item.key()) : json(number++);
      const bool single_key = value.is_object();
      const Binding single{node.single, single_key ? key : *item, single_key, bound};
      const Binding with_key{node.key, key, true, bound};
      const Binding with_both{node.element, *item, false, &with_key};
      DROVER_ASSIGN(const bool holds,
                    Holds(*node.left, node.single.empty() ? &with_both : &single));
      if (holds != all) return holds;
    }
    return all;
  }

  Result<bool> IsEqual(const FilterNode& node, const json& value) {
    const std::optional<bool> equal = Equals(value, node.value);
    if (equal) return *equal;
    if (value.is_structured()) {
      return Wrong("unable to find suitable primitive comparison function for matching " +
                   Named(node));
    }
    return Wrong("error getting match value in expression: " + Named(node) + " is a " +
                 KindOf(value) + ", and \"" + node.value + "\" is none");
  }

  Result<bool> Contains(const FilterNode& node, const json& value) {
    if (value.is_string()) {
      const auto& text = value.get_ref<const std::string&>();
      DROVER_TRY(SpendOn(text));
      return text.find(node.value) != std::string::npos;
    }
    if (value.is_object()) return value.contains(node.value);
    if (!value.is_array()) return Incomparable(node, "in/contains", value);
    DROVER_TRY(Spend(value.size()));
    return std::any_of(value.begin(), value.end(), [&node](const json& one) {
      return Equals(one, node.value).value_or(false);
    });
  }

  Result<bool> Matches(const FilterNode& node, const json& value) {
    if (!value.is_string()) {
      return Wrong("value of type " + KindOf(value) +
                   " is not convertible to []byte: " + Named(node));
    }
    const auto& text = value.get_ref<const std::string&>();
    DROVER_TRY(SpendOn(text));
    return re2::RE2::PartialMatch(text, *node.pattern);
  }

  const json& element_;
  ListFilter::Budget* const budget_;
};

bool Looks(const FilterNode& node, std::string_view name) {
  return (!node.field.empty() && node.field[0] == name) || (node.left && Looks(*node.left, name)) ||
         (node.right && Looks(*node.right, name));
}

}  // namespace

Result<ListFilter> ListFilter::Parse(std::string_view text) {
  DROVER_ASSIGN(FilterNodePtr root, ParseFilter(text));
  return ListFilter(std::move(root));
}

Result<bool> ListFilter::Chooses(const json& element, Budget* budget) const {
  return FilterRun(element, budget).Holds(*root_, nullptr);
}

bool ListFilter::LooksAt(std::string_view name) const { return Looks(*root_, name); }

}  // namespace drover
