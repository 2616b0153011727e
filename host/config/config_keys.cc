// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/config/config_keys.h"

#include <algorithm>

namespace drover {
namespace {

using enum ConfigKind;
using enum ConfigState;

constexpr ConfigKey Done(const char* name, ConfigKind kind, const char* note,
                         const char* by_default = "") {
  return {name, kind, kDone, note, by_default};
}

constexpr ConfigKey Number(const char* name, std::int64_t least, std::int64_t most,
                           const char* note, const char* by_default = "") {
  return {name, kInteger, kDone, note, by_default, {}, least, most};
}

constexpr ConfigKey Block(const char* name, std::span<const ConfigKey> members,
                          const char* note = "") {
  return {name, kObject, kDone, note, "", members};
}

constexpr ConfigKey Blocks(const char* name, std::span<const ConfigKey> members, const char* note) {
  return {name, kNamed, kDone, note, "", members};
}

constexpr ConfigKey Secret(const char* name, const char* note) {
  ConfigKey key = Done(name, kText, note);
  key.secret = true;
  return key;
}

// A key with any whole number, since nobody uses the number.
constexpr std::int64_t kAnyLeast = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kAnyMost = std::numeric_limits<std::int64_t>::max();

constexpr ConfigKey Warned(const char* name, ConfigKind kind, const char* note,
                           const char* no_effect = "") {
  return {name, kind, kWarned, note, "", {}, kAnyLeast, kAnyMost, no_effect};
}

constexpr ConfigKey Refused(const char* name, ConfigKind kind, const char* note,
                            const char* no_effect = "") {
  return {name, kind, kRefused, note, "", {}, kAnyLeast, kAnyMost, no_effect};
}

constexpr int kMostInt = std::numeric_limits<int>::max();
constexpr char kOneAgent[] = "agents do not talk to each other: each has its own scheduler";
constexpr char kNoRaft[] = "the state of the agent is in data_dir, and is not replicated";
constexpr char kOneScheduler[] = "one scheduler decides for the one node, in order";
constexpr char kOneThreshold[] = "job_gc_threshold decides for all records";
constexpr char kKeptLookUps[] = "what a token may do is kept until something of it changes";
constexpr char kKeyGoes[] = "a key goes when no token needs it any more";
constexpr char kNoUi[] = "there is no web interface";
constexpr char kPull[] = "metrics are not sent: read them from /v1/metrics";
constexpr char kMetricNames[] = "all metrics are there under their own names";
constexpr char kPluginBlock[] = "write it as plugin \"NAME\" { config { ... } }";

constexpr ConfigKey kAddresses[] = {
    Done("http", kText, "the address of the API, before bind_addr"),
    Warned("rpc", kText, kOneAgent),
    Warned("serf", kText, kOneAgent),
};

constexpr ConfigKey kPorts[] = {
    Number("http", 0, 65535, "the port of the API; 0: any that is free", "4646"),
    Warned("rpc", kInteger, kOneAgent, "[4647]"),
    Warned("serf", kInteger, kOneAgent, "[4648]"),
};

constexpr ConfigKey kAdvertise[] = {
    Done("http", kText, "the address for clients, with or without a port"),
    Warned("rpc", kText, kOneAgent),
    Warned("serf", kText, kOneAgent),
};

constexpr ConfigKey kTls[] = {
    Done("http", kBoolean, "whether the API speaks TLS", "false"),
    Done("cert_file", kPath, "PEM; used if http = true"),
    Done("key_file", kPath, "PEM"),
    Done("ca_file", kPath, "PEM; the authority that signs the certificates of clients"),
    Done("verify_https_client", kBoolean, "whether clients need a certificate", "false"),
    Warned("rpc", kBoolean, kOneAgent),
    Warned("rpc_upgrade_mode", kBoolean, kOneAgent),
    Warned("verify_server_hostname", kBoolean, kOneAgent),
    Refused("tls_cipher_suites", kText, "remove it: OpenSSL's default suites are used"),
    Refused("tls_min_version", kText, "remove it: TLS 1.2 and 1.3 are spoken", R"(["tls12"])"),
    Warned("tls_prefer_server_cipher_suites", kBoolean, "OpenSSL chooses the suite"),
};

constexpr ConfigKey kHttpTls[] = {
    Done("cert_file", kPath, "PEM"),
    Done("key_file", kPath, "PEM"),
    Done("ca_file", kPath, "PEM; the authority that signs the certificates of clients"),
    Done("verify_client", kBoolean, "whether clients need a certificate"),
};

constexpr ConfigKey kHttp[] = {
    Done("address", kText, "instead of bind_addr"),
    Number("port", 0, 65535, "instead of ports.http"),
    Block("tls", kHttpTls, "instead of tls: the API speaks TLS"),
    Done("hosts", kTextList, "host names that browsers may send"),
    Done("origins", kTextList, "origins that browsers may send, such as https://ui.example"),
    Done("advertise", kText, "instead of advertise.http"),
};

constexpr ConfigKey kHostVolume[] = {
    Done("path", kPath, "an absolute path of this machine"),
    Done("read_only", kBoolean, "true: no job can write to it", "false"),
};

constexpr ConfigKey kReserved[] = {
    Number("cpu", 0, kMostInt, "MHz that jobs cannot use", "0"),
    Number("memory", 0, kMostInt, "MB that jobs cannot use", "0"),
    Number("disk", 0, kMostInt, "MB that jobs cannot use", "0"),
    Done("reserved_ports", kText, R"(ports that no task gets, such as "22,80,8500-8600")"),
    Refused("cores", kText, "write cpu instead, in MHz"),
};

// The options of drivers before they had blocks. Their names have dots.
constexpr ConfigKey kOptions[] = {
    Refused("driver.raw_exec.enable", kText,
            R"(write plugin "raw_exec" { config { enabled = true } })", R"(["0", "false"])"),
    Refused("driver.raw_exec.no_cgroups", kText, "remove it: tasks are tracked by cgroups",
            R"(["0", "false"])"),
    Refused("driver.allowlist", kText, R"(write plugin "NAME" { enabled = false } for the others)"),
    Refused("driver.whitelist", kText, R"(write plugin "NAME" { enabled = false } for the others)"),
    Refused("driver.denylist", kText, R"(write plugin "NAME" { enabled = false })"),
    Refused("driver.blacklist", kText, R"(write plugin "NAME" { enabled = false })"),
    Refused("env.denylist", kText, "write denied_envvars into the config of the plugin"),
    Refused("env.blacklist", kText, "write denied_envvars into the config of the plugin"),
    Done("user.denylist", kText,
         "users that no task of the drivers in user.checked_drivers may have",
         R"("root,Administrator")"),
    Refused("user.blacklist", kText, "write user.denylist instead"),
    Done("user.checked_drivers", kText,
         "drivers to which user.denylist applies; by default without an exec that has allow_root",
         R"("exec,qemu,java")"),
    Warned("fingerprint.allowlist", kText, "all attributes of the machine are found"),
    Warned("fingerprint.whitelist", kText, "all attributes of the machine are found"),
    Warned("fingerprint.denylist", kText, "all attributes of the machine are found"),
    Warned("fingerprint.blacklist", kText, "all attributes of the machine are found"),
    Refused("docker.privileged.enabled", kText, kPluginBlock, R"(["false"])"),
    Refused("docker.volumes.enabled", kText, kPluginBlock, R"(["true"])"),
    Refused("docker.cleanup.image", kText, kPluginBlock, R"(["true"])"),
    Refused("docker.auth.config", kText, kPluginBlock),
    Refused("docker.auth.helper", kText, kPluginBlock),
    Refused("docker.endpoint", kText, kPluginBlock),
};

constexpr ConfigKey kArtifact[] = {
    Done("http_read_timeout", kDuration, "how long a download by HTTP may take", R"("30m")"),
    Done("http_max_size", kText, "how large it may be", R"("100GB")"),
    Done("git_timeout", kDuration, "how long a clone may take", R"("30m")"),
    Done("decompression_size_limit", kText, "how large an unpacked archive may be", R"("100GB")"),
    Number("decompression_file_count_limit", 1, 10'000'000,
           "how many files an archive or a directory may have", "4096"),
    Done("disable_filesystem_isolation", kBoolean,
         "whether artifacts are fetched even if the kernel lacks Landlock", "false"),
    Done("file_sources", kPathList, "of Drover: directories of the machine that are sources"),
    Done("cache_size", kText,
         "of Drover: how much is kept of downloads with a checksum; 0: nothing", R"("0")"),
    Warned("s3_timeout", kDuration, "http_read_timeout holds for S3, too"),
    Warned("gcs_timeout", kDuration, "http_read_timeout holds for GCS, too"),
    Warned("hg_timeout", kDuration, "Mercurial is not supported"),
    Warned("disable_artifact_inspection", kBoolean, "archives are always inspected"),
    Warned("set_environment_variables", kText,
           "the process that fetches gets only those of proxies"),
    Refused("filesystem_isolation_extra_paths", kTextList,
            "remove it: the process that fetches sees only what it needs"),
};

constexpr ConfigKey kUsers[] = {
    Number("dynamic_user_min", 1000, kMostInt, "the first user for tasks that name none", "80000"),
    Number("dynamic_user_max", 1000, kMostInt, "the last user for tasks that name none", "89999"),
    Done("dynamic_user_drivers", kTextList,
         "of Drover: drivers whose tasks get such a user each; by default none"),
};

constexpr ConfigKey kHostNetwork[] = {
    Done("cidr", kText, "the addresses in this network, such as 203.0.113.0/24"),
    Done("interface", kText, "the addresses of this interface, or a template"),
    Done("reserved_ports", kText, R"(ports that no task gets on them, such as "22,80")"),
};

constexpr ConfigKey kClient[] = {
    Done("enabled", kBoolean, "must be true where it is set; then exec is there without a block"),
    Done("alloc_dir", kPath, "where allocations get their directories; by default below data_dir"),
    Done("run_dir", kPath, "sockets and exit records of running tasks, on a tmpfs"),
    Done("meta", kTextMap, "${meta.NAME} in jobs"),
    Done("node_class", kText, "${node.class} in jobs"),
    Done("node_pool", kText, "the pool of this node", R"("default")"),
    Done("network_interface", kText,
         "where tasks have their ports: an interface, an address or a template"),
    Number("min_dynamic_port", 1024, 65535, "the first port for tasks that ask for any", "20000"),
    Number("max_dynamic_port", 1024, 65535, "the last port for tasks that ask for any", "32000"),
    Block("reserved", kReserved, "what of the machine jobs cannot use"),
    Number("cpu_total_compute", 0, kMostInt, "MHz of this machine; 0: as found", "0"),
    Number("memory_total_mb", 0, kMostInt, "MB of this machine; 0: as found", "0"),
    Refused("disk_total_mb", kInteger, "write reserved { disk = MB } instead"),
    Refused("disk_free_mb", kInteger, "write reserved { disk = MB } instead"),
    Refused("reservable_cores", kText, "remove it: a task may have each core of the machine"),
    Done("max_kill_timeout", kDuration, "the most that a task's kill_timeout may be", R"("30s")"),
    Done("unknown_tasks", kText, "running tasks that the state does not know: stop or keep",
         R"("stop")"),
    Done("ephemeral_disk_limit", kText,
         "of Drover: what holds allocations to the size of their disk: off, watch, or quota where "
         "the file system has project quotas and else watch",
         R"("off")"),
    Number("min_disk_project", 1, kMostInt, "of Drover: the first project for quotas of disks",
           "1500000000"),
    Number("max_disk_project", 1, kMostInt, "of Drover: the last project for quotas of disks",
           "1500065535"),
    Done("chroot_env", kTextMap, "the directories of exec, unless its block has a chroot_env"),
    Done("gc_interval", kDuration, "how often ended allocations are looked at", R"("60s")"),
    Number("gc_max_allocs", 0, 1'000'000, "how many ended allocations are kept", "500"),
    Number("gc_disk_usage_threshold", 1, 100, "percent of the disk above which they go", "80"),
    Warned("gc_inode_usage_threshold", kInteger, "only the space of the disk is watched", "[70]"),
    Warned("gc_parallel_destroys", kInteger, "two threads remove directories", "[2]"),
    Warned("gc_volumes_on_node_gc", kBoolean, "volumes stay until they are deleted"),
    Block("options", kOptions, "of drivers, before they had blocks"),
    Refused("servers", kTextList,
            "remove it: this agent joins no server, so submit jobs to this agent itself"),
    Refused("server_join", kAny,
            "remove it: this agent joins no server, so submit jobs to this agent itself"),
    Blocks("host_volume", kHostVolume, "a directory or file that jobs may mount"),
    Done("host_volumes_dir", kPath,
         "where the plugin mkdir makes volumes; by default below data_dir"),
    Done("host_volume_plugin_dir", kPath,
         "where the files of volume plugins are; by default below data_dir"),
    Blocks("host_network", kHostNetwork, "addresses that ports of jobs name by host_network"),
    Done("bridge_network_name", kText, "the bridge of the network mode bridge", R"("drover")"),
    Done("bridge_network_subnet", kText, "its IPv4 addresses", R"("172.26.64.0/20")"),
    Done("bridge_network_subnet_ipv6", kText, "its IPv6 addresses; by default it has none"),
    Done("bridge_network_hairpin_mode", kBoolean, "whether a task reaches its own port on the host",
         "false"),
    Warned("bind_wildcard_default_host_network", kBoolean,
           "a mapped port is open on the address of the job's port", "[true]"),
    Done("cni_path", kText, "directories of CNI plugins, with : between them",
         R"("/opt/cni/bin:/usr/lib/cni")"),
    Done("cni_config_dir", kPath, "CNI configurations: the networks cni/NAME of jobs",
         R"("/opt/cni/config")"),
    Done(
        "cni_address_check", kBoolean,
        "of Drover: whether the addresses of allocations are looked for elsewhere; see networks.md",
        "true"),
    Done("task_hooks", kTextList,
         "of Drover: plugins that take part in each task, in the order of their calls; see "
         "task-hooks.md"),
    Block("artifact", kArtifact, "what an artifact may cost; see artifacts.md"),
    Warned("template", kAny, "templates have fixed limits"),
    Refused("disable_remote_exec", kBoolean,
            "remove it: every client of the API may open a session in a task"),
    Refused("drain_on_shutdown", kAny,
            "remove it: tasks go on when the agent ends; `drover node drain` stops them", "[]"),
    Warned("state_dir", kText, "the state is below data_dir"),
    Warned("alloc_mounts_dir", kText, "tasks have their mounts below alloc_dir"),
    Warned("common_plugin_dir", kText, "only drivers are plugins"),
    Warned("client_min_port", kInteger, "drivers use no ports"),
    Warned("client_max_port", kInteger, "drivers use no ports"),
    Warned("cgroup_parent", kText, "the service's own cgroup is used, or one at the top"),
    Warned("cpu_disable_dmidecode", kBoolean, "dmidecode is never run"),
    Warned("network_speed", kInteger, "bandwidth is not reserved"),
    Warned("no_host_uuid", kBoolean, "the id of a node is always a random one", "[true]"),
    Warned("node_max_allocs", kInteger, "the resources alone limit the allocations"),
    Warned("nomad_service_discovery", kBoolean, "jobs may always use the provider nomad", "[true]"),
    Warned("preferred_address_family", kText, "write network_interface instead"),
    Warned("fingerprint", kAny, "all attributes of the machine are found"),
    Warned("stats", kAny, "the statistics of tasks are kept while somebody reads them"),
    Block("users", kUsers, "users for tasks whose job names none; see security.md"),
    Refused("intro_token", kText, "remove it: this agent joins no server"),
};

constexpr ConfigKey kPreemption[] = {
    Done("system_scheduler_enabled", kBoolean,
         "whether system jobs displace allocations whose priority is lower by 10", "true"),
    Done("service_scheduler_enabled", kBoolean, "the same for service jobs", "false"),
    Done("batch_scheduler_enabled", kBoolean, "the same for batch jobs", "false"),
    Done("sysbatch_scheduler_enabled", kBoolean, "the same for sysbatch jobs", "false"),
};

constexpr ConfigKey kSchedulerConfig[] = {
    Warned("scheduler_algorithm", kText, "there is one node to choose", R"(["binpack"])"),
    Warned("memory_oversubscription_enabled", kBoolean, "memory_max always holds", "[true]"),
    Refused("reject_job_registration", kBoolean, "remove it: jobs are always accepted"),
    Refused("pause_eval_broker", kBoolean, "remove it: evaluations are always carried out"),
    Block("preemption_config", kPreemption,
          "until it is changed by PUT /v1/operator/scheduler/configuration"),
};

constexpr ConfigKey kServer[] = {
    Done("enabled", kBoolean, "must be true where it is set: an agent always schedules"),
    Done("job_gc_threshold", kDuration, "records that ended longer ago are removed", R"("4h")"),
    Done("deployment_gc_threshold", kDuration,
         "deployments that ended longer ago are removed, unless a job needs them", R"("1h")"),
    Done("oidc_issuer", kText,
         "the URL by which others reach this agent to check the tokens of tasks"),
    Done("root_key_rotation_threshold", kDuration,
         "a key that has signed the tokens of tasks this long is replaced", R"("720h")"),
    Number("bootstrap_expect", 0, kMostInt, "must be 1 where it is set"),
    Block("default_scheduler_config", kSchedulerConfig),
    Warned("job_gc_interval", kDuration, "client.gc_interval decides"),
    Warned("eval_gc_threshold", kDuration, kOneThreshold),
    Warned("batch_eval_gc_threshold", kDuration, kOneThreshold),
    Warned("node_gc_threshold", kDuration, "the one node stays"),
    Warned("deploy_query_rate_limit", kInteger, "deployments go on without queries"),
    Warned("csi_plugin_gc_threshold", kDuration, "there are no CSI volumes"),
    Warned("csi_volume_claim_gc_threshold", kDuration, "there are no CSI volumes"),
    Warned("csi_volume_claim_gc_interval", kDuration, "there are no CSI volumes"),
    Warned("acl_token_gc_threshold", kDuration, "tokens go when they have expired"),
    Warned("root_key_gc_interval", kDuration, kKeyGoes),
    Warned("root_key_gc_threshold", kDuration, kKeyGoes),
    Warned("heartbeat_grace", kDuration, kOneAgent),
    Warned("min_heartbeat_ttl", kDuration, kOneAgent),
    Warned("failover_heartbeat_ttl", kDuration, kOneAgent),
    Warned("max_heartbeats_per_second", kAny, kOneAgent),
    Warned("authoritative_region", kText, kOneAgent),
    Warned("encrypt", kText, kOneAgent),
    Refused("retry_join", kTextList, "remove it: agents do not join each other"),
    Refused("start_join", kTextList, "remove it: agents do not join each other"),
    Refused("server_join", kAny, "remove it: agents do not join each other"),
    Warned("retry_interval", kDuration, kOneAgent),
    Warned("retry_max", kInteger, kOneAgent),
    Warned("rejoin_after_leave", kBoolean, kOneAgent),
    Warned("client_introduction", kAny, kOneAgent),
    Warned("data_dir", kText, "the state is below the data_dir of the agent"),
    Warned("raft_protocol", kInteger, kNoRaft, "[3]"),
    Warned("raft_multiplier", kInteger, kNoRaft),
    Warned("raft_boltdb", kAny, kNoRaft),
    Warned("raft_logstore", kAny, kNoRaft),
    Warned("raft_snapshot_interval", kDuration, kNoRaft),
    Warned("raft_snapshot_threshold", kInteger, kNoRaft),
    Warned("raft_trailing_logs", kInteger, kNoRaft),
    Warned("protocol_version", kInteger, kOneAgent),
    Warned("redundancy_zone", kText, kNoRaft),
    Warned("upgrade_version", kText, kNoRaft),
    Warned("non_voting_server", kBoolean, kNoRaft),
    Warned("num_schedulers", kInteger, kOneScheduler),
    Warned("enabled_schedulers", kTextList, kOneScheduler),
    Warned("plan_rejection_tracker", kAny, kOneScheduler),
    Warned("enable_event_broker", kBoolean, "/v1/event/stream is always there", "[true]"),
    Warned("event_buffer_size", kInteger, "the log of events has a size of its own", "[100]"),
    Warned("search", kAny, "a search has the limits of this version"),
    Warned("job_default_priority", kInteger, "a job has the priority 50 where it has none", "[50]"),
    Warned("job_max_priority", kInteger, "the highest priority is 100", "[100]"),
    Warned("job_max_count", kInteger, "the resources alone limit the allocations"),
    Warned("job_max_source_size", kText, "the limit of a request's size decides", R"(["1M"])"),
    Warned("job_tracked_versions", kInteger, "the number of kept versions is fixed", "[6]"),
    Warned("license_path", kText, "no licence is needed"),
    Warned("start_timeout", kDuration, kNoRaft),
};

constexpr ConfigKey kPluginLimitKeys[] = {
    Done("load", kDuration, "", R"("10s")"),
    Done("create", kDuration, "", R"("30s")"),
    Done("start", kDuration, "", R"("10m")"),
    Done("prepare", kDuration, "what a task needs before its start, such as an image", R"("30m")"),
    Done("extend", kPause, "how much more time a call may get that asks for it", R"("20m")"),
    Done("prepared_age", kPause, "what no task has used for so long is removed; 0s: never",
         R"("1h")"),
    Done("recover", kDuration, "", R"("60s")"),
    Done("stop", kDuration, "beyond the kill timeout of the task", R"("10s")"),
    Done("destroy", kDuration, "", R"("60s")"),
    Done("inspect", kDuration, "", R"("10s")"),
    Done("signal", kDuration, "", R"("10s")"),
    Done("shutdown", kDuration, "", R"("10s")"),
    Done("hold", kDuration, "how long any function may hold its thread", R"("30s")"),
    Done("fingerprint", kDuration, "until the driver reports its health", R"("10s")"),
    Done("prestart_hook", kDuration, "of a plugin in client.task_hooks", R"("60s")"),
    Done("poststart_hook", kDuration, "of a plugin in client.task_hooks", R"("10s")"),
    Done("prekill_hook", kDuration, "of a plugin in client.task_hooks", R"("10s")"),
    Done("exited_hook", kDuration, "of a plugin in client.task_hooks", R"("10s")"),
    Done("stop_hook", kDuration, "of a plugin in client.task_hooks", R"("10s")"),
    Done("command", kDuration, "of a helper program that the plugin has the host run", R"("10m")"),
    Number("threads", 1, kMostPluginThreads, "how many functions of the driver run at a time", "4"),
};

constexpr ConfigKey kProbe[] = {
    Done("time", kDuration, "", R"("5s")"),
    Number("memory_mb", 64, 1 << 20, "of addresses", "2048"),
    Number("file_mb", 0, 1 << 20, "the longest file that it may write", "0"),
};

constexpr ConfigKey kPlugin[] = {
    Done("config", kAny, "checked against the driver's schema; a later file replaces it whole"),
    Done("enabled", kBoolean, "false: the file is not even opened", "true"),
    Done("file", kPath, "the shared library; by default NAME.so in a plugin directory"),
    Done("sha256", kText, "the content that the file must have"),
    Done("isolation", kText, "in-process or process; see operators.md"),
    Block("limits", kPluginLimitKeys, "how long each call of the driver may take"),
    Block("probe", kProbe, "what the process has that tries the file"),
    Refused("args", kTextList, "remove it: drivers take no arguments, only config"),
};

constexpr ConfigKey kTelemetry[] = {
    Done("collection_interval", kDuration, "how often tasks are measured", R"("1s")"),
    Done("publish_allocation_metrics", kBoolean, "metrics of each task", "false"),
    Done("prometheus_metrics", kBoolean, "/v1/metrics?format=prometheus", "false"),
    Warned("publish_node_metrics", kBoolean, "the metrics of the node are always there", "[true]"),
    Warned("disable_hostname", kBoolean, kMetricNames),
    Warned("use_node_name", kBoolean, kMetricNames),
    Warned("backwards_compatible_metrics", kBoolean, kMetricNames),
    Warned("disable_tagged_metrics", kBoolean, kMetricNames),
    Warned("filter_default", kBoolean, kMetricNames, "[true]"),
    Warned("prefix_filter", kTextList, kMetricNames),
    Warned("disable_dispatched_job_summary_metrics", kBoolean, kMetricNames),
    Warned("disable_rpc_rate_metrics_labels", kBoolean, kMetricNames),
    Warned("disable_allocation_hook_metrics", kBoolean, kMetricNames),
    Warned("include_alloc_metadata_in_metrics", kBoolean, kMetricNames),
    Warned("allowed_metadata_keys_in_metrics", kTextList, kMetricNames),
    Warned("in_memory_collection_interval", kDuration, "metrics are read when asked for"),
    Warned("in_memory_retention_period", kDuration, "metrics are read when asked for"),
    Warned("statsite_address", kText, kPull),
    Warned("statsd_address", kText, kPull),
    Warned("datadog_address", kText, kPull),
    Warned("datadog_tags", kTextList, kPull),
    Warned("circonus_api_token", kText, kPull),
    Warned("circonus_api_app", kText, kPull),
    Warned("circonus_api_url", kText, kPull),
    Warned("circonus_submission_interval", kText, kPull),
    Warned("circonus_submission_url", kText, kPull),
    Warned("circonus_check_id", kText, kPull),
    Warned("circonus_check_force_metric_activation", kText, kPull),
    Warned("circonus_check_instance_id", kText, kPull),
    Warned("circonus_check_search_tag", kText, kPull),
    Warned("circonus_check_display_name", kText, kPull),
    Warned("circonus_check_tags", kText, kPull),
    Warned("circonus_broker_id", kText, kPull),
    Warned("circonus_broker_select_tag", kText, kPull),
};

constexpr ConfigKey kLimits[] = {
    Number("http_max_conns", 0, 1'000'000, "the most connections; 0: no limit", "4096"),
    Number("http_max_conns_per_client", 0, 1'000'000,
           "per user of this machine or address of another one; 0: no limit", "2048"),
    Done("https_handshake_timeout", kDuration,
         "for a handshake of TLS, and for the head of a request", R"("10s")"),
    Warned("rpc_handshake_timeout", kDuration, kOneAgent),
    Warned("rpc_max_conns_per_client", kInteger, kOneAgent),
};

constexpr ConfigKey kServices[] = {
    Done("default_provider", kText, "of services that name none: consul or builtin, which is here",
         R"("consul")"),
    Done("consul", kText,
         "where services of the provider consul are registered: consul, or builtin, which is here; "
         "default consul, but builtin with --dev and in `drover run`"),
};

constexpr char kNotInConsul[] = "the agent does not register itself in Consul";
constexpr char kTokenOfBlock[] = "services are registered with the token of this block";
constexpr char kNoConnect[] = "jobs with Connect are refused";
constexpr ConfigKey kConsul[] = {
    Done("name", kText, "the cluster that services name; default `\"default\"`"),
    Done("enabled", kBoolean, "false: as if the block were not there"),
    Done("address", kText,
         "of the agent of Consul on this machine: HOST:PORT, http://, https:// or unix:///PATH; "
         "default `\"127.0.0.1:8500\"`"),
    Secret("auth", "USER:PASSWORD for the header Authorization; a secret"),
    Secret("token", "needs service:write for the services of jobs; a secret"),
    Done("namespace", kText, "of Consul Enterprise: where services are registered"),
    Done("ssl", kBoolean, "whether the address without a scheme is https"),
    Done("ca_file", kPath, "PEM; the authority of Consul's certificate; by default the system's"),
    Done("cert_file", kPath, "PEM; the certificate that this agent shows"),
    Done("key_file", kPath, "PEM; of cert_file"),
    Done("verify_ssl", kBoolean, "false: any certificate is accepted; default `true`"),
    Done("timeout", kDuration, "of one request; default `\"5s\"`"),
    Warned("allow_unauthenticated", kBoolean, kTokenOfBlock, "[true]"),
    Warned("service_identity", kAny, kTokenOfBlock),
    Warned("task_identity", kAny, "tasks get no tokens of Consul"),
    Warned("service_auth_method", kText, kTokenOfBlock),
    Warned("task_auth_method", kText, "tasks get no tokens of Consul"),
    Warned("auto_advertise", kBoolean, kNotInConsul),
    Warned("checks_use_advertise", kBoolean, kNotInConsul),
    Warned("client_service_name", kText, kNotInConsul),
    Warned("client_http_check_name", kText, kNotInConsul),
    Warned("server_service_name", kText, kNotInConsul),
    Warned("server_http_check_name", kText, kNotInConsul),
    Warned("server_rpc_check_name", kText, kNotInConsul),
    Warned("server_serf_check_name", kText, kNotInConsul),
    Warned("tags", kTextList, kNotInConsul),
    Warned("client_auto_join", kBoolean, kOneAgent),
    Warned("server_auto_join", kBoolean, kOneAgent),
    Warned("grpc_address", kText, kNoConnect),
    Warned("grpc_ca_file", kText, kNoConnect),
    Warned("share_ssl", kBoolean, kNoConnect),
};

constexpr ConfigKey kAcl[] = {
    Done("enabled", kBoolean, "whether tokens and policies say what a client may do", "false"),
    Done("token_min_expiration_ttl", kDuration, "the least time until a token expires", R"("1m")"),
    Done("token_max_expiration_ttl", kDuration, "the most time until a token expires", R"("24h")"),
    Warned("token_ttl", kText, kKeptLookUps),
    Warned("policy_ttl", kText, kKeptLookUps),
    Warned("role_ttl", kText, kKeptLookUps),
    Warned("replication_token", kText, kOneAgent),
};

constexpr ConfigKey kTop[] = {
    Done("name", kText, "the name of the node; by default the name of the host"),
    Done("datacenter", kText, "${node.datacenter} in jobs", R"("dc1")"),
    Done("region", kText, "${node.region} in jobs", R"("global")"),
    Done("data_dir", kPath, "what the agent keeps; --data-dir comes first"),
    Done("bind_addr", kText, "the address of the API; --bind comes first", R"("127.0.0.1")"),
    Block("addresses", kAddresses),
    Block("ports", kPorts, "--port comes first"),
    Block("advertise", kAdvertise),
    Block("http", kHttp, "of Drover: the API"),
    Block("tls", kTls),
    Done("token_file", kPath, "of Drover: a token with which a client may do everything"),
    Done("log_level", kText, "trace, debug, info, warn, error or off", R"("warn")"),
    Done("log_format", kText, "of Drover: text or json", R"("text")"),
    Done("log_json", kBoolean, "true: as log_format = \"json\""),
    Done("log_file", kPath, "the log goes here, too; DIR/ means DIR/drover.log"),
    Number("log_rotate_bytes", 0, kMostInt, "a longer log_file is renamed; 0: no limit", "0"),
    Done("log_rotate_duration", kDuration, "an older log_file is renamed", R"("24h")"),
    Number("log_rotate_max_files", -1, 1'000'000, "how many renamed ones stay; 0: all; -1: none",
           "0"),
    Warned("log_include_location", kBoolean, "a line of the log has no place in the code"),
    Warned("enable_syslog", kBoolean, "the log goes to standard error, and so to the journal"),
    Warned("syslog_facility", kText, "the log goes to standard error, and so to the journal",
           R"(["LOCAL0"])"),
    Block("client", kClient, "the node that runs tasks"),
    Block("server", kServer, "the scheduler"),
    Blocks("plugin", kPlugin, "a driver"),
    Blocks("plugins", kPlugin, "of Drover: drivers by name, in one object"),
    Done("plugin_dir", kPath, "where the files of plugins are looked for, after plugin_dirs"),
    Done("plugin_dirs", kPathList, "of Drover: where the files of plugins are looked for"),
    Block("telemetry", kTelemetry),
    Block("limits", kLimits, "for the clients of the API"),
    Block("services", kServices, "of Drover: where the services of jobs are registered"),
    Block("acl", kAcl, "tokens, policies and roles"),
    {"consul", kKeyed, kDone,
     "a cluster of Consul with which services are registered; several have names of their own", "",
     kConsul},
    Refused("vault", kAny,
            "remove it: this agent does not use Vault, and jobs that need it are refused"),
    Refused("audit", kAny, "remove it: no audit log is written"),
    Refused("sentinel", kAny, "remove it: policies are not enforced"),
    Warned("keyring", kAny, "the keys are in the state, sealed by the key of the data directory"),
    Warned("ui", kAny, kNoUi),
    Warned("autopilot", kAny, kNoRaft),
    Warned("reporting", kAny, "nothing is reported to anybody"),
    Warned("rpc", kAny, kOneAgent),
    Warned("eventlog", kAny, "it is a log of Windows"),
    Warned("leave_on_interrupt", kBoolean, "tasks go on when the agent ends"),
    Warned("leave_on_terminate", kBoolean, "tasks go on when the agent ends"),
    Warned("enable_debug", kBoolean, "there are no profiles of the running agent"),
    Warned("http_api_response_headers", kAny, "write http { origins = [...] } to let browsers in"),
    Warned("disable_update_check", kBoolean, "versions are never looked for", "[true]"),
    Warned("disable_anonymous_signature", kBoolean, "versions are never looked for", "[true]"),
};

}  // namespace

std::span<const ConfigKey> ConfigKeys() { return kTop; }

const ConfigKey* FindConfigKey(std::span<const ConfigKey> keys, const std::string& name) {
  const auto found = std::find_if(keys.begin(), keys.end(),
                                  [&name](const ConfigKey& key) { return name == key.name; });
  return found == keys.end() ? nullptr : &*found;
}

}  // namespace drover
