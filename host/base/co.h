// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/asio/awaitable.hpp>

namespace drover {

// A coroutine. It starts when it is awaited or passed to Loop::Spawn. It runs on the thread of its
// loop.
template <typename T = void>
using Co = boost::asio::awaitable<T>;

}  // namespace drover
