// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/template/template_value.h"

#include <algorithm>
#include <cstdio>
#include <optional>

#include "host/base/printable.h"

namespace drover {
namespace {

using nlohmann::json;
using Arguments = std::vector<json>;

// A width in a format must be less than this. No screen is wider.
constexpr int kWidest = 1000;

const json& Missing() {
  static const json missing(json::value_t::discarded);
  return missing;
}

Error Wrong(const std::string& name, const std::string& what) {
  return Error(Code::kInvalidArgument, name + ": " + what);
}

// Returns -1 if A is less than B, 0 if they are equal, and 1 if A is greater. Returns no value if
// A and B cannot be ordered.
std::optional<int> Compare(const json& a, const json& b) {
  if (a.is_number() && b.is_number()) return a < b ? -1 : (b < a ? 1 : 0);
  if (!a.is_string() || !b.is_string()) return std::nullopt;
  const int order = a.get_ref<const std::string&>().compare(b.get_ref<const std::string&>());
  return order < 0 ? -1 : (order > 0 ? 1 : 0);
}

Result<json> Ordered(const std::string& name, const Arguments& arguments) {
  if (arguments.size() != 2) return Wrong(name, "needs two values");
  const std::optional<int> order = Compare(arguments[0], arguments[1]);
  if (!order) return Wrong(name, "only numbers, or texts, can be compared");
  if (name == "lt") return json(*order < 0);
  if (name == "le") return json(*order <= 0);
  return name == "gt" ? json(*order > 0) : json(*order >= 0);
}

Result<json> Index(const Arguments& arguments) {
  if (arguments.empty()) return Wrong("index", "needs a list or an object");
  json at = arguments[0];
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const json& key = arguments[i];
    if (at.is_object() && key.is_string()) {
      at = TemplateField(at, key.get<std::string>());
    } else if (at.is_array() && key.is_number_integer()) {
      const auto n = key.get<std::int64_t>();
      if (n < 0 || static_cast<std::size_t>(n) >= at.size()) {
        return Wrong("index", key.dump() + " is not in a list of " + std::to_string(at.size()));
      }
      at = json(at[static_cast<std::size_t>(n)]);
    } else {
      return Wrong("index", "needs a list and a number, or an object and a text");
    }
  }
  return at;
}

Result<json> Length(const Arguments& arguments) {
  if (arguments.size() != 1) return Wrong("len", "needs one value");
  const json& value = arguments[0];
  if (value.is_string()) return json(value.get_ref<const std::string&>().size());
  if (value.is_structured() || value.is_null()) return json(value.size());
  return Wrong("len", "only lists, objects and texts have a length");
}

std::string Quoted(const json& value) {
  return json(TemplateText(value)).dump(-1, ' ', false, json::error_handler_t::replace);
}

// Formats VALUE as printf does for "%", FLAGS and VERB.
Result<std::string> Verb(const std::string& flags, char verb, const json& value) {
  char text[kWidest + 400];
  if (verb == 'd' || verb == 'f') {
    if (!value.is_number()) return Wrong("printf", std::string("%") + verb + " needs a number");
    if (verb == 'd') {
      std::snprintf(text, sizeof text, ("%" + flags + "lld").c_str(),
                    static_cast<long long>(value.get<std::int64_t>()));
    } else {
      std::snprintf(text, sizeof text, ("%" + flags + "f").c_str(), value.get<double>());
    }
    return std::string(text);
  }
  if (verb != 's' && verb != 'v' && verb != 'q' && verb != 't') {
    return Wrong("printf", std::string("%") + verb + " is not known");
  }
  const std::string shown = verb == 'q' ? Quoted(value) : TemplateText(value);
  // A text that is longer than any width needs no padding.
  if (shown.size() >= kWidest && flags.find('.') == std::string::npos) return shown;
  std::snprintf(text, sizeof text, ("%" + flags + "s").c_str(), shown.c_str());
  return std::string(text);
}

// Returns true if FLAGS consist of "-", "0", a width and a precision. Each of these is optional.
// Width and precision must not be large.
bool AreFlags(const std::string& flags) {
  int number = 0;
  bool point = false;
  for (std::size_t i = 0; i < flags.size(); ++i) {
    const char c = flags[i];
    if (c == '.' && !point) {
      point = true;
      number = 0;
    } else if (c >= '0' && c <= '9') {
      number = number * 10 + (c - '0');
      if (number > (point ? 300 : kWidest - 1)) return false;
    } else if (c != '-' || i > 0) {
      return false;
    }
  }
  return true;
}

Result<json> Printf(const Arguments& arguments) {
  if (arguments.empty() || !arguments[0].is_string()) return Wrong("printf", "needs a format");
  const std::string format = arguments[0].get<std::string>();
  std::string out;
  std::size_t next = 1;
  for (std::size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%') {
      out += format[i];
      continue;
    }
    std::string flags;
    while (++i < format.size() &&
           std::string_view("-.0123456789").find(format[i]) != std::string_view::npos) {
      flags += format[i];
    }
    if (i == format.size() || !AreFlags(flags)) return Wrong("printf", "an odd % in " + format);
    if (format[i] == '%') {
      out += '%';
      continue;
    }
    if (next == arguments.size()) return Wrong("printf", "too few values for " + format);
    DROVER_ASSIGN(const std::string shown, Verb(flags, format[i], arguments[next++]));
    out += shown;
  }
  if (next != arguments.size()) return Wrong("printf", "too many values for " + format);
  return json(out);
}

