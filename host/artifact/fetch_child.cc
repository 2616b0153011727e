// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/artifact/fetch_child.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "host/artifact/artifact_source.h"
#include "host/artifact/fetch_budget.h"
#include "host/artifact/fetch_file.h"
#include "host/artifact/fetch_order.h"
#include "host/artifact/file_checksum.h"
#include "host/artifact/find_subdir.h"
#include "host/artifact/git_clone.h"
#include "host/artifact/http_download.h"
#include "host/artifact/staged_files.h"
#include "host/artifact/unpack.h"
#include "host/base/write_whole.h"
#include "host/child/network_rights.h"

namespace drover {
namespace {

using Kind = ArtifactSource::Kind;

// Names in the directory of this process.
constexpr char kContent[] = "content";

constexpr std::uint64_t kMostChecksumFile = 1 << 20;
constexpr std::size_t kMostOrder = 4 << 20;

// What a resolver of names, TLS and the C library read. The private keys of the machine are beside
// some of these, and must not be here: the process of git may read the files of all users.
constexpr const char* kSystemFiles[] = {"/lib",
                                        "/lib64",
                                        "/usr/lib",
                                        "/usr/lib64",
                                        "/usr/local/lib",
                                        "/etc/ld.so.cache",
                                        "/etc/resolv.conf",
                                        "/etc/hosts",
                                        "/etc/host.conf",
                                        "/etc/nsswitch.conf",
                                        "/etc/gai.conf",
                                        "/etc/services",
                                        "/etc/protocols",
                                        "/etc/localtime",
                                        "/usr/share/zoneinfo",
                                        "/etc/ssl/cert.pem",
                                        "/etc/ssl/certs",
                                        "/etc/ssl/openssl.cnf",
                                        "/etc/pki/ca-trust",
                                        "/etc/pki/tls/cert.pem",
                                        "/etc/pki/tls/certs",
                                        "/etc/pki/tls/openssl.cnf",
                                        "/etc/crypto-policies",
                                        "/etc/ca-certificates",
                                        "/usr/share/ca-certificates",
                                        "/usr/local/share/ca-certificates",
                                        "/usr/lib/ssl"};
// What git needs beside these.
constexpr const char* kGitFiles[] = {
    "/usr/bin", "/bin", "/usr/libexec", "/usr/share/git-core", "/etc/passwd", "/etc/group"};

// Adds the paths of the variable NAME, which are separated by colons.
void AddPaths(const char* name, std::vector<std::string>* paths) {
  const char* const value = std::getenv(name);
  if (value == nullptr) return;
  std::istringstream all(value);
  for (std::string path; std::getline(all, path, ':');) {
    if (path.starts_with('/')) paths->push_back(path);
  }
}

NetworkRights RightsFor(const FetchOrder& order, const ArtifactSource& source) {
  NetworkRights rights;
  rights.writable = kFetchInto;
  rights.readable = SystemFilesOfFetches(source.kind == Kind::kGit);
  for (const char* name : {"SSL_CERT_FILE", "SSL_CERT_DIR"}) AddPaths(name, &rights.readable);
  if (source.kind == Kind::kGit) {
    rights.starts_programs = true;
    rights.passes_directories = true;
  }
  if (source.kind == Kind::kFile) {
    rights.readable.insert(rights.readable.end(), order.file_sources.begin(),
                           order.file_sources.end());
  }
  rights.without_rules = order.without_rules;
  rights.most_memory = order.limits.most_memory;
  rights.most_file = std::max(order.limits.most_bytes, order.limits.most_unpacked);
  return rights;
}

class Fetcher {
 public:
  Fetcher(const FetchOrder& order, const ArtifactSource& source)
      : order_(order), limits_(order.limits), source_(source) {}

  Result<Fetched> Run() {
    DROVER_TRY(FindWantedChecksum());
    if (source_.kind == Kind::kGit) return FetchRepository();
    if (source_.kind == Kind::kFile && source_.archive.empty()) return FetchFromHost();
    DROVER_TRY(Download());
    DROVER_ASSIGN(UniqueFd file, OpenStaged(kFetchInto, kFetchDownload, O_RDONLY));
    if (checksum_) {
      const Status checked = CheckFileChecksum(file.get(), *checksum_);
      if (!checked.ok()) return checked.error().WithContext(source_.url.Shown());
    }
    if (source_.archive.empty()) return Fetched{kFetchDownload, false, source_.filename};
    return Unpack(std::move(file));
  }

