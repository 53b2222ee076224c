//! The picture stays true: in each crate a file imports only from files listed below it in `lib.rs`.

use std::fs;
use std::path::{Path, PathBuf};

/// The modules of a crate in reading order.
fn modules(lib: &str) -> Vec<String> {
    let module = |line: &str| {
        let line = line.strip_prefix("pub ").unwrap_or(line);
        Some(line.strip_prefix("mod ")?.strip_suffix(';')?.to_owned())
    };
    lib.lines().filter_map(module).collect()
}

fn files(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
    found
}

/// The module a file belongs to: its first path component below `src`.
fn home(src: &Path, file: &Path) -> String {
    let first = file.strip_prefix(src).unwrap().components().next().unwrap();
    first.as_os_str().to_str().unwrap().trim_end_matches(".rs").to_owned()
}

/// Imports that look upward, and how many imports were seen at all.
fn upward(src: &Path) -> (Vec<String>, usize) {
    let order = modules(&fs::read_to_string(src.join("lib.rs")).unwrap());
    let rank = |module: &str| order.iter().position(|one| one == module);
    let (mut wrong, mut seen) = (Vec::new(), 0);
    for file in files(src) {
        let home = home(src, &file);
        if home == "lib" || file.to_str().unwrap().contains("tests") {
            continue;
        }
        let mine = rank(&home).unwrap_or_else(|| panic!("{home} is not listed in lib.rs"));
        for part in fs::read_to_string(&file).unwrap().split("crate::").skip(1) {
            let name: String =
                part.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            if let Some(theirs) = rank(&name) {
                seen += 1;
                if theirs < mine {
                    wrong.push(format!("{} imports {name}", file.display()));
                }
            }
        }
    }
    (wrong, seen)
}

#[test]
fn imports_look_down() {
    for member in ["cache-core", "cache-redis", "cache-macros"] {
        let src = Path::new(env!("CARGO_MANIFEST_DIR")).join(member).join("src");
        let (wrong, seen) = upward(&src);
        assert_eq!(wrong, Vec::<String>::new(), "{member}");
        assert!(seen > 5, "{member}: only {seen} imports were found, so this proves nothing");
    }
}

#[test]
fn files_stay_readable() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut seen = 0;
    for part in [
        "cache-core",
        "cache-redis",
        "cache-macros",
        "src",
        "examples",
        "tests",
        "benches",
        "fuzz/fuzz_targets",
    ] {
        for file in files(&root.join(part)) {
            let lines = fs::read_to_string(&file).unwrap().lines().count();
            assert!(lines <= 300, "{}: {lines} lines", file.display());
            seen += 1;
        }
    }
    assert!(seen > 300, "only {seen} files were found");
}
