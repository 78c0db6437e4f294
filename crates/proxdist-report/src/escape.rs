//! Text from outside, made harmless for the place it goes to.

/// Text for HTML and SVG, inside elements and inside quoted attributes alike.
///
/// Characters that XML cannot hold (most control characters) become U+FFFD, so a figure always parses.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\t' | '\n' | '\r' => out.push(character),
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c if c.is_control() => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// JSON for the inside of a `<script>` element: nothing in it can end the element or open a comment.
pub fn script_json(json: &str) -> String {
    // `<`, `>` and `&` occur in JSON only inside strings, where `\u00xx` means the same.
    json.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_becomes_text() {
        assert_eq!(escape("<a href=\"x\" id='y'>&"), "&lt;a href=&quot;x&quot; id=&#39;y&#39;&gt;&amp;");
        assert_eq!(escape("a\u{0}b\u{1b}c\nd"), "a\u{fffd}b\u{fffd}c\nd");
        assert_eq!(escape("βαθμός ≤ 3"), "βαθμός ≤ 3");
    }

    #[test]
    fn json_cannot_close_its_script() {
        let json = serde_json::to_string("</script><!--&").unwrap();
        let safe = script_json(&json);
        assert!(!safe.contains(['<', '>', '&']));
        assert_eq!(serde_json::from_str::<String>(&safe).unwrap(), "</script><!--&");
    }
}
