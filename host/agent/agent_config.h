// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "host/base/result.h"
#include "host/base/time.h"
#include "host/plugin/plugin_config.h"
#include "host/spec/job.h"

namespace drover {

// The agent's configuration file, JSON with comments. Paths are absolute after reading: a relative
// one is relative to the file.
struct AgentConfig {
  std::string name;  // of the node; empty: the machine's host name
  std::string datacenter = "dc1";
  std::string region = "global";

  // Where an agent keeps what is its own; client.alloc_dir is below it unless it is named. Empty:
  // chosen by the command.
  std::string data_dir;
  // Holds the token that every request must carry; only its owner may read it. Empty: no token.
  std::string token_file;
  struct Http {
    std::string address = "127.0.0.1";
    int port = 4646;        // 0: any that is free
    std::string cert_file;  // PEM; empty: no TLS
    std::string key_file;   // PEM
    std::string ca_file;    // PEM; who signs the certificates of clients
    bool verify_client = false;
    // As in HttpServerOptions: names and origins that browsers may come with.
    std::vector<std::string> hosts;
    std::vector<std::string> origins;
    std::string advertise;  // "HOST" or "HOST:PORT" that clients are told; empty: see
                            // AdvertisedAddress
  } http;

  std::vector<std::string> plugin_dirs;
  std::vector<PluginConfig> plugins;  // by name, files absolute

  // The node, on which tasks run.
  struct Client {
    // Where allocations get their directories, and where shims keep sockets and exit records.
    // Empty: chosen by the command.
    std::string alloc_dir;
    std::string run_dir;
    std::string node_class;  // ${node.class}
    // Whose address the ports of tasks are on: its name, or an address. Empty: that of the
    // default route, without one and for an agent that keeps nothing the loopback.
    std::string network_interface;
    StringMap meta;  // ${meta.KEY}
    // What becomes of running tasks of which the state that an earlier agent left knows nothing.
    bool keep_unknown_tasks = false;
    Duration max_kill_timeout = 30s;
    // What of the machine is not for jobs.
    struct Reserved {
      int cpu_mhz = 0;
      int memory_mb = 0;
      int disk_mb = 0;

      bool operator==(const Reserved&) const = default;
    } reserved;
    // When what has ended loses its runner and its directory.
    struct Gc {
      Duration interval = 60s;
      int max_allocs = 500;           // that have ended
      int disk_usage_threshold = 80;  // percent of the file system of alloc_dir

      bool operator==(const Gc&) const = default;
    } gc;
  } client;
  // What schedules.
  struct Server {
    Duration job_gc_threshold = std::chrono::hours(4);  // what ended longer ago is forgotten

    bool operator==(const Server&) const = default;
  } server;
  struct Telemetry {
    Duration collection_interval = 1s;        // how often tasks are measured
    bool publish_allocation_metrics = false;  // tasks are then measured all the time
    bool prometheus_metrics = false;
  } telemetry;
  std::string log_level = "warn";
  std::string log_format = "text";  // or "json"
  // How much of the API clients may use.
  struct Limits {
    int http_max_conns = 4096;               // 0: no limit
    int http_max_conns_per_client = 2048;    // of a user here, or an IP address; 0: no limit
    Duration https_handshake_timeout = 10s;  // also for the head of a request

    bool operator==(const Limits&) const = default;
  } limits;
};

// Reads the text of a configuration file. All mistakes are in the one error, each with its JSON
// pointer; a key that does not exist is one. BASE is the directory of relative paths.
Result<AgentConfig> ParseAgentConfig(const std::string& text, const std::string& base);

Result<AgentConfig> ReadAgentConfig(const std::string& path);

// The keys whose values in WANTED are others than in RUNNING and that an agent takes only when it
// starts: all but log_level, server, the gc of client, what telemetry publishes, token_file, what
// TLS reads and the blocks of plugins that stay.
std::vector<std::string> KeysThatNeedRestart(const AgentConfig& running, const AgentConfig& wanted);

}  // namespace drover
