// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/local_commands/plugin_project.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <string_view>
#include <system_error>
#include <utility>

#include "host/abi/plugin_info.h"
#include "host/cli/replace_file.h"

namespace drover {
namespace {

// Drivers that come with Drover: an agent has one driver of a name.
constexpr std::string_view kShippedDrivers[] = {"docker", "exec", "mock_driver", "raw_exec"};
// Targets that a build system has of its own, so no driver can have one of the name.
constexpr std::string_view kBuildTargets[] = {
    "all",          "clean",   "depend",         "edit_cache",    "help",
    "install",      "package", "package_source", "rebuild_cache", "test",
    "experimental", "nightly", "continuous"};

template <std::size_t N>
bool IsOneOf(const std::string& name, const std::string_view (&names)[N]) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

Status CheckName(const std::string& name) {
  if (!IsDriverName(name)) {
    return Error(Code::kInvalidArgument,
                 "NAME: a driver's name has lower case letters, digits, '_' and '-', at most 63");
  }
  if (name.front() == '-') {
    return Error(Code::kInvalidArgument, "NAME: must not begin with '-', as options do");
  }
  if (IsOneOf(name, kShippedDrivers)) {
    return Error(Code::kInvalidArgument,
                 "NAME: " + name + " is a driver of Drover; choose another name");
  }
  if (IsOneOf(name, kBuildTargets)) {
    return Error(Code::kInvalidArgument,
                 "NAME: " + name + " is a target of every build; choose another name");
  }
  return {};
}

// The name as compilers take it.
std::string IdentifierOf(std::string name) {
  std::replace(name.begin(), name.end(), '-', '_');
  const bool letter = name.front() >= 'a' && name.front() <= 'z';
  return letter ? name : "driver_" + name;
}

std::string Filled(std::string text, std::string_view placeholder, const std::string& value) {
  for (std::size_t at = 0; (at = text.find(placeholder, at)) != std::string::npos;) {
    text.replace(at, placeholder.size(), value);
    at += value.size();
  }
  return text;
}

// Writes FILES into the new directory AT.
Status WriteFiles(const std::string& at, const std::vector<ProjectFile>& files) {
  for (const ProjectFile& file : files) {
    const std::string path = at + "/" + file.path;
    std::error_code error;
    std::filesystem::create_directories(std::filesystem::path(path).parent_path(), error);
    if (error) return ErrnoError(error.value(), path);
    DROVER_TRY(WriteNewFile(path, file.text));
  }
  return {};
}

}  // namespace

Result<std::vector<ProjectFile>> MakePluginProject(const std::string& name,
                                                   const std::string& language) {
  DROVER_TRY(CheckName(name));
  std::vector<ProjectFile> project;
  bool known = false;
  for (ProjectFile& file : PluginTemplates()) {
    const std::size_t slash = file.path.find('/');
    const std::string folder = file.path.substr(0, slash);
    if (folder != language && folder != "common") continue;
    known = known || folder == language;
    project.push_back(
        {Filled(file.path.substr(slash + 1), "@NAME@", name),
         Filled(Filled(std::move(file.text), "@NAME@", name), "@IDENT@", IdentifierOf(name))});
  }
  if (!known || language == "common") {
    return Error(Code::kInvalidArgument, "--lang: must be c, cpp or rust");
  }
  return project;
}

Status WritePluginProject(const std::string& directory, const std::vector<ProjectFile>& files) {
  std::string target = directory;
  while (target.size() > 1 && target.back() == '/') target.pop_back();
  std::error_code ignored;
  // A rename would replace the link, not the directory that it leads to.
  if (std::filesystem::is_symlink(target, ignored) &&
      std::filesystem::is_directory(target, ignored)) {
    target = std::filesystem::canonical(target, ignored).string();
  }
  const std::string above = std::filesystem::path(target).parent_path().string();
  const std::string parent = above.empty() ? "." : above;
  // Its name is not made of that of TARGET, which may be as long as a name can be.
  const std::string temporary = parent + "/.drover-new-" + std::to_string(getpid());
  if (mkdir(temporary.c_str(), 0777) != 0) {
    return ErrnoError(errno, errno == EEXIST ? temporary : parent);
  }
  Status done = WriteFiles(temporary, files);
  // This takes the place of an empty directory, and of nothing else.
  if (done.ok() && rename(temporary.c_str(), target.c_str()) != 0) {
    const int why = errno;
    if (why == EEXIST || why == ENOTEMPTY || why == ENOTDIR) {
      done =
          Error(Code::kFailedPrecondition, target + ": exists already, and is no empty directory");
    } else if (why == EBUSY) {
      done = Error(Code::kFailedPrecondition,
                   target + ": cannot be replaced, since it is in use: name a new directory");
    } else {
      done = ErrnoError(why, target);
    }
  }
  if (!done.ok()) std::filesystem::remove_all(temporary, ignored);
  return done;
}

}  // namespace drover
