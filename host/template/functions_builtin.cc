// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "host/govalues/go_format.h"
#include "host/govalues/go_text.h"
#include "host/template/function.h"
#include "host/template/render_state.h"

// The functions of Go's text/template.
namespace drover::templates {
namespace {

Error IncompatibleTypes(const Value& a, const Value& b) {
  return CallError("incompatible types for comparison: " + TypeName(a) + " and " + TypeName(b));
}

bool IsBasic(const Value& value) {
  return value.is(Kind::kBool) || value.is(Kind::kInt) || value.is(Kind::kUint) ||
         value.is(Kind::kFloat) || value.is(Kind::kString);
}

Result<bool> IsEqual(const Value& a, const Value& b, Heap* heap) {
  if (a.is(Kind::kInt) && b.is(Kind::kUint)) {
    return a.integer() >= 0 && static_cast<std::uint64_t>(a.integer()) == b.natural();
  }
  if (a.is(Kind::kUint) && b.is(Kind::kInt)) return IsEqual(b, a, heap);
  if (a.IsNothing() || b.IsNothing()) {
    const bool a_nil = a.IsNothing() || a.IsNilContainer();
    const bool b_nil = b.IsNothing() || b.IsNilContainer();
    return !IsBasic(a) && !IsBasic(b) && a_nil == b_nil && a_nil;
  }
  if (IsBasic(a) != IsBasic(b) || (IsBasic(a) && a.kind() != b.kind())) {
    return IncompatibleTypes(a, b);
  }
  if (!IsBasic(a)) {
    if (a.kind() != b.kind()) {
      return CallError("non-comparable types: " + TypeName(a) + " and " + TypeName(b));
    }
    if (a.IsNilContainer() || b.IsNilContainer()) return a.IsNilContainer() == b.IsNilContainer();
    if (a.is(Kind::kList) || a.is(Kind::kMap)) {
      return CallError("non-comparable type: " + TypeName(b));
    }
    return a.IsSameContainer(b);
  }
  switch (a.kind()) {
    case Kind::kBool:
      return a.boolean() == b.boolean();
    case Kind::kInt:
      return a.integer() == b.integer();
    case Kind::kUint:
      return a.natural() == b.natural();
    case Kind::kFloat:
      return a.real() == b.real();
    default:
      return a.text() == b.text();
  }
}

Result<Value> Eq(const Call& call) {
  if (call.count() < 2) return CallError("missing argument for comparison");
  for (std::size_t i = 1; i < call.count(); ++i) {
    DROVER_ASSIGN(const bool equal, IsEqual(call.at(0), call.at(i), &call.heap()));
    if (equal) return Value::Bool(true);
  }
  return Value::Bool(false);
}

Result<Value> Ne(const Call& call) {
  DROVER_ASSIGN(const bool equal, IsEqual(call.at(0), call.at(1), &call.heap()));
  return Value::Bool(!equal);
}

Result<bool> IsLess(const Value& a, const Value& b) {
  if (!IsBasic(a) || !IsBasic(b)) return CallError("invalid type for comparison");
  if (a.is(Kind::kInt) && b.is(Kind::kUint)) {
    return a.integer() < 0 || static_cast<std::uint64_t>(a.integer()) < b.natural();
  }
  if (a.is(Kind::kUint) && b.is(Kind::kInt)) {
    return b.integer() >= 0 && a.natural() < static_cast<std::uint64_t>(b.integer());
  }
  if (a.kind() != b.kind()) return IncompatibleTypes(a, b);
  switch (a.kind()) {
    case Kind::kInt:
      return a.integer() < b.integer();
    case Kind::kUint:
      return a.natural() < b.natural();
    case Kind::kFloat:
      return a.real() < b.real();
    case Kind::kString:
      return a.text() < b.text();
    default:
      return CallError("invalid type for comparison");
  }
}

Result<Value> Lt(const Call& call) {
  DROVER_ASSIGN(const bool less, IsLess(call.at(0), call.at(1)));
  return Value::Bool(less);
}

// As in Go, <= is "less or equal", and > is its opposite.
Result<Value> Le(const Call& call) {
  DROVER_ASSIGN(const bool less, IsLess(call.at(0), call.at(1)));
  if (less) return Value::Bool(true);
  DROVER_ASSIGN(const bool equal, IsEqual(call.at(0), call.at(1), &call.heap()));
  return Value::Bool(equal);
}

Result<Value> Gt(const Call& call) {
  DROVER_ASSIGN(const Value value, Le(call));
  return Value::Bool(!value.boolean());
}

Result<Value> Ge(const Call& call) {
  DROVER_ASSIGN(const bool less, IsLess(call.at(0), call.at(1)));
  return Value::Bool(!less);
}

Result<Value> Not(const Call& call) { return Value::Bool(!IsTrue(call.at(0))); }

// The evaluator decides "and" and "or", because it does not evaluate all of their arguments.
Result<Value> Never(const Call&) { return Value(); }

// Reads an index into what has SIZE elements. The index may be SIZE only if WITH_END.
Result<std::size_t> IndexOf(const Value& index, std::size_t size) {
  if (index.IsNothing()) return CallError("cannot index slice/array with nil");
  if (!index.is(Kind::kInt) && !index.is(Kind::kUint)) {
    return CallError("cannot index slice/array with type " + TypeName(index));
  }
  const bool negative = index.is(Kind::kInt) && index.integer() < 0;
  const std::uint64_t number =
      index.is(Kind::kInt) ? static_cast<std::uint64_t>(index.integer()) : index.natural();
  if (negative || number > size) {
    return CallError("index out of range: " + (index.is(Kind::kInt)
                                                   ? std::to_string(index.integer())
                                                   : std::to_string(number)));
  }
  return static_cast<std::size_t>(number);
}

Result<Value> ElementAt(const Value& item, const Value& index, Heap* heap) {
  if (item.IsNothing()) return CallError("index of nil pointer");
  if (item.is(Kind::kList) || item.is(Kind::kString)) {
    const std::size_t size = item.is(Kind::kList) ? item.list().size() : item.text().size();
    DROVER_ASSIGN(const std::size_t at, IndexOf(index, size));
    if (at == size) return CallError("index out of range: " + std::to_string(at));
    if (item.is(Kind::kList)) return item.list()[at];
    return Value::Uint(static_cast<unsigned char>(item.text()[at]), &kUint8);
  }
  if (!item.is(Kind::kMap)) return CallError("can't index item of type " + TypeName(item));
  const Type* const key = item.type()->key;
  Value wanted = index;
  if (key->kind == Kind::kInt && index.is(Kind::kUint)) {
    wanted = Value::Int(static_cast<std::int64_t>(index.natural()));
  } else if (key != &kAny && index.kind() != key->kind) {
    if (index.IsNothing()) {
      return CallError(std::string("value is nil; should be of type ") + key->name);
    }
    return CallError("value has type " + TypeName(index) + "; should be " + key->name);
  }
  const auto found = item.map().find(wanted);
  if (found != item.map().end()) return found->second;
  (void)heap;
  return Value::Zero(item.type()->element);
}

Result<Value> Index(const Call& call) {
  Value item = call.at(0);
  if (item.IsNothing()) return CallError("index of untyped nil");
  for (std::size_t i = 1; i < call.count(); ++i) {
    DROVER_ASSIGN(item, ElementAt(item, call.at(i), &call.heap()));
  }
  return item;
}

Result<Value> SliceItem(const Call& call) {
  const Value& item = call.at(0);
  if (item.IsNothing()) return CallError("slice of untyped nil");
  if (call.count() > 4)
    return CallError("too many slice indexes: " + std::to_string(call.count() - 1));
  if (!item.is(Kind::kList) && !item.is(Kind::kString)) {
    return CallError("can't slice item of type " + TypeName(item));
  }
  if (item.is(Kind::kString) && call.count() == 4)
    return CallError("cannot 3-index slice a string");
  const std::size_t size = item.is(Kind::kList) ? item.list().size() : item.text().size();
  std::size_t bounds[3] = {0, size, size};
  for (std::size_t i = 1; i < call.count(); ++i) {
    DROVER_ASSIGN(bounds[i - 1], IndexOf(call.at(i), size));
  }
  if (bounds[0] > bounds[1] || bounds[1] > bounds[2]) {
    const bool first = bounds[0] > bounds[1];
    return CallError("invalid slice index: " + std::to_string(bounds[first ? 0 : 1]) + " > " +
                     std::to_string(bounds[first ? 1 : 2]));
  }
  if (item.is(Kind::kString))
    return call.Text(item.text().substr(bounds[0], bounds[1] - bounds[0]));
  const auto begin = item.list().begin();
  return call.heap().NewList(List(begin + static_cast<std::ptrdiff_t>(bounds[0]),
                                  begin + static_cast<std::ptrdiff_t>(bounds[1])),
                             item.type());
}

Result<Value> Len(const Call& call) {
  const Value& item = call.at(0);
  switch (item.kind()) {
    case Kind::kString:
      return Value::Int(static_cast<std::int64_t>(item.text().size()));
    case Kind::kList:
      return Value::Int(static_cast<std::int64_t>(item.list().size()));
    case Kind::kMap:
      return Value::Int(static_cast<std::int64_t>(item.map().size()));
    case Kind::kLoop:
      return Value::Int(0);
    case Kind::kInvalid:
    case Kind::kNil:
      return CallError("len of nil pointer");
    default:
      return CallError("len of type " + TypeName(item));
  }
}

Result<Value> Print(const Call& call) {
  DROVER_ASSIGN(std::string text, Sprint(call.arguments, call.heap().room()));
  return call.Text(std::move(text));
}

Result<Value> Println(const Call& call) {
  DROVER_ASSIGN(std::string text, Sprintln(call.arguments, call.heap().room()));
  return call.Text(std::move(text));
}

Result<Value> Printf(const Call& call) {
  const List values(call.arguments.begin() + 1, call.arguments.end());
  DROVER_ASSIGN(std::string text, Sprintf(call.text(0), values, call.heap().room()));
  return call.Text(std::move(text));
}

// Returns the text of the arguments of html, js and urlquery.
Result<std::string> ArgumentText(const Call& call) {
  if (call.count() == 1 && call.at(0).is(Kind::kString)) return call.text(0);
  List values = call.arguments;
  for (Value& value : values) {
    if (value.IsNothing()) value = call.Text("<no value>");
  }
  return Sprint(values, call.heap().room());
}

Result<Value> Html(const Call& call) {
  DROVER_ASSIGN(const std::string text, ArgumentText(call));
  DROVER_TRY(call.heap().Allow(text.size() * 6));
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '\0':
        out += "\xef\xbf\xbd";
        break;
      case '"':
        out += "&#34;";
        break;
      case '\'':
        out += "&#39;";
        break;
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      default:
        out += c;
    }
  }
  return call.Text(std::move(out));
}

