// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/artifact/git_clone.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <vector>

#include "host/artifact/fetch_budget.h"
#include "host/artifact/http_download.h"
#include "host/artifact/staged_files.h"
#include "host/child/exec_texts.h"
#include "host/child/self_spawn.h"

namespace drover {
namespace {

constexpr char kGit[] = "/usr/bin/git";
constexpr std::size_t kMostGitOutput = 16 << 10;
// How often the files of a clone are counted while git runs.
constexpr int kCountMs = 500;

struct GitOutput {
  int exit_code = -1;
  std::string text;  // the last bytes of both outputs
};

// Counts all files below DIR, without following links.
Status CountFiles(int dir, std::size_t depth, FetchBudget* budget) {
  if (depth > kMostPathParts) return Error(Code::kResourceExhausted, "the clone is too deep");
  Result<UniqueFd> copy = OpenStaged(dir, ".", O_RDONLY | O_DIRECTORY);
  if (!copy.ok()) return {};  // git has removed it meanwhile
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(fdopendir(copy->get()), closedir);
  if (!entries) return {};
  (void)copy->Release();  // the stream owns it now
  while (const dirent* entry = readdir(entries.get())) {
    const std::string name = entry->d_name;
    struct stat info{};
    if (name == "." || name == "..") continue;
    if (fstatat(dir, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) continue;
    DROVER_TRY(budget->AddFile());
    if (S_ISREG(info.st_mode))
      DROVER_TRY(budget->AddBytes(static_cast<std::uint64_t>(info.st_size)));
    if (!S_ISDIR(info.st_mode)) continue;
    const Result<UniqueFd> below = OpenStaged(dir, name, O_RDONLY | O_DIRECTORY);
    if (below.ok()) DROVER_TRY(CountFiles(below->get(), depth + 1, budget));
  }
  return {};
}

// Short texts stay, since they are parts of words.
void RemoveAll(const std::string& secret, std::string* text) {
  constexpr std::size_t kShort = 4;
  if (secret.size() < kShort) return;
  for (std::size_t at = 0; (at = text->find(secret, at)) != text->npos;) {
    text->erase(at, secret.size());
  }
}

bool IsCommit(const std::string& text) {
  return text.size() >= 40 && text.find_first_not_of("0123456789abcdef") == text.npos;
}

// Executes git in the directory DIR, with OUTPUT as its outputs. Runs in a copy of this process,
// which has one thread. The kernel kills git when this process ends.
[[noreturn]] void BecomeGit(int dir, int output, char* const* arguments, char* const* environment) {
  const int input = open("/dev/null", O_RDONLY | O_CLOEXEC);
  const bool ready = prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) == 0 && fchdir(dir) == 0 &&
                     dup2(input, STDIN_FILENO) >= 0 && dup2(output, STDOUT_FILENO) >= 0 &&
                     dup2(output, STDERR_FILENO) >= 0;
  if (ready) {
    signal(SIGPIPE, SIG_DFL);
    // The descriptors of this process are none of git's.
    syscall(SYS_close_range, 3u, ~0u, 4u /* CLOSE_RANGE_CLOEXEC */);
    execve(kGit, arguments, environment);
  }
  _exit(127);
}

void EndGroup(int) { (void)kill(0, SIGKILL); }

// When the agent dies, the programs that git has started must end too: they would wait for their
// server. The kernel ends only children, so this process ends its group. While the agent lives, it
// does that itself.
Status EndGroupWithAgent() {
  struct sigaction action{};
  action.sa_handler = EndGroup;
  const pid_t agent = getppid();
  if (sigaction(SIGTERM, &action, nullptr) != 0 || prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0) != 0) {
    return ErrnoError(errno, "end git with the agent");
  }
  if (getppid() != agent) EndGroup(SIGTERM);
  return {};
}

class GitCloner {
 public:
  explicit GitCloner(const GitClone& clone)
      : clone_(clone), source_(*clone.source), until_(BootClock::now() + clone.limit) {
    shown_ = source_.url.Shown();
    SourceUrl url = source_.url;
    url.user.clear();  // other users of the machine can read the arguments of a process
    url_ = url.Text();
  }

