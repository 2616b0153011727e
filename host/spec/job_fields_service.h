// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/spec/job_fields_task.h"

// The blocks of services: checks, and Consul's connections between services.
namespace drover::job_fields {

inline constexpr JobField kCheckRestart[] = {
    {"Limit", "limit", kInteger, kInert},
    {"Grace", "grace", kDuration, kInert},
    {"IgnoreWarnings", "ignore_warnings", kBoolean, kInert},
};

inline constexpr JobField kCheck[] = {
    {"Name", "name", kText, kInert},
    {"Type", "type", kText, kInert},
    {"Command", "command", kText, kInert},
    {"Args", "args", kTextList, kInert},
    {"Path", "path", kText, kInert},
    {"Protocol", "protocol", kText, kInert},
    {"PortLabel", "port", kText, kInert},
    {"Expose", "expose", kBoolean, kInert},
    {"AddressMode", "address_mode", kText, kInert},
    {"Advertise", "advertise", kText, kInert},
    {"Interval", "interval", kDuration, kInert},
    {"Timeout", "timeout", kDuration, kInert},
    {"InitialStatus", "initial_status", kText, kInert},
    {"Notes", "notes", kText, kInert},
    {"TLSServerName", "tls_server_name", kText, kInert},
    {"TLSSkipVerify", "tls_skip_verify", kBoolean, kInert},
    {"Header", "header", kTextListMap, kInert},
    {"Method", "method", kText, kInert},
    {"CheckRestart", "check_restart", kObject, kInert, kCheckRestart},
    {"GRPCService", "grpc_service", kText, kInert},
    {"GRPCUseTLS", "grpc_use_tls", kBoolean, kInert},
    {"TaskName", "task", kText, kInert},
    {"SuccessBeforePassing", "success_before_passing", kInteger, kInert},
    {"FailuresBeforeCritical", "failures_before_critical", kInteger, kInert},
    {"FailuresBeforeWarning", "failures_before_warning", kInteger, kInert},
    {"Body", "body", kText, kInert},
    {"OnUpdate", "on_update", kText, kInert},
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
    {"Passing", "passing", kInteger, kInert},
    {"Warning", "warning", kInteger, kInert},
};

inline constexpr char kNoServices[] = "services are not registered, and their checks do not run";
inline constexpr JobField kService[] = {
    {"Name", "name", kText, kInert},
    {"Tags", "tags", kTextList, kInert},
    {"CanaryTags", "canary_tags", kTextList, kInert},
    {"EnableTagOverride", "enable_tag_override", kBoolean, kInert},
    {"PortLabel", "port", kText, kInert},
    {"AddressMode", "address_mode", kText, kInert, {}, R"(["auto"])"},
    {"Address", "address", kText, kInert},
    {"Checks", "check", kObjectList, kInert, kCheck},
    {"CheckRestart", "check_restart", kObject, kInert, kCheckRestart},
    {"Connect", "connect", kObject, kRefused, kConnect, "",
     "the task would not reach its upstream services"},
    {"Meta", "meta", kTextMap, kInert},
    {"CanaryMeta", "canary_meta", kTextMap, kInert},
    {"TaggedAddresses", "tagged_addresses", kTextMap, kInert},
    {"TaskName", "task", kText, kInert},
    {"OnUpdate", "on_update", kText, kInert, {}, R"(["require_healthy"])"},
    {"Identity", "identity", kObject, kInert, kIdentity},
    {"Provider", "provider", kText, kInert, {}, R"(["consul"])", "consul (default) or nomad"},
    {"Cluster", "cluster", kText, kInert, {}, R"(["default"])"},
    {"Weights", "weights", kObject, kInert, kWeights},
    {"Kind", "kind", kText, kInert},
    {"Id", kNoHcl, kAny, kInert},
    {"ID", kNoHcl, kAny, kInert},
};

}  // namespace drover::job_fields
