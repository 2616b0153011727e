// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cli/volume_spec.h"

#include <cctype>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "host/base/text.h"
#include "host/hcl/hcl_program.h"
#include "host/hcl/is_json.h"
#include "host/spec/strict_json.h"

namespace drover {
namespace {

using nlohmann::json;

constexpr JsonLimits kVolumeSpecJson{.bytes = 1u << 20, .depth = 16};

Error WrongVolume(std::string why) { return Error(Code::kInvalidArgument, std::move(why)); }

// Returns KEY in the form in which "PluginID", "plugin_id" and "pluginid" are the same.
std::string PlainVolumeKey(std::string_view key) {
  std::string plain;
  for (const char c : key) {
    if (c != '_') plain += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return plain;
}

// Returns the value of a node of a tree (see ReadHclTree) as JSON. Blocks and keys that stand there
// several times become lists. Throws json::exception if TREE has another form.
Result<json> VolumeOfTree(const json& tree) {
  if (tree.contains("Value")) return tree.at("Value");
  json out;
  if (tree.contains("List")) {
    out = json::array();
    for (const json& one : tree.at("List")) {
      DROVER_ASSIGN(json value, VolumeOfTree(one));
      out.push_back(std::move(value));
    }
    return out;
  }
  out = json::object();
  for (const json& entry : tree.at("Items")) {
    const auto keys = entry.at("Keys").get<std::vector<std::string>>();
    if (keys.size() != 1) {
      return WrongVolume("line " + std::to_string(entry.at("Line").get<int>()) +
                         ": a block of a volume has no name");
    }
    DROVER_ASSIGN(json value, VolumeOfTree(entry.at("Node")));
    const auto [place, is_new] = out.emplace(keys.front(), value);
    if (is_new) continue;
    if (!place->is_array()) *place = json::array({std::move(*place)});
    place->push_back(std::move(value));
  }
  return out;
}

Result<json> ReadHclVolume(const std::string& file, const std::string& text) {
  DROVER_ASSIGN(const HclReply reply, ReadHclTree(file, text));
  if (!reply.diagnostics.empty()) {
    const HclDiagnostic& fault = reply.diagnostics.front();
    const std::string line = fault.line > 0 ? "line " + std::to_string(fault.line) + ": " : "";
    return WrongVolume(line + "not HCL: " + (fault.detail.empty() ? fault.summary : fault.detail));
  }
  try {
    return VolumeOfTree(reply.value);
  } catch (const json::exception& e) {
    return HclNotUnderstood(e.what());
  }
}

// A key of a specification, without "_" and in small letters, and the field of the API.
struct VolumeKey {
  std::string_view plain;
  const char* field;
};
constexpr VolumeKey kTextKeys[] = {{"id", "ID"},
                                   {"name", "Name"},
                                   {"namespace", "Namespace"},
                                   {"pluginid", "PluginID"},
                                   {"nodeid", "NodeID"},
                                   {"nodepool", "NodePool"},
                                   {"hostpath", "HostPath"}};
constexpr VolumeKey kSizeKeys[] = {{"capacity", "CapacityBytes"},
                                   {"capacitybytes", "CapacityBytes"},
                                   {"capacitymin", "RequestedCapacityMinBytes"},
                                   {"requestedcapacityminbytes", "RequestedCapacityMinBytes"},
                                   {"capacitymax", "RequestedCapacityMaxBytes"},
                                   {"requestedcapacitymaxbytes", "RequestedCapacityMaxBytes"}};
constexpr VolumeKey kCapabilityKeys[] = {{"accessmode", "AccessMode"},
                                         {"attachmentmode", "AttachmentMode"}};
constexpr VolumeKey kConstraintKeys[] = {{"attribute", "LTarget"}, {"ltarget", "LTarget"},
                                         {"operator", "Operand"},  {"operand", "Operand"},
                                         {"value", "RTarget"},     {"rtarget", "RTarget"}};
// What the answer of an agent also has, and what a client cannot say.
constexpr std::string_view kOfAnswers[] = {"state",      "createindex", "modifyindex",
                                           "createtime", "modifytime",  "allocations"};

const VolumeKey* FindVolumeKey(std::span<const VolumeKey> keys, std::string_view plain) {
  for (const VolumeKey& key : keys) {
    if (key.plain == plain) return &key;
  }
  return nullptr;
}

// Returns the blocks in VALUE, which is one block or a list of blocks, with their fields.
Result<json> BlocksOf(const std::string& name, const json& value, std::span<const VolumeKey> keys) {
  json out = json::array();
  const json list = value.is_array() ? value : json::array({value});
  for (const json& block : list) {
    if (!block.is_object()) return WrongVolume(Quoted(name) + " must be a block");
    json& fields = out.emplace_back(json::object());
    for (const auto& [key, text] : block.items()) {
      const VolumeKey* const known = FindVolumeKey(keys, PlainVolumeKey(key));
      if (known == nullptr) return WrongVolume(Quoted(key) + " is no key of " + Quoted(name));
      fields[known->field] = text;
    }
  }
  return out;
}

Result<json> ParametersOf(const json& value) {
  json out = json::object();
  const json list = value.is_array() ? value : json::array({value});
  for (const json& block : list) {
    if (!block.is_object()) return WrongVolume("\"parameters\" must be a block");
    for (const auto& [key, text] : block.items()) {
      if (text.is_structured())
        return WrongVolume("the parameter " + Quoted(key) + " must be a text");
      out[key] = text.is_string() ? text : json(text.dump());
    }
  }
  return out;
}

Status ReadType(const json& value) {
  if (value == "host") return {};
  return WrongVolume("\"type\" must be \"host\": there are no other volumes in this version");
}

Status ReadVolumeKey(const std::string& key, const json& value, json* volume) {
  const std::string plain = PlainVolumeKey(key);
  if (plain == "type") return ReadType(value);
  if (const VolumeKey* const text = FindVolumeKey(kTextKeys, plain)) {
    (*volume)[text->field] = value;
  } else if (const VolumeKey* const size = FindVolumeKey(kSizeKeys, plain)) {
    if (!value.is_string()) {
      (*volume)[size->field] = value;
      return {};
    }
    const Result<std::int64_t> bytes = ParseByteCount(value.get<std::string>());
    if (!bytes.ok()) return bytes.error().WithContext(Quoted(key));
    (*volume)[size->field] = *bytes;
  } else if (plain == "capability" || plain == "requestedcapabilities") {
    DROVER_ASSIGN((*volume)["RequestedCapabilities"], BlocksOf(key, value, kCapabilityKeys));
  } else if (plain == "constraint" || plain == "constraints") {
    if (value.is_null()) return {};
    DROVER_ASSIGN((*volume)["Constraints"], BlocksOf(key, value, kConstraintKeys));
  } else if (plain == "parameters") {
    if (value.is_null()) return {};
    DROVER_ASSIGN((*volume)["Parameters"], ParametersOf(value));
  } else {
    for (const std::string_view known : kOfAnswers) {
      if (plain == known) return {};
    }
    return WrongVolume(Quoted(key) + " is no key of a host volume");
  }
  return {};
}

// The factors of the units, in small letters.
struct ByteUnit {
  std::string_view name;
  double factor;
};
constexpr ByteUnit kByteUnits[] = {
    {"", 1},         {"b", 1},    {"k", 1e3},      {"kb", 1e3},    {"kib", 0x1p10},
    {"m", 1e6},      {"mb", 1e6}, {"mib", 0x1p20}, {"g", 1e9},     {"gb", 1e9},
    {"gib", 0x1p30}, {"t", 1e12}, {"tb", 1e12},    {"tib", 0x1p40}};

}  // namespace

Result<std::int64_t> ParseByteCount(const std::string& text) {
  const std::string_view trimmed = Trim(text);
  double number = 0;
  const auto [rest, error] = std::from_chars(trimmed.data(), trimmed.data() + trimmed.size(),
                                             number, std::chars_format::fixed);
  const std::string unit = PlainVolumeKey(Trim(
      std::string_view(rest, static_cast<std::size_t>(trimmed.data() + trimmed.size() - rest))));
  for (const ByteUnit& known : kByteUnits) {
    if (error != std::errc() || known.name != unit) continue;
    const double bytes = number * known.factor;
    if (bytes >= 0 && bytes < 0x1p62) return static_cast<std::int64_t>(bytes);
  }
  return WrongVolume(Quoted(text) + " is no number of bytes, such as \"10GiB\"");
}

Result<json> ReadVolumeSpec(const std::string& file, const std::string& text) {
  Result<json> read =
      IsJsonText(text) ? ParseStrictJson(text, kVolumeSpecJson) : ReadHclVolume(file, text);
  if (!read.ok()) return read.error().WithContext(file);
  if (!read->is_object()) return WrongVolume(file + ": must be an object");
  // The body of a request is a specification, too.
  if (read->size() == 1 && read->contains("Volume") && read->at("Volume").is_object()) {
    json inner = std::move(read->at("Volume"));
    *read = std::move(inner);
  }
  json volume = json::object();
  for (const auto& [key, value] : read->items()) {
    const Status status = ReadVolumeKey(key, value, &volume);
    if (!status.ok()) return status.error().WithContext(file);
  }
  return volume;
}

}  // namespace drover
