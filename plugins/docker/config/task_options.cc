// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "config/task_options.h"

#include <algorithm>
#include <set>

namespace drover_docker {
namespace {

constexpr std::size_t kLongestText = 32768;
constexpr std::size_t kMostLabels = 256;

void RefuseOptions(const drover::Json& config) {
  if (!config.String("isolation").empty()) {
    Invalid("/isolation: it chooses between kinds of containers of Windows: remove it");
  }
  if (config.Bool("windows_allow_insecure_container_admin")) {
    Invalid("/windows_allow_insecure_container_admin: containers of Windows are not supported");
  }
}

std::vector<std::string> Texts(const drover::Json& config, const char* member) {
  std::vector<std::string> out = config.Strings(member);
  for (const std::string& item : out) {
    if (item.size() > kLongestText) Invalid(std::string("/") + member + ": an element is too long");
    if (item.find('\0') != std::string::npos) {
      Invalid(std::string("/") + member + ": an element has a NUL");
    }
  }
  return out;
}

std::vector<std::string> PlainTexts(const drover::Json& config, const char* member) {
  std::vector<std::string> out = config.Strings(member);
  for (const std::string& item : out) Plain(std::string("/") + member, item);
  return out;
}

std::string PlainText(const drover::Json& config, const char* member) {
  std::string out = config.String(member);
  return Plain(std::string("/") + member, out);
}

std::vector<std::string> Capabilities(const drover::Json& config, const char* member) {
  std::vector<std::string> out;
  for (const std::string& item : config.Strings(member)) {
    const std::string name = CapabilityName(item);
    const bool known = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
      return (c >= 'a' && c <= 'z') || c == '_';
    });
    if (!known) Invalid(std::string("/") + member + ": " + Quoted(item) + " is no capability");
    out.push_back(name);
  }
  return out;
}

DeviceOption ReadDevice(const std::string& where, const drover::Json& config) {
  DeviceOption out;
  out.host_path = config.String("host_path");
  out.container_path = config.String("container_path");
  out.permissions = config.String("cgroup_permissions");
  if (!HasPrefix(Plain(where, out.host_path), "/dev/")) {
    Invalid(where + "/host_path: " + Quoted(out.host_path) + " is no path below /dev");
  }
  if (out.container_path.empty()) out.container_path = out.host_path;
  if (!HasPrefix(Plain(where, out.container_path), "/")) {
    Invalid(where + "/container_path: " + Quoted(out.container_path) + " must be absolute");
  }
  if ((out.host_path + out.container_path).find_first_of(":,") != std::string::npos) {
    Invalid(where + ": a path with a colon or a comma is not supported");
  }
  if (out.permissions.empty()) out.permissions = "rwm";
  if (out.permissions.find_first_not_of("rwm") != std::string::npos) {
    Invalid(where + "/cgroup_permissions: " + Quoted(out.permissions) +
            " must be some of the letters r, w and m");
  }
  return out;
}

const char* const kPropagations[] = {"private", "rprivate", "shared", "rshared", "slave", "rslave"};

bool IsPropagation(const std::string& text) {
  return std::find(std::begin(kPropagations), std::end(kPropagations), text) !=
         std::end(kPropagations);
}

void CheckTarget(const MountOption& mount) {
  Plain(mount.where + "/target", mount.target);
  Plain(mount.where + "/source", mount.source);
  if (!HasPrefix(mount.target, "/")) {
    Invalid(mount.where + ": the path in the container, " + Quoted(mount.target) +
            ", must be absolute");
  }
  // Some engines take mounts as lists with commas, in which a comma would begin another option.
  if ((mount.target + mount.source).find_first_of(",\"\\") != std::string::npos) {
    Invalid(mount.where + ": a path with a comma, a quote or a backslash is not supported");
  }
  for (const std::string& part : Split(mount.target, '/')) {
    if (part == "..") Invalid(mount.where + ": " + Quoted(mount.target) + " has a \"..\"");
  }
}

