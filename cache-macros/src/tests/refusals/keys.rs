//! What may stand in a key, and what has to be said about the rest.

use super::{FUNCTION, METHOD, accept, check, check_function, check_item};

#[test]
fn keys() {
    let template = "\"{id}\"";
    check(
        "ttl = 300, key = \"{id}\"",
        "`name` is in neither `key`, `hash` nor `skip`: write `{name}`",
        template,
    );
    check(
        "ttl = 300, key = \"{id}{nam}\", skip(name)",
        "`key` names no parameter of `find`: found `nam`, known: id, name",
        "\"{id}{nam}\"",
    );
    check(
        "ttl = 300, key = \"{id}:{nam}\"",
        "`key` names no parameter of `find`",
        "\"{id}:{nam}\"",
    );
    check("ttl = 300, skip(nam)", "`skip` names no parameter of `find`: found `nam`", "nam");
    check("ttl = 300, skip(id, id)", "`id` stands in `skip` twice", "id");
    check("ttl = 300, skip(id), hash(id)", "`id` stands in `hash` and in `skip`", "id");
    check("ttl = 300, plain(nam)", "`plain` names no parameter of `find`: found `nam`", "nam");
    check("ttl = 300, hash(nam)", "`hash` names no parameter of `find`: found `nam`", "nam");
    accept("ttl = 300, key = \"{id}\", hash(name)", FUNCTION);
    accept("ttl = 300, key = \"{id}{name}\", hash(name)", FUNCTION);
    check(
        "ttl = 300, key = \"{id}\", skip(id, name)",
        "`id` is both in `key` and in `skip`",
        template,
    );
    check("ttl = 300, key = \"{id\"", "`{` is never closed", "\"{id\"");
    accept("ttl = 300, key = \"{id}:{name}\"", FUNCTION);
    accept("ttl = 300, key = \"all\", skip(id, name)", FUNCTION);
    let pattern = "async fn find((a, b): (u32, u32)) -> i64 { 1 }";
    accept("ttl = 300", pattern);
    check_item("ttl = 300, key = \"all\"", pattern, "a pattern cannot be named in `key`", "(a, b)");
}

#[test]
fn names() {
    for (name, found) in [
        ("a:v1(1)", "cannot hold '('"),
        ("a<u8>", "cannot hold '<'"),
        ("a#1", "cannot hold '#'"),
        ("a{b}", "cannot hold '{'"),
        ("a b", "cannot hold ' '"),
        ("a\u{200b}", "cannot hold '\\u{200b}'"),
        ("a:b", "a single `:`, or `::` at an end"),
        ("a::b:c", "a single `:`"),
        ("a:::b", "a single `:`"),
        ("::a", "`::` at an end"),
        ("a::", "`::` at an end"),
    ] {
        let literal = format!("\"{name}\"");
        check(&format!("ttl = 300, name = {literal}"), found, &literal);
    }
    for name in ["shop::price", "rows", "shop-2/größe.v1", "a::b::c_d"] {
        accept(&format!("ttl = 300, name = \"{name}\""), FUNCTION);
    }
}

#[test]
fn two_parameters_of_one_name() {
    let twice = "async fn find(x: u32, y: u8, r#x: u32) -> i64 { 1 }";
    check_function(twice, "`x` names two parameters, which `#[cached]` cannot tell", "r#x");
    check_item("ttl = 300, skip(x)", twice, "rename one", "r#x");
    check_item("ttl = 300, key = \"{x}{y}\"", twice, "rename one", "r#x");
    // Of a pattern only the whole has a name, and an invented one is nobody else's.
    let pattern = "async fn find((x, _): (u32, u32), __argument_0: u32, x: u32) -> i64 { 1 }";
    accept("ttl = 300, skip(__argument_0)", pattern);
    let attribute = "ttl = 300, skip(__argument_0)".parse().unwrap();
    let written = crate::pipeline(&attribute, &pattern.parse().unwrap()).to_string();
    let roles = written.split("Role :: ").skip(1).map(|role| role.split(')').next().unwrap());
    assert_eq!(roles.collect::<Vec<_>>(), ["Key", "Skip", "Key"]);
}

