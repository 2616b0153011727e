// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/govalues/value.h"

#include <utility>

namespace drover::templates {
namespace {

constexpr std::uint64_t kStepsPerLookAtClock = 8;
constexpr std::size_t kCostOfNode = 64;  // of an element of a map, above its value

int RankOf(Kind kind) { return static_cast<int>(kind); }

template <typename T>
int Order(const T& a, const T& b) {
  return a < b ? -1 : (b < a ? 1 : 0);
}

bool AreListsEqual(const List& a, const List& b, Heap* heap) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!IsDeeplyEqual(a[i], b[i], heap)) return false;
  }
  return true;
}

bool AreMapsEqual(const Map& a, const Map& b, Heap* heap) {
  if (a.size() != b.size()) return false;
  for (auto of = a.begin(), other = b.begin(); of != a.end(); ++of, ++other) {
    if (!IsDeeplyEqual(of->first, other->first, heap)) return false;
    if (!IsDeeplyEqual(of->second, other->second, heap)) return false;
  }
  return true;
}

}  // namespace

bool ValueLess::operator()(const Value& a, const Value& b) const {
  if (a.kind() != b.kind()) return RankOf(a.kind()) < RankOf(b.kind());
  switch (a.kind()) {
    case Kind::kBool:
      return Order(a.boolean(), b.boolean()) < 0;
    case Kind::kInt:
      return a.integer() < b.integer();
    case Kind::kUint:
      return a.natural() < b.natural();
    case Kind::kFloat:
      return a.real() < b.real();
    case Kind::kString:
      return a.text() < b.text();
    default:
      return false;
  }
}

Value Value::Bool(bool of) {
  Value value(&kBool);
  value.boolean_ = of;
  return value;
}

Value Value::Int(std::int64_t of, const Type* type) {
  Value value(type);
  value.integer_ = of;
  return value;
}

Value Value::Uint(std::uint64_t of, const Type* type) {
  Value value(type);
  value.natural_ = of;
  return value;
}

Value Value::Float(double of) {
  Value value(&kFloat64);
  value.real_ = of;
  return value;
}

Value Value::Text(const std::string* of, const Type* type) {
  Value value(type);
  value.text_ = of;
  return value;
}

Value Value::Of(const List* of, const Type* type) {
  Value value(type);
  value.list_ = of;
  return value;
}

Value Value::Of(Map* of, const Type* type) {
  Value value(type);
  value.map_ = of;
  return value;
}

Value Value::Of(LoopRange* of) {
  Value value(&kLoop);
  value.loop_ = of;
  return value;
}

Value Value::Of(const Moment* of) {
  Value value(&kTime);
  value.moment_ = of;
  return value;
}

Value Value::Zero(const Type* type) {
  static const Moment kFirst{-62135596800, 0, 0};  // the year 1
  Value value(type);
  value.natural_ = 0;
  if (type->kind == Kind::kString) value.text_ = nullptr;
  if (type->kind == Kind::kFloat) value.real_ = 0;
  if (type->kind == Kind::kTime) value.moment_ = &kFirst;
  // A pointer to a struct is nil, which templates take for nothing.
  if (type->kind == Kind::kStruct) return Nil();
  return value;
}

bool Value::IsNilContainer() const {
  return (is(Kind::kList) && list_ == nullptr) || (is(Kind::kMap) && map_ == nullptr);
}

const std::string& Value::text() const {
  static const std::string kEmpty;
  return text_ == nullptr ? kEmpty : *text_;
}

const List& Value::list() const {
  static const List kEmpty;
  return list_ == nullptr ? kEmpty : *list_;
}

const Map& Value::map() const {
  static const Map kEmpty;
  return map_ == nullptr ? kEmpty : *map_;
}

Value Value::Field(std::string_view name) const {
  if (!is(Kind::kStruct)) return Value();
  for (std::size_t i = 0; i < type_->field_count; ++i) {
    if (name == type_->fields[i].name) return list().at(i);
  }
  return Value();
}

const Value* Value::Find(const std::string& key) const {
  const auto found = map().find(Text(&key));
  return found == map().end() ? nullptr : &found->second;
}

bool Value::IsSameContainer(const Value& other) const {
  if (type_ != other.type_) return false;
  switch (kind()) {
    case Kind::kList:
    case Kind::kStruct:
      return list_ == other.list_;
    case Kind::kMap:
      return map_ == other.map_;
    case Kind::kLoop:
      return loop_ == other.loop_;
    case Kind::kTime:
      return moment_->seconds == other.moment_->seconds &&
             moment_->nanoseconds == other.moment_->nanoseconds;
    default:
      return true;
  }
}

void Heap::Charge(std::size_t bytes) {
  spent_ = spent_ || bytes > bytes_;
  bytes_ = spent_ ? 0 : bytes_ - bytes;
}

bool Heap::Step(std::uint64_t count) {
  if (until_look_-- == 0) {
    until_look_ = kStepsPerLookAtClock;
    late_ = late_ || std::chrono::steady_clock::now() > deadline_;
  }
  if (late_) return false;
  if (count > steps_) {
    steps_ = 0;
    spent_ = true;
    return false;
  }
  steps_ -= count;
  return true;
}

