// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// The one place where asio's own sources are compiled (BOOST_ASIO_SEPARATE_COMPILATION).
#include <boost/asio/impl/src.hpp>
