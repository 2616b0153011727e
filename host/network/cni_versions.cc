// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/network/cni_versions.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "host/base/unique_fd.h"
#include "host/child/run_program.h"
#include "host/network/cni_call.h"
#include "host/network/conflist.h"
#include "host/spec/strict_json.h"

namespace drover {
namespace {

constexpr std::size_t kMostAsked = 64;
constexpr std::size_t kMostAnswer = 16u << 10;
constexpr std::size_t kLongestVersion = 64;
constexpr std::string_view kInterfaces = "CNI protocol versions supported:";

// The numbers of a version such as "v1.10.0-rc1".
using Numbers = std::array<int, 3>;

// Returns nothing if WORD is no version of two or three numbers.
std::optional<Numbers> NumbersOf(std::string_view word) {
  if (word.starts_with('v')) word.remove_prefix(1);
  if (word.empty() || word.size() > kLongestVersion) return std::nullopt;
  const std::size_t end = std::min(word.find_first_of("-+"), word.size());
  const bool printable = std::ranges::all_of(word, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '.' || c == '-' || c == '+';
  });
  if (!printable) return std::nullopt;
  Numbers numbers{};
  std::size_t count = 0;
  std::size_t digits = 0;
  for (const char c : word.substr(0, end)) {
    if (c == '.' && digits > 0 && count + 1 < numbers.size()) {
      ++count;
      digits = 0;
    } else if (c >= '0' && c <= '9' && ++digits <= 6) {
      numbers[count] = numbers[count] * 10 + (c - '0');
    } else {
      return std::nullopt;
    }
  }
  if (count == 0 || digits == 0) return std::nullopt;
  return numbers;
}

// The newest of several versions.
struct NewestVersion {
  std::string text;  // empty if there is none
  Numbers numbers{};

  void Offer(std::string_view one) {
    const std::optional<Numbers> of_one = NumbersOf(one);
    if (!of_one || (!text.empty() && numbers >= *of_one)) return;
    text = one;
    numbers = *of_one;
  }
};

std::string_view LastWord(std::string_view line) {
  const std::size_t end = line.find_last_not_of(" \t\r");
  if (end == std::string_view::npos) return "";
  line = line.substr(0, end + 1);
  return line.substr(line.find_last_of(" \t") + 1);
}

// Returns the names of the files in DIRECTORY that may be plugins, sorted.
std::set<std::string> NamesIn(const std::string& directory) {
  std::set<std::string> names;
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(opendir(directory.c_str()), closedir);
  while (entries && names.size() < kMostAsked) {
    const dirent* const entry = readdir(entries.get());
    if (entry == nullptr) break;
    if (IsCniName(entry->d_name)) names.insert(entry->d_name);
  }
  return names;
}

// Returns the names of all plugins of PATH.
std::set<std::string> AllNames(const std::string& path) {
  std::set<std::string> names;
  std::size_t begin = 0;
  while (begin <= path.size()) {
    const std::size_t colon = std::min(path.find(':', begin), path.size());
    const std::string directory = path.substr(begin, colon - begin);
    begin = colon + 1;
    if (directory.starts_with('/')) names.merge(NamesIn(directory));
  }
  return names;
}

// Returns the program of the plugin NAME, whose version is not known yet.
std::optional<CniVersion> ProgramOf(const std::string& name, const std::string& path) {
  const Result<std::string> found = FindCniPlugin(name, path);
  struct stat info{};
  if (!found.ok() || stat(found->c_str(), &info) != 0) return std::nullopt;
  if (!S_ISREG(info.st_mode) || (info.st_mode & S_IXUSR) == 0) return std::nullopt;
  const std::int64_t changed =
      std::int64_t{info.st_ctim.tv_sec} * 1'000'000'000 + info.st_ctim.tv_nsec;
  return CniVersion{*found, info.st_ino, changed, ""};
}

// Calls plugins for their versions, within a common limit.
class VersionCalls {
 public:
  explicit VersionCalls(const CniVersionSearch& search)
      : search_(search), until_(BootClock::now() + search.all) {}

