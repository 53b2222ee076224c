mod damage;

use super::*;

const KEY: &str = "{shop:f:v1(80)}";
const NOW: Timestamp = Timestamp::from_micros(1_700_000_000_000_000);

fn sample() -> Head {
    Head {
        codec: Codec::Json,
        compression: Compression::None,
        shape: Shape(0x0102_0304_0506_0708),
        generation: Generation(*b"generati"),
        times: Times {
            begun: NOW,
            stored: NOW.after(Duration::from_millis(450)),
            fresh_for: Duration::from_secs(300),
            grace: Duration::from_secs(60),
            stale_if_error: Duration::from_secs(3600),
            cost: Some(Duration::from_millis(450)),
        },
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn golden_bytes_pin_the_format() {
    let bytes = sample().seal(KEY, b"12345");
    assert_eq!(
        hex(&bytes),
        "484552440102000122ec20d08b01000008070605040302017\
         060ab1deaf4b879739ee4a456ddef8867656e657261746900\
         401e18240a0600d01d2518240a060000a3e11100000000008\
         793030000000000a493d600000000d0dd0600000000000500\
         000000000000592a8586a905eb323132333435"
    );
}

#[test]
fn an_entry_reads_back_as_it_was_sealed() {
    for head in [sample(), Head { times: Times { cost: None, ..sample().times }, ..sample() }] {
        let bytes = head.seal(KEY, b"payload");
        assert_eq!(open(KEY, head.shape, head.times.stored, &bytes), Ok((head, &b"payload"[..])));
    }
}

#[test]
fn scripts_find_what_they_need_at_fixed_offsets() {
    let head = sample();
    let bytes = head.seal(KEY, b"x");
    assert_eq!(&bytes[..5], b"HERD\x01");
    let at = |offset: usize| number::<8>(&bytes, offset);
    assert_eq!(at(8), (NOW.as_micros() + 450_000 + 3_900_000_000).div_ceil(1000));
    assert_eq!((at(48), at(56)), (NOW.as_micros(), NOW.as_micros() + 450_000));
}

#[test]
fn every_prefix_every_longer_form_and_every_edit_is_a_miss() {
    let head = sample();
    let bytes = head.seal(KEY, b"12345");
    let read = |bytes: &[u8]| open(KEY, head.shape, head.times.stored, bytes).map(|_| ());
    for end in 0..bytes.len() {
        assert!(read(&bytes[..end]).is_err(), "prefix of {end} bytes");
    }
    assert!(read(&[&bytes[..], b"0"].concat()).is_err());
    for at in 0..bytes.len() {
        for flip in [0x01, 0x80, 0xff] {
            let mut edited = bytes.clone();
            edited[at] ^= flip;
            assert!(read(&edited).is_err(), "byte {at} ^ {flip:02x}");
        }
    }
}

#[test]
fn another_key_another_shape_and_the_future_are_misses_with_their_cause() {
    let head = sample();
    let bytes = head.seal(KEY, b"12345");
    let read = |key, shape, now| open(key, shape, now, &bytes).map(|_| ()).unwrap_err();
    assert_eq!(read("{shop:f:v1(81)}", head.shape, NOW), Unreadable::Corrupt);
    assert_eq!(read(KEY, Shape(1), NOW), Unreadable::Shape);
    assert_eq!(read(KEY, head.shape, NOW.before(Duration::from_secs(1))), Unreadable::Ahead);
    assert!(open(KEY, head.shape, NOW.before(Duration::from_millis(500)), &bytes).is_ok());
}

#[test]
fn an_entry_lingers_for_those_who_waited_for_it() {
    let times = Times { fresh_for: Duration::from_millis(1), ..Times::default() };
    let head = Head { times: Times { stored: NOW, ..times }, ..sample() };
    assert_eq!(head.end(), NOW.after(Duration::from_secs(1)));
}
