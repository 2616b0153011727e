// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "config/plugin_config.h"

namespace drover_docker {
namespace {

constexpr std::chrono::seconds kShortestPeriod{1};

std::set<std::string> SetOf(const drover::Json& config, const char* member,
                            std::set<std::string> fallback) {
  if (config[member].is_null()) return fallback;
  std::set<std::string> out;
  for (const std::string& item : config.Strings(member)) out.insert(item);
  return out;
}

void RefuseSettings(const drover::Json& config) {
  if (config.Bool("windows_allow_insecure_container_admin")) {
    Invalid("/windows_allow_insecure_container_admin: containers of Windows are not supported");
  }
  const std::string runtime = config.String("nvidia_runtime");
  if (!runtime.empty()) {
    Invalid(
        "/nvidia_runtime: GPUs come through a device plugin and the option runtime: remove it, "
        "and put " +
        Quoted(runtime) + " into allow_runtimes");
  }
  const std::string infra = config.String("infra_image");
  if (!infra.empty()) {
    Invalid(
        "/infra_image: this driver makes the image of its pause container itself and pulls "
        "none: remove it");
  }
}

void CheckEndpoint(const Settings& settings) {
  const std::string& endpoint = settings.endpoint;
  const bool local = HasPrefix(endpoint, "unix:///");
  const bool remote = HasPrefix(endpoint, "tcp://") || HasPrefix(endpoint, "https://");
  if (!local && !remote && !HasPrefix(endpoint, "http://")) {
    Invalid("/endpoint: " + Quoted(endpoint) +
            " is no address of an engine: write one such as "
            "\"unix:///var/run/docker.sock\" or \"tcp://10.0.0.1:2376\"");
  }
  const bool any =
      !settings.tls_cert.empty() || !settings.tls_key.empty() || !settings.tls_ca.empty();
  if (any && local) Invalid("/tls: a local socket has no TLS: remove it, or change the endpoint");
  if (settings.tls_cert.empty() != settings.tls_key.empty()) {
    Invalid("/tls: cert and key belong together");
  }
}

}  // namespace

std::string CapabilityName(std::string_view text) {
  std::string out = Lower(text);
  if (HasPrefix(out, "cap_")) out.erase(0, 4);
  return out;
}

const std::set<std::string>& DockerCapabilities() {
  static const std::set<std::string> kNames{
      "audit_write",      "chown",   "dac_override", "fowner", "fsetid",  "kill",   "mknod",
      "net_bind_service", "net_raw", "setfcap",      "setgid", "setpcap", "setuid", "sys_chroot"};
  return kNames;
}

Logging ReadLogging(const std::string& where, const drover::Json& config) {
  Logging out;
  const std::string type = config.String("type");
  out.driver = config.String("driver");
  if (!type.empty() && !out.driver.empty() && type != out.driver) {
    Invalid(where + ": type and driver are the same option: write one of them");
  }
  if (out.driver.empty()) out.driver = type;
  Plain(where + "/driver", out.driver);
  out.options = ReadMap(config, "config");
  if (out.driver.empty() && !out.options.empty()) {
    Invalid(where + "/config: the driver of the logs is missing");
  }
  return out;
}

Settings Settings::Read(const drover::Json& config) {
  RefuseSettings(config);
  Settings out;
  out.endpoint = config.String("endpoint", out.endpoint);
  const drover::Json& tls = ReadObject(config, "tls");
  out.tls_cert = tls.String("cert");
  out.tls_key = tls.String("key");
  out.tls_ca = tls.String("ca");
  CheckEndpoint(out);
  const drover::Json& auth = ReadObject(config, "auth");
  out.auth_config = auth.String("config");
  out.auth_helper = auth.String("helper");
  if (out.auth_helper.find('/') != std::string::npos) {
    Invalid("/auth/helper: " + Quoted(out.auth_helper) +
            " must be a name, to which \"docker-credential-\" is added");
  }
  std::set<std::string> caps = DockerCapabilities();
  caps.erase("net_raw");  // with it, a container can pretend to be another one of its bridge
  out.allow_caps.clear();
  for (const std::string& name : SetOf(config, "allow_caps", caps)) {
    out.allow_caps.insert(CapabilityName(name));
  }
  out.allow_privileged = config.Bool("allow_privileged");
  out.allow_runtimes = SetOf(config, "allow_runtimes", {"runc", "crun"});
  out.allow_devices = config.Strings("allow_devices");
  out.allow_host_modes = SetOf(config, "allow_host_modes", {});
  const drover::Json& volumes = ReadObject(config, "volumes");
  out.volumes_enabled = volumes.Bool("enabled");
  out.selinux_label = volumes.String("selinuxlabel");
  if (!out.selinux_label.empty() && out.selinux_label != "z" && out.selinux_label != "Z") {
    Invalid("/volumes/selinuxlabel: " + Quoted(out.selinux_label) + " must be \"z\" or \"Z\"");
  }
  out.extra_labels = config.Strings("extra_labels");
  const drover::Json& gc = ReadObject(config, "gc");
  out.gc_image = gc.Bool("image", true);
  out.gc_image_delay =
      ReadDuration("/gc/image_delay", gc.String("image_delay"), out.gc_image_delay);
  out.gc_container = gc.Bool("container", true);
  const drover::Json& dangling = ReadObject(gc, "dangling_containers");
  const std::string at = "/gc/dangling_containers/";
  out.dangling.enabled = dangling.Bool("enabled", true);
  out.dangling.dry_run = dangling.Bool("dry_run");
  out.dangling.period = ReadDuration(at + "period", dangling.String("period"), out.dangling.period);
  out.dangling.creation_grace = ReadDuration(
      at + "creation_grace", dangling.String("creation_grace"), out.dangling.creation_grace);
  if (out.dangling.period < kShortestPeriod) Invalid(at + "period must be at least 1s");
  out.image_pull_timeout = ReadDuration("/image_pull_timeout", config.String("image_pull_timeout"),
                                        out.image_pull_timeout);
  out.pull_activity_timeout = ReadDuration(
      "/pull_activity_timeout", config.String("pull_activity_timeout"), out.pull_activity_timeout);
  out.container_exists_attempts =
      config.Int("container_exists_attempts", out.container_exists_attempts);
  out.pids_limit = config.Int("pids_limit");
  out.oom_score_adj = config.Int("oom_score_adj");
  out.disable_log_collection = config.Bool("disable_log_collection");
  out.host_cgroups = config.Bool("host_cgroups", true);
  out.logging = ReadLogging("/logging", ReadObject(config, "logging"));
  return out;
}

}  // namespace drover_docker
