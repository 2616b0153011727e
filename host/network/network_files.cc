// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/network/network_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <sstream>
#include <vector>

#include "host/base/durable_step.h"
#include "host/base/unique_fd.h"

namespace drover {
namespace {

constexpr std::size_t kMostHostText = 64u << 10;
constexpr const char* kFileNames[] = {"hosts", "resolv.conf", "hostname"};

bool IsLoopback(const std::string& address) {
  return address.starts_with("127.") || address == "::1";
}

// Returns the words after KEY in the lines of TEXT, a resolv.conf. A line names one server, and a
// comment may follow.
std::vector<std::string> WordsAfter(std::string_view text, const std::string& key) {
  std::vector<std::string> words;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream parts(line);
    std::string word;
    if (!(parts >> word) || word != key) continue;
    if (key == "search") words.clear();  // the last line wins
    while (parts >> word && word[0] != '#' && word[0] != ';') {
      words.push_back(word);
      if (key == "nameserver") break;
    }
  }
  return words;
}

DnsConfig ReadResolv(std::string_view text) {
  return {WordsAfter(text, "nameserver"), WordsAfter(text, "search"), WordsAfter(text, "options")};
}

std::string Line(const std::string& key, const std::vector<std::string>& words) {
  std::string line = key;
  for (const std::string& word : words) line += " " + word;
  return words.empty() ? "" : line + "\n";
}

Status WriteNetworkFile(const std::string& path, const std::string& text) {
  if (text.empty()) return {};
  // A new file, since tasks may have a mount of the old one.
  if (unlink(path.c_str()) != 0 && errno != ENOENT) return ErrnoError(errno, path);
  const UniqueFd file(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
  const ssize_t written = file ? write(file.get(), text.data(), text.size()) : -1;
  if (written == static_cast<ssize_t>(text.size()) && fchmod(file.get(), 0644) == 0) return {};
  return ErrnoError(written < 0 ? errno : ENOSPC, "cannot write " + path);
}

}  // namespace

std::string HostsText(const AllocationNetwork& network, const std::string& hostname) {
  std::string text =
      "127.0.0.1 localhost\n"
      "::1 localhost ip6-localhost ip6-loopback\n"
      "fe00::0 ip6-localnet\n"
      "ff00::0 ip6-mcastprefix\n"
      "ff02::1 ip6-allnodes\n"
      "ff02::2 ip6-allrouters\n";
  if (hostname.empty()) return text;
  for (const std::string& address : {network.address, network.address_ipv6}) {
    if (!address.empty()) text += address + " " + hostname + "\n";
  }
  return text;
}

std::string ResolvText(const DnsConfig& dns, std::string_view host, std::string_view resolved,
                       bool own_network) {
  DnsConfig whole = dns;
  if (whole.servers.empty()) {
    DnsConfig of_host = ReadResolv(host);
    if (own_network) {
      std::erase_if(of_host.servers, IsLoopback);
      if (of_host.servers.empty()) of_host.servers = ReadResolv(resolved).servers;
      std::erase_if(of_host.servers, IsLoopback);
    }
    whole.servers = of_host.servers;
    if (whole.searches.empty()) whole.searches = of_host.searches;
    if (whole.options.empty()) whole.options = of_host.options;
  }
  std::string text;
  for (const std::string& server : whole.servers) text += "nameserver " + server + "\n";
  text += Line("search", whole.searches) + Line("options", whole.options);
  return text.empty() ? "# The host has no name server that this network reaches.\n" : text;
}

Status MakeNetworkFiles(const std::string& directory, const NetworkFiles& files) {
  return DurableStep(Step::kMakeNetworkFiles, [&]() -> Status {
    if (mkdir(directory.c_str(), 0755) != 0 && errno != EEXIST)
      return ErrnoError(errno, "cannot make " + directory);
    DROVER_TRY(WriteNetworkFile(directory + "/hosts", files.hosts));
    DROVER_TRY(WriteNetworkFile(directory + "/resolv.conf", files.resolv));
    return WriteNetworkFile(directory + "/hostname", files.hostname);
  });
}

Status DropNetworkFiles(const std::string& directory) {
  if (access(directory.c_str(), F_OK) != 0 && errno == ENOENT) return {};
  return DurableStep(Step::kDropNetworkFiles, [&]() -> Status {
    for (const char* const name : kFileNames) unlink((directory + "/" + name).c_str());
    if (rmdir(directory.c_str()) == 0 || errno == ENOENT) return {};
    return ErrnoError(errno, "cannot remove " + directory);
  });
}

std::string ReadHostText(const std::string& path) {
  const UniqueFd file(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  std::string text;
  std::array<char, 8192> buffer{};
  while (file && text.size() < kMostHostText) {
    const ssize_t n = read(file.get(), buffer.data(), buffer.size());
    if (n <= 0) break;
    text.append(buffer.data(), static_cast<std::size_t>(n));
  }
  return text;
}

}  // namespace drover
