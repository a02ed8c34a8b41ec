#!/bin/sh
# Runs known programs that use rayon, unchanged, on aqueduct-pool (drop-in/rayon-core), beside themselves on rayon-core.
#
# usage: scripts/rayon-programs.sh [folder] [runs]
#   RAYON=path/to/rayon   also runs the benches of rayon-demo, as they lie in that clone of rayon's repository
#   DEMO="tree_ sieve_"   only those of them that have one of these in their name; DEMO_RUNS=5 instead of 3 runs
#   PROGRAMS="b3sum"      only some of: b3sum tokei oxipng
#
# cargo downloads each program and builds it twice, into the folder (by default one below target/). Both run on the same
# input, in turn, and have to write the same. Nothing of it is part of this repository.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
folder=${1:-$here/target/rayon-programs}
runs=${2:-11}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
patch="patch.crates-io.rayon-core.path=\"$here/drop-in/rayon-core\""
version() { case $1 in b3sum) echo 1.8.7 ;; tokei) echo 15.0.0 ;; oxipng) echo 10.2.1 ;; esac; }

# Builds a program once as it is and once on ours; the paths of its source in its binary show which one that is.
build() {
    echo "building $1 $(version "$1"), twice" >&2
    for side in ours theirs; do
        if [ $side = ours ]; then set -- "$1" --config "$patch"; else set -- "$1"; fi
        (cd "$folder" && cargo install --quiet --root "$folder/$side" --target-dir "$folder/target-$side" \
            --version "$(version "$1")" "$@")
    done
    grep -q aqueduct-pool "$folder/ours/bin/$1" || { echo "$1: the patch is not used" >&2; exit 1; }
    ! grep -q aqueduct-pool "$folder/theirs/bin/$1" || { echo "$1: the patch is used in both" >&2; exit 1; }
}
rustc --edition 2024 -O -o "$folder/side-by-side" "$here/scripts/side-by-side.rs"
race() {
    name=$1 program=$2
    shift 2
    "$folder/side-by-side" race "$runs" "$name" "$folder/ours/bin/$program" "$folder/theirs/bin/$program" "$@"
}

programs=${PROGRAMS-b3sum tokei oxipng}
for program in $programs; do build "$program"; done
"$folder/side-by-side" bytes "$folder/bytes" 256
"$folder/side-by-side" image "$folder/image.png" 768
echo "milliseconds: median (quartiles) of $runs runs, the ratio (2.00: ours is twice as fast), and processor time of ours and rayon's"
printf '%-22s %-26s %-26s %-8s %s\n' program aqueduct-pool rayon-core ratio processor
for program in $programs; do
    case $program in
        b3sum) race "b3sum of 256 MiB" b3sum "$folder" bytes ;;
        tokei) race "tokei of sources" tokei "${CARGO_HOME:-$HOME/.cargo}/registry/src" --no-ignore . ;;
        oxipng) race "oxipng -o 2" oxipng "$folder" --opt 2 --force --out "{out}" image.png ;;
    esac
done

[ -n "${RAYON:-}" ] || exit 0
# rayon-demo depends on the clone's rayon by its path, which no patch replaces: here it depends on the published one.
for side in ours theirs; do
    demo=$folder/demo-$side
    mkdir -p "$demo"
    rm -rf "$demo/src" "$demo/data"
    cp -R "$RAYON/rayon-demo/src" "$RAYON/rayon-demo/data" "$demo/"
    sed -e 's|^rayon = .*|rayon = "1.12"|' -e 's|^edition.workspace.*|edition = "2024"|' -e '/^rust-version/d' \
        -e "s|^rand.workspace.*|$(grep '^rand = ' "$RAYON/Cargo.toml")|" \
        -e "s|^libc.workspace.*|$(grep '^libc = ' "$RAYON/Cargo.toml")|" "$RAYON/rayon-demo/Cargo.toml" > "$demo/Cargo.toml"
    printf '\n[workspace]\n' >> "$demo/Cargo.toml"
    if [ $side = ours ]; then printf '\n[patch.crates-io]\nrayon-core = { path = "%s/drop-in/rayon-core" }\n' "$here" >> "$demo/Cargo.toml"; fi
    echo "building the benches of rayon-demo, $side" >&2
    (cd "$demo" && RUSTC_BOOTSTRAP=rayon_demo cargo bench --quiet --no-run --bin rayon-demo --target-dir "$folder/target-$side")
    (cd "$demo" && cargo tree | grep -q "rayon-core.*$here") && used=ours || used=theirs
    [ $used = $side ] || { echo "rayon-demo, $side: the wrong rayon-core" >&2; exit 1; }
done
# A test harness prints: test quicksort::bench::quick_sort_par_bench ... bench:  12,345.67 ns/iter (+/- 89)
: > "$folder/demo.txt"
round=0
while [ $round -lt "${DEMO_RUNS:-3}" ]; do
    for side in ours theirs; do
        (cd "$folder/demo-$side" && "$(ls -t "$folder/target-$side"/release/deps/rayon_demo-* | grep -v '\.' | head -n 1)" --bench ${DEMO:-}) \
            | sed -n "s/^test \(.*\) \.\.\. bench: *\([0-9.,]*\) ns.*/$side \1 \2/p" | tr -d , >> "$folder/demo.txt"
    done
    round=$((round + 1))
done
echo
echo "benches of rayon-demo, microseconds: median of ${DEMO_RUNS:-3} runs in turn, and the ratio. The last line is the middle one of the"
echo "parallel ones (no seq, serial or functional in the name)."
sort -k1,2 -k3,3n "$folder/demo.txt" | awk '
    function keep() { if (count) median[side, name] = time[int((count + 1) / 2)] / 1000; count = 0 }
    { if ($1 != side || $2 != name) { keep(); side = $1; name = $2; names[name] = 1 } time[++count] = $3 }
    END {
        keep()
        for (name in names) printf "%s %.2f %.2f %.2f\n", name, median["ours", name], median["theirs", name], \
            median["theirs", name] / (median["ours", name] + 1e-9)
    }' | sort > "$folder/demo-medians.txt"
awk 'BEGIN { printf "%-52s %14s %14s %8s\n", "bench", "aqueduct-pool", "rayon-core", "ratio" }
    { printf "%-52s %14.2f %14.2f %8.2f\n", $1, $2, $3, $4 }' "$folder/demo-medians.txt"
grep -v -e seq -e serial -e functional "$folder/demo-medians.txt" | sort -k4,4n \
    | awk '{ ratio[NR] = $4; if ($4 >= 1) good++ } END { print "middle", ratio[int((NR + 1) / 2)] ", at least 1:", good " of", NR, "parallel benches" }'