#[test]
fn arguments_that_are_written() {
    let attribute = "ttl = 300, key = \"{rows}\"";
    let written = [("&mut Vec<u8>", "&"), ("Option<&mut u8>", "Option"), ("Pin<&mut User>", "Pin")];
    for (ty, guilty) in written {
        let item = format!("async fn fill(rows: {ty}, id: u8) -> usize {{ 1 }}");
        check_function(&item, "nothing is written through `&mut`", guilty);
        accept("ttl = 300, skip(rows)", &item);
        accept(attribute, &item.replace(", id: u8", ""));
    }
    for ty in ["fn(&mut u8)", "&dyn Fn(&mut u8)", "&Vec<u8>"] {
        accept("ttl = 300", &format!("async fn fill(rows: {ty}, id: u8) -> usize {{ 1 }}"));
    }
    let unnamed = "async fn find(_: &Pool, id: u8) -> u8 { 1 }";
    check_item("ttl = 300, skip(_)", unnamed, "give the parameter a name, such as `_pool`", "_");
}

#[test]
fn who_is_self() {
    check_function(METHOD, "who is `self`? Write `skip(self)`", "self");
    check_item("ttl = 300, key = \"{id}\"", METHOD, "who is `self`?", "self");
    accept("ttl = 300, skip(self)", METHOD);
    accept("ttl = 300, key = \"{self.n}:{id}\"", METHOD);
    accept("ttl = 300, key = \"{id}\", skip(self)", METHOD);
    check("ttl = 300, skip(self)", "`skip` names no parameter of `find`: found `self`", "self");
}

#[test]
fn secrets() {
    for name in [
        "token",
        "auth_token",
        "password",
        "_secret",
        "api_key",
        "authorization",
        "session",
        "session_id",
    ] {
        let item = format!("async fn find({name}: u32) -> i64 {{ 1 }}");
        check_function(&item, "looks like a secret, and keys are readable", name);
        let key = format!("\"{{{name}}}\"");
        check_item(&format!("ttl = 300, key = {key}"), &item, "looks like a secret", &key);
        for role in ["skip", "hash", "plain"] {
            accept(&format!("ttl = 300, {role}({name})"), &item);
        }
        accept(&format!("ttl = 300, key = {key}, hash({name})"), &item);
    }
    for name in ["tokens", "max_tokens", "token_count", "author", "keys"] {
        accept("ttl = 300", &format!("async fn find({name}: u32) -> i64 {{ 1 }}"));
    }
    let user = "async fn find(user: &User) -> i64 { 1 }";
    check_item("ttl = 300, key = \"{user.token}\"", user, "`token` looks like", "\"{user.token}\"");
    accept("ttl = 300, key = \"{user.token}\", hash(user)", user);
    let token = "async fn find(token: Token) -> i64 { 1 }";
    for place in ["{token}", "{token.value}", "{token.0}", "{token.raw.bytes}"] {
        let key = format!("\"{place}\"");
        check_item(&format!("ttl = 300, key = {key}"), token, "`token` looks like", &key);
    }
    check_function(
        "async fn find(secret_key: u8) -> i64 { 1 }",
        "looks like a secret",
        "secret_key",
    );
    let pattern = "async fn find((id, token): (u32, String)) -> i64 { 1 }";
    check_function(pattern, "`token` looks like a secret", "token");
    let renamed = "async fn find(Login { user: u, password: p }: Login) -> i64 { 1 }";
    check_function(renamed, "`password` looks like a secret", "password");
    let wrapped = "async fn find(AccessToken(t): AccessToken) -> i64 { 1 }";
    check_function(wrapped, "`AccessToken` looks like a secret", "AccessToken");
    accept("ttl = 300", "async fn find(Login { user: u, .. }: Login) -> i64 { 1 }");
    let session = "async fn find(session: &Session) -> i64 { 1 }";
    accept("ttl = 300, key = \"{session.user}\"", session);
}
