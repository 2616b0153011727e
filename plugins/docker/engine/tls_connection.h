// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "engine/connection.h"

namespace drover_docker {

// Makes a connection with TLS of the connected socket FD. Throws as Connection::Open does.
std::unique_ptr<Connection> OpenTls(drover::Fd fd, const EngineAddress& address,
                                    SteadyTime deadline, const CancelToken& cancel,
                                    const CancelToken* second);

}  // namespace drover_docker