MountOption ReadMount(const std::string& where, const drover::Json& config) {
  MountOption out;
  out.where = where;
  const std::string type = config.String("type", "volume");
  out.kind = type == "bind"    ? MountKind::kBind
             : type == "tmpfs" ? MountKind::kTmpfs
                               : MountKind::kVolume;
  out.target = config.String("target");
  out.source = config.String("source");
  out.read_only = config.Bool("readonly");
  CheckTarget(out);
  const drover::Json& bind = ReadObject(config, "bind_options");
  const drover::Json& tmpfs = ReadObject(config, "tmpfs_options");
  const drover::Json& volume = ReadObject(config, "volume_options");
  const auto only = [&](MountKind kind, const drover::Json& options, const char* name) {
    if (out.kind != kind && !options.AsObject().empty()) {
      Invalid(where + "/" + name + ": it does not belong to a mount of type " + Quoted(type));
    }
  };
  only(MountKind::kBind, bind, "bind_options");
  only(MountKind::kTmpfs, tmpfs, "tmpfs_options");
  only(MountKind::kVolume, volume, "volume_options");
  out.propagation = bind.String("propagation");
  if (!out.propagation.empty() && !IsPropagation(out.propagation)) {
    Invalid(where + "/bind_options/propagation: " + Quoted(out.propagation) + " is not known");
  }
  out.tmpfs_size = tmpfs.Int("size");
  out.tmpfs_mode = tmpfs.Int("mode");
  out.no_copy = volume.Bool("no_copy");
  out.labels = ReadMap(volume, "labels");
  const drover::Json& driver = ReadObject(volume, "driver_config");
  out.driver = driver.String("name");
  out.driver_options = ReadMap(driver, "options");
  if (out.kind == MountKind::kBind && out.source.empty()) {
    Invalid(where + "/source: a bind mount needs a path");
  }
  if (out.kind == MountKind::kTmpfs && !out.source.empty()) {
    Invalid(where + "/source: a tmpfs has none");
  }
  return out;
}

void ReadResources(const drover::Json& config, TaskOptions* out) {
  out->cpu_cfs_period = config.Int("cpu_cfs_period");
  if (out->cpu_cfs_period != 0 && out->cpu_cfs_period < 1000) {
    Invalid("/cpu_cfs_period: " + std::to_string(out->cpu_cfs_period) +
            " must be from 1000 to 1000000, in microseconds");
  }
  out->cpu_hard_limit = config.Bool("cpu_hard_limit");
  out->cpuset_cpus = config.String("cpuset_cpus");
  if (out->cpuset_cpus.find_first_not_of("0123456789,-") != std::string::npos) {
    Invalid("/cpuset_cpus: " + Quoted(out->cpuset_cpus) + " is no list of cores such as \"0,2-3\"");
  }
  out->memory_hard_limit = config.Int("memory_hard_limit");
  out->oom_score_adj = config.Int("oom_score_adj");
  out->pids_limit = config.Int("pids_limit");
  out->shm_size = config.Int("shm_size");
  out->storage_opt = ReadMap(config, "storage_opt");
  out->sysctl = ReadMap(config, "sysctl");
  for (const auto& [name, text] : ReadMap(config, "ulimit")) {
    out->ulimits.push_back(ReadUlimit(name, text));
  }
}

void ReadNetwork(const drover::Json& config, TaskOptions* out) {
  out->network_mode = PlainText(config, "network_mode");
  out->network_aliases = PlainTexts(config, "network_aliases");
  out->ports = PlainTexts(config, "ports");
  if (const drover::Json& map = config["port_map"]; !map.is_null()) {
    for (const auto& [label, port] : map.AsObject()) out->port_map[label] = port.AsInt();
  }
  if (!out->ports.empty() && !out->port_map.empty()) {
    Invalid(
        "/port_map: it cannot be combined with ports: write \"to\" in the block port of the "
        "group's network");
  }
  out->dns_servers = PlainTexts(config, "dns_servers");
  for (const std::string& server : out->dns_servers) {
    if (!IsAddress(server)) Invalid("/dns_servers: " + Quoted(server) + " is no IP address");
  }
  out->dns_search_domains = PlainTexts(config, "dns_search_domains");
  out->dns_options = PlainTexts(config, "dns_options");
  out->extra_hosts = PlainTexts(config, "extra_hosts");
  for (const std::string& host : out->extra_hosts) {
    const std::size_t colon = host.find(':');
    const std::string address = colon == std::string::npos ? "" : host.substr(colon + 1);
    if (colon == 0 || (address != "host-gateway" && !IsAddress(address))) {
      Invalid("/extra_hosts: " + Quoted(host) + " must be \"NAME:ADDRESS\"");
    }
  }
  out->ipv4_address = config.String("ipv4_address");
  out->ipv6_address = config.String("ipv6_address");
  for (const std::string* address : {&out->ipv4_address, &out->ipv6_address}) {
    if (!address->empty() && !IsAddress(*address)) {
      Invalid("/ipv4_address, /ipv6_address: " + Quoted(*address) + " is no IP address");
    }
  }
  out->mac_address = PlainText(config, "mac_address");
  out->advertise_ipv6_address = config.Bool("advertise_ipv6_address");
}

