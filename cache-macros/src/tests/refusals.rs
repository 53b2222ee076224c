//! One mistake, one message, at the guilty token.

mod keys;
mod slips;

use proc_macro2::TokenStream;

const FUNCTION: &str = "async fn find(id: u32, name: &str) -> Result<i64, E> { body() }";
const METHOD: &str = "async fn find(&self, id: u32) -> i64 { self.n }";

/// The messages, each with the text it points at.
fn messages(attribute: &str, item: &str) -> Vec<(String, String)> {
    let attribute: TokenStream = attribute.parse().unwrap();
    let output = crate::pipeline(&attribute, &item.parse().unwrap());
    let file: syn::File = syn::parse2(output).unwrap();
    file.items.iter().filter_map(compile_error).collect()
}

/// The message of `compile_error!{"..."}` and the source under it.
fn compile_error(item: &syn::Item) -> Option<(String, String)> {
    let syn::Item::Macro(call) = item else { return None };
    let message: syn::LitStr = call.mac.parse_body().unwrap();
    let guilty = call.mac.path.leading_colon.unwrap().spans[0].source_text();
    Some((message.value(), guilty.unwrap_or_default()))
}

/// Exactly one message, beginning as expected, at the expected token.
fn check_item(attribute: &str, item: &str, expected: &str, guilty: &str) {
    match messages(attribute, item).as_slice() {
        [(message, at)] => {
            assert!(message.contains(expected), "{attribute}: {message}");
            assert!(!message.ends_with('.'), "{attribute}: {message}");
            assert_eq!(at, guilty, "{attribute}: {message}");
        }
        other => panic!("{attribute} {item}: {other:?}"),
    }
}

fn check(attribute: &str, expected: &str, guilty: &str) {
    check_item(attribute, FUNCTION, expected, guilty);
}

fn accept(attribute: &str, item: &str) {
    assert_eq!(messages(attribute, item), [], "{attribute} {item}");
}

/// Under `ttl = 300`.
fn check_function(item: &str, expected: &str, guilty: &str) {
    check_item("ttl = 300", item, expected, guilty);
}

#[test]
fn arguments() {
    check(
        "ttl = 300, tll = 5",
        "unknown argument `tll`: did you mean `ttl`? known are ttl, ttl_from, none",
        "tll",
    );
    check("300", "a value without a name: write `ttl = 300`", "300");
    check("\"5m\"", "a value without a name: write `ttl = \"5m\"`", "\"5m\"");
    check("ttl => 5", "`ttl` needs a value: `ttl = ..`", "ttl");
    check("ttl = 300, strategy = swr", "this is no text: write \"lock\", \"xfetch\"", "swr");
    check("ttl = 300, key = id", "this is no text: write what the key is made of", "id");
    check("ttl = 300, reason = why", "this is no text: write it in quotes", "why");
    for (list, at) in [("\"id\"", "\"id\""), ("id.x", "."), ("&id", "&"), ("id name", "name")] {
        let expected = "`skip` takes names of parameters and nothing else";
        check(&format!("ttl = 300, skip({list})"), expected, at);
    }
    check("ttl = 99999999999999999999", "too many seconds", "99999999999999999999");
    check("ttl = 300, ttl = 5", "`ttl` is given twice", "ttl");
    check("ttl = 300, skip(id), skip(id)", "`skip` is given twice", "skip");
    check("ttl = 300, share_errors, share_errors = true", "given twice", "share_errors");
    check("ttl", "`ttl` needs a value: `ttl = ..`", "ttl");
    check("ttl = 300, skip = id", "`skip` needs a list of parameters: `skip(pool)`", "skip");
    check("ttl = 300 strategy = \"lock\"", "expected `,` before the next argument", "strategy");
    check("ttl = 300, name = \"\"", "this text is empty", "\"\"");
    check("ttl = 300, version = \"2\"", "version must be a whole number", "\"2\"");
    check("ttl = 300, version = -2", "version must be a whole number", "-2");
    check("ttl = 300, detach = 1", "write `detach`, `detach = true` or", "1");
    check("ttl = \"5x\"", "unknown unit `x` in \"5x\"", "\"5x\"");
}

#[test]
fn all_mistakes_at_once() {
    let found =
        messages("tll = 1, strategy = \"loch\", beta = -1, ttl = \"x\", skip(id), 7", FUNCTION);
    let found: Vec<_> = found.iter().map(|(_, at)| at.as_str()).collect();
    assert_eq!(found, ["tll", "\"loch\"", "-", "\"x\"", "7"]);
    let found = messages("ttl = 0, beta = 2, lease = \"50ms\", key = \"{nobody}\"", FUNCTION);
    assert_eq!(found.len(), 6, "{found:?}");
}

