// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>

#include "host/base/time.h"
#include "host/config/config_document.h"
#include "host/config/config_keys.h"
#include "host/spec/job_limits.h"
#include "host/spec/strict_json.h"

namespace drover {
namespace {

using nlohmann::json;
using enum ConfigKind;
using Kind = ConfigNode::Kind;

// One value of a key, with the labels that stand between the key and the value.
struct Occurrence {
  std::span<const std::string> labels;
  const ConfigNode* node;
  int line;
};

// A name and its values, in the order of the file.
struct Member {
  std::string name;
  std::vector<Occurrence> values;
};

class Members {
 public:
  void Add(const std::string& name, Occurrence value) {
    const auto [found, added] = index_.emplace(name, members_.size());
    if (added) members_.push_back({name, {}});
    members_[found->second].values.push_back(value);
  }
  std::vector<Member>::const_iterator begin() const { return members_.begin(); }
  std::vector<Member>::const_iterator end() const { return members_.end(); }

 private:
  std::vector<Member> members_;
  std::unordered_map<std::string, std::size_t> index_;  // places in members_
};

void AddEntries(const ConfigNode& object, Members* members) {
  for (const ConfigEntry& entry : object.entries) {
    members->Add(entry.keys[0], {std::span(entry.keys).subspan(1), &entry.node, entry.line});
  }
}

bool IsObject(const ConfigNode& node) { return node.kind == Kind::kObject; }

constexpr std::size_t kMaxNameBytes = 256;
// The sum of the sizes of all pointers with a place. Deep keys have long pointers.
constexpr std::size_t kMaxPointerBytes = 64 << 20;

// A JSON pointer in a message replaces control characters, so no name may have them.
bool IsName(const std::string& name) {
  const auto is_control = [](unsigned char c) { return c < ' ' || c == 0x7f; };
  return name.size() <= kMaxNameBytes && std::none_of(name.begin(), name.end(), is_control);
}

// Returns the first entry in NODE whose key or label is no name, or null.
const ConfigEntry* FindBadName(const ConfigNode& node) {
  for (const ConfigEntry& entry : node.entries) {
    if (!std::all_of(entry.keys.begin(), entry.keys.end(), IsName)) return &entry;
    if (const ConfigEntry* const bad = FindBadName(entry.node)) return bad;
  }
  for (const ConfigNode& one : node.list) {
    if (const ConfigEntry* const bad = FindBadName(one)) return bad;
  }
  return nullptr;
}

// Adds the members of an object. In JSON, several blocks are a list of objects. Returns false if
// VALUE is neither.
bool AddMembersOf(const Occurrence& value, Members* members) {
  const ConfigNode& node = *value.node;
  if (!value.labels.empty()) {
    members->Add(value.labels[0], {value.labels.subspan(1), &node, value.line});
    return true;
  }
  if (IsObject(node)) {
    AddEntries(node, members);
    return true;
  }
  if (node.list.empty() || !std::all_of(node.list.begin(), node.list.end(), IsObject)) return false;
  for (const ConfigNode& one : node.list) AddEntries(one, members);
  return true;
}

std::optional<json> AsBoolean(const json& value, bool loose) {
  if (value.is_boolean()) return value;
  if (!loose) return std::nullopt;
  if (value == "true" || value == "1" || value == 1) return true;
  if (value == "false" || value == "0" || value == 0) return false;
  return std::nullopt;
}

std::optional<json> AsText(const json& value, bool loose) {
  if (value.is_string()) return value;
  if (!loose || (!value.is_number() && !value.is_boolean())) return std::nullopt;
  return value.dump();
}

std::optional<json> AsText(const ConfigNode& node, bool loose) {
  if (node.kind != ConfigNode::Kind::kValue) return std::nullopt;
  if (loose && !node.written.empty()) return node.written;
  return AsText(node.value, loose);
}

std::optional<json> AsInteger(const json& value, bool loose) {
  if (value.is_number_unsigned() &&
      value.get<std::uint64_t>() > std::uint64_t{std::numeric_limits<std::int64_t>::max()}) {
    return std::nullopt;
  }
  if (value.is_number_integer()) return value;
  if (!loose || !value.is_string()) return std::nullopt;
  const std::string& text = value.get_ref<const std::string&>();
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || rest != end) return std::nullopt;
  return number;
}

class Shaper {
 public:
  Shaper(const ConfigShapeOptions& options, ConfigDocument* document, ConfigFindings* mistakes)
      : options_(options), document_(document), mistakes_(mistakes) {}

