// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/base/result.h"

namespace drover {

// How the client reaches an agent. WithEnvironment fills in what is empty.
struct ClientOptions {
  std::string address;  // "http://127.0.0.1:4646", "https://...", "unix:///run/drover.sock"
  std::string token;
  std::string job_namespace;  // empty: reads look in all, writes leave it to the job
  std::string ca_cert;        // files and directories in PEM
  std::string ca_path;
  std::string client_cert;
  std::string client_key;
  bool tls_skip_verify = false;
};

// Fills in the variables of Drover (DROVER_ADDR) and Nomad (NOMAD_ADDR, NOMAD_TOKEN, ...), and then
// the defaults. The error names an address without a known scheme.
Result<ClientOptions> WithEnvironment(ClientOptions options);

}  // namespace drover
