#!/bin/sh
# Runs rayon-core's and rayon's own tests, unchanged, on aqueduct-pool (drop-in/rayon-core).
#
# usage: scripts/rayon-core.sh [folder] [arguments of cargo test]
#
# The tests lie in the published packages, which cargo downloads. The folder (by default one below target/) gets:
#   core/   rayon-core's tests/, its unit tests (src/**/test.rs) as modules of a package with the items that they import from `crate`,
#           and its programs that must not compile;
#   rayon/  rayon's package as it is, with its unit tests, tests/ and documentation, and rayon-core patched.
# Nothing of it is part of this repository.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
folder=${1:-$here/target/rayon-core-tests}
[ $# -eq 0 ] || shift
core=1.13.0
rayon=1.12.0

# A package that depends on the published ones makes cargo download them.
mkdir -p "$folder/download/src"
: > "$folder/download/src/lib.rs"
cat > "$folder/download/Cargo.toml" <<END
[package]
name = "download"
version = "0.0.0"
edition = "2021"

[workspace]

[dependencies]
rayon = "=$rayon"
rayon-core = "=$core"
END
published() {
    (cd "$folder/download" && cargo metadata --format-version 1) \
        | tr ',' '\n' | sed -n "s|.*\"manifest_path\":\"\(.*/$1\)/Cargo.toml\".*|\1|p" | head -n 1
}
core=$(published "rayon-core-$core")
rayon=$(published "rayon-$rayon")
[ -d "$core/tests" ] && [ -d "$rayon/tests" ] || { echo "the published packages have not been found" >&2; exit 1; }

rm -rf "$folder/core/src" "$folder/core/tests" "$folder/rayon"
mkdir -p "$folder/core/src"
cp -R "$core/tests" "$folder/core/"
cp -R "$core/src/compile_fail" "$folder/core/src/"
for name in . broadcast join scope spawn thread_pool; do
    mkdir -p "$folder/core/src/$name"
    cp "$core/src/$name/test.rs" "$folder/core/src/$name/"
done
cat > "$folder/core/src/lib.rs" <<'END'
//! What rayon-core's unit tests take from their crate: its interface, and three private functions.
pub use rayon_core::*;
#[cfg(test)]
mod registry {
    pub(crate) fn in_worker<R: Send>(body: impl FnOnce((), bool) -> R + Send) -> R {
        rayon_core::scope(|_| body((), false))
    }
}
#[cfg(test)]
mod unwind {
    pub(crate) fn halt_unwinding<R>(body: impl FnOnce() -> R) -> std::thread::Result<R> {
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(body))
    }
}
#[cfg(test)]
mod test;
mod compile_fail;
#[cfg(test)]
#[path = ""]
mod modules {
    #[path = "broadcast/test.rs"]
    mod broadcast;
    #[path = "scope/test.rs"]
    mod scope;
    #[path = "thread_pool/test.rs"]
    mod thread_pool;
    mod spawn {
        use crate::{spawn, spawn_fifo};
        #[path = "../spawn/test.rs"]
        mod test;
    }
    mod join {
        use crate::{join, join_context, unwind};
        #[path = "../join/test.rs"]
        mod test;
    }
}
END
cat > "$folder/core/Cargo.toml" <<END
[package]
name = "rayon-core-tests"
version = "0.0.0"
edition = "2021"

[workspace]

[dependencies]
rayon-core = "1.13"

[dev-dependencies]
crossbeam-utils = "0.8"
libc = "0.2"
rand = "0.9"
rand_xorshift = "0.4"
scoped-tls = "1.0"

[patch.crates-io]
rayon-core = { path = "$here/drop-in/rayon-core" }
END
cp -R "$rayon" "$folder/rayon"
rm -f "$folder/rayon/Cargo.lock" "$folder/rayon/.cargo-ok"
cat >> "$folder/rayon/Cargo.toml" <<END

[workspace]

[patch.crates-io]
rayon-core = { path = "$here/drop-in/rayon-core" }
END

status=0
for package in core rayon; do
    cd "$folder/$package"
    cargo tree | grep 'rayon-core v' | grep -q "$here" || { echo "the patch is not used" >&2; exit 1; }
    CARGO_TARGET_DIR=$folder/target cargo test --release --no-fail-fast "$@" || status=1
done
exit $status