  Status Run() {
    if (access(kGit, X_OK) != 0) {
      return Error(Code::kUnavailable, "the program " + std::string(kGit) + " is not there", true);
    }
    DROVER_TRY(EndGroupWithAgent());
    std::vector<std::string> arguments = {"clone", "--quiet", "--template="};
    if (source_.depth > 0) {
      arguments.insert(arguments.end(), {"--depth", std::to_string(source_.depth)});
      if (!source_.ref.empty()) arguments.insert(arguments.end(), {"--branch", source_.ref});
    }
    arguments.insert(arguments.end(), {"--", url_, clone_.name});
    DROVER_TRY(Git(arguments));
    if (source_.depth <= 0 && !source_.ref.empty()) DROVER_TRY(CheckOut());
    std::vector<std::string> submodules = {"submodule", "--quiet", "update", "--init",
                                           "--recursive"};
    if (source_.depth > 0) {
      submodules.insert(submodules.end(), {"--depth", std::to_string(source_.depth)});
    }
    const std::string modules = clone_.name + "/.gitmodules";
    if (!OpenStaged(clone_.to, modules, O_PATH).ok()) return {};
    return GitInside(submodules);
  }

 private:
  // The ref may name a branch of the server, a tag, or a commit.
  Status CheckOut() {
    for (const std::string& name :
         {source_.ref, "refs/remotes/origin/" + source_.ref, "refs/tags/" + source_.ref}) {
      DROVER_ASSIGN(const GitOutput found,
                    Run({"-C", clone_.name, "rev-parse", "--verify", "--quiet", "--end-of-options",
                         name + "^{commit}"}));
      if (found.exit_code != 0) continue;
      const std::string commit = found.text.substr(0, found.text.find('\n'));
      if (IsCommit(commit)) return GitInside({"checkout", "--quiet", "--detach", commit});
    }
    return Error(Code::kInvalidArgument, shown_ + ": the repository has no ref " + source_.ref);
  }

