// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

// A task hook that brings secrets: before each start it runs commands of the operator, and writes
// what they print into files of the task. The job says which ones it wants:
//
//   meta { secrets = "database api" }     # gives secrets/database and secrets/api
//
// The operator says what they are, and who may have them:
//
//   plugin "secrets_file" {
//     config {
//       commands {
//         api { command = ["/usr/local/bin/token", "api"] }
//         database {
//           command    = ["/usr/bin/pass", "show", "db"]
//           namespaces = ["default"]
//         }
//       }
//     }
//   }
//   client { task_hooks = ["secrets_file"] }
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "drover/command.hpp"
#include "drover/task_hooks.hpp"

namespace {

const char kConfigSchema[] = R"({
  "type": "object",
  "additionalProperties": false,
  "properties": {
    "commands": {
      "type": "object",
      "default": {},
      "additionalProperties": {
        "type": "object",
        "additionalProperties": false,
        "required": ["command"],
        "properties": {
          "command": {"type": "array", "minItems": 1, "items": {"type": "string", "minLength": 1}},
          "namespaces": {"type": "array", "items": {"type": "string"}}
        }
      }
    }
  }
})";

constexpr std::size_t kMostOutput = 1u << 20;  // bytes of one secret

drover::Error Failed(const std::string& what) {
  return drover::Error(drover::Code::kInternal, what);
}
drover::Error Failed(const std::string& what, int error) {
  return Failed(what + ": " + std::strerror(error));
}
drover::Error Refused(const std::string& what) {
  return drover::Error(drover::Code::kInvalidArgument, what);
}

// A file descriptor that closes itself.
class Fd {
 public:
  explicit Fd(int fd) : fd_(fd) {}
  Fd(const Fd&) = delete;
  Fd& operator=(const Fd&) = delete;
  ~Fd() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }

 private:
  const int fd_;
};

// Returns what the command COMMAND prints. The host runs it, and kills it when CALL is cancelled,
// with all that it has started.
std::string Run(const drover::Host& host, const std::vector<std::string>& command,
                const drover::StringMap& env, const drover::CallView& call) {
  drover::CommandSpec spec;
  spec.argv = command;
  spec.env = env;
  spec.max_output = kMostOutput;
  const drover::CommandResult result = drover::RunCommand(host, spec, &call);
  // The errors go to the log of the agent, where the operator looks for them.
  if (!result.error.empty()) {
    host.Log(drover::LogLevel::kWarn, command[0] + ": " + result.error);
  }
  if (!result.ok()) {
    throw Failed("the command " + command[0] + " has failed with " +
                 (result.exit.signal == 0 ? "exit code " + std::to_string(result.exit.exit_code)
                                          : "signal " + std::to_string(result.exit.signal)));
  }
  if (result.output_truncated) throw Failed(command[0] + " prints more than 1 MiB");
  return result.output;
}

// Opens PATH below DIR, never through a link: the task may have put one there.
int OpenBelow(int dir, const char* path, std::uint64_t flags) {
  open_how how;
  std::memset(&how, 0, sizeof how);
  how.flags = flags | O_CLOEXEC;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  return static_cast<int>(::syscall(SYS_openat2, dir, path, &how, sizeof how));
}

