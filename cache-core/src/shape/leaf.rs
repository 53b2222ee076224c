//! Samples for leaves: a type that checks what it is given accepts one of them, mostly.

/// Numbers; unsigned types see the last as their largest.
pub(super) const NUMBERS: &[i8] = &[0, 1, 2, 10, -1];

pub(super) const CHARS: &[char] = &['a', '0', 'A'];

pub(super) const TEXTS: &[&str] = &[
    "",
    "2020-01-02T03:04:05Z",
    "2020-01-02",
    "03:04:05",
    "2020-01-02T03:04:05",
    "67e55044-10b1-426f-9247-bb680e5fe0c8",
    "127.0.0.1",
    "::1",
    "127.0.0.1:80",
    "https://example.org/",
    "a@example.org",
    "example.org",
    "1",
    "1.0.0",
    "a",
    "A",
    "en-US",
    "EUR",
    "+12025550123",
];

/// Lengths of byte strings.
pub(super) const LENGTHS: &[usize] = &[0, 16, 4, 8, 32, 12, 20, 24, 64];
pub(super) const BYTES: &[u8; 64] = &[1; 64];
