// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cli/variable_spec.h"

#include <cctype>
#include <charconv>
#include <nlohmann/json.hpp>
#include <string_view>
#include <system_error>
#include <utility>

#include "host/cli/text_file.h"
#include "host/hcl/hcl_program.h"
#include "host/hcl/is_json.h"
#include "host/spec/strict_json.h"
#include "host/view/json_fields.h"

namespace drover {
namespace {

using nlohmann::json;

constexpr JsonLimits kSpecJson{.bytes = 1u << 20, .depth = 16};

Error WrongSpec(std::string why) { return Error(Code::kInvalidArgument, std::move(why)); }

// Returns KEY in the form in which "ModifyIndex", "modify_index" and "modifyindex" are the same.
std::string PlainKey(std::string_view key) {
  std::string plain;
  for (const char c : key) {
    if (c != '_') plain += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return plain;
}

// Returns the value of a node of a tree (see ReadHclTree) as JSON. Numbers and booleans become
// texts, since a variable has only texts. Throws json::exception if TREE has another form.
Result<json> ValueOfTree(const json& tree) {
  if (tree.contains("Value")) {
    const json& value = tree.at("Value");
    if (value.is_string()) return value;
    if (tree.contains("Written")) return tree.at("Written");
    return json(value.dump());
  }
  if (tree.contains("List")) return WrongSpec("a list is no value of a variable");
  json object = json::object();
  for (const json& entry : tree.at("Items")) {
    const auto keys = entry.at("Keys").get<std::vector<std::string>>();
    const std::string line = "line " + std::to_string(entry.at("Line").get<int>()) + ": ";
    if (keys.size() != 1) return WrongSpec(line + "a block of a variable has no name");
    Result<json> value = ValueOfTree(entry.at("Node"));
    if (!value.ok()) return WrongSpec(line + value.error().message());
    if (!object.emplace(keys.front(), std::move(*value)).second) {
      return WrongSpec(line + Quoted(keys.front()) + " stands there twice");
    }
  }
  return object;
}

Result<json> ReadHclSpec(const std::string& file, const std::string& text) {
  DROVER_ASSIGN(const HclReply reply, ReadHclTree(file, text));
  if (!reply.diagnostics.empty()) {
    const HclDiagnostic& fault = reply.diagnostics.front();
    const std::string line = fault.line > 0 ? "line " + std::to_string(fault.line) + ": " : "";
    return WrongSpec(line + "not HCL: " + (fault.detail.empty() ? fault.summary : fault.detail));
  }
  try {
    return ValueOfTree(reply.value);
  } catch (const json::exception& e) {
    return Error(Code::kInternal,
                 std::string("the answer of drover-hcl is not understood: ") + e.what());
  }
}

Status ReadItems(const json& value, VariableSpec* spec) {
  if (!value.is_object()) return WrongSpec("items: must be a block or an object");
  for (const auto& [key, item] : value.items()) {
    if (!item.is_string()) return WrongSpec("items: " + Quoted(key) + " must be a text");
    spec->items[key] = item.get<std::string>();
  }
  return {};
}

Status ReadText(const std::string& key, const json& value, std::string* out) {
  if (!value.is_string()) return WrongSpec(Quoted(key) + " must be a text");
  *out = value.get<std::string>();
  return {};
}

Status ReadModifyIndex(const json& value, VariableSpec* spec) {
  const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), spec->modify_index.emplace());
  if (error == std::errc() && end == text.data() + text.size()) return {};
  return WrongSpec("the modify index must be a whole number");
}

Status ReadSpecKey(const std::string& key, const json& value, VariableSpec* spec) {
  const std::string plain = PlainKey(key);
  if (plain == "path") return ReadText(key, value, &spec->path);
  if (plain == "namespace") return ReadText(key, value, &spec->name_space);
  if (plain == "items") return ReadItems(value, spec);
  if (plain == "modifyindex") return ReadModifyIndex(value, spec);
  if (plain == "createindex" || plain == "createtime" || plain == "modifytime") return {};
  if (plain == "lock") {
    if (value.is_null()) return {};
    return WrongSpec(Quoted(key) + ": locks of variables are not supported by this version");
  }
  return WrongSpec(Quoted(key) + " is no key of a variable; there are path, namespace and items");
}

// Returns what VALUE of KEY=VALUE stands for.
Result<std::string> ItemValue(std::string_view value, bool* input_used) {
  if (value.starts_with("\\@")) return std::string(value.substr(1));
  const bool is_input = value == "-";
  if (!is_input && !value.starts_with('@')) return std::string(value);
  if (is_input && std::exchange(*input_used, true)) {
    return WrongSpec("standard input can be used only once");
  }
  return ReadTextFile("file of an item", is_input ? "-" : std::string(value.substr(1)));
}

void TrimSlashes(std::string* path) {
  while (path->starts_with('/')) path->erase(0, 1);
  while (path->ends_with('/')) path->pop_back();
}

// Returns whether WANTED is another name than SAID. An empty name is no name.
bool IsOther(const std::string& wanted, const std::string& said) {
  return !wanted.empty() && !said.empty() && wanted != said;
}

// Returns TEXT as a text of HCL.
std::string HclText(const std::string& text) {
  // The first version of HCL has the escapes of JSON, but leaves alone what stands in "${...}".
  std::string quoted = json(text).dump(-1, ' ', false, json::error_handler_t::replace);
  for (std::size_t at = 0; (at = quoted.find("${", at)) != std::string::npos;) {
    quoted.replace(at, 1, "\\u0024");
  }
  return quoted;
}

}  // namespace

