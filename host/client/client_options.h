// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/base/result.h"

namespace drover {

// The options with which a client connects to an agent. WithEnvironment sets the members that are
// empty.
struct ClientOptions {
  // Such as "http://127.0.0.1:4646", "https://..." or "unix:///run/drover.sock"
  std::string address;
  std::string token;
  // If this name is empty, requests that read search all namespaces, and requests that write use
  // the namespace that the job names.
  std::string job_namespace;
  // If this name is not empty, an agent of another region gets no request but the question for its
  // region.
  std::string region;
  // The four members below name PEM files, except that ca_path names a directory of such files.
  std::string ca_cert;
  std::string ca_path;
  std::string client_cert;
  std::string client_key;
  bool tls_skip_verify = false;
  // Whether a proxy of the environment is used. Otherwise it is an error; see proxy.h.
  bool uses_proxy = false;
  // What to do if nobody listens at the address. The errors end with it.
  std::string advice = "is an agent running? drover agent --dev starts one";
};

// Sets empty members from the variables of Drover (such as DROVER_ADDR) and of Nomad (such as
// NOMAD_ADDR and NOMAD_TOKEN). Members that are still empty get their defaults. If the address has
// no known scheme, returns an error that names the address.
Result<ClientOptions> WithEnvironment(ClientOptions options);

}  // namespace drover