  bool over() const { return stopped_ || BootClock::now() >= until_; }

  // Returns nothing if the plugin does not end in time, or the agent ends.
  std::optional<std::string> VersionOf(const std::string& program) {
    ProgramRun run;
    run.arguments = {"--version"};
    std::optional<std::string> said = Call(program, std::move(run));
    if (!said) return std::nullopt;
    if (std::string version = VersionSaid(*said); !version.empty()) return version;
    ProgramRun asked;
    asked.environment = {"CNI_COMMAND=VERSION"};
    asked.input = R"({"cniVersion":"1.0.0"})";
    said = Call(program, std::move(asked));
    if (!said) return std::nullopt;
    return NewestInterface(*said);
  }

 private:
  // Returns what the program has said; empty if it fails.
  std::optional<std::string> Call(const std::string& program, ProgramRun run) {
    run.program = program;
    run.environment.emplace_back("PATH=/usr/sbin:/usr/bin:/sbin:/bin");
    run.stop = search_.stop;
    run.limit = std::clamp<Duration>(until_ - BootClock::now(), 1ms, search_.limit);
    run.most_output = kMostAnswer;
    const Result<ChildEnd> end = RunProgram(run);
    if (!end.ok()) return "";
    stopped_ = stopped_ || end->stopped;
    if (end->stopped || end->timed_out) return std::nullopt;
    if (end->exit_code != 0 || end->too_long) return "";
    return end->output.empty() ? end->stderr_tail : end->output;
  }

  const CniVersionSearch& search_;
  const TimePoint until_;
  bool stopped_ = false;
};

}  // namespace

std::string VersionSaid(std::string_view text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view word = LastWord(text.substr(0, end));
  if (NumbersOf(word)) return std::string(word);
  const std::size_t interfaces = text.find(kInterfaces);
  if (interfaces == std::string_view::npos) return "";
  std::string_view line = text.substr(interfaces + kInterfaces.size());
  line = line.substr(0, line.find('\n'));
  NewestVersion newest;
  while (!line.empty()) {
    const std::size_t comma = std::min(line.find(','), line.size());
    newest.Offer(LastWord(line.substr(0, comma)));
    line.remove_prefix(std::min(comma + 1, line.size()));
  }
  return newest.text;
}

std::string NewestInterface(const std::string& text) {
  const Result<nlohmann::json> read = ParseStrictJson(text, {kMostAnswer, 8});
  if (!read.ok() || !read->is_object()) return "";
  const auto all = read->find("supportedVersions");
  if (all == read->end() || !all->is_array()) return "";
  NewestVersion newest;
  for (const nlohmann::json& one : *all) {
    if (one.is_string()) newest.Offer(one.get_ref<const std::string&>());
  }
  return newest.text;
}

CniVersionMap FindCniVersions(const CniVersionSearch& search, std::vector<std::string>* problems) {
  CniVersionMap found;
  VersionCalls calls(search);
  for (const std::string& name : AllNames(search.path)) {
    if (found.size() >= kMostAsked) break;
    std::optional<CniVersion> plugin = ProgramOf(name, search.path);
    if (!plugin) continue;
    const auto known = search.known.find(name);
    if (known != search.known.end()) {
      plugin->version = known->second.version;
      if (*plugin == known->second) {
        found.emplace(name, std::move(*plugin));
        continue;
      }
    }
    if (calls.over()) continue;  // the next search asks it
    std::optional<std::string> version = calls.VersionOf(plugin->program);
    if (!version && calls.over()) continue;
    if (!version) {
      problems->push_back("the CNI plugin " + Quoted(name) + " took longer than " +
                          FormatDuration(search.limit) + " to say its version");
    }
    plugin->version = version.value_or("");
    found.emplace(name, std::move(*plugin));
  }
  return found;
}

}  // namespace drover
