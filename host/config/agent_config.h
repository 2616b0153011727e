// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "host/base/result.h"
#include "host/base/time.h"
#include "host/plugin/plugin_config.h"
#include "host/spec/blocks/service_policy.h"
#include "host/spec/job.h"

namespace drover {

// What an agent's configuration says. All paths are absolute.
struct AgentConfig {
  std::string name;  // the name of the node; if empty, the machine's host name
  std::string datacenter = "dc1";
  std::string region = "global";

  // The directory of the agent's own files. The allocation directories are below data_dir, unless
  // client.alloc_dir names another directory. If data_dir is empty, the option --data-dir must
  // name a directory, except with --dev.
  std::string data_dir;
  // The file with a token with which a client may do everything. Only the agent's user may be able
  // to read the file. If token_file is empty and acl.enabled is false, requests need no token.
  std::string token_file;
  // Who may do what: see AclSettings and AclLimits.
  struct Access {
    bool enabled = false;  // whether tokens and policies count
    Duration shortest_ttl = std::chrono::minutes(1);
    Duration longest_ttl = std::chrono::hours(24);

    bool operator==(const Access&) const = default;
  } acl;
  struct Http {
    std::string address = "127.0.0.1";
    int port = 4646;        // 0: any free port
    std::string cert_file;  // a PEM file; empty: no TLS
    std::string key_file;   // PEM
    std::string ca_file;    // a PEM file: the authority that signs the certificates of clients
    bool verify_client = false;
    // The host names and origins that browsers may send in requests, as in HttpServerOptions.
    std::vector<std::string> hosts;
    std::vector<std::string> origins;
    std::string advertise;  // "HOST" or "HOST:PORT" for clients; empty: see AdvertisedAddress

    bool operator==(const Http&) const = default;
  } http;

  std::vector<std::string> plugin_dirs;
  std::vector<PluginConfig> plugins;  // sorted by name, with absolute file paths

  // A directory or file of the machine that jobs may mount.
  struct HostVolume {
    std::string path;
    bool read_only = false;

    bool operator==(const HostVolume&) const = default;
  };

  // Settings of the node, on which tasks run.
  struct Client {
    // alloc_dir is the parent of the allocation directories. run_dir is the directory of the
    // shims' sockets and exit records. If one of them is empty, the command chooses a directory
    // for it.
    std::string alloc_dir;
    std::string run_dir;
    std::string node_class;  // the value of ${node.class}
    std::string node_pool = "default";
    // The network interface on which tasks have their ports, given by its name or by one of its
    // addresses. If network_interface is empty, the agent uses the interface of the default route.
    // If there is no default route, or if the agent keeps no state, it uses the loopback instead.
    std::string network_interface;
    StringMap meta;  // the values of ${meta.KEY}
    // The range from which ports are chosen for tasks that ask for any.
    int min_dynamic_port = 20000;
    int max_dynamic_port = 32000;
    // A network of the host on whose addresses jobs may have ports: those of an interface, those in
    // a range, or those that are both.
    struct HostNetwork {
      std::string cidr;            // such as "203.0.113.0/24"; empty: any
      std::string interface_name;  // empty: any
      std::string ports_text;      // ports that no task gets on these addresses
      std::set<int> ports;         // the ports in ports_text

      bool operator==(const HostNetwork&) const = default;
    };
    std::map<std::string, HostNetwork> host_networks;
    // The bridge on which allocations with the network mode "bridge" are.
    struct Bridge {
      std::string name = "drover";
      std::string subnet = "172.26.64.0/20";
      std::string subnet_ipv6;  // empty: no IPv6
      bool hairpin = false;

      bool operator==(const Bridge&) const = default;
    } bridge;
    std::string cni_path = "/opt/cni/bin:/usr/lib/cni";  // directories of plugins
    std::string cni_config_dir = "/opt/cni/config";      // of the networks cni/NAME
    // Whether the addresses that plugins give are looked for elsewhere on their network.
    bool cni_address_check = true;
    // The plugins whose hooks take part in each task, in the order of their calls.
    std::vector<std::string> task_hooks;
    // What the machine has for jobs. 0: what the agent finds.
    int cpu_total_mhz = 0;
    int memory_total_mb = 0;
    // If true, running tasks that the state of an earlier agent does not name continue. If false,
    // the agent stops them.
    bool keep_unknown_tasks = false;
    // What holds allocations to the size of their ephemeral disk. With kOff, the size only counts
    // at placement. With kQuota, disks without a quota are watched.
    enum class DiskLimit { kOff, kWatch, kQuota };
    DiskLimit disk_limit = DiskLimit::kOff;
    // The range from which the projects of quotas are chosen.
    int min_disk_project = 1'500'000'000;
    int max_disk_project = 1'500'065'535;
    Duration max_kill_timeout = 30s;
    std::map<std::string, HostVolume> host_volumes;  // by name
    // Where the plugin mkdir makes volumes, and where other volume plugins are. Empty: below
    // data_dir.
    std::string host_volumes_dir;
    std::string host_volume_plugin_dir;
    // As whom tasks may run.
    struct Users {
      // The users that jobs may not name, and the drivers for whose tasks this holds.
      std::vector<std::string> denied = {"root", "Administrator"};
      std::vector<std::string> checked_drivers = {"exec", "qemu", "java"};
      // The range of the users that tasks get whose job names none, and their drivers.
      int dynamic_min = 80000;
      int dynamic_max = 89999;
      std::vector<std::string> dynamic_drivers;

