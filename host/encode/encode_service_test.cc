// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "host/encode/encode.h"

namespace drover {
namespace {

using nlohmann::json;

ServiceRegistration Web() {
  ServiceRegistration service;
  service.id = "_nomad-task-a1-group-g-web-http";
  service.name = "web";
  service.service_namespace = "prod";
  service.node_id = "n1";
  service.datacenter = "dc1";
  service.job_id = "shop";
  service.alloc_id = "a1";
  service.tags = {"blue", "v=2"};
  service.address = "192.0.2.7";
  service.port = 8080;
  service.create_index = 5;
  service.modify_index = 9;
  return service;
}

TEST(EncodeServiceTest, HasTheFieldsOfTheGoClient) {
  EXPECT_EQ(EncodeService(Web()), json({{"ID", "_nomad-task-a1-group-g-web-http"},
                                        {"ServiceName", "web"},
                                        {"Namespace", "prod"},
                                        {"NodeID", "n1"},
                                        {"Datacenter", "dc1"},
                                        {"JobID", "shop"},
                                        {"AllocID", "a1"},
                                        {"Tags", json::array({"blue", "v=2"})},
                                        {"Address", "192.0.2.7"},
                                        {"Port", 8080},
                                        {"CreateIndex", 5},
                                        {"ModifyIndex", 9}}));
  EXPECT_EQ(EncodeService(ServiceRegistration())["Tags"], json::array());
}

TEST(EncodePrometheusTargetTest, HasTheLabelsOfPrometheus) {
  const json target = EncodePrometheusTarget(Web());
  EXPECT_EQ(target["targets"], json::array({"192.0.2.7:8080"}));
  EXPECT_EQ(target["labels"], json({{"__meta_nomad_address", "192.0.2.7"},
                                    {"__meta_nomad_dc", "dc1"},
                                    {"__meta_nomad_namespace", "prod"},
                                    {"__meta_nomad_node_id", "n1"},
                                    {"__meta_nomad_service", "web"},
                                    {"__meta_nomad_service_address", "192.0.2.7"},
                                    {"__meta_nomad_service_alloc_id", "a1"},
                                    {"__meta_nomad_service_id", "_nomad-task-a1-group-g-web-http"},
                                    {"__meta_nomad_service_port", "8080"},
                                    {"__meta_nomad_tags", ",blue,v=2,"}}));
}

TEST(EncodePrometheusTargetTest, AnAddressOfIpv6HasBrackets) {
  ServiceRegistration service = Web();
  service.address = "2001:db8::2";
  service.tags.clear();
  const json target = EncodePrometheusTarget(service);
  EXPECT_EQ(target["targets"], json::array({"[2001:db8::2]:8080"}));
  EXPECT_EQ(target["labels"]["__meta_nomad_address"], "2001:db8::2");
  EXPECT_FALSE(target["labels"].contains("__meta_nomad_tags"));
}

}  // namespace
}  // namespace drover