// Writes CONTENT to the file NAME in the secrets directory of the task. The file belongs to the
// owner of the task's directory. If that is root, and the job names no user, the driver will choose
// one: then all may read the file that can enter the directory, and only the task can.
void WriteSecret(const drover::HookRequest& task, const std::string& name,
                 const std::string& content) {
  // The directory of the allocation belongs to the host. The task can change what is below.
  const std::size_t slash = task.task_dir.rfind('/');
  const std::string above = task.task_dir.substr(0, slash);
  const Fd alloc(::open(above.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (alloc.get() < 0) throw Failed(above, errno);
  if (task.secrets_dir.compare(0, above.size() + 1, above + "/") != 0)
    throw Failed("the secrets directory is not below the allocation's");
  const std::string below = task.secrets_dir.substr(above.size() + 1);
  const Fd secrets(OpenBelow(alloc.get(), below.c_str(), O_RDONLY | O_DIRECTORY));
  if (secrets.get() < 0) throw Failed(task.secrets_dir, errno);
  const Fd whole(
      OpenBelow(alloc.get(), task.task_dir.substr(slash + 1).c_str(), O_RDONLY | O_DIRECTORY));
  struct stat of;
  if (whole.get() < 0 || ::fstat(whole.get(), &of) != 0) throw Failed(task.task_dir, errno);
  const mode_t mode = of.st_uid == 0 && task.user.empty() ? 0444 : 0400;

  // The file appears under its name when it is whole.
  const std::string part = "." + name + ".part";
  if (::unlinkat(secrets.get(), part.c_str(), 0) != 0 && errno != ENOENT) throw Failed(part, errno);
  const Fd file(::openat(secrets.get(), part.c_str(),
                         O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0400));
  if (file.get() < 0) throw Failed(part, errno);
  if (::fchown(file.get(), of.st_uid, of.st_gid) != 0 || ::fchmod(file.get(), mode) != 0)
    throw Failed(part, errno);
  for (std::size_t at = 0; at < content.size();) {
    const ssize_t wrote = ::write(file.get(), content.data() + at, content.size() - at);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) throw Failed(part, errno);
    at += static_cast<std::size_t>(wrote);
  }
  if (::renameat(secrets.get(), part.c_str(), secrets.get(), name.c_str()) != 0)
    throw Failed(name, errno);
}

// Whether NAME can be the name of a file, without a way out of its directory.
bool IsFileName(const std::string& name) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
  };
  return !name.empty() && name.size() <= 100 && name[0] != '.' &&
         std::all_of(name.begin(), name.end(), fits);
}

class SecretsFile : public drover::HookDriver {
 public:
  static drover::Info Describe() {
    drover::Info info;
    info.offers = kOffers | DROVER_CAP_HOOK_PRESTART;
    info.config_schema = kConfigSchema;
    return info;
  }

  SecretsFile(drover::Host host, const drover::Json& config) : HookDriver(std::move(host)) {
    Configure(config);
  }

  void Configure(const drover::Json& config) override {
    std::map<std::string, Source> made;
    for (const auto& [name, source] : config["commands"].AsObject()) {
      if (!IsFileName(name)) throw Refused("/commands/" + name + ": is no name for a file");
      Source& of = made[name];
      of.command = source.Strings("command");
      of.namespaces = source.Strings("namespaces");
      if (of.command[0][0] != '/')
        throw Refused("/commands/" + name + "/command/0: must be an absolute path");
    }
    std::lock_guard<std::mutex> lock(mutex_);
    sources_ = std::move(made);
  }

  drover::HookAnswer Hook(const drover::HookRequest& task, const drover::CallView& call) override {
    drover::HookAnswer answer;
    std::istringstream wanted(task.Meta("secrets"));
    std::string written;
    for (std::string name; wanted >> name;) {
      const Source source = Find(name, task.job_namespace);
      const drover::StringMap env = {
          {"PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"},
          {"SECRET_NAME", name},
          {"SECRET_NAMESPACE", task.job_namespace},
          {"SECRET_JOB", task.job_id},
          {"SECRET_TASK", task.task_name},
          {"SECRET_ALLOC_ID", task.alloc_id}};
      WriteSecret(task, name, Run(host(), source.command, env, call));
      written += (written.empty() ? "" : ", ") + name;
    }
    if (!written.empty()) answer.event = "secrets written: " + written;
    return answer;
  }

 private:
  struct Source {
    std::vector<std::string> command;
    std::vector<std::string> namespaces;  // empty: all
  };

  Source Find(const std::string& name, const std::string& job_namespace) {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto found = sources_.find(name);
    if (found == sources_.end()) {
      throw Refused("there is no secret \"" + name +
                    "\": configure a command for it, or correct the job's meta.secrets");
    }
    const std::vector<std::string>& allowed = found->second.namespaces;
    if (!allowed.empty() &&
        std::find(allowed.begin(), allowed.end(), job_namespace) == allowed.end()) {
      throw drover::Error(
          drover::Code::kPermissionDenied,
          "the secret \"" + name + "\" is not for the namespace \"" + job_namespace + "\"");
    }
    return found->second;
  }

  std::mutex mutex_;
  std::map<std::string, Source> sources_;
};

}  // namespace

// It runs commands by the host, which hosts of the minor 0 do not offer.
DROVER_DRIVER_MINOR(SecretsFile, "secrets_file", "0.1.0", "Apache-2.0", 1)