  json Object(const Members& members, std::span<const ConfigKey> keys, const std::string& pointer) {
    json object = json::object();
    for (const Member& member : members) {
      const std::string here = JsonPointer(pointer, member.name);
      SetPlace(here, member);
      if (const ConfigKey* key = FindConfigKey(keys, member.name)) {
        std::optional<json> value = Value(*key, member.values, here);
        if (value) object[member.name] = std::move(*value);
      } else {
        Mistake(here, "is not supported by this version" + Instead(keys, pointer));
      }
    }
    return object;
  }

  void Mistake(const std::string& pointer, const std::string& what) {
    AddFinding({document_->Place(pointer), pointer, what}, mistakes_);
  }

 private:
  void SetPlace(const std::string& pointer, const Member& member) {
    pointer_bytes_ += pointer.size();
    if (pointer_bytes_ > kMaxPointerBytes) return;
    document_->places[pointer] = {options_.file, member.values.front().line};
  }

  // Returns what to do instead of writing an unknown key into the block POINTER with KEYS.
  static std::string Instead(std::span<const ConfigKey> keys, const std::string& pointer) {
    if (pointer == "/client/options") {
      return ": remove it, or write plugin \"NAME\" { config { ... } } for an option of a driver";
    }
    std::string names;
    for (const ConfigKey& key : keys) {
      if (key.state == ConfigState::kDone)
        names += (names.empty() ? "" : ", ") + std::string(key.name);
    }
    return names.empty() ? ": remove it" : "; known here: " + names;
  }

  std::optional<json> Value(const ConfigKey& key, const std::vector<Occurrence>& values,
                            const std::string& pointer) {
    for (const Occurrence& value : values) {
      // A configuration template writes null for a missing value. If null were allowed, the agent
      // would run without the key, for example without a token, and nobody would notice.
      if (value.node->kind == Kind::kValue && value.node->value.is_null()) {
        Mistake(pointer, "is null: write a value, or leave the key out");
        return std::nullopt;
      }
    }
    // HCL repeats blocks. JSON has a list of them.
    if (!options_.loose && Repeated(values, pointer)) return std::nullopt;
    if (key.state != ConfigState::kDone) return Unused(key, values, pointer);
    switch (key.kind) {
      case kObject:
        return Block(key, values, pointer);
      case kNamed:
        return NamedBlocks(key, values, pointer);
      case kKeyed:
        return KeyedBlocks(key, values, pointer);
      case kTextMap:
        return TextMap(values, pointer);
      case kAny: {
        Members members;
        if (!AllMembers(values, pointer, "must be an object", &members)) return std::nullopt;
        return PlainObject(members, pointer);
      }
      default:
        break;
    }
    if (Repeated(values, pointer)) return std::nullopt;
    if (!values[0].labels.empty()) {
      Mistake(pointer, "has no name: it is a value, not a block");
      return std::nullopt;
    }
    return Simple(key, *values[0].node, pointer);
  }

  bool Repeated(const std::vector<Occurrence>& values, const std::string& pointer) {
    if (values.size() == 1) return false;
    Mistake(pointer, "is there twice, in the lines " + std::to_string(values[0].line) + " and " +
                         std::to_string(values[1].line) + ": keep one");
    return true;
  }

  bool AllMembers(const std::vector<Occurrence>& values, const std::string& pointer,
                  const char* mistake, Members* members) {
    for (const Occurrence& value : values) {
      if (AddMembersOf(value, members)) continue;
      Mistake(pointer, mistake);
      return false;
    }
    return true;
  }

  std::optional<json> Block(const ConfigKey& key, const std::vector<Occurrence>& values,
                            const std::string& pointer) {
    if (Repeated(values, pointer)) return std::nullopt;
    const ConfigNode& node = *values[0].node;
    if (!values[0].labels.empty()) {
      const bool named = key.kind == kNamed;  // POINTER ends with its name, and there is another
      Mistake(pointer, std::string(named ? "has one name" : "has no name") + ": write " + key.name +
                           (named ? " \"NAME\" { ... }" : " { ... }"));
      return std::nullopt;
    }
    Members members;
    const bool one = IsObject(node) || node.list.size() == 1;
    if (!one || !AddMembersOf(values[0], &members)) {
      Mistake(pointer, "must be an object");
      return std::nullopt;
    }
    return Object(members, key.members, pointer);
  }