 private:
  Status FindWantedChecksum() {
    checksum_ = source_.checksum;
    if (source_.checksum_source.empty()) return {};
    DROVER_ASSIGN(const ArtifactSource sums,
                  ParseArtifactSource(source_.checksum_source, {{"archive", "false"}},
                                      Artifact::Mode::kFile));
    if (sums.kind != Kind::kHttp) {
      return Error(Code::kInvalidArgument, "a file of checksums is fetched only by http or https");
    }
    std::string text;
    HttpDownload download = DownloadOf(sums.url);
    if (sums.url.Origin() != source_.url.Origin()) download.headers.clear();
    download.take = [&text](std::string_view bytes) -> Status {
      text += bytes;
      if (text.size() <= kMostChecksumFile) return {};
      return Error(Code::kResourceExhausted, "the file of checksums is larger than 1 MiB");
    };
    DROVER_TRY(DownloadByHttp(std::move(download)));
    checksum_ = FindChecksum(text, source_.url.path, sums.url.path);
    if (checksum_) return {};
    return Error(Code::kUnavailable, "no checksum is found in " + sums.url.Shown(), true);
  }

  HttpDownload DownloadOf(const SourceUrl& url) const {
    HttpDownload download;
    download.url = url;
    download.headers = order_.artifact.headers;
    download.insecure = order_.artifact.insecure;
    download.limit = limits_.http_time;
    return download;
  }

  Status Download() {
    constexpr int kFlags = O_WRONLY | O_CREAT | O_EXCL;
    DROVER_ASSIGN(const UniqueFd file, OpenStaged(kFetchInto, kFetchDownload, kFlags, 0755));
    // A download has no mode, and many are the program of their task.
    if (fchmod(file.get(), 0755) != 0) return ErrnoError(errno, "chmod");
    FetchBudget budget("the bytes of the source", limits_.most_bytes, 1);
    if (order_.is_cached) return CopyContent(kFetchCached, file.get(), &budget, kFetchProgress);
    if (source_.kind == Kind::kFile) {
      DROVER_ASSIGN(const UniqueFd from, OpenOnHost(source_.url.path));
      return CopyContent(from.get(), file.get(), &budget, kFetchProgress);
    }
    FetchProgress progress;
    HttpDownload download = DownloadOf(source_.url);
    download.take_size = [&progress](std::uint64_t size) { progress.total = size; };
    download.take = [&](std::string_view bytes) -> Status {
      DROVER_TRY(budget.AddBytes(bytes.size()));
      DROVER_TRY(WriteWhole(file.get(), bytes));
      progress.bytes = budget.bytes();
      StoreProgress(kFetchProgress, progress);
      return {};
    };
    return DownloadByHttp(std::move(download));
  }

  static Result<UniqueFd> OpenOnHost(const std::string& path) {
    const UniqueFd root(open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!root) return ErrnoError(errno, "/");
    DROVER_ASSIGN(UniqueFd file,
                  OpenStaged(root.get(), CleanPath(path).substr(1), O_RDONLY | O_NONBLOCK));
    struct stat info{};
    if (fstat(file.get(), &info) == 0 && S_ISREG(info.st_mode)) return file;
    return Error(Code::kInvalidArgument, path + " is no regular file");
  }

  Result<Fetched> FetchFromHost() {
    FetchBudget budget("the files of the source", limits_.most_bytes, limits_.most_files);
    bool is_directory = false;
    DROVER_TRY(CopyFromHost(source_.url.path, kFetchInto, kContent, &budget, &is_directory));
    const bool wants_file = order_.artifact.mode == Artifact::Mode::kFile;
    if (is_directory && wants_file) {
      return Error(Code::kInvalidArgument,
                   source_.url.Shown() + " is a directory, but mode is \"file\"");
    }
    if (is_directory) {
      if (checksum_) return Error(Code::kInvalidArgument, "a directory has no checksum");
      return Directory();
    }
    if (order_.artifact.mode == Artifact::Mode::kDir || !source_.subdir.empty()) {
      return Error(Code::kInvalidArgument, source_.url.Shown() + " is no directory");
    }
    if (checksum_) {
      DROVER_ASSIGN(const UniqueFd file, OpenStaged(kFetchInto, kContent, O_RDONLY));
      DROVER_TRY(CheckFileChecksum(file.get(), *checksum_));
    }
    return Fetched{kContent, false, source_.filename};
  }

