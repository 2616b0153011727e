// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/network/conflist.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstddef>
#include <memory>
#include <utility>

#include "host/base/owned_path.h"
#include "host/base/unique_fd.h"
#include "host/spec/strict_json.h"

namespace drover {
namespace {

using nlohmann::json;

constexpr std::size_t kMostConflistBytes = 256u << 10;
constexpr std::size_t kMostPlugins = 16;
constexpr std::size_t kMostConflists = 256;  // files of a directory that are read
constexpr std::size_t kMostProblems = 4;     // that the error of a missing network names
constexpr OwnedKind kConflists{"CNI configurations", "the network of a task"};

Result<CniPlugin> ReadPlugin(const json& of) {
  if (!of.is_object()) return Error(Code::kInvalidArgument, "a plugin must be an object");
  const auto type = of.find("type");
  if (type == of.end() || !type->is_string() || !IsCniName(type->get<std::string>())) {
    return Error(Code::kInvalidArgument, "a plugin needs a \"type\", the name of its program");
  }
  CniPlugin plugin{type->get<std::string>(), of};
  const std::string addresses = plugin.AddressPlugin();
  if (!addresses.empty() && !IsCniName(addresses)) {
    return Error(Code::kInvalidArgument, "the \"type\" of \"ipam\" must be a name of a program");
  }
  return plugin;
}

// Returns the text KEY of OF, or BY_DEFAULT.
std::string TextOf(const json& of, const char* key, const char* by_default = "") {
  const auto found = of.find(key);
  return found != of.end() && found->is_string() ? found->get<std::string>() : by_default;
}

Result<std::string> ReadConflistFile(const std::string& path) {
  DROVER_ASSIGN(const UniqueFd file, OpenOwned(path, O_RDONLY | O_NONBLOCK, kConflists));
  std::string text;
  std::array<char, 8192> buffer{};
  while (text.size() <= kMostConflistBytes) {
    const ssize_t n = read(file.get(), buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return ErrnoError(errno, path);
    if (n == 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(n));
  }
  return Error(Code::kInvalidArgument,
               path + " is larger than " + std::to_string(kMostConflistBytes) + " bytes");
}

// Returns the paths of the configurations in DIRECTORY, sorted, as other programs read them. Adds
// to PROBLEMS if there are more than are read.
std::vector<std::string> ConflistFiles(const std::string& directory,
                                       std::vector<std::string>* problems) {
  std::vector<std::string> files;
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(opendir(directory.c_str()), closedir);
  while (entries) {
    const dirent* const entry = readdir(entries.get());
    if (entry == nullptr) break;
    const std::string_view name = entry->d_name;
    if (name.ends_with(".conflist") || name.ends_with(".conf") || name.ends_with(".json")) {
      files.push_back(directory + "/" + entry->d_name);
    }
  }
  std::ranges::sort(files);
  if (files.size() > kMostConflists) {
    problems->push_back(directory + " has " + std::to_string(files.size()) +
                        " files, and only the first " + std::to_string(kMostConflists) +
                        " are read");
    files.resize(kMostConflists);
  }
  return files;
}

Result<Conflist> ReadConflist(const std::string& path) {
  DROVER_ASSIGN(const std::string text, ReadConflistFile(path));
  Result<Conflist> read = ParseConflist(text);
  if (!read.ok()) return read.error().WithContext(path);
  return read;
}

}  // namespace

bool IsCniName(const std::string& text) {
  return !text.empty() && text.size() <= 128 && text[0] != '.' &&
         std::ranges::all_of(text, [](unsigned char c) {
           return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.';
         });
}

std::string CniPlugin::AddressPlugin() const {
  const auto ipam = config.find("ipam");
  return ipam != config.end() && ipam->is_object() ? TextOf(*ipam, "type") : "";
}

bool CniPlugin::Has(const char* name) const {
  const auto capabilities = config.find("capabilities");
  if (capabilities == config.end() || !capabilities->is_object()) return false;
  const auto found = capabilities->find(name);
  return found != capabilities->end() && found->is_boolean() && found->get<bool>();
}

const std::vector<std::string>& CniVersions() {
  static const auto& versions =
      *new std::vector<std::string>{"0.3.0", "0.3.1", "0.4.0", "1.0.0", "1.1.0"};
  return versions;
}

bool IsCniVersion(std::string_view version, std::string_view from) {
  const auto first = std::ranges::find(CniVersions(), from);
  return std::find(first, CniVersions().end(), version) != CniVersions().end();
}

Result<Conflist> ParseConflist(const std::string& text) {
  DROVER_ASSIGN(const json whole, ParseStrictJson(text, {kMostConflistBytes, 32}));
  if (!whole.is_object()) return Error(Code::kInvalidArgument, "must be an object");
  Conflist list;
  list.name = TextOf(whole, "name");
  if (!IsCniName(list.name)) {
    return Error(Code::kInvalidArgument,
                 "needs a \"name\" of letters, digits, \"_\", \"-\" and \".\"");
  }
  list.version = TextOf(whole, "cniVersion", "0.3.0");
  if (!IsCniVersion(list.version)) {
    return Error(Code::kInvalidArgument, "its cniVersion " + Quoted(list.version) +
                                             " is not known: write one from " +
                                             CniVersions().front() + " to " + CniVersions().back());
  }
  const auto plugins = whole.find("plugins");
  if (plugins == whole.end()) {
    DROVER_ASSIGN(CniPlugin only, ReadPlugin(whole));
    list.plugins.push_back(std::move(only));
  } else if (!plugins->is_array() || plugins->empty() || plugins->size() > kMostPlugins) {
    return Error(Code::kInvalidArgument,
                 "needs a list \"plugins\" of 1 to " + std::to_string(kMostPlugins) + " plugins");
  } else {
    for (const json& of : *plugins) {
      DROVER_ASSIGN(CniPlugin plugin, ReadPlugin(of));
      list.plugins.push_back(std::move(plugin));
    }
  }
  list.text = text;
  return list;
}

Conflist FirstPlugins(Conflist network, std::size_t count) {
  Result<json> whole = ParseStrictJson(network.text, {kMostConflistBytes, 32});
  if (!whole.ok() || count == 0 || count >= network.plugins.size()) return network;
  const auto end = static_cast<std::ptrdiff_t>(count);
  network.plugins.erase(network.plugins.begin() + end, network.plugins.end());
  json& plugins = (*whole)["plugins"];
  plugins.erase(plugins.begin() + end, plugins.end());
  network.text = JsonText(*whole);
  return network;
}

Result<Conflist> FindConflist(const std::string& directory, const std::string& name) {
  std::vector<std::string> problems;
  for (const std::string& path : ConflistFiles(directory, &problems)) {
    Result<Conflist> read = ReadConflist(path);
    if (read.ok() && read->name == name) return read;
    if (!read.ok()) problems.push_back(read.error().message());
  }
  std::string text = "there is no CNI network " + Quoted(name) + " in " + directory;
  for (std::size_t i = 0; i < std::min(problems.size(), kMostProblems); ++i)
    text += "; " + problems[i];
  return Error(Code::kNotFound, std::move(text));
}

std::vector<std::string> ListConflists(const std::string& directory,
                                       std::vector<std::string>* problems) {
  std::vector<std::string> names;
  for (const std::string& path : ConflistFiles(directory, problems)) {
    Result<Conflist> read = ReadConflist(path);
    if (!read.ok()) {
      problems->push_back(read.error().message());
    } else if (std::ranges::count(names, read->name) > 0) {
      problems->push_back(path + " describes the network " + Quoted(read->name) +
                          ", which another file describes already");
    } else {
      names.push_back(std::move(read->name));
    }
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace drover