  std::optional<json> NamedBlocks(const ConfigKey& key, const std::vector<Occurrence>& values,
                                  const std::string& pointer) {
    Members named;
    if (!AllMembers(values, pointer, "must be an object by names", &named)) return std::nullopt;
    json blocks = json::object();
    for (const Member& member : named) {
      const std::string here = JsonPointer(pointer, member.name);
      SetPlace(here, member);
      std::optional<json> block = Block(key, member.values, here);
      if (block) blocks[member.name] = std::move(*block);
    }
    return blocks;
  }

  // Returns blocks by the names that they have as members. JSON has a list of them.
  json KeyedBlocks(const ConfigKey& key, const std::vector<Occurrence>& values,
                   const std::string& pointer) {
    json blocks = json::object();
    for (const Occurrence& value : values) {
      const ConfigNode& node = *value.node;
      const bool list = node.kind == Kind::kList && !node.list.empty() &&
                        std::all_of(node.list.begin(), node.list.end(), IsObject);
      if (!value.labels.empty()) {
        Mistake(pointer,
                std::string("has its name inside: write ") + key.name + " { name = \"NAME\" ... }");
      } else if (IsObject(node)) {
        AddKeyedBlock(key, value, pointer, &blocks);
      } else if (list) {
        for (const ConfigNode& one : node.list) {
          AddKeyedBlock(key, {{}, &one, one.line}, pointer, &blocks);
        }
      } else {
        Mistake(pointer, "must be an object, or a list of objects");
      }
    }
    return blocks;
  }

  void AddKeyedBlock(const ConfigKey& key, const Occurrence& value, const std::string& pointer,
                     json* blocks) {
    Members members;
    AddEntries(*value.node, &members);
    std::string name;
    for (const Member& member : members) {
      if (member.name != "name") continue;
      const std::optional<json> text = AsText(*member.values.front().node, options_.loose);
      if (text) name = text->get<std::string>();
    }
    if (name.empty()) name = "default";  // an empty text means that the key is not set
    if (!IsName(name)) {
      Mistake(JsonPointer(pointer, "name"), "is too long, or has control characters: correct it");
      return;
    }
    const std::string here = JsonPointer(pointer, name);
    if (blocks->contains(name)) {
      Mistake(here, "is there twice: give each block a name of its own");
      return;
    }
    SetPlace(here, {name, {value}});
    (*blocks)[name] = Object(members, key.members, here);
  }

  std::optional<json> TextMap(const std::vector<Occurrence>& values, const std::string& pointer) {
    Members members;
    if (!AllMembers(values, pointer, "must be an object of texts", &members)) return std::nullopt;
    json map = json::object();
    for (const Member& member : members) {
      const std::string here = JsonPointer(pointer, member.name);
      SetPlace(here, member);
      if (Repeated(member.values, here)) continue;
      const Occurrence& value = member.values[0];
      const std::optional<json> text =
          value.labels.empty() ? AsText(*value.node, options_.loose) : std::nullopt;
      if (text) map[member.name] = *text;
      if (!text) Mistake(here, "must be a text");
    }
    return map;
  }

  // Returns the value of a key that is not carried out. It may have any form.
  json Unused(const ConfigKey& key, const std::vector<Occurrence>& values,
              const std::string& pointer) {
    json plain = Plain(values, pointer);
    std::optional<json> meant;
    if (key.kind == kBoolean) meant = AsBoolean(plain, options_.loose);
    if (key.kind == kInteger) meant = AsInteger(plain, options_.loose);
    if (key.kind == kText) meant = AsText(plain, options_.loose);
    return meant ? *meant : plain;
  }

  // Returns values of which no form is known. Several values of a key become a list; in JSON they
  // are a mistake.
  json Plain(const std::vector<Occurrence>& values, const std::string& pointer) {
    if (!options_.loose && Repeated(values, pointer)) return json();
    if (values.size() > 1) {
      json list = json::array();
      for (const Occurrence& value : values) list.push_back(Plain({value}, pointer));
      return list;
    }
    const Occurrence& value = values[0];
    const ConfigNode& node = *value.node;
    if (value.labels.empty() && node.kind == Kind::kValue) return node.value;
    if (value.labels.empty() && node.kind == Kind::kList) {
      json list = json::array();
      for (const ConfigNode& one : node.list)
        list.push_back(Plain({{{}, &one, one.line}}, pointer));
      return list;
    }
    Members members;
    AddMembersOf(value, &members);
    return PlainObject(members, pointer);
  }

  json PlainObject(const Members& members, const std::string& pointer) {
    json object = json::object();
    for (const Member& member : members) {
      const std::string here = JsonPointer(pointer, member.name);
      SetPlace(here, member);
      object[member.name] = Plain(member.values, here);
    }
    return object;
  }

