// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/result.h"
#include "host/govalues/value.h"

namespace drover::templates {

class RenderState;
struct Function;

// A call of a function.
struct Call {
  const Function* function;
  RenderState* state;
  List arguments;  // of the types that the function takes

  const Value& at(std::size_t i) const { return arguments[i]; }
  std::size_t count() const { return arguments.size(); }
  const std::string& text(std::size_t i) const { return arguments[i].text(); }
  Heap& heap() const;
  // Returns TEXT as a value.
  Value Text(std::string text) const { return heap().Text(std::move(text)); }
};

// A function that templates can call. A method is a function, too: its receiver is the first
// argument.
struct Function {
  std::string_view name;
  // One letter for each argument:
  //   a any value    s string    b bool    i int    l int64    f float64    t time.Time
  //   d time.Duration
  //   A []interface {}    S []string    M map[string]interface {}
  //   P []*dependency.KeyPair    H []*dependency.HealthService
  // A * at the end means any number of the last one.
  std::string_view takes;
  Result<Value> (*run)(const Call& call);

  bool is_variadic() const { return takes.ends_with('*'); }
  // Returns the number of arguments; for a variadic function, of those before the last kind.
  std::size_t fixed() const { return is_variadic() ? takes.size() - 2 : takes.size(); }
  char letter(std::size_t i) const { return takes[i < fixed() ? i : fixed()]; }
};

// Returns the type that a letter of Function::takes means.
const Type* TypeOfLetter(char letter);

using FunctionSpan = std::span<const Function>;

// The functions, by subject. Each is sorted in no way.
FunctionSpan BuiltinFunctions();  // those of text/template, but "and" and "or"
FunctionSpan TextFunctions();
FunctionSpan CaseFunctions();
FunctionSpan NumberFunctions();
FunctionSpan CollectionFunctions();
FunctionSpan DictionaryFunctions();
FunctionSpan DefaultFunctions();
FunctionSpan EncodingFunctions();
FunctionSpan HashFunctions();
FunctionSpan PatternFunctions();
FunctionSpan TimeFunctions();
FunctionSpan UrlFunctions();
FunctionSpan VersionFunctions();
FunctionSpan WatchedFunctions();  // of Consul, Nomad, files and the environment
FunctionSpan GroupFunctions();    // byKey, explode, ...
FunctionSpan CommandLineFunctions();
FunctionSpan ScratchMethods();
FunctionSpan MomentMethods();
FunctionSpan DurationMethods();
FunctionSpan CalendarMethods();  // of months and days of the week

// The functions of one sort of templates.
class FunctionSet {
 public:
  // All of consul-template that can be had here.
  static const FunctionSet& OfTasks();
  // Those of text/template, and json.
  static const FunctionSet& OfCommandLine();

  // Returns the function NAME, or null.
  const Function* Find(std::string_view name) const;
  // Returns why there is no function NAME, if there is one elsewhere.
  std::string_view WhyNot(std::string_view name) const;

 private:
  FunctionSet(std::vector<FunctionSpan> spans, bool of_tasks);
  std::vector<const Function*> functions_;  // by name
  bool of_tasks_;
};

// Returns the method NAME of TYPE, or null.
const Function* FindMethod(const Type* type, std::string_view name);

}  // namespace drover::templates
