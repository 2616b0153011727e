// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

// The driver docker runs each task as a container of an engine: dockerd, or podman's compatible
// service. It uses nothing but the SDK and public libraries.
#include "driver/docker_driver.h"
#include "drover/entry.hpp"

DROVER_DRIVER(drover_docker::DockerDriver, "docker", "0.1.0", "Apache-2.0")