#[test]
fn unknown_words() {
    check(
        "ttl = 300, strategy = \"loch\"",
        "unknown \"loch\": write \"lock\", \"xfetch\"",
        "\"loch\"",
    );
    check("ttl = 300, refresh = \"x\"", "write \"background\", \"inline\"", "\"x\"");
    check("ttl = 300, scope = \"x\"", "write \"process\"", "\"x\"");
    let codecs = "write \"bincode\", \"json\", \"postcard\", \"messagepack\"";
    check("ttl = 300, codec = \"x\"", codecs, "\"x\"");
}

#[test]
fn times() {
    check("", "`ttl` is missing: say how long", "");
    check("ttl = 0", "`ttl` is zero", "0");
    check("ttl = \"0s\"", "`ttl` is zero", "\"0s\"");
    check("ttl = 300, lease = \"99ms\"", "`lease` of 99 ms is too short", "\"99ms\"");
    check(
        "ttl = 300, jitter = 301",
        "`jitter` of 301 s is longer than `ttl`: write at most 300 s",
        "301",
    );
    accept("ttl = 300, jitter = 300, lease = \"100ms\", wait = WAIT", FUNCTION);
    accept("ttl = TTL, jitter = 301", FUNCTION);
    accept("ttl = config().id, wait = id::WAIT", FUNCTION);
    check("ttl = from(id)", "a setting is evaluated without a call, so it cannot use `id`", "id");
    check("ttl = { let life = id; life }", "it cannot use `id`", "id");
    check("ttl = 300, ttl_from = |value| value.min(id)", "it cannot use `id`", "id");
    accept("ttl = { let id = 3; Duration::from_secs(id) }", FUNCTION);
    check_item("ttl = self.ttl, skip(self)", METHOD, "it cannot use `self`", "self");
}

#[test]
fn what_ends_a_load_or_a_life() {
    check("ttl = 300, timeout = 0", "a `timeout` of zero lets no load end", "0");
    check("ttl = 300, timeout = wait(id)", "it cannot use `id`", "id");
    check("ttl = 300, none = 0", "lives no time is not stored: write \"skip\"", "0");
    check("ttl = 300, none = \"never\"", "write \"skip\" or how long a `None` lives", "\"never\"");
    for count in ["0", "-1", "1.5", "\"8\""] {
        let at = count.trim_end_matches('1');
        let at = if count == "-1" { at } else { count };
        let attribute = format!("ttl = 300, concurrency = {count}");
        check(&attribute, "concurrency must be a whole number above zero", at);
    }
    check("ttl = 300, ttl_from = name.life", "it cannot use `name`", "name");
    for fine in [
        "timeout = \"5s\"",
        "none = \"skip\"",
        "none = \"5s\"",
        "none = NONE",
        "concurrency = 8",
        "concurrency = CORES * 2",
        "ttl_from = Quote::life",
        "ttl_from = |id| id.life",
    ] {
        accept(&format!("ttl = 300, {fine}"), FUNCTION);
    }
}

#[test]
fn boxed_futures() {
    let boxed =
        "fn find(&self) -> Pin<Box<dyn Future<Output = u8> + Send + '_>> { Box::pin(async { 1 }) }";
    accept("ttl = 300, skip(self)", boxed);
    accept("ttl = 300, skip(self)", "fn find(&self) -> BoxFuture<'_, u8> { f() }");
    check_item("ttl = 300, skip(self), detach", boxed, "its boxed future ties the body", "detach");
    let borrows = "fn find(a: u8) -> Pin<Box<dyn Future<Output = &'static str>>> { f() }";
    check_item("ttl = 300", borrows, "a borrowed value cannot be cached", "&'static str");
    let other = "fn find(a: u8) -> Pin<Box<dyn Stream>> { f() }";
    check_function(other, "`find` is not async", "fn");
}

#[test]
fn strategies() {
    check("ttl = 300, beta = 1", "`beta` belongs to xfetch", "beta");
    for (beta, at) in
        [("0", "0"), ("-1.0", "-"), ("1e999", "1e999"), ("f64::NAN", "f64"), ("\"1\"", "\"1\"")]
    {
        let attribute = format!("ttl = 300, strategy = \"xfetch\", beta = {beta}");
        check(&attribute, "beta must be a finite number greater than zero", at);
    }
    check("ttl = 300, strategy = \"swr\"", "swr serves a stale value", "\"swr\"");
    let reason = "reason = \"cheap\"";
    let jitter = |rest: &str| format!("ttl = 300, strategy = \"jitter\", {reason}, {rest}");
    check(&jitter(""), "strategy jitter needs a spread", "\"jitter\"");
    check(&jitter("jitter = 9, grace = 5"), "takes no lock and so has no `grace`", "grace");
    check(&jitter("jitter = 9, stale_if_error = 5"), "has no `stale_if_error`", "stale_if_error");
    check(
        "ttl = 300, strategy = \"jitter\", jitter = 9",
        "say why that is right here",
        "\"jitter\"",
    );
    check("ttl = 300, grace = 5", "a stale value may be served: say why", "grace");
    check(
        "ttl = 300, stale_if_error = 5",
        "a stale value may be served: say why",
        "stale_if_error",
    );
    accept("ttl = 300, strategy = \"swr\", grace = 5, reason = \"a feed\"", FUNCTION);
    for name in ["grace", "stale_if_error"] {
        let attribute = format!("ttl = 300, strategy = \"swr\", grace = 5, {reason}");
        let attribute = match name {
            "grace" => attribute.replace('5', "\"0s\""),
            _ => attribute + ", stale_if_error = \"0s\"",
        };
        check(&attribute, &format!("`{name}` is zero: write for how long"), "\"0s\"");
    }
    let both = "ttl = 300, scope = \"process\", codec = \"json\"";
    check(both, "values that stay in the process are not written: leave `codec` out", "codec");
}