std::string Joined(const Arguments& arguments, bool always_spaces) {
  std::string out;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    // As in Go, print adds a space between two operands if neither is a text.
    const bool space =
        always_spaces || (i > 0 && !arguments[i].is_string() && !arguments[i - 1].is_string());
    if (i > 0 && space) out += ' ';
    out += TemplateText(arguments[i]);
  }
  return out;
}

}  // namespace

std::string TemplateText(const json& value) {
  if (value.is_string()) return PrintableLines(value.get_ref<const std::string&>());
  if (value.is_discarded() || value.is_null()) return "<no value>";
  std::string out;
  if (value.is_array()) {
    for (const json& one : value) out += (out.empty() ? "" : " ") + TemplateText(one);
    return "[" + out + "]";
  }
  if (value.is_object()) {
    for (const auto& [key, one] : value.items()) {
      out += (out.empty() ? "" : " ") + PrintableLines(key) + ":" + TemplateText(one);
    }
    return "map[" + out + "]";
  }
  return value.dump();
}

bool TemplateTruth(const json& value) {
  if (value.is_discarded() || value.is_null()) return false;
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number()) return value.get<double>() != 0;
  if (value.is_string()) return !value.get_ref<const std::string&>().empty();
  return !value.empty();
}

json TemplateField(const json& value, const std::string& key) {
  const auto found = value.is_object() ? value.find(key) : value.end();
  return value.is_object() && found != value.end() ? *found : Missing();
}

bool IsTemplateFunction(const std::string& name) {
  for (const char* known : {"and", "or", "not", "eq", "ne", "lt", "le", "gt", "ge", "len", "index",
                            "print", "println", "printf", "json"}) {
    if (name == known) return true;
  }
  return false;
}

Result<json> CallTemplateFunction(const std::string& name, const Arguments& arguments) {
  if (name == "index") return Index(arguments);
  if (name == "len") return Length(arguments);
  if (name == "printf") return Printf(arguments);
  if (name == "print") return json(Joined(arguments, false));
  if (name == "println") return json(Joined(arguments, true) + "\n");
  if (arguments.empty()) return Wrong(name, "needs a value");
  if (name == "lt" || name == "le" || name == "gt" || name == "ge") return Ordered(name, arguments);
  if (name == "json") {
    const json& value = arguments[0];
    return json(value.is_discarded() ? "null"
                                     : value.dump(-1, ' ', true, json::error_handler_t::replace));
  }
  if (name == "not") return json(!TemplateTruth(arguments[0]));
  if (name == "eq" || name == "ne") {
    if (arguments.size() < 2) return Wrong(name, "needs two values");
    // As in Go, eq is true if the first argument equals any of the others.
    const bool any =
        std::find(arguments.begin() + 1, arguments.end(), arguments[0]) != arguments.end();
    return json(any == (name == "eq"));
  }
  // "and" and "or" return the first argument that decides the result, or else the last argument.
  for (const json& value : arguments) {
    if (TemplateTruth(value) == (name == "or")) return value;
  }
  return arguments.back();
}

}  // namespace drover