  Result<Fetched> FetchRepository() {
    GitClone clone;
    clone.source = &source_;
    clone.to = kFetchInto;
    clone.name = kContent;
    clone.insecure = order_.artifact.insecure;
    clone.limit = limits_.git_time;
    clone.most_bytes = limits_.most_bytes;
    // A clone has files of git beside those of the repository.
    clone.most_files = 16 * limits_.most_files;
    clone.progress = kFetchProgress;
    DROVER_TRY(CloneByGit(clone));
    if (source_.repository_file.empty()) return Directory();
    const std::string path = std::string(kContent) + "/" + source_.repository_file;
    DROVER_ASSIGN(const UniqueFd file, OpenStaged(kFetchInto, path, O_RDONLY | O_NONBLOCK));
    struct stat info{};
    if (fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode)) {
      return Error(Code::kInvalidArgument, "the repository has no file " + source_.repository_file);
    }
    if (checksum_) DROVER_TRY(CheckFileChecksum(file.get(), *checksum_));
    return Fetched{path, false, ""};
  }

  Result<Fetched> Unpack(UniqueFd file) {
    if (mkdirat(kFetchInto, kContent, 0755) != 0) return ErrnoError(errno, "make a directory");
    DROVER_ASSIGN(const UniqueFd to, OpenStaged(kFetchInto, kContent, O_RDONLY | O_DIRECTORY));
    UnpackOrder unpack;
    unpack.archive = file.get();
    unpack.form = source_.archive;
    unpack.to = to.get();
    if (source_.single) unpack.single = "file";
    unpack.most_bytes = limits_.most_unpacked;
    unpack.most_files = limits_.most_files;
    const Status unpacked = UnpackArchive(unpack);
    if (!unpacked.ok()) return unpacked.error().WithContext(source_.url.Shown());
    // Its space is not needed any more.
    if (!order_.keeps_download) unlinkat(kFetchInto, kFetchDownload, 0);
    if (source_.single) return Fetched{std::string(kContent) + "/file", false, ""};
    return Directory();
  }

  Result<Fetched> Directory() const {
    if (source_.subdir.empty()) return Fetched{kContent, true, ""};
    DROVER_ASSIGN(const UniqueFd top, OpenStaged(kFetchInto, kContent, O_RDONLY | O_DIRECTORY));
    DROVER_ASSIGN(const std::string path, FindSubdir(top.get(), source_.subdir));
    struct stat info{};
    if (fstatat(top.get(), path.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0 ||
        !S_ISDIR(info.st_mode)) {
      return Error(Code::kInvalidArgument, "the subdirectory " + path + " is no directory");
    }
    return Fetched{std::string(kContent) + "/" + path, true, ""};
  }

  const FetchOrder& order_;
  const FetchLimits& limits_;
  const ArtifactSource& source_;
  std::optional<ArtifactChecksum> checksum_;
};

Result<FetchOrder> ReadOrder() {
  std::string text;
  std::array<char, 8192> block{};
  while (text.size() <= kMostOrder) {
    const ssize_t n = read(kFetchOrder, block.data(), block.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    text.append(block.data(), static_cast<std::size_t>(n));
  }
  return FetchOrderFromJson(text);
}

Result<Fetched> FetchInChild() {
  DROVER_ASSIGN(const FetchOrder order, ReadOrder());
  DROVER_ASSIGN(
      const ArtifactSource source,
      ParseArtifactSource(order.artifact.source, order.artifact.options, order.artifact.mode));
  DROVER_TRY(GiveUpAllButNetwork(RightsFor(order, source)));
  return Fetcher(order, source).Run();
}

}  // namespace

std::vector<std::string> SystemFilesOfFetches(bool by_git) {
  std::vector<std::string> files(std::begin(kSystemFiles), std::end(kSystemFiles));
  if (by_git) files.insert(files.end(), std::begin(kGitFiles), std::end(kGitFiles));
  return files;
}

std::optional<int> MaybeRunFetchChild(int argc, char** argv) {
  if (argc != 2 || std::strcmp(argv[1], kFetchArgument) != 0) return std::nullopt;
  syscall(SYS_close_range, static_cast<unsigned>(kFetchCached) + 1, ~0u, 0u);
  umask(022);
  // A file that becomes too long, or a connection that ends, gives an error.
  signal(SIGXFSZ, SIG_IGN);
  signal(SIGPIPE, SIG_IGN);
  const Result<Fetched> fetched = FetchInChild();
  const Status answered = WriteWhole(kFetchAnswer, FetchAnswerToJson(fetched));
  // No function of a library may run at the end: it could need the rights that are gone.
  _exit(answered.ok() && fetched.ok() ? 0 : 1);
}

}  // namespace drover
