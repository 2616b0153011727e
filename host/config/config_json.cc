// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <iterator>
#include <utility>

#include "host/config/config_node.h"

namespace drover {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxDepth = 64;

// An iterator over a text that counts the lines. The parser copies its iterator, so the count is
// outside.
class LineCounter {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  LineCounter(const char* at, int* line) : at_(at), line_(line) {}
  reference operator*() const { return *at_; }
  LineCounter& operator++() {
    if (*at_ == '\n') ++*line_;
    ++at_;
    return *this;
  }
  LineCounter operator++(int) {
    LineCounter before = *this;
    ++*this;
    return before;
  }
  bool operator==(const LineCounter& other) const { return at_ == other.at_; }
  bool operator!=(const LineCounter& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  int* line_;
};

// Builds the nodes from the events of the parser.
class Builder final : public json::json_sax_t {
 public:
  explicit Builder(const int* line) : line_(line) {}

  bool null() override { return Add(nullptr); }
  bool boolean(bool value) override { return Add(value); }
  bool number_integer(json::number_integer_t value) override { return Add(value); }
  bool number_unsigned(json::number_unsigned_t value) override { return Add(value); }
  bool number_float(json::number_float_t value, const std::string&) override { return Add(value); }
  bool string(std::string& value) override { return Add(std::move(value)); }
  bool binary(json::binary_t&) override { return false; }
  bool key(std::string& value) override {
    open_.back()->entries.push_back({{std::move(value)}, *line_, {}});
    return true;
  }
  bool start_object(std::size_t) override { return Open(ConfigNode::Kind::kObject); }
  bool end_object() override { return Close(); }
  bool start_array(std::size_t) override { return Open(ConfigNode::Kind::kList); }
  bool end_array() override { return Close(); }
  bool parse_error(std::size_t, const std::string&,
                   const nlohmann::detail::exception& error) override {
    // The message of the library begins with a code in brackets.
    const std::string what = error.what();
    const std::size_t end = what.find("] ");
    error_ = "not JSON: " + (end == std::string::npos ? what : what.substr(end + 2));
    return false;
  }

  Result<ConfigNode> Take() {
    if (!error_.empty()) return Error(Code::kInvalidArgument, error_);
    return std::move(root_);
  }

 private:
  // Returns the place of the next value.
  ConfigNode* Next() {
    if (open_.empty()) return &root_;
    ConfigNode* const parent = open_.back();
    if (parent->kind == ConfigNode::Kind::kObject) return &parent->entries.back().node;
    return &parent->list.emplace_back();
  }
  bool Add(json value) {
    ConfigNode* const node = Next();
    node->kind = ConfigNode::Kind::kValue;
    node->line = *line_;
    node->value = std::move(value);
    return true;
  }
  // An open node is the last element of its parent, so no later element moves it.
  bool Open(ConfigNode::Kind kind) {
    if (open_.size() >= kMaxDepth) {
      error_ = "line " + std::to_string(*line_) + ": objects and lists are nested too deep";
      return false;
    }
    ConfigNode* const node = Next();
    node->kind = kind;
    node->line = *line_;
    open_.push_back(node);
    return true;
  }
  bool Close() {
    open_.pop_back();
    return true;
  }

  const int* line_;
  ConfigNode root_;
  std::vector<ConfigNode*> open_;
  std::string error_;
};

}  // namespace

bool IsJsonConfig(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";  // the parser of JSON skips it
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  for (;;) {
    const std::size_t start = text.find_first_not_of(" \t\r\n");
    if (start == std::string_view::npos) return false;
    text.remove_prefix(start);
    const bool block = text.starts_with("/*");
    if (!block && !text.starts_with("//")) return text.front() == '{' || text.front() == '[';
    const std::size_t end = text.find(block ? "*/" : "\n", 2);
    if (end == std::string_view::npos) return false;
    text.remove_prefix(end + (block ? 2 : 1));
  }
}

Result<ConfigNode> ReadJsonConfig(std::string_view text) {
  int line = 1;
  Builder builder(&line);
  const LineCounter begin(text.data(), &line), end(text.data() + text.size(), &line);
  json::sax_parse(begin, end, &builder, json::input_format_t::json, /*strict=*/true,
                  /*ignore_comments=*/true);
  return builder.Take();
}

}  // namespace drover
