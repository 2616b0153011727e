// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/base/result.h"

// The values of a template while it is rendered. They behave as the values of Go do, because
// templates are written for Go's text/template: a value has a type, which decides how it is
// printed, compared and passed to a function.
namespace drover::templates {

enum class Kind : std::uint8_t {
  kInvalid,  // no value at all, as the data of a template without data
  kNil,      // a nil interface, as a missing element of a map[string]any
  kBool,
  kInt,
  kUint,
  kFloat,
  kString,
  kList,
  kMap,
  kStruct,
  kLoop,     // the numbers that {{loop}} gives
  kScratch,  // the scratch of the template
  kTime,
};

struct Type;
struct StructField {
  const char* name;
  const Type* type;
  const char* json = nullptr;  // its name in JSON if that is another one
};

struct Type {
  Kind kind;
  const char* name;               // as Go prints it
  const Type* element = nullptr;  // of a list or map
  const Type* key = nullptr;      // of a map
  const StructField* fields = nullptr;
  std::size_t field_count = 0;
  const Type* like = nullptr;  // the type without a name that has the same form
};

inline constexpr Type kAny{Kind::kNil, "interface {}"};
inline constexpr Type kBool{Kind::kBool, "bool"};
inline constexpr Type kInt{Kind::kInt, "int"};
inline constexpr Type kInt32{Kind::kInt, "int32"};
inline constexpr Type kInt64{Kind::kInt, "int64"};
inline constexpr Type kUint8{Kind::kUint, "uint8"};
inline constexpr Type kUint64{Kind::kUint, "uint64"};
inline constexpr Type kFloat64{Kind::kFloat, "float64"};
inline constexpr Type kString{Kind::kString, "string"};
inline constexpr Type kAnyList{Kind::kList, "[]interface {}", &kAny};
inline constexpr Type kAnyLists{Kind::kList, "[][]interface {}", &kAnyList};
inline constexpr Type kStringList{Kind::kList, "[]string", &kString};
inline constexpr Type kIntList{Kind::kList, "[]int", &kInt};
inline constexpr Type kAnyMap{Kind::kMap, "map[string]interface {}", &kAny, &kString};
inline constexpr Type kStringMap{Kind::kMap, "map[string]string", &kString, &kString};
inline constexpr Type kListMap{Kind::kMap, "map[string][]interface {}", &kAnyList, &kString};
inline constexpr Type kPortMap{Kind::kMap, "map[int][]interface {}", &kAnyList, &kInt};
inline constexpr Type kYamlMap{Kind::kMap, "map[interface {}]interface {}", &kAny, &kAny};
inline constexpr Type kLoop{Kind::kLoop, "<-chan int64", &kInt64};
inline constexpr Type kScratch{Kind::kScratch, "*template.Scratch"};
inline constexpr Type kTime{Kind::kTime, "time.Time"};
inline constexpr Type kDuration{Kind::kInt, "time.Duration"};  // in nanoseconds
inline constexpr Type kMonth{Kind::kInt, "time.Month"};        // 1 is January
inline constexpr Type kWeekday{Kind::kInt, "time.Weekday"};    // 0 is Sunday

class Value;
struct ValueLess {
  bool operator()(const Value& a, const Value& b) const;
};
using List = std::vector<Value>;
using Map = std::map<Value, Value, ValueLess>;  // in the order in which Go prints maps

struct LoopRange {
  std::int64_t next = 0;
  std::int64_t stop = 0;
};

// A moment in a time zone of a fixed distance from UTC.
struct Moment {
  std::int64_t seconds = 0;  // since 1970
  std::int64_t nanoseconds = 0;
  int offset = 0;  // seconds east of UTC
};

// A value, which is small. Texts, lists and maps belong to the Heap, so a value must not outlive
// it.
class Value {
 public:
  Value() = default;  // no value
  static Value Nil() { return Value(&kAny); }
  static Value Bool(bool of);
  static Value Int(std::int64_t of, const Type* type = &kInt);
  static Value Uint(std::uint64_t of, const Type* type = &kUint64);
  static Value Float(double of);
  static Value Text(const std::string* of, const Type* type = &kString);
  static Value Of(const List* of, const Type* type);  // null: a nil list
  static Value Of(Map* of, const Type* type);         // null: a nil map
  static Value Of(LoopRange* of);
  static Value Of(const Moment* of);
  static Value Scratch() { return Value(&kScratch); }
  // Returns the zero value of TYPE: 0, "", an empty list, nil.
  static Value Zero(const Type* type);

