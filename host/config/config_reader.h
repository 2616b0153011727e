// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/config/address_template.h"
#include "host/config/agent_config.h"
#include "host/config/config_document.h"
#include "host/config/config_finding.h"

namespace drover {

// Reads DOCUMENT, which has passed the checks of the table of keys, and checks what the table does
// not say: the forms of texts, and keys that exclude each other. ADDRESSES is called only if an
// address is a template.
AgentConfig ReadConfigDocument(const ConfigDocument& document, const AddressSource& addresses,
                               ConfigFindings* mistakes);

}  // namespace drover