  std::optional<json> Simple(const ConfigKey& key, const ConfigNode& node,
                             const std::string& pointer) {
    switch (key.kind) {
      case kText:
        return Checked(AsText(node, options_.loose), pointer, "must be a text");
      case kPath:
        return Path(node, pointer);
      case kBoolean:
        return Checked(AsBoolean(ValueOf(node), options_.loose), pointer, "must be true or false");
      case kInteger:
        return Integer(key, node, pointer);
      case kDuration:
      case kPause:
        return Time(key.kind == kPause, node, pointer);
      default:
        return List(key.kind == kPathList, node, pointer);
    }
  }

  // Null stands for anything but a single value.
  static json ValueOf(const ConfigNode& node) {
    return node.kind == Kind::kValue ? node.value : json();
  }

  std::optional<json> Checked(std::optional<json> value, const std::string& pointer,
                              const std::string& mistake) {
    if (!value) Mistake(pointer, mistake);
    return value;
  }

  std::optional<json> Integer(const ConfigKey& key, const ConfigNode& node,
                              const std::string& pointer) {
    std::optional<json> number = AsInteger(ValueOf(node), options_.loose);
    if (number && (*number < key.least || *number > key.most)) number.reset();
    return Checked(number, pointer,
                   "must be a whole number from " + std::to_string(key.least) + " to " +
                       std::to_string(key.most));
  }

  // An empty path is a mistake. With an empty token_file, for example, an agent would run without
  // a token, and nobody would notice.
  std::optional<json> Path(const ConfigNode& node, const std::string& pointer) {
    const std::optional<json> value =
        Checked(AsText(node, options_.loose), pointer, "must be a text");
    if (!value) return value;
    const std::string& text = value->get_ref<const std::string&>();
    if (text.empty()) return Checked({}, pointer, "is empty: write a path, or leave it out");
    if (text.find('\0') != std::string::npos) {
      return Checked({}, pointer, "holds a NUL character");
    }
    return (std::filesystem::path(options_.directory) / text).lexically_normal().string();
  }

  std::optional<json> Time(bool may_be_zero, const ConfigNode& node, const std::string& pointer) {
    const json value = ValueOf(node);
    if (!value.is_string()) return Checked({}, pointer, "must be a duration such as \"30s\"");
    const Result<Duration> parsed = ParseDuration(value.get<std::string>());
    if (!parsed.ok()) return Checked({}, pointer, parsed.error().message());
    if (may_be_zero && *parsed == Duration(0)) return json("0s");
    if (*parsed <= Duration(0)) return Checked({}, pointer, "must be longer than 0s");
    // A longer duration can overflow a point in time.
    if (*parsed > kLongestOfJob) {
      return Checked({}, pointer,
                     "must be at most " + FormatDuration(kLongestOfJob) + " (100 years)");
    }
    return value;
  }

  std::optional<json> List(bool of_paths, const ConfigNode& node, const std::string& pointer) {
    if (node.kind != Kind::kList) return Checked({}, pointer, "must be a list of texts");
    json list = json::array();
    for (std::size_t i = 0; i < node.list.size(); ++i) {
      const std::string here = of_paths ? JsonPointer(pointer, i) : pointer;
      const std::optional<json> item =
          of_paths ? Path(node.list[i], here)
                   : Checked(AsText(node.list[i], options_.loose), here, "must be a list of texts");
      if (item) list.push_back(*item);
    }
    return list;
  }

  const ConfigShapeOptions& options_;
  ConfigDocument* const document_;
  ConfigFindings* const mistakes_;
  std::size_t pointer_bytes_ = 0;
};

}  // namespace

ConfigDocument ShapeConfig(const ConfigNode& root, const ConfigShapeOptions& options,
                           ConfigFindings* mistakes) {
  ConfigDocument document;
  document.places[""] = {options.file, 0};
  Shaper shaper(options, &document, mistakes);
  if (!IsObject(root)) {
    shaper.Mistake("/", "must be an object");
    return document;
  }
  if (const ConfigEntry* const bad = FindBadName(root)) {
    AddFinding({{options.file},
                "",
                "line " + std::to_string(bad->line) + ": a name is longer than " +
                    std::to_string(kMaxNameBytes) +
                    " bytes or has control characters: shorten or correct it"},
               mistakes);
    return document;
  }
  Members members;
  AddEntries(root, &members);
  document.value = shaper.Object(members, ConfigKeys(), "");
  return document;
}

}  // namespace drover
