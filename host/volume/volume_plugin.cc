// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/volume/volume_plugin.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>

#include "host/base/owned_path.h"
#include "host/base/printable.h"
#include "host/child/run_program.h"
#include "host/spec/strict_json.h"
#include "host/volume/volume_draft.h"

namespace drover {
namespace {

using nlohmann::json;

constexpr OwnedKind kPluginFile{"volume plugins", "the plugin"};
constexpr std::size_t kMostPlugins = 64;
constexpr std::size_t kMostVersion = 64;
constexpr std::size_t kMostShown = 512;  // of what a plugin writes, in an error
// The most that a plugin may write to its standard output. After that it is killed.
constexpr std::size_t kMostOutput = std::size_t{64} << 10;
constexpr JsonLimits kAnswerJson{.bytes = kMostOutput, .depth = 16};
constexpr char kFallbackPath[] = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

// Returns the last part of TEXT, for an error of one line.
std::string Tail(const std::string& text) {
  std::string tail =
      text.size() > kMostShown ? "..." + text.substr(text.size() - kMostShown) : text;
  while (!tail.empty() && (tail.back() == '\n' || tail.back() == ' ')) tail.pop_back();
  return Printable(tail);
}

std::string WhyFailed(const ChildEnd& end, Duration limit) {
  if (end.too_long) {
    return "it wrote more than " + std::to_string(kMostOutput) + " bytes, and was killed";
  }
  if (end.stopped) return "it was stopped, since the agent ends";
  if (end.timed_out) return "it did not end within " + FormatDuration(limit) + ", and was killed";
  if (end.signal != 0) return "the signal " + std::to_string(end.signal) + " ended it";
  return "it ended with exit code " + std::to_string(end.exit_code);
}

}  // namespace

Result<VolumePlugin> VolumePlugin::Find(const VolumePluginOptions& options,
                                        const std::string& name) {
  const std::string path = options.directory + "/" + name;
  std::string real;
  const Result<UniqueFd> file = OpenOwned(path, O_PATH, kPluginFile, &real);
  if (!file.ok()) {
    if (file.code() != Code::kNotFound) return file.error();
    return Error(Code::kNotFound, "there is no volume plugin " + Quoted(name) + ": put it into " +
                                      options.directory + ", or use mkdir");
  }
  struct stat info{};
  if (fstat(file->get(), &info) != 0) return ErrnoError(errno, path);
  if (!S_ISREG(info.st_mode) || (info.st_mode & S_IXUSR) == 0) {
    return Error(Code::kInvalidArgument, path + " is no executable file: make it one (chmod u+x)");
  }
  return VolumePlugin(options, name, std::move(real));
}

std::vector<std::string> VolumePlugin::List(const std::string& directory) {
  std::vector<std::string> names;
  std::error_code error;
  std::filesystem::directory_iterator files(directory, error);
  for (; !error && files != std::filesystem::directory_iterator(); files.increment(error)) {
    const std::string name = files->path().filename().string();
    std::error_code ignored;
    if (name[0] == '.' || !files->is_regular_file(ignored)) continue;
    if (access(files->path().c_str(), X_OK) == 0) names.push_back(name);
    if (names.size() == kMostPlugins) break;
  }
  std::ranges::sort(names);
  return names;
}

std::vector<std::string> VolumePlugin::Environment(const std::string& operation,
                                                   const VolumeRecord* volume) const {
  const char* const path = getenv("PATH");
  std::vector<std::string> variables = {
      std::string("PATH=") + (path != nullptr && *path != '\0' ? path : kFallbackPath),
      "DHV_OPERATION=" + operation};
  if (volume == nullptr) return variables;
  const auto add = [&variables](const char* name, const std::string& value) {
    variables.push_back(std::string(name) + "=" + value);
  };
  add("DHV_VOLUMES_DIR", options_.volumes_dir);
  add("DHV_PLUGIN_DIR", options_.directory);
  add("DHV_NAMESPACE", volume->name_space);
  add("DHV_VOLUME_NAME", volume->name);
  add("DHV_VOLUME_ID", volume->id);
  add("DHV_NODE_ID", options_.node_id);
  add("DHV_NODE_POOL", options_.node_pool);
  // A text with a NUL would end early in the environment. JSON writes it as an escape.
  add("DHV_PARAMETERS", JsonText(json(volume->parameters)));
  if (operation == "create") {
    add("DHV_CAPACITY_MIN_BYTES", std::to_string(volume->capacity_min_bytes));
    add("DHV_CAPACITY_MAX_BYTES", std::to_string(volume->capacity_max_bytes));
  } else {
    // Never empty, since a script may remove all below it.
    add("DHV_CREATED_PATH",
        volume->host_path.empty() ? options_.volumes_dir + "/" + volume->id : volume->host_path);
  }
  return variables;
}

Result<std::string> VolumePlugin::Run(const std::string& operation,
                                      const VolumeRecord* volume) const {
  ProgramRun process;
  process.program = file_;
  process.arguments = {operation};
  process.environment = Environment(operation, volume);
  process.limit = volume == nullptr ? options_.fingerprint_limit : options_.limit;
  process.grace = 5s;
  process.stop = options_.stop;
  process.most_output = kMostOutput;
  Result<ChildEnd> end = RunProgram(process);
  if (!end.ok()) return end.error();
  if (!end->too_long && !end->timed_out && !end->stopped && end->signal == 0 &&
      end->exit_code == 0) {
    return std::move(end->output);
  }
  const std::string said = Tail(end->stderr_tail.empty() ? end->output : end->stderr_tail);
  return Error(Code::kInternal, "the volume plugin " + name_ + " failed to " + operation + ": " +
                                    WhyFailed(*end, process.limit) +
                                    (said.empty() ? "" : ": " + said));
}

Result<std::string> VolumePlugin::Fingerprint() const {
  DROVER_ASSIGN(const std::string answer, Run("fingerprint", nullptr));
  const Result<json> object = ParseStrictJson(answer, kAnswerJson);
  const bool has_version =
      object.ok() && object->is_object() && object->value("version", json()).is_string();
  if (!has_version) {
    return Error(Code::kInternal,
                 "the volume plugin " + name_ +
                     " must answer fingerprint with {\"version\": \"...\"}, but its answer is " +
                     Quoted(Tail(answer)));
  }
  return Printable(object->at("version").get<std::string>().substr(0, kMostVersion));
}

Result<MadeVolume> VolumePlugin::Create(const VolumeRecord& volume) const {
  DROVER_ASSIGN(const std::string answer, Run("create", &volume));
  const Result<json> object = ParseStrictJson(answer, kAnswerJson);
  const bool has_path = object.ok() && object->is_object() &&
                        object->value("path", json()).is_string() &&
                        IsVolumePath(object->at("path").get<std::string>());
  const json bytes = has_path ? object->value("bytes", json(0)) : json();
  if (!has_path || !bytes.is_number_integer() || bytes.get<double>() < 0 ||
      bytes.get<double>() >= 0x1p63) {
    return Error(Code::kInternal,
                 "the volume plugin " + name_ +
                     " must answer create with {\"path\": \"/...\", \"bytes\": 0}, but its answer "
                     "is " +
                     Quoted(Tail(answer)));
  }
  return MadeVolume{object->at("path").get<std::string>(), bytes.get<std::int64_t>()};
}

Status VolumePlugin::Delete(const VolumeRecord& volume) const {
  const Result<std::string> answer = Run("delete", &volume);
  return answer.ok() ? Status() : Status(answer.error());
}

}  // namespace drover
