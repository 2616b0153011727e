// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/govalues/template_answers.h"

#include <utility>

#include "host/govalues/go_time.h"

namespace drover::templates {
namespace {

using nlohmann::json;

Error NotOfType(const json& answer, const Type* type) {
  return Error(Code::kInternal,
               std::string("the answer is ") + answer.type_name() + " instead of " + type->name);
}

Result<Value> NumberOfAnswer(const json& answer, const Type* type) {
  if (!answer.is_number()) return NotOfType(answer, type);
  if (type->kind == Kind::kFloat) return Value::Float(answer.get<double>());
  if (type->kind == Kind::kUint) return Value::Uint(answer.get<std::uint64_t>(), type);
  return Value::Int(answer.get<std::int64_t>(), type);
}

Result<Value> ListOfAnswer(const json& answer, const Type* type, Heap* heap) {
  if (!answer.is_array()) return NotOfType(answer, type);
  List list;
  list.reserve(answer.size());
  for (const json& element : answer) {
    DROVER_ASSIGN(const Value value, ValueOfAnswer(element, type->element, heap));
    list.push_back(value);
  }
  return heap->NewList(std::move(list), type);
}

Result<Value> MapOfAnswer(const json& answer, const Type* type, Heap* heap) {
  if (!answer.is_object()) return NotOfType(answer, type);
  const Value map = heap->NewMap(type);
  for (const auto& [key, element] : answer.items()) {
    DROVER_ASSIGN(const Value value, ValueOfAnswer(element, type->element, heap));
    heap->Put(map, key, value);
  }
  return map;
}

Result<Value> StructOfAnswer(const json& answer, const Type* type, Heap* heap) {
  if (!answer.is_object()) return NotOfType(answer, type);
  List fields;
  for (std::size_t i = 0; i < type->field_count; ++i) {
    const StructField& field = type->fields[i];
    const auto found = answer.find(field.name);
    if (found == answer.end()) {
      fields.push_back(Value::Zero(field.type));
      continue;
    }
    DROVER_ASSIGN(const Value value, ValueOfAnswer(*found, field.type, heap));
    fields.push_back(value);
  }
  return heap->NewStruct(std::move(fields), type);
}

// Returns the items of a variable, each with the description of the variable behind its fields.
Result<Value> ItemsOfAnswer(const json& answer, Heap* heap) {
  const auto items = answer.is_object() ? answer.find("Items") : answer.end();
  if (!answer.is_object() || items == answer.end() || !items->is_object()) {
    return NotOfType(answer, &kVariableItems);
  }
  DROVER_ASSIGN(const Value about, StructOfAnswer(answer, &kVariableMeta, heap));
  const Value map = heap->NewMap(&kVariableItems);
  for (const auto& [key, text] : items->items()) {
    if (!text.is_string()) return NotOfType(text, &kString);
    heap->Put(map, key,
              heap->NewStruct({heap->Text(key), heap->Text(text.get<std::string>()), about},
                              &kVariableItem));
  }
  return map;
}

}  // namespace

const std::string* OwnText(const Value& value, std::string* buffer) {
  if (value.is(Kind::kTime)) {
    *buffer = MomentText(value.moment());
    return buffer;
  }
  if (value.type() == &kDuration) {
    *buffer = DurationText(value.integer());
    return buffer;
  }
  if (value.type() == &kMonth || value.type() == &kWeekday) {
    *buffer = value.type() == &kMonth ? MonthText(value.integer()) : WeekdayText(value.integer());
    return buffer;
  }
  if (value.type() == &kVariableTime) {
    const std::int64_t time = value.integer();
    *buffer = MomentText({time / 1'000'000'000, time % 1'000'000'000, 0});
    return buffer;
  }
  if (value.type() == &kVariableItem) return &value.list()[1].text();
  if (value.type() == &kVariableMeta) return &value.list()[1].text();
  return nullptr;
}

Result<Value> ValueOfAnswer(const json& answer, const Type* type, Heap* heap) {
  if (type == &kVariableItems) return ItemsOfAnswer(answer, heap);
  if (answer.is_null()) return Value::Zero(type);
  switch (type->kind) {
    case Kind::kNil:
      return ValueOfJson(answer, true, heap);
    case Kind::kBool:
      if (!answer.is_boolean()) return NotOfType(answer, type);
      return Value::Bool(answer.get<bool>());
    case Kind::kInt:
    case Kind::kUint:
    case Kind::kFloat:
      return NumberOfAnswer(answer, type);
    case Kind::kString:
      if (!answer.is_string()) return NotOfType(answer, type);
      return heap->Text(answer.get<std::string>());
    case Kind::kList:
      return ListOfAnswer(answer, type, heap);
    case Kind::kMap:
      return MapOfAnswer(answer, type, heap);
    case Kind::kStruct:
      return StructOfAnswer(answer, type, heap);
    default:
      return NotOfType(answer, type);
  }
}

Value ValueOfJson(const json& json_value, bool integers, Heap* heap) {
  switch (json_value.type()) {
    case json::value_t::boolean:
      return Value::Bool(json_value.get<bool>());
    case json::value_t::number_unsigned:
    case json::value_t::number_integer:
      if (!integers) return Value::Float(json_value.get<double>());
      if (json_value.is_number_unsigned() && json_value.get<std::uint64_t>() >> 63 != 0) {
        return Value::Uint(json_value.get<std::uint64_t>());
      }
      return Value::Int(json_value.get<std::int64_t>(), &kInt64);
    case json::value_t::number_float:
      return Value::Float(json_value.get<double>());
    case json::value_t::string:
      return heap->Text(json_value.get<std::string>());
    case json::value_t::array: {
      List list;
      list.reserve(json_value.size());
      for (const json& element : json_value) list.push_back(ValueOfJson(element, integers, heap));
      return heap->NewList(std::move(list));
    }
    case json::value_t::object: {
      const Value map = heap->NewMap();
      for (const auto& [key, element] : json_value.items()) {
        heap->Put(map, key, ValueOfJson(element, integers, heap));
      }
      return map;
    }
    default:
      return Value::Nil();
  }
}

Value ZeroStruct(const Type* type, Heap* heap) {
  List fields;
  for (std::size_t i = 0; i < type->field_count; ++i) {
    fields.push_back(Value::Zero(type->fields[i].type));
  }
  return heap->NewStruct(std::move(fields), type);
}

}  // namespace drover::templates
