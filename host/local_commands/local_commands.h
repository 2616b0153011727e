// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/cli/client_command.h"
#include "host/cli/command.h"

namespace drover {

// Each function adds one command to a group. The name of the file that defines a function follows
// from its name: AddJobInit is in job_init_command.cc. These commands work on this machine, without
// an agent; "plugin list" may also ask one.

void AddAgent(const CommandGroup& drover);
void AddRun(const CommandGroup& drover);
void AddValidate(const CommandGroup& drover);
void AddFmt(const CommandGroup& drover);
void AddVersion(const CommandGroup& drover);
void AddCompletion(const CommandGroup& drover);

void AddJobInit(const CommandGroup& job);
void AddVarInit(const CommandGroup& var);
void AddVolumeInit(const CommandGroup& volume);

void AddConfigValidate(const CommandGroup& config);
void AddConfigShow(const CommandGroup& config);

void AddPluginNew(const CommandGroup& plugin);
void AddPluginList(const CommandGroup& plugin);
void AddPluginInspect(const CommandGroup& plugin);
void AddPluginValidate(const CommandGroup& plugin);
void AddPluginTest(const CommandGroup& plugin);
void AddPluginFuzz(const CommandGroup& plugin);

}  // namespace drover