void ReadPrivileges(const drover::Json& config, TaskOptions* out) {
  out->cap_add = Capabilities(config, "cap_add");
  out->cap_drop = Capabilities(config, "cap_drop");
  out->privileged = config.Bool("privileged");
  if (const drover::Json& devices = config["devices"]; !devices.is_null()) {
    std::size_t number = 0;
    for (const drover::Json& device : devices.AsArray()) {
      out->devices.push_back(ReadDevice("/devices/" + std::to_string(number++), device));
    }
  }
  out->group_add = PlainTexts(config, "group_add");
  out->security_opt = PlainTexts(config, "security_opt");
  out->runtime = PlainText(config, "runtime");
  out->cgroupns = config.String("cgroupns");
  out->ipc_mode = PlainText(config, "ipc_mode");
  out->pid_mode = PlainText(config, "pid_mode");
  out->userns_mode = PlainText(config, "userns_mode");
  out->uts_mode = PlainText(config, "uts_mode");
  out->readonly_rootfs = config.Bool("readonly_rootfs");
}

void ReadMounts(const drover::Json& config, TaskOptions* out) {
  const std::string volume_driver = PlainText(config, "volume_driver");
  std::size_t number = 0;
  for (const std::string& text : config.Strings("volumes")) {
    MountOption mount = ReadVolume("/volumes/" + std::to_string(number++), text);
    const bool of_volume = mount.no_copy;
    const bool of_bind = !mount.propagation.empty() || !mount.selinux.empty();
    if (volume_driver.empty() ? of_volume : of_bind) {
      Invalid(mount.where + ": an option of " + Quoted(text) + " does not belong to a " +
              (volume_driver.empty() ? "path of the host" : "volume of a driver"));
    }
    if (!volume_driver.empty()) {
      mount.kind = MountKind::kVolume;
      mount.driver = volume_driver;
      mount.make_source = false;
    }
    out->mounts.push_back(std::move(mount));
  }
  if (!volume_driver.empty() && out->mounts.empty()) {
    Invalid("/volume_driver: there are no volumes, to which it belongs");
  }
  for (const char* member : {"mount", "mounts"}) {
    const drover::Json& list = config[member];
    if (list.is_null()) continue;
    number = 0;
    for (const drover::Json& item : list.AsArray()) {
      const std::string where = std::string("/") + member + "/" + std::to_string(number++);
      out->mounts.push_back(ReadMount(where, item));
    }
  }
  std::set<std::string> targets;
  for (const MountOption& mount : out->mounts) {
    if (!targets.insert(mount.target).second) {
      Invalid(mount.where + ": another mount has the path " + Quoted(mount.target) + ", too");
    }
  }
}

void ReadImage(const drover::Json& config, TaskOptions* out) {
  out->image = PlainText(config, "image");
  for (const char* scheme : {"https://", "http://", "docker://"}) {
    if (HasPrefix(out->image, scheme)) out->image.erase(0, std::string_view(scheme).size());
  }
  if (out->image.empty()) Invalid("/image: the name of an image is missing");
  if (out->image.find_first_of(" ?#%") != std::string::npos || out->image[0] == '-') {
    Invalid("/image: " + Quoted(out->image) + " is no name of an image");
  }
  const drover::Json& auth = ReadObject(config, "auth");
  out->auth.username = auth.String("username");
  out->auth.password = auth.String("password");
  out->auth.email = auth.String("email");
  out->auth.server_address = auth.String("server_address");
  out->auth_soft_fail = config.Bool("auth_soft_fail");
  out->force_pull = config.Bool("force_pull");
  out->image_pull_timeout =
      ReadDuration("/image_pull_timeout", config.String("image_pull_timeout"), Duration(0));
  out->load = PlainText(config, "load");
  if (!out->load.empty() && out->force_pull) {
    Invalid("/load: an image that is loaded from a file is not pulled: remove force_pull");
  }
}

}  // namespace

