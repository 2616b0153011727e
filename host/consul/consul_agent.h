// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "host/base/time.h"
#include "host/base/worker_pool.h"
#include "host/client/http_client.h"
#include "host/consul/consul_api.h"

namespace drover {

// How to reach an agent of Consul.
struct ConsulOptions {
  std::string url = "http://127.0.0.1:8500";  // or https://..., or unix:///PATH
  std::string auth;                           // "USER:PASSWORD"; empty: none
  std::string token;                          // empty: none
  std::string consul_namespace;               // empty: that of the token
  // The three members below name PEM files. Without ca_file, the certificates of the system count.
  std::string ca_file;
  std::string cert_file;
  std::string key_file;
  bool verify_tls = true;
  Duration timeout = 5s;  // of one request
};

// Asks an agent of Consul by its HTTP API. Several requests may run at a time, each on a
// connection. The messages of errors are printable.
class ConsulAgent : public ConsulApi {
 public:
  // Reads the files of TLS. POOL reads long answers, and must outlive the object. Returns
  // Code::kInvalidArgument or kFailedPrecondition if OPTIONS are invalid.
  static Result<std::unique_ptr<ConsulAgent>> Create(ConsulOptions options, WorkerPool* pool);

  Co<Status> Register(Context context, std::shared_ptr<const ConsulService> service) override;
  Co<Status> Deregister(Context context, std::string id) override;
  Co<Result<ConsulServices>> ListServices(Context context) override;
  Co<Result<ConsulCheckStateMap>> ListChecks(Context context) override;
  Co<Result<bool>> HasService(Context context, std::string id) override;
  Co<Status> UpdateCheck(Context context, std::string check_id, ConsulStatus status,
                         std::string output) override;

  // An answer to a GET, and the index of what it shows; 0 if Consul gives none.
  struct Reading {
    Result<std::string> body;  // kNotFound if there is nothing at the path
    std::uint64_t index = 0;
  };
  // Reads PATH. With an index above 0, Consul answers when what it shows is newer, or after WAIT.
  Co<Reading> Read(Context context, std::string path, Query query, std::uint64_t index,
                   Duration wait, std::size_t most);

 private:
  ConsulAgent(ConsulOptions options, WorkerPool* pool, std::shared_ptr<const Endpoint> endpoint);
  // Returns the body of a successful answer. If the body is longer than MOST bytes, returns an
  // error.
  Co<Result<std::string>> Ask(Context context, ClientRequest request, std::size_t most);
  // The same with another limit. INDEX, if not null, receives the index of the answer, and must
  // outlive the call.
  Co<Result<std::string>> AskWithin(Context context, ClientRequest request, std::size_t most,
                                    Duration limit, std::uint64_t* index);
  Co<Status> Put(Context context, std::string path, Query query, std::string body);

  const ConsulOptions options_;
  WorkerPool* const pool_;
  HttpClient client_;
};

}  // namespace drover
