// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/asio/awaitable.hpp>

namespace drover {

// A coroutine of the control thread. It starts when it is awaited or given to Loop::Spawn, and its
// operands follow the rule of STYLE.md: names, literals and calls only.
template <typename T = void>
using Co = boost::asio::awaitable<T>;

}  // namespace drover
