// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "bench/scratch.h"

namespace drover::bench {

// A container runtime of the OCI, crun or runc. It starts a bundle with the configuration that the
// driver exec gives its tasks: the same namespaces, read-only binds, devices, filter, user, limits.
class OciRuntime {
 public:
  // Returns no value where NAME is not installed.
  static std::optional<OciRuntime> Find(const std::string& name, const Scratch& scratch,
                                        const std::string& directory, const std::string& program);

  // Returns the seconds of `run --detach`, which returns when the program was started. Then removes
  // the container, which does not count.
  double Start();
  const std::string& name() const { return name_; }

 private:
  OciRuntime(std::string name, std::string file, std::string bundle, std::string state)
      : name_(std::move(name)),
        file_(std::move(file)),
        bundle_(std::move(bundle)),
        state_(std::move(state)) {}

  std::string name_;
  std::string file_;    // of the runtime
  std::string bundle_;  // directory with config.json and rootfs
  std::string state_;   // directory of the runtime's own
  int count_ = 0;
};

}  // namespace drover::bench
