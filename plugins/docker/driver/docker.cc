// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

// The driver docker runs each task as a container of an engine: dockerd, or podman's compatible
// service. It uses nothing but the SDK and public libraries.
#include <string>
#include <string_view>
#include <vector>

#include "driver/docker_driver.h"
#include "drover/entry.hpp"

#if __has_include("drover/capabilities.hpp")
#include "drover/capabilities.hpp"
#define DROVER_DOCKER_HAS_CAPABILITIES 1
#endif
#if __has_include("drover/pause.hpp")
#include "drover/pause.hpp"
#define DROVER_DOCKER_HAS_PAUSE 1
#endif
#if __has_include("drover/prepare.hpp")
#include "drover/prepare.hpp"
#define DROVER_DOCKER_HAS_PREPARE 1
#endif

namespace drover_docker {

// The driver with those optional parts that the SDK has.
class DockerPlugin : public DockerDriver {
 public:
  using DockerDriver::DockerDriver;

  static drover::Info Describe() {
    drover::Info info = DockerDriver::Describe();
#ifdef DROVER_DOCKER_HAS_CAPABILITIES
    info.offers |= DROVER_CAP_CAPABILITIES;
#endif
#ifdef DROVER_DOCKER_HAS_PAUSE
    info.offers |= DROVER_CAP_PAUSE;
#endif
    return info;
  }

  const void* Extension(std::string_view id) override {
    const void* found = nullptr;
#ifdef DROVER_DOCKER_HAS_CAPABILITIES
    if (found == nullptr) found = drover::CapabilitiesOf<DockerPlugin>(id);
#endif
#ifdef DROVER_DOCKER_HAS_PAUSE
    if (found == nullptr) found = drover::TaskPauseOf<DockerPlugin>(id);
#endif
#ifdef DROVER_DOCKER_HAS_PREPARE
    if (found == nullptr) found = drover::TaskPrepareOf<DockerPlugin>(id);
#endif
    return found == nullptr ? DockerDriver::Extension(id) : found;
  }

#ifdef DROVER_DOCKER_HAS_CAPABILITIES
  static drover::Capabilities GetCapabilities() {
    drover::Capabilities out;
    out.users = true;
    out.hostname = true;
    out.dns = true;
    out.labels = true;
    out.remote = false;
    out.must_create_network = false;
    out.sensitive = {"/auth/password"};
    return out;
  }
#endif

#ifdef DROVER_DOCKER_HAS_PREPARE
  std::string PrepareKey(const drover::TaskConfig& task) {
    try {
      return ImageKey(task);
    } catch (const drover::Error&) {
      return "";  // the start names the mistake
    }
  }
  drover::Prepared Prepare(const drover::TaskConfig& task, const drover::CallView& call) {
    FetchImage(task, call);
    return drover::Prepared{};
  }
  std::vector<drover::PreparedItem> ListPrepared() {
    std::vector<drover::PreparedItem> out;
    for (const Images::Item& item : images().List()) {
      drover::PreparedItem one;
      one.key = item.key;
      one.last_used = item.last_used;
      out.push_back(one);
    }
    return out;
  }
  void RemovePrepared(const std::string& key) { images().Remove(key); }
#endif
};

}  // namespace drover_docker

DROVER_DRIVER(drover_docker::DockerPlugin, "docker", "0.1.0", "Apache-2.0")
