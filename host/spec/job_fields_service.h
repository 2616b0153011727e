// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/spec/job_fields_task.h"

// The blocks of services: checks, and Consul's connections between services.
namespace drover::job_fields {

inline constexpr char kOfConsul[] = "of the provider consul";
inline constexpr char kOfGrpc[] = "checks of the type grpc are refused";
inline constexpr JobField kCheckRestart[] = {
    {"Limit", "limit", kInteger, kDone, {}, "", "failures in a row; 0, the default, is never"},
    {"Grace", "grace", kDuration, kDone, {}, "", "default 1s"},
    {"IgnoreWarnings", "ignore_warnings", kBoolean, kDone, {}, "", kOfConsul},
};

inline constexpr JobField kCheck[] = {
    {"Name", "name", kText, kDone, {}, "", "default: made of the service's"},
    {"Type",
     "type",
     kText,
     kDone,
     {},
     "",
     "tcp, http or script, with either provider; grpc is refused"},
    {"Command", "command", kText, kDone, {}, "", "of a script, which runs in a task"},
    {"Args", "args", kTextList, kDone, {}, "", "of a script"},
    {"Path", "path", kText, kDone, {}, "", "of HTTP"},
    {"Protocol", "protocol", kText, kDone, {}, "", "of HTTP: http (default) or https"},
    {"PortLabel", "port", kText, kDone, {}, "", "default: the service's"},
    {"Expose", "expose", kBoolean, kRefused},
    {"AddressMode",
     "address_mode",
     kText,
     kDone,
     {},
     "",
     "host, alloc or alloc_ipv6; driver with the provider consul"},
    {"Advertise", "advertise", kText, kInert},
    {"Interval", "interval", kDuration, kDone, {}, "", "at least 1s"},
    {"Timeout", "timeout", kDuration, kDone, {}, "", "at least 1s"},
    {"InitialStatus", "initial_status", kText, kDone, {}, "", "passing, warning or critical"},
    {"Notes", "notes", kText, kDone},
    {"TLSServerName", "tls_server_name", kText, kDone, {}, "", kOfConsul},
    {"TLSSkipVerify", "tls_skip_verify", kBoolean, kDone},
    {"Header", "header", kTextListMap, kDone, {}, "", "of HTTP"},
    {"Method", "method", kText, kDone, {}, "", "of HTTP, default GET"},
    {"CheckRestart", "check_restart", kObject, kDone, kCheckRestart, "",
     "the service supplies missing fields; with the provider consul only of a script"},
    {"GRPCService", "grpc_service", kText, kInert, {}, "", kOfGrpc},
    {"GRPCUseTLS", "grpc_use_tls", kBoolean, kInert, {}, "", kOfGrpc},
    {"TaskName", "task", kText, kDone, {}, "", "of a script; default: the service's"},
    {"SuccessBeforePassing", "success_before_passing", kInteger, kDone, {}, "", kOfConsul},
    {"FailuresBeforeCritical", "failures_before_critical", kInteger, kDone, {}, "", kOfConsul},
    {"FailuresBeforeWarning", "failures_before_warning", kInteger, kDone, {}, "", kOfConsul},
    {"Body", "body", kText, kDone, {}, "", "of HTTP"},
    {"OnUpdate", "on_update", kText, kDone, {}, "", "default: the service's"},
    {"Id", kNoHcl, kAny, kInert},
};

inline constexpr JobField kBindAddress[] = {
    {"Name", kLabel, kText, kRefused},
    {"Address", "address", kText, kRefused},
    {"Port", "port", kInteger, kRefused},
};

inline constexpr JobField kGatewayProxy[] = {
    {"ConnectTimeout", "connect_timeout", kDuration, kRefused},
    {"EnvoyGatewayBindTaggedAddresses", "envoy_gateway_bind_tagged_addresses", kBoolean, kRefused},
    {"EnvoyGatewayBindAddresses", "envoy_gateway_bind_addresses", kObjectMap, kRefused,
     kBindAddress},
    {"EnvoyGatewayNoDefaultBind", "envoy_gateway_no_default_bind", kBoolean, kRefused},
    {"EnvoyDNSDiscoveryType", "envoy_dns_discovery_type", kText, kRefused},
    {"Config", "config", kBody, kRefused},
};

inline constexpr JobField kGatewaySds[] = {
    {"ClusterName", "cluster_name", kText, kRefused},
    {"CertResource", "cert_resource", kText, kRefused},
};

inline constexpr JobField kGatewayTls[] = {
    {"Enabled", "enabled", kBoolean, kRefused},
    {"TLSMinVersion", "tls_min_version", kText, kRefused},
    {"TLSMaxVersion", "tls_max_version", kText, kRefused},
    {"CipherSuites", "cipher_suites", kTextList, kRefused},
    {"SDS", "sds", kObject, kRefused, kGatewaySds},
};

inline constexpr JobField kHeaderChanges[] = {
    {"Add", "add", kTextMap, kRefused},
    {"Set", "set", kTextMap, kRefused},
    {"Remove", "remove", kTextList, kRefused},
};

inline constexpr JobField kIngressService[] = {
    {"Name", "name", kText, kRefused},
    {"Hosts", "hosts", kTextList, kRefused},
    {"TLS", "tls", kObject, kRefused, kGatewayTls},
    {"RequestHeaders", "request_headers", kObject, kRefused, kHeaderChanges},
    {"ResponseHeaders", "response_headers", kObject, kRefused, kHeaderChanges},
    {"MaxConnections", "max_connections", kInteger, kRefused},
    {"MaxPendingRequests", "max_pending_requests", kInteger, kRefused},
    {"MaxConcurrentRequests", "max_concurrent_requests", kInteger, kRefused},
};

inline constexpr JobField kIngressListener[] = {
    {"Port", "port", kInteger, kRefused},
    {"Protocol", "protocol", kText, kRefused},
    {"Services", "service", kObjectList, kRefused, kIngressService},
};

inline constexpr JobField kIngress[] = {
    {"TLS", "tls", kObject, kRefused, kGatewayTls},
    {"Listeners", "listener", kObjectList, kRefused, kIngressListener},
};

inline constexpr JobField kLinkedService[] = {
    {"Name", "name", kText, kRefused},
    {"CAFile", "ca_file", kText, kRefused},
    {"CertFile", "cert_file", kText, kRefused},
    {"KeyFile", "key_file", kText, kRefused},
    {"SNI", "sni", kText, kRefused},
};

inline constexpr JobField kTerminating[] = {
    {"Services", "service", kObjectList, kRefused, kLinkedService},
};

inline constexpr JobField kGateway[] = {
    {"Proxy", "proxy", kObject, kRefused, kGatewayProxy},
    {"Ingress", "ingress", kObject, kRefused, kIngress},
    {"Terminating", "terminating", kObject, kRefused, kTerminating},
    {"Mesh", "mesh", kBody, kRefused, {}, "", "has no fields"},
};

inline constexpr JobField kExposePath[] = {
    {"Path", "path", kText, kRefused},
    {"Protocol", "protocol", kText, kRefused},
    {"LocalPathPort", "local_path_port", kInteger, kRefused},
    {"ListenerPort", "listener_port", kText, kRefused},
};

inline constexpr JobField kExpose[] = {
    {"Paths", "path", kObjectList, kRefused, kExposePath},
    {"Path", kNoHcl, kObjectList, kRefused, kExposePath, "", "older form of Paths"},
};

inline constexpr JobField kMeshGateway[] = {
    {"Mode", "mode", kText, kRefused},
};

inline constexpr JobField kUpstream[] = {
    {"DestinationName", "destination_name", kText, kRefused},
    {"DestinationNamespace", "destination_namespace", kText, kRefused},
    {"DestinationPeer", "destination_peer", kText, kRefused},
    {"DestinationPartition", "destination_partition", kText, kRefused},
    {"DestinationType", "destination_type", kText, kRefused},
    {"LocalBindPort", "local_bind_port", kInteger, kRefused},
    {"Datacenter", "datacenter", kText, kRefused},
    {"LocalBindAddress", "local_bind_address", kText, kRefused},
    {"LocalBindSocketPath", "local_bind_socket_path", kText, kRefused},
    {"LocalBindSocketMode", "local_bind_socket_mode", kText, kRefused},
    {"MeshGateway", "mesh_gateway", kObject, kRefused, kMeshGateway},
    {"Config", "config", kBody, kRefused},
};

inline constexpr JobField kTransparentProxy[] = {
    {"UID", "uid", kText, kRefused},
    {"OutboundPort", "outbound_port", kInteger, kRefused},
    {"ExcludeInboundPorts", "exclude_inbound_ports", kTextList, kRefused},
    {"ExcludeOutboundPorts", "exclude_outbound_ports", kIntegerList, kRefused},
    {"ExcludeOutboundCIDRs", "exclude_outbound_cidrs", kTextList, kRefused},
    {"ExcludeUIDs", "exclude_uids", kTextList, kRefused},
    {"NoDNS", "no_dns", kBoolean, kRefused},
};

inline constexpr JobField kProxy[] = {
    {"LocalServiceAddress", "local_service_address", kText, kRefused},
    {"LocalServicePort", "local_service_port", kInteger, kRefused},
    {"Expose", "expose", kObject, kRefused, kExpose},
    {"ExposeConfig", kNoHcl, kObject, kRefused, kExpose, "", "older form of Expose"},
    {"Upstreams", "upstreams", kObjectList, kRefused, kUpstream},
    {"TransparentProxy", "transparent_proxy", kObject, kRefused, kTransparentProxy},
    {"Config", "config", kBody, kRefused},
};

inline constexpr JobField kSidecarService[] = {
    {"Tags", "tags", kTextList, kRefused},
    {"Port", "port", kText, kRefused},
    {"Proxy", "proxy", kObject, kRefused, kProxy},
    {"DisableDefaultTCPCheck", "disable_default_tcp_check", kBoolean, kRefused},
    {"Meta", "meta", kTextMap, kRefused},
};

inline constexpr JobField kSidecarTask[] = {
    {"Name", "name", kText, kRefused},
    {"Driver", "driver", kText, kRefused},
    {"User", "user", kText, kRefused},
    {"Config", "config", kBody, kRefused},
    {"Env", "env", kTextMap, kRefused},
    {"Resources", "resources", kObject, kRefused, kResources},
    {"Meta", "meta", kTextMap, kRefused},
    {"KillTimeout", "kill_timeout", kDuration, kRefused},
    {"LogConfig", "logs", kObject, kRefused, kLogConfig},
    {"ShutdownDelay", "shutdown_delay", kDuration, kRefused},
    {"KillSignal", "kill_signal", kText, kRefused},
    {"VolumeMounts", "volume_mount", kObjectList, kRefused, kVolumeMount},
    {"Identities", "identity", kObjectList, kRefused, kIdentity},
};

inline constexpr JobField kConnect[] = {
    {"Native", "native", kBoolean, kRefused},
    {"Gateway", "gateway", kObject, kRefused, kGateway, "", "", kEvenEmpty},
    {"SidecarService", "sidecar_service", kObject, kRefused, kSidecarService, "", "", kEvenEmpty},
    {"SidecarTask", "sidecar_task", kObject, kRefused, kSidecarTask},
};

inline constexpr JobField kWeights[] = {
    {"Passing", "passing", kInteger, kDone, {}, "", "default 1"},
    {"Warning", "warning", kInteger, kDone, {}, "", "default 1"},
};

inline constexpr JobField kService[] = {
    {"Name",
     "name",
     kText,
     kDone,
     {},
     "",
     "default: those of job, group and task with \"-\"; ${JOB}, ${TASKGROUP}, ${TASK} and ${BASE} "
     "are replaced at once"},
    {"Tags", "tags", kTextList, kDone},
    {"CanaryTags", "canary_tags", kTextList, kDone, {}, "", "instead of Tags, until the promotion"},
    {"EnableTagOverride", "enable_tag_override", kBoolean, kDone},
    {"PortLabel", "port", kText, kDone, {}, "", "the label of a port, or its number"},
    {"AddressMode",
     "address_mode",
     kText,
     kDone,
     {},
     "",
     "auto (default), host, driver, alloc or alloc_ipv6"},
    {"Address", "address", kText, kDone, {}, "", "with the mode auto"},
    {"Checks", "check", kObjectList, kDone, kCheck},
    {"CheckRestart", "check_restart", kObject, kDone, kCheckRestart, "", "for all its checks"},
    {"Connect", "connect", kObject, kRefused, kConnect, "",
     "remove it, and let tasks connect to the addresses of services, or through a proxy that is a "
     "task of the group"},
    {"Meta", "meta", kTextMap, kDone},
    {"CanaryMeta", "canary_meta", kTextMap, kDone, {}, "", "instead of Meta, until the promotion"},
    {"TaggedAddresses", "tagged_addresses", kTextMap, kDone, {}, "", kOfConsul},
    {"TaskName", "task", kText, kDone, {}, "", "of a service of the group"},
    {"OnUpdate",
     "on_update",
     kText,
     kDone,
     {},
     "",
     "require_healthy (default) or ignore; ignore_warnings with the provider consul"},
    {"Identity", "identity", kObject, kInert, kIdentity},
    {"Provider",
     "provider",
     kText,
     kDone,
     {},
     "",
     "consul or nomad, which is this agent; default: the agent's, which is consul unless its "
     "configuration has another"},
    {"Cluster", "cluster", kText, kDone, {}, "", "of the provider consul; default: default"},
    {"Weights", "weights", kObject, kDone, kWeights, "", kOfConsul},
    {"Kind", "kind", kText, kInert},
    {"Id", kNoHcl, kAny, kInert},
    {"ID", kNoHcl, kAny, kInert},
};

}  // namespace drover::job_fields
