// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/conformance/kit_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string_view>

#include "host/spec/strict_json.h"

namespace drover {
namespace {

using KitJson = nlohmann::json;

constexpr std::size_t kMaxKitFile = std::size_t{1} << 20;
constexpr char kExitCodeText[] = "${exit_code}";

Error Wrong(const std::string& place, const std::string& what) {
  return Error(Code::kInvalidArgument, (place.empty() ? "the kit file" : place) + " " + what);
}

// Checks that JSON is an object with no other keys than KNOWN.
Status CheckKeys(const KitJson& json, const std::string& place,
                 std::initializer_list<const char*> known) {
  if (!json.is_object()) return Wrong(place, "must be an object");
  for (const auto& [key, value] : json.items()) {
    bool found = false;
    std::string names;
    for (const char* name : known) {
      found = found || key == name;
      names += (names.empty() ? "" : ", ") + std::string(name);
    }
    if (!found) return Wrong(place + "/" + key, "is not known here: the keys are " + names);
  }
  return {};
}

Result<Duration> ReadLimit(const KitJson& json, const std::string& place) {
  const Result<Duration> limit = json.is_string() ? ParseDuration(json.get<std::string>())
                                                  : Error(Code::kInvalidArgument, "it is no text");
  if (!limit.ok() || *limit <= Duration(0) || *limit > 1h) {
    return Wrong(place, "must be a duration of at most an hour, such as \"30s\"");
  }
  return *limit;
}

Result<int> ReadExitCode(const KitJson& json, const std::string& place, int least) {
  const std::int64_t code = json.is_number_integer() ? json.get<std::int64_t>() : -1;
  if (code < least || code > 255) {
    return Wrong(place, "must be a number from " + std::to_string(least) + " to 255");
  }
  return static_cast<int>(code);
}

// Reads the task NAME, and the code with which it ends if CODE is not null. LEAST is the least code
// that it may have.
Status ReadTask(const KitJson& tasks, const char* name, std::string* config,
                std::optional<int>* code, int least) {
  if (!tasks.contains(name)) return {};
  const std::string place = std::string("/tasks/") + name;
  const KitJson& task = tasks[name];
  if (code != nullptr) {
    DROVER_TRY(CheckKeys(task, place, {"config", "exit_code"}));
  } else {
    DROVER_TRY(CheckKeys(task, place, {"config"}));
  }
  if (!task.contains("config") || !task["config"].is_object()) {
    return Wrong(place + "/config", "must be an object: the configuration of the task");
  }
  *config = task["config"].dump();
  if (code == nullptr || !task.contains("exit_code")) return {};
  DROVER_ASSIGN(const int number, ReadExitCode(task["exit_code"], place + "/exit_code", least));
  *code = number;
  return {};
}

Status ReadTasks(const KitJson& tasks, KitFile* kit) {
  DROVER_TRY(CheckKeys(tasks, "/tasks", {"lasting", "ending", "failing", "writing", "exec"}));
  DROVER_TRY(ReadTask(tasks, "lasting", &kit->lasting, nullptr, 0));
  DROVER_TRY(ReadTask(tasks, "writing", &kit->writing, nullptr, 0));
  DROVER_TRY(ReadTask(tasks, "exec", &kit->exec, nullptr, 0));
  std::optional<int> ending_code;
  DROVER_TRY(ReadTask(tasks, "ending", &kit->ending, &ending_code, 0));
  kit->ending_code = ending_code.value_or(0);
  DROVER_TRY(ReadTask(tasks, "failing", &kit->failing, &kit->failing_code, 1));
  const bool any = kit->failing.find(kExitCodeText) != std::string::npos;
  if (any == kit->failing_code.has_value() && !kit->failing.empty()) {
    return Wrong("/tasks/failing", any ? "has ${exit_code}, so it has no key exit_code"
                                       : "needs an exit_code, or ${exit_code} in its config");
  }
  return {};
}

void Replace(KitJson* json, int code) {
  if (json->is_structured()) {
    for (KitJson& part : *json) Replace(&part, code);
    return;
  }
  if (!json->is_string()) return;
  std::string text = json->get<std::string>();
  if (text == kExitCodeText) {
    *json = code;  // the option is a number
    return;
  }
  const std::string number = std::to_string(code);
  for (std::size_t at = 0; (at = text.find(kExitCodeText, at)) != std::string::npos;) {
    text.replace(at, sizeof kExitCodeText - 1, number);
  }
  *json = text;
}

}  // namespace

Result<KitFile> ParseKitFile(const std::string& text) {
  const Result<KitJson> parsed = ParseStrictJson(text);
  if (!parsed.ok()) return Wrong("", "is refused: " + parsed.error().message());
  const KitJson& json = *parsed;
  DROVER_TRY(CheckKeys(json, "", {"plugin_config", "user", "limits", "tasks"}));
  KitFile kit;
  if (json.contains("plugin_config")) {
    if (!json["plugin_config"].is_object()) return Wrong("/plugin_config", "must be an object");
    kit.plugin_config = json["plugin_config"].dump();
  }
  if (json.contains("user")) {
    if (!json["user"].is_string()) return Wrong("/user", "must be a text");
    kit.user = json["user"].get<std::string>();
  }
  if (json.contains("limits")) {
    const KitJson& limits = json["limits"];
    DROVER_TRY(CheckKeys(limits, "/limits", {"case", "start"}));
    if (limits.contains("case")) {
      DROVER_ASSIGN(kit.case_limit, ReadLimit(limits["case"], "/limits/case"));
    }
    if (limits.contains("start")) {
      DROVER_ASSIGN(kit.start_limit, ReadLimit(limits["start"], "/limits/start"));
    }
  }
  if (json.contains("tasks")) DROVER_TRY(ReadTasks(json["tasks"], &kit));
  return kit;
}

Result<UniqueFd> OpenRegularFile(const std::string& path, const std::string& name) {
  // Without O_NONBLOCK, the open of a FIFO waits for a writer.
  UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat is{};
  if (!file || fstat(file.get(), &is) != 0) return ErrnoError(errno, name);
  if (!S_ISREG(is.st_mode)) return Error(Code::kInvalidArgument, name + " is no regular file");
  return file;
}

std::string FindKitFile(const std::string& plugin_file) {
  std::error_code ignored;
  const std::filesystem::path file = std::filesystem::absolute(plugin_file, ignored);
  const std::string name = file.stem().string() + ".kit.json";
  for (const std::string& beside : {name, std::string("kit.json")}) {
    const std::filesystem::path path = file.parent_path() / beside;
    // A link that leads nowhere is found, so that reading it says what is wrong.
    const std::filesystem::file_status status = std::filesystem::symlink_status(path, ignored);
    if (std::filesystem::exists(status)) return path.string();
  }
  return "";
}

Result<std::string> ReadKitFile(const std::string& path) {
  const std::string name = "the kit file " + path;
  DROVER_ASSIGN(const UniqueFd file, OpenRegularFile(path, name));
  std::string text(kMaxKitFile + 1, '\0');
  std::size_t size = 0;
  for (ssize_t n = 1; n != 0 && size < text.size(); size += static_cast<std::size_t>(n)) {
    do {
      n = read(file.get(), text.data() + size, text.size() - size);
    } while (n < 0 && errno == EINTR);
    if (n < 0) return ErrnoError(errno, name);
  }
  text.resize(size);
  if (text.size() > kMaxKitFile) {
    return Error(Code::kInvalidArgument, path + ": the kit file is longer than 1 MiB");
  }
  const Result<KitFile> kit = ParseKitFile(text);
  if (!kit.ok()) return kit.error().WithContext(path);
  return text;
}

std::string FailingConfig(const KitFile& kit, int code) {
  KitJson json = KitJson::parse(kit.failing, nullptr, false);
  Replace(&json, code);
  return json.dump();
}

}  // namespace drover
