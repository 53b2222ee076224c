//! Where the source of a function is, in words that are the same on every machine.

use super::CachedFn;

/// The package of a function whose file the compiler names by an absolute path, as it does for
/// dependencies: `/home/me/.cargo/registry/src/index-1949cf8c/rates-1.2.0/src/lib.rs`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Package {
    name: &'static str,
    /// The file from the package's directory on: `/src/lib.rs`.
    inside: &'static str,
}

impl Package {
    /// `None` where the file is not named by a path from `directory` on. In a constant, so that a
    /// program does not contain the directory.
    pub(super) const fn around(file: &'static str, name: &'static str, dir: &str) -> Option<Self> {
        let (bytes, prefix) = (file.as_bytes(), dir.as_bytes());
        if bytes.len() <= prefix.len() || !matches!(bytes[prefix.len()], b'/' | b'\\') {
            return None;
        }
        let mut at = 0;
        while at < prefix.len() {
            if bytes[at] != prefix[at] {
                return None;
            }
            at += 1;
        }
        let (_, inside) = file.split_at(prefix.len());
        Some(Self { name, inside })
    }
}

impl CachedFn {
    /// The file, as every machine names it: a dependency's begins with the name of its package.
    /// Source file and line of the attribute.
    pub(crate) fn place_in_words(&self) -> String {
        format!("{}:{}", self.source(), self.line)
    }

    pub(crate) fn source(&self) -> String {
        let file = match self.package {
            Some(Package { name, inside }) => format!("{name}{inside}"),
            None => self.file.to_owned(),
        };
        file.replace('\\', "/")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_named_from_its_package_on() {
        let source =
            |file, name, directory| CachedFn::new("f", file, 7).package(name, directory).source();
        let home = "/home/me/.cargo/registry/src/index-1949cf8c/rates-1.2.0";
        let file = "/home/me/.cargo/registry/src/index-1949cf8c/rates-1.2.0/src/daily/mod.rs";
        for (file, directory, expected) in [
            (file, Some(home), "rates/src/daily/mod.rs"),
            (r"C:\work\rates\src\lib.rs", Some(r"C:\work\rates"), "rates/src/lib.rs"),
            // Of the workspace that is built.
            ("src/lib.rs", Some("/home/me/rates"), "src/lib.rs"),
            (r"tests\audit\main.rs", Some(r"C:\rates"), "tests/audit/main.rs"),
            // Elsewhere, or not built by cargo.
            ("/work/me/rates/src/lib.rs", Some("/home/me/rates"), "/work/me/rates/src/lib.rs"),
            ("/home/me/rates-2/src/lib.rs", Some("/home/me/rates"), "/home/me/rates-2/src/lib.rs"),
            ("/rates/src/lib.rs", None, "/rates/src/lib.rs"),
            ("", Some(""), ""),
        ] {
            assert_eq!(source(file, Some("rates"), directory), expected);
        }
    }
}
