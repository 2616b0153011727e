// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/node/consul_options.h"

namespace drover {

ConsulOptions ConsulOptionsOf(const AgentConfig::Consul& config) {
  ConsulOptions options;
  options.url = config.url;
  options.auth = config.auth;
  options.token = config.token;
  options.consul_namespace = config.consul_namespace;
  options.ca_file = config.ca_file;
  options.cert_file = config.cert_file;
  options.key_file = config.key_file;
  options.verify_tls = config.verify_ssl;
  options.timeout = config.timeout;
  return options;
}

}  // namespace drover
