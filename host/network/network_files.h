// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "host/base/result.h"
#include "host/spec/allocation.h"

namespace drover {

// Returns the text of /etc/hosts for the tasks of an allocation. HOSTNAME names the addresses of
// NETWORK; it may be empty.
std::string HostsText(const AllocationNetwork& network, const std::string& hostname);

// Returns the text of /etc/resolv.conf for DNS. If DNS names no server, the servers are those of
// HOST, the text of the host's own file. A server on the loopback of the host cannot be reached
// from another network namespace; if HOST has only such servers and OWN_NETWORK is true, those of
// RESOLVED are used, the file in which systemd-resolved lists the true ones. Never empty, so that
// tasks get the file even if there is nothing to say.
std::string ResolvText(const DnsConfig& dns, std::string_view host, std::string_view resolved,
                       bool own_network);

// The files of an allocation's network: hosts (if the allocation has a network of its own),
// resolv.conf and hostname (if it has a name).
struct NetworkFiles {
  std::string hosts;
  std::string resolv;
  std::string hostname;
};

// Writes FILES to DIRECTORY, which is made. Tasks that have mounts of earlier files keep these.
// Blocks. [any thread]
Status MakeNetworkFiles(const std::string& directory, const NetworkFiles& files);

// Removes DIRECTORY and the files in it. Succeeds if nothing is there. Blocks. [any thread]
Status DropNetworkFiles(const std::string& directory);

// Returns the text of the file PATH of the host, at most 64 KiB; empty if it cannot be read.
std::string ReadHostText(const std::string& path);

}  // namespace drover
