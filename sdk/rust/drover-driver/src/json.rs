// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
use crate::{Code, Error, Result};

/// A configuration. The host has checked it against the driver's schema and has filled in the
/// defaults. So a reader asks for what its schema promises.
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    Null,
    Bool(bool),
    Integer(i64),
    Number(f64),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

/// Configurations are not nested deeper.
const MAX_DEPTH: usize = 64;

impl Json {
    /// Reads a text. An error names the byte at which it was found.
    pub fn parse(text: &str) -> Result<Json> {
        let mut reader = Reader {
            bytes: text.as_bytes(),
            at: 0,
        };
        let value = reader.value(0)?;
        reader.spaces();
        if reader.at != reader.bytes.len() {
            return Err(reader.wrong("something behind the value"));
        }
        Ok(value)
    }
    /// The member NAME of an object.
    pub fn get(&self, name: &str) -> Option<&Json> {
        match self {
            Json::Object(members) => members
                .iter()
                .find(|(key, _)| key == name)
                .map(|(_, value)| value),
            _ => None,
        }
    }
    /// The text NAME, or an empty one if there is none.
    pub fn text(&self, name: &str) -> &str {
        match self.get(name) {
            Some(Json::Text(text)) => text,
            _ => "",
        }
    }
    /// The integer NAME, or OTHERWISE if there is none.
    pub fn integer(&self, name: &str, otherwise: i64) -> i64 {
        match self.get(name) {
            Some(Json::Integer(value)) => *value,
            _ => otherwise,
        }
    }
    /// The number NAME, or OTHERWISE if there is none.
    pub fn number(&self, name: &str, otherwise: f64) -> f64 {
        match self.get(name) {
            Some(Json::Integer(value)) => *value as f64,
            Some(Json::Number(value)) => *value,
            _ => otherwise,
        }
    }
    /// The boolean NAME, or false if there is none.
    pub fn flag(&self, name: &str) -> bool {
        self.get(name) == Some(&Json::Bool(true))
    }
    /// The texts of the list NAME. Elements that are no texts are left out: the schema forbids them.
    pub fn texts(&self, name: &str) -> Vec<String> {
        match self.get(name) {
            Some(Json::List(items)) => items
                .iter()
                .filter_map(|item| match item {
                    Json::Text(text) => Some(text.clone()),
                    _ => None,
                })
                .collect(),
            _ => Vec::new(),
        }
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn wrong(&self, what: &str) -> Error {
        let message = format!("the configuration is no JSON: {} at byte {}", what, self.at);
        Error::new(Code::InvalidArgument, message)
    }
    fn spaces(&mut self) {
        while matches!(self.bytes.get(self.at), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }
    fn expect(&mut self, text: &str) -> Result<()> {
        if !self.bytes[self.at..].starts_with(text.as_bytes()) {
            return Err(self.wrong(&format!("not {:?}", text)));
        }
        self.at += text.len();
        Ok(())
    }
    fn value(&mut self, depth: usize) -> Result<Json> {
        if depth > MAX_DEPTH {
            return Err(self.wrong("too many levels"));
        }
        self.spaces();
        match self.peek() {
            Some(b'{') => self.object(depth),
            Some(b'[') => self.list(depth),
            Some(b'"') => Ok(Json::Text(self.text()?)),
            Some(b't') => self.expect("true").map(|()| Json::Bool(true)),
            Some(b'f') => self.expect("false").map(|()| Json::Bool(false)),
            Some(b'n') => self.expect("null").map(|()| Json::Null),
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ => Err(self.wrong("no value")),
        }
    }
    /// True if another element follows, which begins behind the comma.
    fn more(&mut self, end: u8) -> Result<bool> {
        self.spaces();
        match self.peek() {
            Some(b',') => {
                self.at += 1;
                Ok(true)
            }
            Some(byte) if byte == end => {
                self.at += 1;
                Ok(false)
            }
            _ => Err(self.wrong("neither a comma nor an end")),
        }
    }
    fn is_empty(&mut self, end: u8) -> bool {
        self.at += 1;
        self.spaces();
        let empty = self.peek() == Some(end);
        if empty {
            self.at += 1;
        }
        empty
    }
    fn object(&mut self, depth: usize) -> Result<Json> {
        let mut members = Vec::new();
        if self.is_empty(b'}') {
            return Ok(Json::Object(members));
        }
        loop {
            self.spaces();
            let key = self.text()?;
            self.spaces();
            self.expect(":")?;
            members.push((key, self.value(depth + 1)?));
            if !self.more(b'}')? {
                return Ok(Json::Object(members));
            }
        }
    }
    fn list(&mut self, depth: usize) -> Result<Json> {
        let mut items = Vec::new();
        if self.is_empty(b']') {
            return Ok(Json::List(items));
        }
        loop {
            items.push(self.value(depth + 1)?);
            if !self.more(b']')? {
                return Ok(Json::List(items));
            }
        }
    }
    fn number(&mut self) -> Result<Json> {
        let begin = self.at;
        while matches!(
            self.peek(),
            Some(b'-' | b'+' | b'.' | b'e' | b'E' | b'0'..=b'9')
        ) {
            self.at += 1;
        }
        // The bytes above are ASCII.
        let text = String::from_utf8_lossy(&self.bytes[begin..self.at]).into_owned();
        if let Ok(value) = text.parse::<i64>() {
            return Ok(Json::Integer(value));
        }
        match text.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(Json::Number(value)),
            _ => Err(self.wrong("no number")),
        }
    }
    fn hex(&mut self) -> Result<u32> {
        let digits = self
            .bytes
            .get(self.at..self.at + 4)
            .and_then(|digits| std::str::from_utf8(digits).ok())
            .filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()))
            .and_then(|digits| u32::from_str_radix(digits, 16).ok());
        match digits {
            Some(value) => {
                self.at += 4;
                Ok(value)
            }
            None => Err(self.wrong("no four hexadecimal digits")),
        }
    }
    fn escape(&mut self) -> Result<char> {
        let byte = self.peek();
        self.at += 1;
        Ok(match byte {
            Some(b'n') => '\n',
            Some(b't') => '\t',
            Some(b'r') => '\r',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(byte @ (b'"' | b'\\' | b'/')) => byte as char,
            Some(b'u') => {
                let mut value = self.hex()?;
                if (0xd800..0xdc00).contains(&value) {
                    self.expect("\\u")?;
                    let low = self.hex()?;
                    if !(0xdc00..0xe000).contains(&low) {
                        return Err(self.wrong("half a character"));
                    }
                    value = 0x10000 + ((value - 0xd800) << 10) + (low - 0xdc00);
                }
                match char::from_u32(value) {
                    Some(found) => found,
                    None => return Err(self.wrong("half a character")),
                }
            }
            _ => return Err(self.wrong("an unknown escape")),
        })
    }
    fn text(&mut self) -> Result<String> {
        self.expect("\"")?;
        let mut out = Vec::new();
        loop {
            match self.peek() {
                None => return Err(self.wrong("no end of the text")),
                Some(b'"') => {
                    self.at += 1;
                    // Whole pieces of a text in UTF-8, and whole characters.
                    return Ok(String::from_utf8_lossy(&out).into_owned());
                }
                Some(b'\\') => {
                    self.at += 1;
                    let mut room = [0; 4];
                    let found = self.escape()?;
                    out.extend_from_slice(found.encode_utf8(&mut room).as_bytes());
                }
                Some(byte) => {
                    self.at += 1;
                    out.push(byte);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Json;

    #[test]
    fn reads_a_configuration() {
        let config = Json::parse(
            r#" {"text":"a\n\"\u00e9\ud83d\ude00","seconds":60,"half":0.5,"on":true,
                 "args":["a","b"],"none":null,"inner":{"empty":{},"list":[]}} "#,
        )
        .unwrap();
        assert_eq!(config.text("text"), "a\n\"é😀");
        assert_eq!(config.integer("seconds", 1), 60);
        assert_eq!(config.integer("missing", 7), 7);
        assert_eq!(config.number("half", 0.0), 0.5);
        assert_eq!(config.number("seconds", 0.0), 60.0);
        assert!(config.flag("on"));
        assert!(!config.flag("off"));
        assert_eq!(config.texts("args"), ["a", "b"]);
        let inner = config.get("inner").unwrap();
        assert_eq!(inner.get("list"), Some(&Json::List(Vec::new())));
    }

    #[test]
    fn refuses_what_is_no_json() {
        let deep = "[".repeat(100);
        for text in [
            "", "{", "{\"a\"}", "[1,]", "{\"a\":1,}", "\"\\x\"", "\"\\ud800\"", "1 2", "tru", "\"",
            "-", &deep,
        ] {
            assert!(Json::parse(text).is_err(), "{}", text);
        }
    }
}
