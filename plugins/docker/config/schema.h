// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

namespace drover_docker {

// The schemas of docs/schema.md for the plugin's configuration and for the configuration of a task.
extern const char kConfigSchema[];
extern const char kTaskConfigSchema[];

}  // namespace drover_docker