MountOption ReadVolume(const std::string& where, const std::string& text) {
  MountOption out;
  out.where = where;
  out.kind = MountKind::kBind;
  out.make_source = true;
  const std::vector<std::string> parts = Split(text, ':');
  if (parts.size() < 2 || parts.size() > 3 || parts[0].empty() || parts[1].empty()) {
    Invalid(where + ": " + Quoted(text) + " must be \"SOURCE:TARGET\" or \"SOURCE:TARGET:ro\"");
  }
  out.source = parts[0];
  out.target = parts[1];
  CheckTarget(out);
  if (parts.size() == 2) return out;
  for (const std::string& option : Split(parts[2], ',')) {
    if (option == "ro") {
      out.read_only = true;
    } else if (option == "nocopy") {
      out.no_copy = true;
    } else if (IsPropagation(option)) {
      out.propagation = option;
    } else if (option == "z" || option == "Z") {
      out.selinux = option;
    } else if (option != "rw" && option != "consistent" && option != "cached" &&
               option != "delegated") {
      Invalid(where + ": the option " + Quoted(option) + " of " + Quoted(text) + " is not known");
    }
  }
  return out;
}

Ulimit ReadUlimit(const std::string& name, const std::string& text) {
  static const std::set<std::string> kNames{"core",    "cpu",      "data",   "fsize",      "locks",
                                            "memlock", "msgqueue", "nice",   "nofile",     "nproc",
                                            "rss",     "rtprio",   "rttime", "sigpending", "stack"};
  if (kNames.count(name) == 0) Invalid("/ulimit: " + Quoted(name) + " is no limit");
  const std::vector<std::string> parts = Split(text, ':');
  if (parts.size() > 2) Invalid("/ulimit/" + name + ": " + Quoted(text) + " must be \"SOFT:HARD\"");
  const auto read = [&](const std::string& part) -> std::int64_t {
    if (part == "-1" || part == "unlimited") return -1;
    return ReadNumber("/ulimit/" + name, part, INT64_MAX);
  };
  Ulimit out{name, read(parts.front()), read(parts.back())};
  if (out.hard != -1 && (out.soft == -1 || out.soft > out.hard)) {
    Invalid("/ulimit/" + name + ": the soft limit of " + Quoted(text) + " is above the hard limit");
  }
  return out;
}

TaskOptions TaskOptions::Read(const drover::Json& config) {
  RefuseOptions(config);
  TaskOptions out;
  ReadImage(config, &out);
  out.entrypoint = Texts(config, "entrypoint");
  out.command = config.String("command");
  out.args = Texts(config, "args");
  out.work_dir = PlainText(config, "work_dir");
  if (!out.work_dir.empty() && out.work_dir[0] != '/') {
    Invalid("/work_dir: " + Quoted(out.work_dir) + " must be absolute");
  }
  out.hostname = PlainText(config, "hostname");
  if (out.hostname.size() > 64) Invalid("/hostname: it is longer than 64 bytes");
  out.init = config.Bool("init");
  out.interactive = config.Bool("interactive");
  out.tty = config.Bool("tty");
  out.labels = ReadMap(config, "labels");
  if (out.labels.size() > kMostLabels) Invalid("/labels: there are more than 256");
  if (!config["logging"].is_null()) out.logging = ReadLogging("/logging", config["logging"]);
  if (out.logging && out.logging->driver.empty()) out.logging.reset();
  out.healthchecks_disabled = ReadObject(config, "healthchecks").Bool("disable");
  if (!config["container_exists_attempts"].is_null()) {
    out.container_exists_attempts = config.Int("container_exists_attempts");
  }
  ReadPrivileges(config, &out);
  ReadMounts(config, &out);
  ReadResources(config, &out);
  ReadNetwork(config, &out);
  return out;
}

}  // namespace drover_docker
