//! A function written by a macro, with every kind of fragment.

use herdless::cached;

macro_rules! cached_function {
    (
        $(#[$meta:meta])*
        $vis:vis $name:ident<$($life:lifetime)?>($pat:pat_param, $argument:ident: $ty:ty)
        -> $($returned:path)? where $item:item
        $ttl:literal, $ttl_name:tt, $lease:expr, $text:literal, $more:stmt, $body:block
    ) => {
        $item

        $(#[$meta])*
        #[cached($ttl_name = $ttl, lease = $lease, key = $text)]
        $vis async fn $name<$($life)?>($argument: $ty) -> $($returned)? {
            $more
            let $pat = $argument;
            let _ = $body;
            Ok(Row(1))
        }
    };
}

cached_function! {
    /// Finds a row.
    #[allow(clippy::unused_async)]
    pub find<'a>(_found, name: &'a str) -> Result<Row, String>
    where
        #[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
        pub struct Row(u8);
    300, ttl, std::time::Duration::from_secs(1), "row:{name}", let _x = 1, { 7 }
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    assert_eq!(find("a").await, Ok(Row(1)));
    assert!(find("a").key().as_str().ends_with("(row:\"a\")"));
}