  Kind kind() const { return type_ == nullptr ? Kind::kInvalid : type_->kind; }
  const Type* type() const { return type_; }
  bool valid() const { return type_ != nullptr; }
  bool is(Kind kind) const { return this->kind() == kind; }
  bool IsNothing() const { return is(Kind::kInvalid) || is(Kind::kNil); }
  bool IsNilContainer() const;

  // Each of these may be called for a value of its kind only.
  bool boolean() const { return boolean_; }
  std::int64_t integer() const { return integer_; }
  std::uint64_t natural() const { return natural_; }
  double real() const { return real_; }
  const std::string& text() const;
  const List& list() const;  // the elements of a list, or the fields of a struct
  const Map& map() const;
  Map* map_to_change() const { return map_; }  // null: a nil map
  LoopRange* loop() const { return loop_; }
  const Moment& moment() const { return *moment_; }

  // Returns the field NAME of a struct, or no value.
  Value Field(std::string_view name) const;
  // Returns the element with KEY of a map with texts as keys, or null.
  const Value* Find(const std::string& key) const;
  // Compares where the values are, not what is in them.
  bool IsSameContainer(const Value& other) const;

 private:
  explicit Value(const Type* type) : type_(type) {}

  const Type* type_ = nullptr;
  union {
    bool boolean_;
    std::int64_t integer_;
    std::uint64_t natural_ = 0;
    double real_;
    const std::string* text_;
    const List* list_;
    Map* map_;
    LoopRange* loop_;
    const Moment* moment_;
  };
};

// Owns the texts, lists and maps of one rendering, and counts what they cost. Nothing is freed
// before the heap, so values may refer to each other in any way.
class Heap {
 public:
  using Deadline = std::chrono::steady_clock::time_point;

  // BYTES limits the memory of all values, and STEPS and DEADLINE the work.
  Heap(std::size_t bytes, std::uint64_t steps, Deadline deadline = Deadline::max())
      : most_text_(bytes / 8), bytes_(bytes), steps_(steps), deadline_(deadline) {}
  Heap(const Heap&) = delete;
  Heap& operator=(const Heap&) = delete;

  // One text may have an eighth of all bytes, because functions make several copies of it, some of
  // them wider. Beyond the limits the text is dropped, and Check fails.
  Value Text(std::string text, const Type* type = &kString);
  Value NewList(List elements, const Type* type = &kAnyList);
  Value NewMap(const Type* type = &kAnyMap);
  Value NewMap(Map elements, const Type* type);
  Value NewStruct(List fields, const Type* type);
  Value NewLoop(std::int64_t begin, std::int64_t end);
  Value NewMoment(Moment moment);
  Value Strings(const std::vector<std::string>& texts);
  // Sets the element KEY of MAP, which must not be a nil map.
  void Put(const Value& map, const Value& key, const Value& value);
  void Put(const Value& map, std::string key, const Value& value);

  // Counts COUNT steps of work, and returns false if there are none left or no time is. Whatever
  // repeats itself calls it, because a single step may take long.
  bool Step(std::uint64_t count = 1);
  // Counts a step that may itself take long, and so always looks at the clock.
  bool LongStep();
  // Returns an error if BYTES more are too many.
  Status Allow(std::size_t bytes) const;
  // Returns the error of a rendering that has cost too much, or success.
  Status Check() const;
  std::size_t room() const { return bytes_; }

 private:
  void Charge(std::size_t bytes);

  const std::size_t most_text_;
  std::size_t bytes_;    // that are left
  std::uint64_t steps_;  // that are left
  const Deadline deadline_;
  std::uint64_t until_look_ = 0;  // calls of Step until the next look at the clock
  bool late_ = false;
  bool spent_ = false;
  std::deque<std::string> texts_;
  std::deque<List> lists_;
  std::deque<Map> maps_;
  std::deque<LoopRange> loops_;
  std::deque<Moment> moments_;
};

// Returns the error of a function that cannot use its arguments.
inline Error CallError(std::string what) { return Error(Code::kInvalidArgument, std::move(what)); }

// Returns true if {{if}} takes VALUE for true: it is there, and neither zero nor empty.
bool IsTrue(const Value& value);
// Returns whether both values are equal in all that they hold. What takes too many steps is
// unequal.
bool IsDeeplyEqual(const Value& a, const Value& b, Heap* heap);
// Returns the name of the type of VALUE, as Go prints it.
std::string TypeName(const Value& value);
// Returns the name of the kind of VALUE, as Go's reflection prints it, such as "slice".
std::string KindName(const Value& value);

}  // namespace drover::templates
