// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/encode/encode.h"

namespace drover {

using nlohmann::json;

json EncodeService(const ServiceRegistration& service) {
  return {{"ID", service.id},
          {"ServiceName", service.name},
          {"Namespace", service.service_namespace},
          {"NodeID", service.node_id},
          {"Datacenter", service.datacenter},
          {"JobID", service.job_id},
          {"AllocID", service.alloc_id},
          {"Tags", service.tags},
          {"Address", service.address},
          {"Port", service.port},
          {"CreateIndex", service.create_index},
          {"ModifyIndex", service.modify_index}};
}

json EncodePrometheusTarget(const ServiceRegistration& service) {
  const std::string port = std::to_string(service.port);
  const bool is_ipv6 = service.address.find(':') != std::string::npos;
  const std::string host = is_ipv6 ? "[" + service.address + "]" : service.address;
  json labels = {{"__meta_nomad_address", service.address},
                 {"__meta_nomad_dc", service.datacenter},
                 {"__meta_nomad_namespace", service.service_namespace},
                 {"__meta_nomad_node_id", service.node_id},
                 {"__meta_nomad_service", service.name},
                 {"__meta_nomad_service_address", service.address},
                 {"__meta_nomad_service_alloc_id", service.alloc_id},
                 {"__meta_nomad_service_id", service.id},
                 {"__meta_nomad_service_port", port}};
  if (!service.tags.empty()) {
    // There is a comma at both ends, so a rule can look for ",TAG," wherever the tag stands.
    std::string tags = ",";
    for (const std::string& tag : service.tags) tags += tag + ",";
    labels["__meta_nomad_tags"] = std::move(tags);
  }
  return {{"targets", json::array({host + ":" + port})}, {"labels", std::move(labels)}};
}

}  // namespace drover
