// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// The one place where the sources of Beast and of asio's TLS are compiled
// (BOOST_BEAST_SEPARATE_COMPILATION, BOOST_ASIO_SEPARATE_COMPILATION).
#include <boost/asio/ssl/impl/src.hpp>
#include <boost/beast/src.hpp>