      bool operator==(const Users&) const = default;
    } users;
    // The resources of the machine that jobs cannot use.
    struct Reserved {
      int cpu_mhz = 0;
      int memory_mb = 0;
      int disk_mb = 0;
      std::string ports_text;  // such as "22,8500-8600"
      std::set<int> ports;     // the ports in ports_text

      bool operator==(const Reserved&) const = default;
    } reserved;
    // Decides when the runner and the directory of an ended allocation are removed.
    struct Gc {
      Duration interval = 60s;
      int max_allocs = 500;           // the number of ended allocations to keep
      int disk_usage_threshold = 80;  // in percent of alloc_dir's file system

      bool operator==(const Gc&) const = default;
    } gc;
    // What each artifact may cost, and where it may come from.
    struct Artifacts {
      Duration http_time = std::chrono::minutes(30);
      Duration git_time = std::chrono::minutes(30);
      std::uint64_t most_bytes = 100'000'000'000;     // of a download
      std::uint64_t most_unpacked = 100'000'000'000;  // of the files of an archive
      int most_files = 4096;                          // of an archive or a directory
      std::uint64_t cache_bytes = 0;                  // 0: downloads are not kept
      bool without_rules = false;             // whether Landlock may be missing in the kernel
      std::vector<std::string> file_sources;  // the directories that are sources; none by default

      bool operator==(const Artifacts&) const = default;
    } artifacts;

    bool operator==(const Client&) const = default;
  } client;
  // Settings of the scheduler.
  struct Server {
    // Records that ended longer ago than this are removed.
    Duration job_gc_threshold = std::chrono::hours(4);
    // The same for deployments that neither a job nor an allocation needs.
    Duration deployment_gc_threshold = std::chrono::hours(1);
    // Which types of jobs displace allocations with a lower priority.
    struct Preemption {
      bool system = true;
      bool service = false;
      bool batch = false;
      bool sysbatch = false;

      bool operator==(const Preemption&) const = default;
    } preemption;

    bool operator==(const Server&) const = default;
  } server;
  // The tokens of tasks.
  struct Identity {
    std::string oidc_issuer;  // the URL of this agent for those who check tokens; empty: none
    Duration key_age = std::chrono::hours(24 * 30);  // then another key signs

    bool operator==(const Identity&) const = default;
  } identity;
  struct Telemetry {
    Duration collection_interval = 1s;        // how often tasks are measured
    bool publish_allocation_metrics = false;  // if true, tasks are measured all the time
    bool prometheus_metrics = false;

    bool operator==(const Telemetry&) const = default;
  } telemetry;
  std::string log_level = "warn";
  std::string log_format = "text";  // "text" or "json"
  // The file that gets the log, beside standard error. If its path is empty, there is none.
  struct LogFile {
    std::string path;
    int rotate_bytes = 0;  // 0: no limit
    Duration rotate_duration = std::chrono::hours(24);
    int rotate_max_files = 0;  // the number of older files that stay; 0: all; -1: none

    bool operator==(const LogFile&) const = default;
  } log_file;
  // Limits for the clients of the API.
  struct Limits {
    int http_max_conns = 4096;               // 0: no limit
    int http_max_conns_per_client = 2048;    // per local user or IP address; 0: no limit
    Duration https_handshake_timeout = 10s;  // also the time limit for the head of a request

    bool operator==(const Limits&) const = default;
  } limits;
  // Where the services of jobs are registered.
  struct Services {
    ServiceProvider default_provider = ServiceProvider::kConsul;  // of services that name none
    // Who keeps the services of the provider Consul. If absent, see ServicePolicyOf.
    std::optional<ServiceProvider> consul;

    bool operator==(const Services&) const = default;
  } services;

  // A cluster of Consul: how to reach its agent on this machine.
  struct Consul {
    std::string url = "http://127.0.0.1:8500";  // or https://..., or unix:///PATH
    std::string auth;                           // "USER:PASSWORD"; empty: none; a secret
    std::string token;                          // empty: none; a secret
    std::string consul_namespace;               // empty: that of the token
    std::string ca_file;                        // a PEM file; empty: the certificates of the system
    std::string cert_file;  // a PEM file; empty: this agent shows no certificate
    std::string key_file;   // PEM
    bool verify_ssl = true;
    Duration timeout = 5s;  // of one request

    bool operator==(const Consul&) const = default;
  };
  std::map<std::string, Consul> consul;  // by the name of the cluster

  bool operator==(const AgentConfig&) const = default;
};

// Returns the policy of an agent with CONFIG. TRIAL means that somebody tries a job, by `drover
// run` or by an agent with --dev: where the configuration says nothing else, the agent itself then
// keeps the services of the provider Consul.
ServicePolicy ServicePolicyOf(const AgentConfig& config, bool trial);

// Returns the keys that differ between RUNNING and WANTED and that an agent applies only when it
// starts. A change of the following keys needs no restart: log_level, server, the gc of client,
// the published metrics of telemetry, token_file, acl, the files of TLS, services, and the blocks
// of plugins. But adding or removing a plugin needs a restart, and so does a change of its
// "enabled". To remove token_file or http.tls.verify_client, or to disable acl, needs one, too.
std::vector<std::string> KeysThatNeedRestart(const AgentConfig& running, const AgentConfig& wanted);

// Returns the plugins of WANTED that an agent with RUNNING may reload. The configurations of the
// drivers of Drover follow the client's users. Where only a restart applies those, it applies the
// configurations of these drivers, too.
std::vector<PluginConfig> PluginsToReload(const AgentConfig& running, const AgentConfig& wanted);

}  // namespace drover
