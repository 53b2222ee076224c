use std::error::Error as StdError;

use super::*;

type Alias<T> = std::io::Result<T>;

fn stored<M: Meaning>(_: &Returns<M>) -> &'static str {
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

#[test]
fn a_load_that_timed_out_is_told_in_the_functions_own_error_type() {
    #[derive(Debug, Clone, PartialEq)]
    struct Late(String);
    impl From<LoadFailed> for Late {
        fn from(failed: LoadFailed) -> Self {
            Self(failed.to_string())
        }
    }
    let late = LoadFailed::timed_out("f", std::time::Duration::from_secs(2));
    let shared: Shared = Arc::new(late.clone());
    let share = ByClone::share(&&Errors::<Late>(PhantomData));
    assert_eq!(share.error(&shared), None, "not where nobody asked for it");
    let share = share.answering();
    let expected = Late("loading `f` timed out after 2 s".to_owned());
    assert_eq!(share.late(late), expected);
    assert_eq!(share.error(&shared), Some(expected));
    let (_, own) = (share.split)(Late("own".to_owned()), "f");
    assert_eq!(share.error(&own.unwrap()), Some(Late("own".to_owned())));
}