void AppendJs(const Character& c, std::string* out) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  switch (c.value) {
    case '\\':
      *out += "\\\\";
      return;
    case '\'':
      *out += "\\'";
      return;
    case '"':
      *out += "\\\"";
      return;
    case '<':
      *out += "\\u003C";
      return;
    case '>':
      *out += "\\u003E";
      return;
    case '&':
      *out += "\\u0026";
      return;
    case '=':
      *out += "\\u003D";
      return;
    default:
      break;
  }
  if (c.value >= ' ' && (c.value < 0x80 || IsPrint(c.value)) && c.value != 0x7f) {
    AppendCharacter(c.value, out);
  } else if (c.value == 0x7f) {
    *out += '\x7f';
  } else {
    *out += "\\u";
    const int digits = c.value < 0x10000 ? 4 : (c.value < 0x100000 ? 5 : 6);
    for (int shift = (digits - 1) * 4; shift >= 0; shift -= 4)
      *out += kDigits[c.value >> shift & 15];
  }
}

Result<Value> Js(const Call& call) {
  DROVER_ASSIGN(const std::string text, ArgumentText(call));
  DROVER_TRY(call.heap().Allow(text.size() * 6));
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const Character c = CharacterAt(text, at);
    if (c.wrong) {
      out += text[at];
    } else {
      AppendJs(c, &out);
    }
    at += c.length;
  }
  return call.Text(std::move(out));
}

