// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "driver/docker_driver.h"

namespace drover_docker {

const void* DockerDriver::Extension(std::string_view id) { return Driver::Extension(id); }

}  // namespace drover_docker
