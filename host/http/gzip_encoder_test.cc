// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/http/gzip_encoder.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "host/http/gzip_test_decoder.h"

namespace drover {
namespace {

TEST(AcceptsGzip, ReadsTheHeader) {
  for (const char* yes :
       {"gzip", "deflate, gzip;q=0.5", "GZIP", "*", "br , gzip ;q=1", "*;q=0.1"}) {
    EXPECT_TRUE(AcceptsGzip(yes)) << yes;
  }
  for (const char* no : {"", "identity", "gzip;q=0", "gzip; q=0.000", "*;q=0", "xgzip",
                         "gzip;q=0,*", ",,;;", "deflate"}) {
    EXPECT_FALSE(AcceptsGzip(no)) << no;
  }
}

// Bytes that do not shrink, so that the output outgrows every guess of its size.
std::string Noise(std::size_t size) {
  std::mt19937 random(1);
  std::string noise(size, '\0');
  for (char& c : noise) c = static_cast<char>(random());
  return noise;
}

TEST(GzipEncoder, CompressesAWholeBody) {
  for (const std::string& body : {std::string(), std::string(100'000, 'x'), Noise(300'000)}) {
    bool whole = false;
    EXPECT_EQ(Gunzip(GzipEncoder(GzipEncoder::Kind::kWhole).End(body), &whole), body);
    EXPECT_TRUE(whole);
  }
  EXPECT_LT(GzipEncoder(GzipEncoder::Kind::kWhole).End(std::string(100'000, 'x')).size(), 1000u);
}

TEST(GzipEncoder, WhatIsAddedCanBeReadAtOnce) {
  GzipEncoder encoder(GzipEncoder::Kind::kStream);
  std::string sent, expected;
  bool whole = true;
  for (const std::string& part : {std::string("one\n"), Noise(50'000), std::string("three\n")}) {
    sent += encoder.Add(part);
    expected += part;
    EXPECT_EQ(Gunzip(sent, &whole), expected);
    EXPECT_FALSE(whole);
  }
  sent += encoder.End();
  EXPECT_EQ(Gunzip(sent, &whole), expected);
  EXPECT_TRUE(whole);
}

}  // namespace
}  // namespace drover
