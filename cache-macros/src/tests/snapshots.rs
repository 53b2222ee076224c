//! What good functions become, as formatted files in `tests/snapshots`. After a change on
//! purpose: `HERDLESS_BLESS=1 cargo test -p cache-macros`.

use std::path::Path;

use proc_macro2::TokenStream;

/// Lines that a wrapper may add beside the body, the registration apart.
const MOST_LINES: usize = 25;

fn check(name: &str, attribute: &str, item: &str) {
    let shown = format(crate::pipeline(&attribute.parse().unwrap(), &item.parse().unwrap()));
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots").join(name);
    let path = path.with_extension("rs");
    if std::env::var_os("HERDLESS_BLESS").is_some_and(|set| set == "1") {
        std::fs::write(&path, &shown).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(shown == expected, "{} differs:\n{shown}", path.display());
}

fn format(tokens: TokenStream) -> String {
    prettyplease::unparse(&syn::parse2(tokens).unwrap())
}

/// The lines beside the registration and the user's own body: signature and documentation are his.
fn added_lines(attribute: &str, item: &str) -> usize {
    let wrapped = format(crate::pipeline(&attribute.parse().unwrap(), &item.parse().unwrap()));
    let registration = wrapped
        .lines()
        .skip_while(|line| !line.contains("static __CACHED"))
        .take_while(|line| !line.contains("Registered(& __CACHED)"))
        .count()
        + 2; // the last one and its brace
    let wrapper = wrapped.lines().skip_while(|line| !line.contains("use ::herdless")).count();
    let own = format(item.parse().unwrap());
    let body =
        own.lines().skip_while(|line| !line.starts_with('}') && !line.ends_with('{')).count();
    wrapper - registration - (body - 1)
}

const SAMPLE: (&str, &str) = (
    "ttl = 300, strategy = \"xfetch\", beta = 1.0, jitter = 300",
    "pub async fn quality_count(min_score: u32) -> Result<i64, AppError> { sql(min_score).await }",
);

#[test]
fn a_wrapper_is_short() {
    for (attribute, item) in [SAMPLE, METHOD, BORROWED, GENERIC, COPIES, SETTINGS, BOXED] {
        let added = added_lines(attribute, item);
        println!("{added} lines around {item}");
        assert!(added <= MOST_LINES, "{added} lines around {item}");
    }
}

#[test]
fn movable() {
    check("movable", SAMPLE.0, SAMPLE.1);
}

const METHOD: (&str, &str) = (
    "ttl = \"5m\", key = \"{self.rate}:{qty}\"",
    "/// What it costs.\n///\n/// In cents.\n\
     async fn price(&self, mut qty: u64) -> u64 { qty += 1; self.rate * qty }",
);

#[test]
fn method() {
    check("method", METHOD.0, METHOD.1);
}

const BORROWED: (&str, &str) = (
    "ttl = \"1h\", strategy = \"swr\", grace = \"60s\", jitter = \"5m\", skip(pool), \
     key = \"homepage:{region}\", reason = \"a feed: a minute old is fine\"",
    "pub async fn homepage_feed(pool: &PgPool, region: &str) -> Result<Feed, AppError> { \
     load(pool, region).await }",
);

#[test]
fn nameless() {
    let item = "async fn mapped<R: Future<Output = u32>>(f: &mut impl FnMut(u32) -> R, by: Span) \
                -> u32 { f(by.start).await }";
    let attribute = "ttl = TTL, strategy = \"jitter\", jitter = \"5m\", key = \"{by.start}\", \
                     skip(f), reason = \"cheap\"";
    check("nameless", attribute, item);
}

#[test]
fn borrowed() {
    check("borrowed", BORROWED.0, BORROWED.1);
}

const GENERIC: (&str, &str) = (
    "ttl = TTL, scope = \"process\", share_errors, cache = \"reports\"",
    "#[must_use] pub(crate) async unsafe fn block<'a, T, const N: usize>(\
         (a, b): (T, [u8; N]), _seed: &'a str) -> Result<Vec<T>, Error> where T: Clone { todo!() }",
);

#[test]
fn generic() {
    check("generic", GENERIC.0, GENERIC.1);
}

const COPIES: (&str, &str) = (
    "ttl = 300, detach = true, name = \"find\", version = 2, lease = \"5s\", wait = 60, \
         codec = \"json\", refresh = \"inline\", cache = caches.get(0)",
    "async fn find(name: &str, mut id: String) { id.push('x'); }",
);

#[test]
fn detached_with_copies() {
    check("detached_with_copies", COPIES.0, COPIES.1);
}

const SETTINGS: (&str, &str) = (
    "ttl = Self::TTL, ttl_from = Quote::life, none = \"5s\", timeout = \"2s\", concurrency = 8, \
         hash(session), plain(token), skip(self)",
    "pub async fn quote(&self, id: u32, session: &str, token: u8) -> Result<Option<Quote>, Error> \
         { ask(id).await }",
);

#[test]
fn settings_of_its_own() {
    check("settings", SETTINGS.0, SETTINGS.1);
}

const BOXED: (&str, &str) = (
    "ttl = 60, key = \"{self.name}:{day}\"",
    "fn quote<'life0, 'async_trait>(&'life0 self, day: u32) -> ::core::pin::Pin<Box<\
         dyn ::core::future::Future<Output = u64> + ::core::marker::Send + 'async_trait>> \
         where 'life0: 'async_trait, Self: 'async_trait { Box::pin(async move { ask(self, day).await }) }",
);

#[test]
fn boxed() {
    check("boxed", BOXED.0, BOXED.1);
}

#[test]
fn other_attributes_first() {
    check(
        "other_attributes_first",
        "ttl = 300, skip(self)",
        "/// Finds.\n#[must_use] #[tracing::instrument(skip(self))] pub async fn find(&self) -> u32 { 1 }",
    );
}

#[test]
fn refused() {
    check(
        "refused",
        "tll = 300",
        "/// Finds.\n#[instrument] pub async fn find(id: u32) -> u32 { id }",
    );
}

#[test]
fn a_half_typed_body_still_expands() {
    let item = "async fn find(id: u32) -> u32 { let n = id; n. }".parse().unwrap();
    let shown = crate::pipeline(&"ttl = 1".parse().unwrap(), &item).to_string();
    assert!(shown.contains("__uncached"), "{shown}");
    assert!(!shown.contains("compile_error"), "{shown}");
}

#[test]
fn an_attribute_that_nobody_took_stays() {
    let item = "#[some_tool::skip] pub async fn find(id: u32) -> u32 { id }".parse().unwrap();
    let shown = crate::pipeline(&"__last, ttl = 1".parse().unwrap(), &item).to_string();
    assert!(shown.starts_with("# [some_tool :: skip]"), "{shown}");
}