#[test]
fn functions() {
    check_function("fn find() -> i64 { 1 }", "`find` is not async: write `async fn find`", "fn");
    check_function("const fn find() -> i64 { 1 }", "a `const fn` cannot be cached", "const");
    check_function(
        "async extern \"C\" fn find() -> i64 { 1 }",
        "an `extern` function cannot",
        "extern",
    );
    check_function("async fn find(&self) -> i64;", "there is no body to cache", "find");
    check_function("struct Find;", "`#[cached]` goes on an `async fn`", "struct");
    check_function("const FIND: u8 = 1;", "`#[cached]` goes on an `async fn`", "const");
    check_function("#[cached] async fn find() -> i64 { 1 }", "`#[cached]` is given twice", "#");
    check_function("async fn find(#[cfg(x)] a: u8) -> i64 { 1 }", "a parameter under `cfg`", "#");
    accept("ttl = 300, skip(self)", "#[instrument] async fn find(&self) -> i64 { 1 }");
    accept("ttl = 300", "#[instrument] async fn find() -> i64 { 1 }");
}

#[test]
fn return_types() {
    let check = |output: &str, expected: &str, guilty: &str| {
        let item = format!("async fn find<'a, T: Source>(a: &'a T) -> {output} {{ 1 }}");
        check_function(&item, expected, guilty);
    };
    check("&'a str", "a borrowed value cannot be cached: return an owned type", "&'a str");
    check("&'static str", "return an owned type", "&'static str");
    check("Option<&str>", "return an owned type", "&str");
    check("Result<&'static str, E>", "return an owned type", "&'static str");
    check("Cow<'_, str>", "a value that borrows for `'_` cannot be cached", "'_");
    check("Result<Row<'a>, E>", "a value that borrows for `'a`", "'a");
    check("impl Display", "`impl Trait` cannot be cached: return a named type", "impl");
    check("Vec<impl Display>", "`impl Trait` cannot be cached", "impl");
    check("T", "whether `T` is a `Result` cannot be known here", "T");
    check("T::Answer", "whether `T` is a `Result`", "T::Answer");
    check("<T as Source>::Answer", "whether `T` is a `Result`", "<T as Source>::Answer");
    check("!", "a function that never returns has nothing to cache", "!");
    check("HashMap<u8, &'static str>", "return an owned type", "&'static str");
    check("(u8, &'static str)", "return an owned type", "&'static str");
    check("Result<u8, &str>", "return an owned type", "&str");
    check("Result<u8, &'static Row<'a>>", "a value that borrows for `'a`", "'a");
    let fine = ["Cow<'static, str>", "Option<T>", "Result<T, E>", "()"];
    let errors = [
        "Result<u8, &'static str>",
        "Result<u8, (u16, &'static str)>",
        "Result<u8, Option<&'static [&'static str]>>",
        "Result<u8, fn(&str) -> &str>",
        "Answer<u8, &'static str>",
    ];
    for fine in fine.into_iter().chain(errors) {
        accept("ttl = 300", &format!("async fn find<T: Source>(a: &T) -> {fine} {{ 1 }}"));
    }
}

#[test]
fn detach() {
    let check = |item: &str, expected: &str, guilty: &str| {
        check_item("ttl = 300, detach = true, skip(self)", item, expected, guilty);
    };
    check(METHOD, "`detach = true` cannot be kept: `self` ties the body", "detach");
    let check = |item: &str, expected: &str, guilty: &str| {
        check_item("ttl = 300, detach", item, expected, guilty);
    };
    check("async fn f(a: u8) -> Option<Self> { 1 }", "`Self` ties the body", "detach");
    check("async fn f<T: X>(a: T) -> u8 { 1 }", "needs one concrete type", "detach");
    check(
        "async fn f(a: Option<&str>) -> u8 { 1 }",
        "this one cannot be copied: take an",
        "Option",
    );
    check_item(
        "ttl = 300, detach, key = \"{a}\"",
        "async fn f(a: &mut u8) -> u8 { 1 }",
        "this one cannot be copied",
        "&",
    );
    check("async fn f(a: impl X) -> u8 { 1 }", "this one cannot be copied", "impl");
    accept("ttl = 300, detach", "async fn f(a: &str, b: &[u8], c: &User, d: Vec<u8>) -> u8 { 1 }");
}
