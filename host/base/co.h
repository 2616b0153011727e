// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/asio/awaitable.hpp>

namespace drover {

// A coroutine. It starts when it is awaited or given to Loop::Spawn, and runs on the thread of that
// loop.
template <typename T = void>
using Co = boost::asio::awaitable<T>;

}  // namespace drover
