// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "host/template/conversions.h"
#include "host/template/function.h"
#include "host/template/render_state.h"

// The functions that choose between values, or ask for their types.
namespace drover::templates {
namespace {

Result<Value> ChooseDefault(const Call& call) {
  return call.count() < 2 || IsEmpty(call.at(1)) ? call.at(0) : call.at(1);
}

Result<Value> ChooseCoalesce(const Call& call) {
  const auto found = std::ranges::find_if_not(call.arguments, IsEmpty);
  return found == call.arguments.end() ? Value::Nil() : *found;
}

Result<Value> ChooseTernary(const Call& call) { return call.at(call.at(2).boolean() ? 0 : 1); }

Result<Value> CheckEmpty(const Call& call) { return Value::Bool(IsEmpty(call.at(0))); }
Result<Value> CheckAll(const Call& call) {
  return Value::Bool(std::ranges::none_of(call.arguments, IsEmpty));
}
Result<Value> CheckAny(const Call& call) {
  return Value::Bool(!std::ranges::all_of(call.arguments, IsEmpty));
}
Result<Value> CheckDeepEqual(const Call& call) {
  return Value::Bool(IsDeeplyEqual(call.at(0), call.at(1), &call.heap()));
}

Result<Value> TypeOf(const Call& call) { return call.Text(TypeName(call.at(0))); }
Result<Value> TypeIs(const Call& call) { return Value::Bool(TypeName(call.at(1)) == call.text(0)); }
Result<Value> TypeIsLike(const Call& call) {
  const std::string type = TypeName(call.at(1));
  return Value::Bool(type == call.text(0) || type == "*" + call.text(0));
}
Result<Value> KindOf(const Call& call) { return call.Text(KindName(call.at(0))); }
Result<Value> KindIs(const Call& call) { return Value::Bool(KindName(call.at(1)) == call.text(0)); }

Result<Value> Fail(const Call& call) { return CallError(call.text(0)); }

constexpr Function kDefaultFunctions[] = {
    {"sprig_default", "aa*", ChooseDefault},
    {"sprig_coalesce", "a*", ChooseCoalesce},
    {"sprig_ternary", "aab", ChooseTernary},
    {"sprig_empty", "a", CheckEmpty},
    {"sprig_all", "a*", CheckAll},
    {"sprig_any", "a*", CheckAny},
    {"sprig_deepEqual", "aa", CheckDeepEqual},
    {"sprig_typeOf", "a", TypeOf},
    {"sprig_typeIs", "sa", TypeIs},
    {"sprig_typeIsLike", "sa", TypeIsLike},
    {"sprig_kindOf", "a", KindOf},
    {"sprig_kindIs", "sa", KindIs},
    {"sprig_fail", "s", Fail},
};

}  // namespace

FunctionSpan DefaultFunctions() { return kDefaultFunctions; }

}  // namespace drover::templates
