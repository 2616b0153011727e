// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/hcl/hcl_places.h"

#include <array>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <utility>

#include "host/spec/job_fields.h"
#include "host/spec/strict_json.h"

namespace drover {
namespace {

using nlohmann::json;

constexpr std::size_t kMostBytes = std::size_t{16} << 20;
constexpr std::size_t kEntryBytes = 128;  // about what a place takes beside its pointer

std::optional<HclPlace> PlaceOf(const json& from) {
  std::array<int, 6> numbers{};
  if (!from.is_array() || from.size() != numbers.size()) return std::nullopt;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (!from.at(i).is_number_integer()) return std::nullopt;
    const auto number = from.at(i).get<std::int64_t>();
    if (number < 0 || number > std::numeric_limits<int>::max()) return std::nullopt;
    numbers.at(i) = static_cast<int>(number);
  }
  HclPlace place;
  place.line = numbers[0];
  place.column = numbers[1];
  place.end_line = numbers[2];
  place.end_column = numbers[3];
  place.byte = static_cast<std::size_t>(numbers[4]);
  place.end_byte = static_cast<std::size_t>(numbers[5]);
  return place;
}

// Moves the places of OBJECT itself and of its members to PLACES.
void TakeOwn(const std::string& pointer, json* object, HclPlaces* places) {
  const auto found = object->find(kHclPlaces);
  if (found == object->end()) return;
  const json taken = std::move(*found);
  object->erase(found);
  if (!taken.is_object()) return;
  for (const auto& [field, from] : taken.items()) {
    const std::optional<HclPlace> place = PlaceOf(from);
    if (place) places->Add(field.empty() ? pointer : JsonPointer(pointer, field), *place);
  }
}

// Does so for OBJECT, which has FIELDS, and all objects with a schema below. Bodies without one may
// have members with any key.
void TakeAll(std::span<const JobField> fields, const std::string& pointer, json* object,
             HclPlaces* places) {
  if (!object->is_object()) return;
  TakeOwn(pointer, object, places);
  for (const JobField& field : fields) {
    const auto member = object->find(field.name);
    if (field.members.empty() || member == object->end()) continue;
    const std::string here = JsonPointer(pointer, field.name);
    if (field.kind == FieldKind::kObject) {
      TakeAll(field.members, here, &*member, places);
    } else if (member->is_array()) {
      for (std::size_t i = 0; i < member->size(); ++i) {
        TakeAll(field.members, JsonPointer(here, i), &member->at(i), places);
      }
    } else if (member->is_object()) {
      for (auto one = member->begin(); one != member->end(); ++one) {
        TakeAll(field.members, JsonPointer(here, one.key()), &one.value(), places);
      }
    }
  }
}

}  // namespace

void HclPlaces::Add(const std::string& pointer, const HclPlace& place) {
  const std::size_t more = pointer.size() + kEntryBytes;
  if (more > kMostBytes - bytes_) return;
  if (places_.try_emplace(pointer, place).second) bytes_ += more;
}

const HclPlace* HclPlaces::Find(std::string_view pointer) const {
  while (true) {
    const auto found = places_.find(pointer);
    if (found != places_.end()) return &found->second;
    if (pointer.empty()) return nullptr;
    const std::size_t slash = pointer.rfind('/');
    pointer = pointer.substr(0, slash == std::string_view::npos ? 0 : slash);
  }
}

HclPlaces TakePlaces(json* job) {
  HclPlaces places;
  TakeAll(JobFields(), "", job, &places);
  return places;
}

}  // namespace drover
