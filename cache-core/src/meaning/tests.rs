use super::*;

type Alias<T> = std::io::Result<T>;

fn stored<M: Meaning>(_: &M) -> &'static str {
    std::any::type_name::<M::Value>()
}

#[test]
fn a_result_by_any_name_stores_its_value() {
    assert_eq!(stored(&Probe::<Result<u8, String>>::RETURN.meaning()), "u8");
    assert_eq!(stored(&Probe::<Alias<u8>>::RETURN.meaning()), "u8");
    assert_eq!(stored(&Probe::<Option<u8>>::RETURN.meaning()), "core::option::Option<u8>");
    assert_eq!(stored(&Probe::<u8>::RETURN.meaning()), "u8");
}

#[expect(clippy::needless_borrow, reason = "as generated code asks, whichever level answers")]
#[test]
fn errors_that_clone_are_shared_and_others_are_not() {
    let share = (&&Errors::<String>(PhantomData)).share();
    let (mine, shared) = (share.split)("no".to_owned(), "f");
    assert_eq!((mine.as_str(), (share.take)(&shared.unwrap()).as_deref()), ("no", Some("no")));

    let share = (&&Errors::<std::io::Error>(PhantomData)).share();
    let (_, shared) = (share.split)(std::io::Error::other("no"), "f");
    assert!(shared.is_none());
}

#[test]
fn load_failed_keeps_the_leaders_error_as_its_source() {
    type Boxed = Box<dyn StdError + Send + Sync>;
    let share = Errors::<Boxed>(PhantomData).share_as_load_failed("f");
    let (mine, shared) = (share.split)(std::io::Error::other("disk").into(), "f");
    let other = (share.take)(&shared.unwrap()).unwrap();
    for error in [mine, other] {
        assert_eq!(error.to_string(), "loading `f` failed");
        assert_eq!(error.source().unwrap().to_string(), "disk");
    }
}