bool Heap::LongStep() {
  until_look_ = 0;
  return Step();
}

Status Heap::Allow(std::size_t bytes) const {
  if (bytes > bytes_) {
    return Error(Code::kResourceExhausted, "the template makes values that are too large");
  }
  return {};
}

Status Heap::Check() const {
  if (late_) return Error(Code::kTimeout, "the template takes too long");
  if (!spent_) return {};
  return Error(Code::kResourceExhausted, steps_ == 0 ? "the template does too much work"
                                                     : "the template makes too many values");
}

Value Heap::Text(std::string text, const Type* type) {
  Charge(sizeof(std::string) + text.size());
  spent_ = spent_ || text.size() > most_text_;
  // A function may go on until it returns, although the rendering has failed.
  if (spent_) text = std::string();
  return Value::Text(&texts_.emplace_back(std::move(text)), type);
}

Value Heap::NewList(List elements, const Type* type) {
  Charge(sizeof(List) + elements.size() * sizeof(Value));
  return Value::Of(&lists_.emplace_back(std::move(elements)), type);
}

Value Heap::NewStruct(List fields, const Type* type) { return NewList(std::move(fields), type); }

Value Heap::NewMap(const Type* type) {
  Charge(sizeof(Map));
  return Value::Of(&maps_.emplace_back(), type);
}

Value Heap::NewMap(Map elements, const Type* type) {
  Charge(sizeof(Map) + elements.size() * (2 * sizeof(Value) + kCostOfNode));
  return Value::Of(&maps_.emplace_back(std::move(elements)), type);
}

Value Heap::NewLoop(std::int64_t begin, std::int64_t end) {
  Charge(sizeof(LoopRange));
  return Value::Of(&loops_.emplace_back(LoopRange{begin, end}));
}

Value Heap::NewMoment(Moment moment) {
  Charge(sizeof(Moment));
  return Value::Of(&moments_.emplace_back(moment));
}

Value Heap::Strings(const std::vector<std::string>& texts) {
  List list;
  list.reserve(texts.size());
  for (const std::string& text : texts) list.push_back(Text(text));
  return NewList(std::move(list), &kStringList);
}

void Heap::Put(const Value& map, const Value& key, const Value& value) {
  Charge(2 * sizeof(Value) + kCostOfNode);
  map.map_to_change()->insert_or_assign(key, value);
}

void Heap::Put(const Value& map, std::string key, const Value& value) {
  Put(map, Text(std::move(key)), value);
}

bool IsTrue(const Value& value) {
  switch (value.kind()) {
    case Kind::kInvalid:
    case Kind::kNil:
      return false;
    case Kind::kBool:
      return value.boolean();
    case Kind::kInt:
      return value.integer() != 0;
    case Kind::kUint:
      return value.natural() != 0;
    case Kind::kFloat:
      return value.real() != 0;
    case Kind::kString:
      return !value.text().empty();
    case Kind::kList:
      return !value.list().empty();
    case Kind::kMap:
      return !value.map().empty();
    default:
      return true;
  }
}

bool IsDeeplyEqual(const Value& a, const Value& b, Heap* heap) {
  if (!heap->Step() || a.type() != b.type()) return false;
  switch (a.kind()) {
    case Kind::kBool:
      return a.boolean() == b.boolean();
    case Kind::kInt:
      return a.integer() == b.integer();
    case Kind::kUint:
      return a.natural() == b.natural();
    case Kind::kFloat:
      return a.real() == b.real();
    case Kind::kString:
      return a.text() == b.text();
    case Kind::kList:
      if (a.IsNilContainer() != b.IsNilContainer()) return false;
      return a.IsSameContainer(b) || AreListsEqual(a.list(), b.list(), heap);
    case Kind::kStruct:
      return a.IsSameContainer(b) || AreListsEqual(a.list(), b.list(), heap);
    case Kind::kMap:
      if (a.IsNilContainer() != b.IsNilContainer()) return false;
      return a.IsSameContainer(b) || AreMapsEqual(a.map(), b.map(), heap);
    default:
      return a.IsSameContainer(b);
  }
}

std::string TypeName(const Value& value) {
  return value.IsNothing() ? "<nil>" : value.type()->name;
}

std::string KindName(const Value& value) {
  switch (value.kind()) {
    case Kind::kInvalid:
    case Kind::kNil:
      return "invalid";
    case Kind::kInt:
      if (value.type() == &kDuration) return "int64";
      return value.type() == &kInt64 ? "int64" : (value.type() == &kInt32 ? "int32" : "int");
    case Kind::kUint:
      return value.type() == &kUint8 ? "uint8" : "uint64";
    case Kind::kBool:
      return "bool";
    case Kind::kFloat:
      return "float64";
    case Kind::kString:
      return "string";
    case Kind::kList:
      return "slice";
    case Kind::kMap:
      return "map";
    case Kind::kLoop:
      return "chan";
    case Kind::kTime:
      return "struct";
    default:
      return "ptr";
  }
}

}  // namespace drover::templates
