// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/client/client_options.h"

#include <cstdlib>
#include <cstring>
#include <initializer_list>

#include "host/base/text.h"

namespace drover {
namespace {

void FromEnvironment(std::string* value, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    const char* text = value->empty() ? std::getenv(name) : nullptr;
    if (text != nullptr) *value = text;
  }
}

}  // namespace

Result<ClientOptions> WithEnvironment(ClientOptions options) {
  FromEnvironment(&options.address, {"DROVER_ADDR", "NOMAD_ADDR"});
  FromEnvironment(&options.token, {"DROVER_TOKEN", "NOMAD_TOKEN"});
  FromEnvironment(&options.job_namespace, {"DROVER_NAMESPACE", "NOMAD_NAMESPACE"});
  FromEnvironment(&options.region, {"DROVER_REGION", "NOMAD_REGION"});
  FromEnvironment(&options.ca_cert, {"NOMAD_CACERT"});
  FromEnvironment(&options.ca_path, {"NOMAD_CAPATH"});
  FromEnvironment(&options.client_cert, {"NOMAD_CLIENT_CERT"});
  FromEnvironment(&options.client_key, {"NOMAD_CLIENT_KEY"});
  std::string skip;
  FromEnvironment(&skip, {"NOMAD_SKIP_VERIFY"});
  if (ParseBool(skip).value_or(false)) options.tls_skip_verify = true;
  if (options.address.empty()) options.address = "http://127.0.0.1:4646";
  while (options.address.ends_with('/')) options.address.pop_back();
  for (const char* scheme : {"http://", "https://", "unix:///"}) {
    if (options.address.starts_with(scheme) && options.address.size() > std::strlen(scheme)) {
      return options;
    }
  }
  return Error(Code::kInvalidArgument, "the address \"" + options.address +
                                           "\" does not begin with http://, https:// or unix:///: "
                                           "see --address and DROVER_ADDR");
}

}  // namespace drover
