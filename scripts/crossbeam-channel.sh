#!/bin/sh
# Runs crossbeam-channel's own tests and examples, unchanged, on aqueduct-channel (drop-in/crossbeam-channel).
#
# usage: scripts/crossbeam-channel.sh [folder] [arguments of cargo test]
#
# The tests lie in the published package, which cargo downloads. The folder (by default one below target/) gets a package
# whose tests they are, and whose dependency crossbeam-channel is patched. Nothing of it is part of this repository.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
folder=${1:-$here/target/crossbeam-channel-tests}
[ $# -eq 0 ] || shift
version=0.5.17

# A package that depends on the published one makes cargo download it.
mkdir -p "$folder/download/src"
: > "$folder/download/src/lib.rs"
cat > "$folder/download/Cargo.toml" <<END
[package]
name = "download"
version = "0.0.0"
edition = "2021"

[workspace]

[dependencies]
crossbeam-channel = "=$version"
END
published=$(cd "$folder/download" && cargo metadata --format-version 1 \
    | tr ',' '\n' | sed -n "s|.*\"manifest_path\":\"\(.*crossbeam-channel-$version\)/Cargo.toml\".*|\1|p" | head -n 1)
[ -d "$published/tests" ] || { echo "crossbeam-channel $version has not been found" >&2; exit 1; }

mkdir -p "$folder/src"
rm -rf "$folder/tests" "$folder/examples"
cp -R "$published/tests" "$published/examples" "$folder/"
: > "$folder/src/lib.rs"
cat > "$folder/Cargo.toml" <<END
[package]
name = "crossbeam-channel-tests"
version = "0.0.0"
edition = "2021"

[workspace]

[dev-dependencies]
crossbeam-channel = "0.5"
crossbeam-utils = "0.8"
num_cpus = "1"
rand = "0.8"
signal-hook = "0.3"

[patch.crates-io]
crossbeam-channel = { path = "$here/drop-in/crossbeam-channel" }
END
cd "$folder"
cargo tree --edges dev | grep 'crossbeam-channel v' | grep -q "$here" \
    || { echo "the patch is not used" >&2; exit 1; }
exec cargo test --release --no-fail-fast "$@"
