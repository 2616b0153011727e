// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/cli/client_command.h"

namespace drover {

// Each function adds one command to a group. They are about how jobs change: deployments and
// restarts. The name of the file that defines a function follows from its name.

void AddDeploymentList(const ClientGroup& deployment);
void AddDeploymentStatus(const ClientGroup& deployment);
void AddDeploymentFail(const ClientGroup& deployment);
void AddDeploymentPause(const ClientGroup& deployment);
void AddDeploymentPromote(const ClientGroup& deployment);
void AddDeploymentResume(const ClientGroup& deployment);
void AddDeploymentUnblock(const ClientGroup& deployment);

void AddJobPromote(const ClientGroup& job);
void AddJobRestart(const ClientGroup& job);

}  // namespace drover
