// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "host/base/result.h"
#include "host/base/time.h"
#include "host/plugin/plugin_config.h"
#include "host/spec/job.h"

namespace drover {

// The agent's configuration file, JSON with comments. Paths are absolute after reading; in the
// file, a relative path starts at the file's directory.
struct AgentConfig {
  std::string name;  // of the node; empty: the machine's host name
  std::string datacenter = "dc1";
  std::string region = "global";

  // The directory of the agent's own files; client.alloc_dir is below it unless set. Empty: the
  // command chooses it.
  std::string data_dir;
  // The file with the token that every request must carry. Only its owner may read it. Empty: no
  // token.
  std::string token_file;
  struct Http {
    std::string address = "127.0.0.1";
    int port = 4646;        // 0: any that is free
    std::string cert_file;  // PEM; empty: no TLS
    std::string key_file;   // PEM
    std::string ca_file;    // PEM; signs the certificates of clients
    bool verify_client = false;
    // As in HttpServerOptions: host names and origins that browsers may send.
    std::vector<std::string> hosts;
    std::vector<std::string> origins;
    std::string advertise;  // "HOST" or "HOST:PORT" for clients; empty: see AdvertisedAddress
  } http;

  std::vector<std::string> plugin_dirs;
  std::vector<PluginConfig> plugins;  // by name, files absolute

  // The node, on which tasks run.
  struct Client {
    // The parent of the allocation directories, and the directory of the shims' sockets and exit
    // records. Empty: the command chooses it.
    std::string alloc_dir;
    std::string run_dir;
    std::string node_class;  // ${node.class}
    // The interface whose address has the ports of tasks, by its name or an address. Empty: the
    // interface of the default route. The loopback serves if there is no such route, and if the
    // agent keeps no state.
    std::string network_interface;
    StringMap meta;  // ${meta.KEY}
    // Whether running tasks that the state of an earlier agent does not name go on; else they end.
    bool keep_unknown_tasks = false;
    Duration max_kill_timeout = 30s;
    // The part of the machine that jobs cannot use.
    struct Reserved {
      int cpu_mhz = 0;
      int memory_mb = 0;
      int disk_mb = 0;

      bool operator==(const Reserved&) const = default;
    } reserved;
    // When ended allocations lose their runner and directory.
    struct Gc {
      Duration interval = 60s;
      int max_allocs = 500;           // ended ones that are kept
      int disk_usage_threshold = 80;  // percent of the file system of alloc_dir

      bool operator==(const Gc&) const = default;
    } gc;
  } client;
  // The scheduler.
  struct Server {
    Duration job_gc_threshold = std::chrono::hours(4);  // records of older ends are removed

    bool operator==(const Server&) const = default;
  } server;
  struct Telemetry {
    Duration collection_interval = 1s;        // how often tasks are measured
    bool publish_allocation_metrics = false;  // tasks are then measured all the time
    bool prometheus_metrics = false;
  } telemetry;
  std::string log_level = "warn";
  std::string log_format = "text";  // or "json"
  // Limits for the clients of the API.
  struct Limits {
    int http_max_conns = 4096;               // 0: no limit
    int http_max_conns_per_client = 2048;    // per local user or IP address; 0: no limit
    Duration https_handshake_timeout = 10s;  // also for the head of a request

    bool operator==(const Limits&) const = default;
  } limits;
};

// Reads the text of a configuration file. The error names all mistakes, each with its JSON pointer;
// an unknown key is a mistake. BASE is the directory of relative paths.
Result<AgentConfig> ParseAgentConfig(const std::string& text, const std::string& base);

Result<AgentConfig> ReadAgentConfig(const std::string& path);

// The keys that differ between RUNNING and WANTED and that an agent applies only when it starts.
// All others need no restart: log_level, server, the gc of client, the published metrics of
// telemetry, token_file, the files of TLS, and the blocks of plugins that stay.
std::vector<std::string> KeysThatNeedRestart(const AgentConfig& running, const AgentConfig& wanted);

}  // namespace drover