Result<VariableSpec> ReadVariableSpec(const std::string& file, const std::string& text,
                                      const std::string& form) {
  const bool is_json = form.empty() ? IsJsonText(text) : form == "json";
  Result<json> read = is_json ? ParseStrictJson(text, kSpecJson) : ReadHclSpec(file, text);
  if (!read.ok()) return read.error().WithContext(file);
  if (!read->is_object()) return WrongSpec(file + ": must be an object");
  VariableSpec spec;
  for (const auto& [key, value] : read->items()) {
    const Status status = ReadSpecKey(key, value, &spec);
    if (!status.ok()) return status.error().WithContext(file);
  }
  return spec;
}

void PlaceSpec(const std::optional<std::string>& path, const std::string& name_space,
               VariableSpec* spec) {
  std::string wanted = path.value_or(spec->path);
  TrimSlashes(&wanted);
  TrimSlashes(&spec->path);
  if (IsOther(wanted, spec->path) || IsOther(name_space, spec->name_space)) {
    spec->modify_index.reset();
  }
  spec->path = wanted;
  if (!name_space.empty()) spec->name_space = name_space;
}

Status ApplyItemArguments(const std::vector<std::string>& arguments, bool input_used,
                          VariableSpec* spec) {
  for (const std::string& argument : arguments) {
    const std::size_t equals = argument.find('=');
    if (equals == std::string::npos || equals == 0) {
      // The argument may be a secret, so the error does not repeat it.
      return WrongSpec("an item must be KEY=VALUE, KEY=@FILE or KEY=-");
    }
    const std::string key = argument.substr(0, equals);
    Result<std::string> value =
        ItemValue(std::string_view(argument).substr(equals + 1), &input_used);
    if (!value.ok()) return value.error().WithContext(key);
    if (value->empty()) {
      spec->items.erase(key);
    } else {
      spec->items[key] = std::move(*value);
    }
  }
  return {};
}

std::string VariableHcl(const json& variable) {
  std::string hcl = "namespace = " + HclText(RawField(variable, "Namespace")) + "\n";
  hcl += "path = " + HclText(RawField(variable, "Path")) + "\n";
  hcl += "modify_index = " + std::to_string(NumberField(variable, "ModifyIndex")) + "\n\n";
  hcl += "items = {\n";
  for (const auto& [key, value] : MapField(variable, "Items").items()) {
    if (!value.is_string()) continue;
    hcl += "  " + HclText(key) + " = " + HclText(value.get<std::string>()) + "\n";
  }
  return hcl + "}\n";
}

}  // namespace drover