  Status GitInside(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"-C", clone_.name});
    return Git(arguments);
  }

  Status Git(const std::vector<std::string>& arguments) {
    DROVER_ASSIGN(const GitOutput output, Run(arguments));
    if (output.exit_code == 0) return {};
    return Error(Code::kUnavailable, shown_ + ": git fails: " + WithoutSecrets(output.text), true);
  }

  // git writes the URL in many of its messages.
  std::string WithoutSecrets(std::string text) const {
    const std::string& user = source_.url.user;
    if (!user.empty()) {
      RemoveAll(user + "@", &text);
      RemoveAll(user.substr(user.find(':') + 1), &text);
    }
    RemoveAll(source_.url.QueryText(), &text);
    while (!text.empty() && text.back() == '\n') text.pop_back();
    std::replace(text.begin(), text.end(), '\n', ';');
    return text.empty() ? "it says nothing" : text;
  }

  // Submodules may have other servers. The repository itself is not redirected from https to http.
  Result<std::vector<std::string>> Environment(bool for_submodules) const {
    const bool only_https = source_.url.scheme == "https" && !for_submodules;
    std::vector<std::string> environment = {
        "PATH=/usr/bin:/bin",
        "HOME=/nonexistent",
        "LC_ALL=C.UTF-8",
        std::string("GIT_ALLOW_PROTOCOL=https") + (only_https ? "" : ":http:git"),
        "GIT_CONFIG_NOSYSTEM=1",
        "GIT_CONFIG_GLOBAL=/dev/null",
        "GIT_ATTR_NOSYSTEM=1",
        "GIT_TERMINAL_PROMPT=0",
        "GIT_ASKPASS=/bin/false",
        "GIT_LFS_SKIP_SMUDGE=1"};
    for (std::string& variable : OwnEnvironment()) {
      const std::string_view name = std::string_view(variable).substr(0, variable.find('='));
      const bool is_proxy = name.ends_with("_proxy") || name.ends_with("_PROXY");
      // The library of git looks only at its own names of these two.
      const bool is_file = name == "SSL_CERT_FILE", is_directory = name == "SSL_CERT_DIR";
      if (is_file || is_directory) {
        environment.push_back((is_file ? "GIT_SSL_CAINFO" : "GIT_SSL_CAPATH") +
                              variable.substr(name.size()));
      }
      if (is_proxy || is_file || is_directory) environment.push_back(std::move(variable));
    }
    if (!source_.url.user.empty()) {
      // Only for this server, not for those of submodules. In contrast to an argument or a file,
      // nobody else can read it, and it does not stay.
      DROVER_ASSIGN(const std::string authorization, BasicAuthorization(source_.url));
      environment.insert(environment.end(), {std::string("GIT_CONFIG_COUNT=1"),
                                             "GIT_CONFIG_KEY_0=http." + source_.url.scheme + "://" +
                                                 source_.url.host + "/.extraHeader",
                                             "GIT_CONFIG_VALUE_0=Authorization: " + authorization});
    }
    return environment;
  }

  Result<GitOutput> Run(const std::vector<std::string>& wanted) {
    std::vector<std::string> arguments = {
        "git",
        "-c",
        "core.hooksPath=/dev/null",
        "-c",
        "core.fsmonitor=false",
        "-c",
        "gc.auto=0",
        "-c",
        "credential.helper=",
        "-c",
        "http.followRedirects=initial",
        "-c",
        "safe.directory=*",
        "-c",
        clone_.insecure ? "http.sslVerify=false" : "http.sslVerify=true"};
    arguments.insert(arguments.end(), wanted.begin(), wanted.end());
    const bool for_submodules = wanted.size() > 2 && wanted[2] == "submodule";  // after "-C NAME"
    DROVER_ASSIGN(std::vector<std::string> environment, Environment(for_submodules));
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0) return ErrnoError(errno, "pipe");
    const UniqueFd output(ends[0]);
    UniqueFd input(ends[1]);
    fcntl(input.get(), F_SETFL, 0);  // git must not see a pipe that does not block
    const pid_t pid = fork();
    if (pid < 0) return ErrnoError(errno, "start git");
    if (pid == 0) {
      BecomeGit(clone_.to, input.get(), ExecTexts(&arguments).data(),
                ExecTexts(&environment).data());
    }
    input.Reset();
    return Await(pid, output.get());
  }

  // Waits for the end of git. When a limit is passed, returns at once: this process then ends, and
  // git with it, since the agent kills its process group.
  Result<GitOutput> Await(pid_t pid, int output) {
    GitOutput end;
    bool open = true;
    while (true) {
      if (BootClock::now() > until_) {
        return Error(Code::kTimeout,
                     shown_ + ": git takes longer than " + FormatDuration(clone_.limit), true);
      }
      pollfd event{open ? output : -1, POLLIN, 0};
      const int ready = poll(&event, 1, open ? kCountMs : 10);
      if (ready > 0) open = ReadSome(output, &end.text);
      siginfo_t info{};
      if (WaitForChild(pid, WNOHANG, &info)) {
        while (open && ReadSome(output, &end.text)) {
          pollfd more{output, POLLIN, 0};
          if (poll(&more, 1, 0) <= 0) break;
        }
        end.exit_code = info.si_code == CLD_EXITED ? info.si_status : -1;
        DROVER_TRY(Count());
        return end;
      }
      if (ready <= 0) DROVER_TRY(Count());
    }
  }

  static bool ReadSome(int output, std::string* text) {
    std::array<char, 4096> block{};
    const ssize_t n = read(output, block.data(), block.size());
    if (n < 0) return errno == EAGAIN || errno == EINTR;
    text->append(block.data(), static_cast<std::size_t>(n));
    if (text->size() > kMostGitOutput) text->erase(0, text->size() - kMostGitOutput);
    return n > 0;
  }

  Status Count() {
    const Result<UniqueFd> made = OpenStaged(clone_.to, clone_.name, O_RDONLY | O_DIRECTORY);
    if (!made.ok()) return {};  // it is not there yet
    FetchBudget budget("the files of the clone", clone_.most_bytes, clone_.most_files);
    const Status counted = CountFiles(made->get(), 0, &budget);
    if (!counted.ok()) return counted.error().WithContext(shown_);
    if (clone_.progress >= 0) StoreProgress(clone_.progress, {budget.bytes(), 0});
    return {};
  }

  const GitClone& clone_;
  const ArtifactSource& source_;
  const TimePoint until_;
  std::string shown_;
  std::string url_;
};

}  // namespace

Status CloneByGit(const GitClone& clone) { return GitCloner(clone).Run(); }

}  // namespace drover