Result<Value> UrlQuery(const Call& call) {
  DROVER_ASSIGN(const std::string text, ArgumentText(call));
  DROVER_TRY(call.heap().Allow(text.size() * 3));
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (byte < 0x80 && (IsLetter(byte) || IsDigitCharacter(byte))) ||
                       (c != '\0' && std::string_view("-_.~").find(c) != std::string_view::npos);
    if (plain) {
      out += c;
    } else if (c == ' ') {
      out += '+';
    } else {
      out += '%';
      out += "0123456789ABCDEF"[byte >> 4];
      out += "0123456789ABCDEF"[byte & 15];
    }
  }
  return call.Text(std::move(out));
}

Result<Value> CallValue(const Call& call) {
  if (call.at(0).IsNothing()) return CallError("call of nil");
  return CallError("non-function of type " + TypeName(call.at(0)));
}

constexpr Function kBuiltins[] = {
    {"and", "aa*", Never},
    {"or", "aa*", Never},
    {"not", "a", Not},
    {"eq", "aa*", Eq},
    {"ne", "aa", Ne},
    {"lt", "aa", Lt},
    {"le", "aa", Le},
    {"gt", "aa", Gt},
    {"ge", "aa", Ge},
    {"index", "aa*", Index},
    {"slice", "aa*", SliceItem},
    {"len", "a", Len},
    {"print", "a*", Print},
    {"println", "a*", Println},
    {"printf", "sa*", Printf},
    {"html", "a*", Html},
    {"js", "a*", Js},
    {"urlquery", "a*", UrlQuery},
    {"call", "aa*", CallValue},
};

}  // namespace

FunctionSpan BuiltinFunctions() { return kBuiltins; }

}  // namespace drover::templates
