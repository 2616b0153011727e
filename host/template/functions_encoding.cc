// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <string>

#include "host/base/base64.h"
#include "host/govalues/go_text.h"
#include "host/govalues/json_text.h"
#include "host/govalues/toml_text.h"
#include "host/govalues/yaml_text.h"
#include "host/template/function.h"
#include "host/template/render_state.h"

// The functions that encode and decode.
namespace drover::templates {
namespace {

constexpr std::string_view kBase32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

// Go ignores line breaks in base64.
std::string WithoutBreaks(std::string_view text) {
  return ReplaceAll(ReplaceAll(text, "\n", ""), "\r", "");
}

Result<Value> EncodeBase64(const Call& call) { return call.Text(Base64(call.text(0))); }

Result<Value> EncodeBase64Url(const Call& call) {
  std::string text = Base64(call.text(0));
  std::ranges::replace(text, '+', '-');
  std::ranges::replace(text, '/', '_');
  return call.Text(std::move(text));
}

Result<Value> DecodeBase64(const Call& call) {
  const std::optional<std::string> bytes = FromBase64(WithoutBreaks(call.text(0)));
  if (!bytes) return CallError("illegal base64 data");
  return call.Text(*bytes);
}

Result<Value> DecodeBase64Url(const Call& call) {
  std::string text = WithoutBreaks(call.text(0));
  if (text.find_first_of("+/") != std::string::npos) return CallError("illegal base64 data");
  std::ranges::replace(text, '-', '+');
  std::ranges::replace(text, '_', '/');
  const std::optional<std::string> bytes = FromBase64(text);
  if (!bytes) return CallError("illegal base64 data");
  return call.Text(*bytes);
}

// Sprig writes its error where the text should be.
Result<Value> SprigDecodeBase64(const Call& call) {
  const Result<Value> decoded = DecodeBase64(call);
  return decoded.ok() ? *decoded : call.Text(decoded.error().message());
}

Result<Value> EncodeBase32(const Call& call) {
  const std::string& text = call.text(0);
  std::string out;
  for (std::size_t at = 0; at < text.size(); at += 5) {
    std::uint64_t group = 0;
    const std::size_t count = std::min<std::size_t>(5, text.size() - at);
    for (std::size_t i = 0; i < 5; ++i) {
      group = group << 8 | (i < count ? static_cast<unsigned char>(text[at + i]) : 0u);
    }
    const std::size_t digits = (count * 8 + 4) / 5;
    for (std::size_t i = 0; i < 8; ++i) {
      out += i < digits ? kBase32[group >> (35 - 5 * i) & 31] : '=';
    }
  }
  return call.Text(std::move(out));
}

Result<Value> SprigDecodeBase32(const Call& call) {
  std::string text = WithoutBreaks(call.text(0));
  const std::size_t size = text.size();
  while (text.ends_with('=')) text.pop_back();
  const std::size_t rest = text.size() % 8;
  std::string out;
  std::uint64_t group = 0;
  int bits = 0;
  bool right = size % 8 == 0 && size - text.size() < 8 && rest != 1 && rest != 3 && rest != 6;
  for (const char c : text) {
    const std::size_t digit = kBase32.find(c);
    if (digit == std::string_view::npos) right = false;
    group = group << 5 | (digit & 31);
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    out += static_cast<char>(group >> bits & 0xff);
  }
  return call.Text(right ? std::move(out) : "illegal base32 data");
}

Result<Value> WriteJson(const Call& call, JsonForm form) {
  DROVER_ASSIGN(std::string text, JsonText(call.at(0), form, call.heap()));
  return call.Text(std::move(text));
}
Result<Value> ToJson(const Call& call) { return WriteJson(call, {false, true}); }
Result<Value> ToJsonPretty(const Call& call) { return WriteJson(call, {true, true}); }
Result<Value> ToRawJson(const Call& call) { return WriteJson(call, {false, false}); }
Result<Value> ToRawJsonPretty(const Call& call) { return WriteJson(call, {true, false}); }

// Sprig writes nothing where it cannot write JSON.
Result<Value> SprigToJson(const Call& call) {
  const Result<Value> text = ToJson(call);
  return text.ok() ? *text : call.Text("");
}
Result<Value> SprigToPrettyJson(const Call& call) {
  const Result<Value> text = ToJsonPretty(call);
  return text.ok() ? *text : call.Text("");
}

Result<Value> ReadJson(const Call& call) { return ParseJsonText(call.text(0), &call.heap()); }
Result<Value> ReadJsonOrEmpty(const Call& call) {
  if (call.text(0).empty()) return call.heap().NewMap();
  return ReadJson(call);
}
Result<Value> SprigFromJson(const Call& call) {
  const Result<Value> value = ReadJson(call);
  return value.ok() ? *value : Value::Nil();
}

Result<Value> ReadYaml(const Call& call) {
  if (call.text(0).empty()) return call.heap().NewMap();
  return ParseYamlText(call.text(0), &call.heap());
}

Result<Value> WriteYaml(const Call& call) {
  DROVER_ASSIGN(const std::string text, YamlText(call.at(0), call.heap()));
  return call.Text(std::string(TrimSpace(text)));
}

Result<Value> WriteToml(const Call& call) {
  if (call.at(0).IsNothing()) return CallError("the value is nothing");
  DROVER_ASSIGN(const std::string text, TomlText(call.at(0), call.heap()));
  return call.Text(std::string(TrimSpace(text)));
}

constexpr Function kEncodingFunctions[] = {
    {"base64Encode", "s", EncodeBase64},
    {"base64Decode", "s", DecodeBase64},
    {"base64URLEncode", "s", EncodeBase64Url},
    {"base64URLDecode", "s", DecodeBase64Url},
    {"parseJSON", "s", ReadJsonOrEmpty},
    {"parseYAML", "s", ReadYaml},
    {"toJSON", "a", ToJson},
    {"toJSONPretty", "a", ToJsonPretty},
    {"toUnescapedJSON", "a", ToRawJson},
    {"toUnescapedJSONPretty", "a", ToRawJsonPretty},
    {"toYAML", "a", WriteYaml},
    {"toTOML", "a", WriteToml},
    {"sprig_b64enc", "s", EncodeBase64},
    {"sprig_b64dec", "s", SprigDecodeBase64},
    {"sprig_b32enc", "s", EncodeBase32},
    {"sprig_b32dec", "s", SprigDecodeBase32},
    {"sprig_fromJson", "s", SprigFromJson},
    {"sprig_mustFromJson", "s", ReadJson},
    {"sprig_toJson", "a", SprigToJson},
    {"sprig_mustToJson", "a", ToJson},
    {"sprig_toPrettyJson", "a", SprigToPrettyJson},
    {"sprig_mustToPrettyJson", "a", ToJsonPretty},
    {"sprig_toRawJson", "a", ToRawJson},
    {"sprig_mustToRawJson", "a", ToRawJson},
};

constexpr Function kCommandLineFunctions[] = {{"json", "a", ToRawJson}};

}  // namespace

FunctionSpan EncodingFunctions() { return kEncodingFunctions; }
FunctionSpan CommandLineFunctions() { return kCommandLineFunctions; }

}  // namespace drover::templates
