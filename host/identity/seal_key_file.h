// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/base/result.h"
#include "host/identity/sealing.h"

// Where the seal key of an agent comes from. The functions block.
namespace drover {

// Returns the key in DIRECTORY/seal.key. Makes the directory, for this user alone, and the key if
// they do not exist. The key survives a power failure when the function returns. DIRECTORY is an
// absolute path below the agent's data directory, whose lock keeps other agents away. A file that
// others could read or change is refused, and so is one that is no seal key.
Result<SealKey> LoadOrMakeSealKey(const std::string& directory);

// Returns the key in the credential NAME that systemd passed to this service
// ($CREDENTIALS_DIRECTORY/NAME).
Result<SealKey> SealKeyFromCredential(const std::string& name);

}  // namespace drover
