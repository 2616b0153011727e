// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "container/create_body.h"

#include <algorithm>

#include "config/rules.h"
#include "container/names.h"

namespace drover_docker {
namespace {

using nlohmann::json;

constexpr std::int64_t kMiB = 1024 * 1024;
constexpr std::int64_t kDefaultPeriod = 100000;  // us
constexpr std::int64_t kLeastQuota = 1000;       // us, by the kernel

json TextMap(const StringMap& in) {
  json out = json::object();
  for (const auto& [name, value] : in) out[name] = value;
  return out;
}

json Command(const TaskOptions& options) {
  json out = json::array();
  if (!options.command.empty()) out.push_back(options.command);
  for (const std::string& word : options.args) out.push_back(word);
  return out;
}

json Environment(const drover::TaskConfig& task) {
  json out = json::array();
  for (const auto& [name, value] : task.env) out.push_back(name + "=" + value);
  return out;
}

json Labels(const BodyInput& in, const GroupNames& names) {
  json out = json::object();
  for (const auto& [name, value] : names.labels) {
    if (!IsReservedLabel(name)) out[name] = value;
  }
  for (const auto& [name, value] : in.options.labels) out[name] = value;
  for (const auto& [name, value] : ContainerLabels(in.task, in.settings.extra_labels)) {
    out[name] = value;
  }
  out[kImageLabel] = in.options.image;
  return out;
}

// A comma, or a colon, in a path of the host would begin another option of some engines.
const std::string& HostPath(const std::string& path) {
  if (path.find_first_of(",:\"\\\n") != std::string::npos) {
    Invalid("the path " + Quoted(path) +
            " has a comma, a colon or a quote, which engines cannot mount");
  }
  return path;
}

json Bind(const std::string& source, const std::string& target, bool read_only,
          const std::string& propagation) {
  json out = json::object();
  out["Type"] = "bind";
  out["Source"] = HostPath(source);
  out["Target"] = HostPath(target);
  out["ReadOnly"] = read_only;
  if (!propagation.empty()) out["BindOptions"]["Propagation"] = propagation;
  return out;
}

// The API has the label of SELinux in this form only.
std::string LabelledBind(const MountOption& mount, const std::string& source) {
  return HostPath(source) + ":" + HostPath(mount.target) + ":" + mount.selinux +
         (mount.read_only ? ",ro" : "") +
         (mount.propagation.empty() ? std::string() : "," + mount.propagation);
}

json JobMount(const MountOption& mount, const std::string& source, bool podman) {
  if (mount.kind == MountKind::kBind) {
    return Bind(source, mount.target, mount.read_only, mount.propagation);
  }
  json out = json::object();
  out["Target"] = HostPath(mount.target);
  out["ReadOnly"] = mount.read_only;
  if (mount.kind == MountKind::kTmpfs) {
    out["Type"] = "tmpfs";
    if (mount.tmpfs_size > 0) out["TmpfsOptions"]["SizeBytes"] = mount.tmpfs_size;
    if (mount.tmpfs_mode > 0) out["TmpfsOptions"]["Mode"] = mount.tmpfs_mode;
    return out;
  }
  out["Type"] = "volume";
  out["Source"] = HostPath(mount.source);
  json volume = json::object();
  if (mount.no_copy) volume["NoCopy"] = true;
  if (!mount.labels.empty()) volume["Labels"] = TextMap(mount.labels);
  if (!mount.driver.empty() || !mount.driver_options.empty()) {
    volume["DriverConfig"]["Name"] = mount.driver.empty() ? "local" : mount.driver;
    volume["DriverConfig"]["Options"] = TextMap(mount.driver_options);
  }
  if (podman && !volume.empty()) {
    Invalid(mount.where +
            ": podman's service takes no options of volumes: make the volume with "
            "\"podman volume create\", and name it here");
  }
  if (!volume.empty()) out["VolumeOptions"] = std::move(volume);
  return out;
}

// Refuses what podman's service would ignore.
void CheckPodman(const BodyInput& in) {
  if (!in.podman) return;
  if (!in.options.runtime.empty()) {
    Invalid("/runtime: podman's service has one runtime for all containers, in containers.conf");
  }
  if (!in.options.cgroupns.empty()) {
    Invalid("/cgroupns: podman's service does not take it: it is set in containers.conf");
  }
  if (!in.options.mac_address.empty() && in.network.mode == "bridge") {
    Invalid("/mac_address: podman takes it only in a network of the operator: see network_mode");
  }
}

void AddMounts(const BodyInput& in, json* host) {
  const drover::TaskConfig& task = in.task;
  const std::pair<const std::string*, const char*> own[] = {
      {&task.alloc_dir, "/alloc"}, {&task.local_dir, "/local"}, {&task.secrets_dir, "/secrets"}};
  json mounts = json::array();
  json binds = json::array();
  for (const auto& [source, target] : own) {
    if (source->empty()) continue;
    if (in.settings.selinux_label.empty()) {
      mounts.push_back(Bind(*source, target, false, ""));
    } else {
      binds.push_back(HostPath(*source) + ":" + target + ":" + in.settings.selinux_label);
    }
  }
  for (const drover::Mount& mount : task.mounts) {
    const std::string propagation = mount.propagation == "private"         ? "rprivate"
                                    : mount.propagation == "host-to-task"  ? "rslave"
                                    : mount.propagation == "bidirectional" ? "rshared"
                                                                           : mount.propagation;
    mounts.push_back(Bind(mount.host_path, mount.task_path, mount.read_only, propagation));
  }
  for (std::size_t i = 0; i < in.options.mounts.size(); ++i) {
    const std::string source = i < in.sources.size() ? in.sources[i] : std::string();
    const MountOption& mount = in.options.mounts[i];
    if (mount.selinux.empty()) {
      mounts.push_back(JobMount(mount, source, in.podman));
    } else {
      binds.push_back(LabelledBind(mount, source));
    }
  }
  (*host)["Mounts"] = std::move(mounts);
  if (!binds.empty()) (*host)["Binds"] = std::move(binds);
}

void AddDevices(const BodyInput& in, json* host) {
  json out = json::array();
  const auto add = [&](const std::string& from, const std::string& to, const std::string& how) {
    json device = json::object();
    device["PathOnHost"] = HostPath(from);
    device["PathInContainer"] = HostPath(to);
    device["CgroupPermissions"] = how.empty() ? "rwm" : how;
    out.push_back(std::move(device));
  };
  for (const drover::Device& device : in.task.devices) {
    add(device.host_path, device.task_path, device.permissions);
  }
  for (const DeviceOption& device : in.options.devices) {
    add(device.host_path, device.container_path, device.permissions);
  }
  if (!out.empty()) (*host)["Devices"] = std::move(out);
}

void AddCpu(const BodyInput& in, json* host) {
  const drover::TaskConfig& task = in.task;
  if (task.cpu_shares > 0) (*host)["CpuShares"] = std::max<std::int64_t>(task.cpu_shares, 2);
  if (!task.cpu_cores.empty() && !in.options.cpuset_cpus.empty()) {
    Invalid("/cpuset_cpus: the task has reserved cores of its own: remove it, or \"cores\"");
  }
  const std::string& cores = task.cpu_cores.empty() ? in.options.cpuset_cpus : task.cpu_cores;
  if (!cores.empty()) (*host)["CpusetCpus"] = cores;
  if (!in.options.cpu_hard_limit || task.cpu_quota.count() <= 0) return;
  const std::int64_t period =
      in.options.cpu_cfs_period > 0 ? in.options.cpu_cfs_period : kDefaultPeriod;
  const double share = static_cast<double>(task.cpu_quota.count()) /
                       static_cast<double>(std::max<std::int64_t>(task.cpu_period.count(), 1));
  const auto quota = static_cast<std::int64_t>(share * static_cast<double>(period));
  (*host)["CpuPeriod"] = period;
  (*host)["CpuQuota"] = std::max(quota, kLeastQuota);
}

void AddMemory(const BodyInput& in, json* host) {
  const std::int64_t reserved = in.task.memory_mb * kMiB;
  std::int64_t limit = std::max(in.task.memory_limit, reserved);
  if (in.options.memory_hard_limit > INT64_MAX / kMiB) {
    Invalid("/memory_hard_limit: " + std::to_string(in.options.memory_hard_limit) +
            " MiB is more than any machine has");
  }
  const std::int64_t hard = in.options.memory_hard_limit * kMiB;
  if (hard > 0 && hard < reserved) {
    Invalid("/memory_hard_limit: " + std::to_string(in.options.memory_hard_limit) +
            " MiB is less than the memory of the task");
  }
  limit = std::max(limit, hard);
  if (limit <= 0) return;
  (*host)["Memory"] = limit;
  (*host)["MemorySwap"] = limit;  // no swap beyond the memory
  if (limit > reserved && reserved > 0) (*host)["MemoryReservation"] = reserved;
}

void AddLimits(const BodyInput& in, json* host) {
  AddCpu(in, host);
  AddMemory(in, host);
  if (const std::int64_t pids = ChoosePidsLimit(in.settings, in.options); pids > 0) {
    (*host)["PidsLimit"] = pids;
  }
  const std::int64_t score =
      in.options.oom_score_adj != 0 ? in.options.oom_score_adj : in.settings.oom_score_adj;
  if (score != 0) (*host)["OomScoreAdj"] = score;
  if (in.options.shm_size > 0) (*host)["ShmSize"] = in.options.shm_size;
  if (!in.options.storage_opt.empty()) (*host)["StorageOpt"] = TextMap(in.options.storage_opt);
  if (!in.options.sysctl.empty()) (*host)["Sysctls"] = TextMap(in.options.sysctl);
  json limits = json::array();
  for (const Ulimit& limit : in.options.ulimits) {
    json one = json::object();
    one["Name"] = limit.name;
    one["Soft"] = limit.soft;
    one["Hard"] = limit.hard;
    limits.push_back(std::move(one));
  }
  if (!limits.empty()) (*host)["Ulimits"] = std::move(limits);
}

void AddPrivileges(const BodyInput& in, json* host) {
  const TaskOptions& options = in.options;
  if (options.privileged) {
    (*host)["Privileged"] = true;
  } else {
    (*host)["CapDrop"] = json::array({"ALL"});
    (*host)["CapAdd"] = ChooseCapabilities(in.settings, options);
  }
  if (!options.group_add.empty()) (*host)["GroupAdd"] = options.group_add;
  if (!options.security_opt.empty()) (*host)["SecurityOpt"] = options.security_opt;
  const std::pair<const char*, const std::string*> modes[] = {
      {"Runtime", &options.runtime},        {"CgroupnsMode", &options.cgroupns},
      {"IpcMode", &options.ipc_mode},       {"PidMode", &options.pid_mode},
      {"UsernsMode", &options.userns_mode}, {"UTSMode", &options.uts_mode}};
  for (const auto& [member, value] : modes) {
    // "private" is the default of a pid and a UTS namespace, and dockerd has no word for it.
    const bool word =
        std::string_view(member) != "PidMode" && std::string_view(member) != "UTSMode";
    if (value->empty() || (*value == "private" && !word)) continue;
    (*host)[member] = *value;
  }
  if (options.readonly_rootfs) (*host)["ReadonlyRootfs"] = true;
}

void AddLogging(const BodyInput& in, json* host) {
  Logging logging = in.options.logging ? *in.options.logging : in.settings.logging;
  if (logging.driver.empty()) {
    if (in.settings.disable_log_collection || in.task.logs_disabled) return;
    // The engine's own copy stays small: the host collects the output and rotates its files.
    logging.driver = in.podman ? "k8s-file" : "json-file";
    logging.options["max-size"] = "16m";
    if (!in.podman) logging.options["max-file"] = "2";
  }
  (*host)["LogConfig"]["Type"] = logging.driver;
  (*host)["LogConfig"]["Config"] = TextMap(logging.options);
}

void AddNames(const TaskOptions& options, const GroupNames& names, json* host) {
  const auto choose = [&](const char* member, const std::vector<std::string>& own,
                          const std::vector<std::string>& group) {
    const std::vector<std::string>& chosen = own.empty() ? group : own;
    if (!chosen.empty()) (*host)[member] = chosen;
  };
  choose("Dns", options.dns_servers, names.dns_servers);
  choose("DnsSearch", options.dns_search_domains, names.dns_searches);
  choose("DnsOptions", options.dns_options, names.dns_options);
  if (!options.extra_hosts.empty()) (*host)["ExtraHosts"] = options.extra_hosts;
}

void AddEndpoint(const BodyInput& in, json* body) {
  const TaskOptions& options = in.options;
  if (in.network.joins || in.network.mode == "none") return;
  json endpoint = json::object();
  if (!options.network_aliases.empty()) endpoint["Aliases"] = options.network_aliases;
  if (!options.ipv4_address.empty()) endpoint["IPAMConfig"]["IPv4Address"] = options.ipv4_address;
  if (!options.ipv6_address.empty()) endpoint["IPAMConfig"]["IPv6Address"] = options.ipv6_address;
  if (!options.mac_address.empty()) {
    if (in.podman) endpoint["MacAddress"] = options.mac_address;
    if (!in.podman) (*body)["MacAddress"] = options.mac_address;
  }
  if (in.network.mode == "bridge" || endpoint.empty()) return;
  (*body)["NetworkingConfig"]["EndpointsConfig"][in.network.mode] = std::move(endpoint);
}

void AddPorts(const NetworkPlan& plan, json* body, json* host) {
  if (plan.ports.empty()) return;
  json exposed = json::object();
  json bindings = json::object();
  for (const PublishedPort& port : plan.ports) {
    for (const char* protocol : {"tcp", "udp"}) {
      const std::string inside = std::to_string(port.container_port) + "/" + protocol;
      json binding = json::object();
      binding["HostIp"] = port.host_ip;
      binding["HostPort"] = std::to_string(port.host_port);
      exposed[inside] = json::object();
      bindings[inside].push_back(std::move(binding));
    }
  }
  (*body)["ExposedPorts"] = std::move(exposed);
  (*host)["PortBindings"] = std::move(bindings);
}

}  // namespace

json CreateBody(const BodyInput& in) {
  const TaskOptions& options = in.options;
  CheckPodman(in);
  const GroupNames names = ReadGroupNames(in.task);
  json body = json::object();
  json host = json::object();
  body["Image"] = in.image_id;
  if (!options.entrypoint.empty()) body["Entrypoint"] = options.entrypoint;
  if (json command = Command(options); !command.empty()) body["Cmd"] = std::move(command);
  body["Env"] = Environment(in.task);
  body["Labels"] = Labels(in, names);
  if (!options.work_dir.empty()) body["WorkingDir"] = options.work_dir;
  if (!in.task.user.empty()) body["User"] = in.task.user;
  if (!in.task.kill_signal.empty()) body["StopSignal"] = in.task.kill_signal;
  if (options.interactive) body["OpenStdin"] = true;
  if (options.tty) body["Tty"] = true;
  if (options.init) host["Init"] = true;
  if (options.healthchecks_disabled) body["Healthcheck"]["Test"] = json::array({"NONE"});
  AddMounts(in, &host);
  AddDevices(in, &host);
  AddLimits(in, &host);
  AddPrivileges(in, &host);
  AddLogging(in, &host);
  if (!in.cgroup_parent.empty()) host["CgroupParent"] = in.cgroup_parent;
  host["NetworkMode"] = in.joined.empty() ? in.network.mode : "container:" + in.joined;
  // A container that joins another one has the names of that one.
  const bool of_other = !ContainerOf(host["NetworkMode"].get<std::string>()).empty();
  if (!of_other) {
    AddNames(options, names, &host);
    const std::string& hostname = options.hostname.empty() ? names.hostname : options.hostname;
    if (!hostname.empty()) body["Hostname"] = hostname;
  } else if (in.joined.empty() && !options.hostname.empty()) {
    Invalid("/hostname: a container that joins the network of another one has its name, too");
  } else if (in.joined.empty() &&
             !(options.dns_servers.empty() && options.dns_search_domains.empty() &&
               options.dns_options.empty() && options.extra_hosts.empty())) {
    Invalid(
        "/dns_servers, /dns_search_domains, /dns_options, /extra_hosts: a container that joins the "
        "network of another one has its name servers and hosts, too");
  }
  AddEndpoint(in, &body);
  AddPorts(in.network, &body, &host);
  host["RestartPolicy"]["Name"] = "no";  // the host itself restarts tasks
  host["AutoRemove"] = false;
  body["HostConfig"] = std::move(host);
  return body;
}

json PauseBody(const drover::TaskConfig& task, const GroupNames& names, const TaskOptions& options,
               const std::string& image) {
  json body = json::object();
  json host = json::object();
  body["Image"] = image;
  StringMap labels;
  labels[kKindLabel] = kPauseKind;
  labels[kNodeLabel] = task.node_id;
  labels[kNamespaceLabel] = task.network_namespace;
  labels["com.hashicorp.nomad.alloc_id"] = task.alloc_id;
  body["Labels"] = TextMap(labels);
  const std::string& hostname = names.hostname.empty() ? options.hostname : names.hostname;
  if (!hostname.empty()) body["Hostname"] = hostname;
  host["Mounts"] = json::array();
  host["Mounts"].push_back(Bind(task.network_namespace, "/netns", true, ""));
  // The program drops the capability as soon as it is in the namespace.
  host["CapDrop"] = json::array({"ALL"});
  host["CapAdd"] = json::array({"SYS_ADMIN"});
  host["SecurityOpt"] = json::array({"no-new-privileges"});
  host["NetworkMode"] = "host";
  host["UsernsMode"] = "host";
  host["PidsLimit"] = 16;
  host["Memory"] = 16 * kMiB;
  host["MemorySwap"] = 16 * kMiB;
  // There is no OomScoreAdj: the kernel takes so small a process last anyway, and an engine without
  // CAP_SYS_RESOURCE cannot start a container with a negative one.
  host["ReadonlyRootfs"] = true;
  host["LogConfig"]["Type"] = "none";
  host["LogConfig"]["Config"] = json::object();
  AddNames(options, names, &host);
  host["RestartPolicy"]["Name"] = "no";
  body["HostConfig"] = std::move(host);
  return body;
}

std::optional<drover::DriverNetwork> NetworkOf(const NetworkPlan& plan, const TaskOptions& options,
                                               const std::string& ip, const std::string& ipv6) {
  if (plan.joins || plan.mode == "none") return std::nullopt;
  drover::DriverNetwork out;
  out.ip = options.advertise_ipv6_address && !ipv6.empty() ? ipv6 : ip;
  // The addresses of the default bridge are not reached from other machines.
  out.auto_advertise = plan.mode != "bridge" && plan.mode != "nat";
  for (const PublishedPort& port : plan.ports) {
    drover::Port one;
    one.label = port.label;
    one.value = port.container_port;
    out.ports.push_back(std::move(one));
  }
  if (out.ip.empty()) return std::nullopt;
  return out;
}

}  // namespace drover_docker
