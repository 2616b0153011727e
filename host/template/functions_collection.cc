// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "host/govalues/go_text.h"
#include "host/template/conversions.h"
#include "host/template/function.h"
#include "host/template/render_state.h"

// The functions of lists.
namespace drover::templates {
namespace {

// Returns whether V is in L, as consul-template's "in" decides it.
bool IsInside(const Value& l, const Value& v) {
  if (l.is(Kind::kString))
    return v.is(Kind::kString) && FindText(l.text(), v.text()) != std::string_view::npos;
  if (!l.is(Kind::kList)) return false;
  return std::ranges::any_of(l.list(), [&v](const Value& element) {
    if (element.kind() != v.kind()) return false;
    if (v.is(Kind::kInt)) return v.integer() == element.integer();
    if (v.is(Kind::kFloat)) return v.real() == element.real();
    return v.is(Kind::kString) && v.text() == element.text();
  });
}

Result<Value> ListIn(const Call& call) {
  call.heap().Step(call.at(0).is(Kind::kList) ? call.at(0).list().size() : 1);
  return Value::Bool(IsInside(call.at(0), call.at(1)));
}
Result<Value> ListContains(const Call& call) {
  call.heap().Step(call.at(1).is(Kind::kList) ? call.at(1).list().size() : 1);
  return Value::Bool(IsInside(call.at(1), call.at(0)));
}

// Returns whether ALL wanted elements are in the list, or at least one of them. Without any wanted
// element this is ALL.
Result<Value> ContainsSome(const Call& call, bool when_empty, bool stop_at) {
  for (const Value& wanted : call.at(0).list()) {
    if (!call.heap().Step()) break;
    if (IsInside(call.at(1), wanted) == stop_at) return Value::Bool(!when_empty);
  }
  return Value::Bool(when_empty);
}
Result<Value> ListContainsAll(const Call& call) { return ContainsSome(call, true, false); }
Result<Value> ListContainsAny(const Call& call) { return ContainsSome(call, false, true); }
Result<Value> ListContainsNone(const Call& call) { return ContainsSome(call, true, true); }
Result<Value> ListContainsNotAll(const Call& call) { return ContainsSome(call, false, false); }

Result<Value> ListOf(const Call& call) { return call.heap().NewList(call.arguments); }

Result<Value> ListAppend(const Call& call) {
  DROVER_ASSIGN(List list, ElementsOf(call.at(0), "push"));
  list.push_back(call.at(1));
  return call.heap().NewList(std::move(list));
}

Result<Value> ListPrepend(const Call& call) {
  DROVER_ASSIGN(List list, ElementsOf(call.at(0), "prepend"));
  list.insert(list.begin(), call.at(1));
  return call.heap().NewList(std::move(list));
}

Result<Value> ListChunk(const Call& call) {
  const std::int64_t size = call.at(0).integer();
  DROVER_ASSIGN(const List list, ElementsOf(call.at(1), "chunk"));
  if (size < 1) return CallError("the size of a chunk must be at least 1");
  List chunks;
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t count = std::min(static_cast<std::size_t>(size), list.size() - at);
    const auto begin = list.begin() + static_cast<std::ptrdiff_t>(at);
    chunks.push_back(call.heap().NewList(List(begin, begin + static_cast<std::ptrdiff_t>(count))));
    at += count;
  }
  return call.heap().NewList(std::move(chunks), &kAnyLists);
}

Result<Value> ListFirst(const Call& call) {
  DROVER_ASSIGN(const List list, ElementsOf(call.at(0), "first"));
  return list.empty() ? Value::Nil() : list.front();
}
Result<Value> ListLast(const Call& call) {
  DROVER_ASSIGN(const List list, ElementsOf(call.at(0), "last"));
  return list.empty() ? Value::Nil() : list.back();
}
Result<Value> ListRest(const Call& call) {
  DROVER_ASSIGN(List list, ElementsOf(call.at(0), "rest"));
  if (list.empty()) return Value::Zero(&kAnyList);
  list.erase(list.begin());
  return call.heap().NewList(std::move(list));
}
Result<Value> ListInitial(const Call& call) {
  DROVER_ASSIGN(List list, ElementsOf(call.at(0), "initial"));
  if (list.empty()) return Value::Zero(&kAnyList);
  list.pop_back();
  return call.heap().NewList(std::move(list));
}
Result<Value> ListReverse(const Call& call) {
  DROVER_ASSIGN(List list, ElementsOf(call.at(0), "reverse"));
  std::reverse(list.begin(), list.end());
  return call.heap().NewList(std::move(list));
}
Result<Value> ListCompact(const Call& call) {
  DROVER_ASSIGN(List list, ElementsOf(call.at(0), "compact"));
  std::erase_if(list, IsEmpty);
  return call.heap().NewList(std::move(list));
}

bool IsAmong(const List& list, const Value& value, Heap* heap) {
  return std::ranges::any_of(list, [&](const Value& of) { return IsDeeplyEqual(value, of, heap); });
}

Result<Value> ListUniq(const Call& call) {
  DROVER_ASSIGN(const List list, ElementsOf(call.at(0), "uniq"));
  List out;
  for (const Value& value : list) {
    if (!call.heap().Step()) break;
    if (!IsAmong(out, value, &call.heap())) out.push_back(value);
  }
  return call.heap().NewList(std::move(out));
}

Result<Value> ListWithout(const Call& call) {
  DROVER_ASSIGN(const List list, ElementsOf(call.at(0), "without"));
  const List omitted(call.arguments.begin() + 1, call.arguments.end());
  List out;
  for (const Value& value : list) {
    if (!IsAmong(omitted, value, &call.heap())) out.push_back(value);
  }
  return call.heap().NewList(std::move(out));
}

Result<Value> ListHas(const Call& call) {
  if (call.at(1).IsNothing()) return Value::Bool(false);
  DROVER_ASSIGN(const List list, ElementsOf(call.at(1), "has"));
  return Value::Bool(IsAmong(list, call.at(0), &call.heap()));
}

Result<Value> ListSlice(const Call& call) {
  DROVER_ASSIGN(const List list, ElementsOf(call.at(0), "slice"));
  if (list.empty()) return Value::Nil();
  const auto size = static_cast<std::int64_t>(list.size());
  const std::int64_t start = call.count() > 1 ? IntegerOf(call.at(1)) : 0;
  const std::int64_t end = call.count() > 2 ? IntegerOf(call.at(2)) : size;
  if (start < 0 || end > size || start > end) return CallError("slice bounds out of range");
  return call.heap().NewList(List(list.begin() + start, list.begin() + end), call.at(0).type());
}

Result<Value> ListConcat(const Call& call) {
  List out;
  for (const Value& of : call.arguments) {
    DROVER_ASSIGN(const List list, ElementsOf(of, "concat"));
    DROVER_TRY(call.heap().Allow((out.size() + list.size()) * sizeof(Value)));
    out.insert(out.end(), list.begin(), list.end());
  }
  if (out.empty()) return Value::Zero(&kAnyList);
  return call.heap().NewList(std::move(out));
}

Result<Value> ListSortAlpha(const Call& call) {
  DROVER_ASSIGN(std::vector<std::string> texts, TextsOf(call.at(0), call.heap()));
  std::sort(texts.begin(), texts.end());
  return call.heap().Strings(texts);
}

constexpr Function kCollectionFunctions[] = {
    {"in", "aa", ListIn},
    {"contains", "aa", ListContains},
    {"containsAll", "Aa", ListContainsAll},
    {"containsAny", "Aa", ListContainsAny},
    {"containsNone", "Aa", ListContainsNone},
    {"containsNotAll", "Aa", ListContainsNotAll},
    {"sprig_list", "a*", ListOf},
    {"sprig_tuple", "a*", ListOf},
    {"sprig_append", "aa", ListAppend},
    {"sprig_push", "aa", ListAppend},
    {"sprig_mustAppend", "aa", ListAppend},
    {"sprig_mustPush", "aa", ListAppend},
    {"sprig_prepend", "aa", ListPrepend},
    {"sprig_mustPrepend", "aa", ListPrepend},
    {"sprig_chunk", "ia", ListChunk},
    {"sprig_mustChunk", "ia", ListChunk},
    {"sprig_first", "a", ListFirst},
    {"sprig_mustFirst", "a", ListFirst},
    {"sprig_last", "a", ListLast},
    {"sprig_mustLast", "a", ListLast},
    {"sprig_rest", "a", ListRest},
    {"sprig_mustRest", "a", ListRest},
    {"sprig_initial", "a", ListInitial},
    {"sprig_mustInitial", "a", ListInitial},
    {"sprig_reverse", "a", ListReverse},
    {"sprig_mustReverse", "a", ListReverse},
    {"sprig_compact", "a", ListCompact},
    {"sprig_mustCompact", "a", ListCompact},
    {"sprig_uniq", "a", ListUniq},
    {"sprig_mustUniq", "a", ListUniq},
    {"sprig_without", "aa*", ListWithout},
    {"sprig_mustWithout", "aa*", ListWithout},
    {"sprig_has", "aa", ListHas},
    {"sprig_mustHas", "aa", ListHas},
    {"sprig_slice", "aa*", ListSlice},
    {"sprig_mustSlice", "aa*", ListSlice},
    {"sprig_concat", "a*", ListConcat},
    {"sprig_sortAlpha", "a", ListSortAlpha},
};

}  // namespace

FunctionSpan CollectionFunctions() { return kCollectionFunctions; }

}  // namespace drover::templates
