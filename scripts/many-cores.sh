#!/usr/bin/env bash
# Measures how the queues scale: the set of benchmarks for a machine of many cores, in less than ten minutes.
#
# scripts/many-cores.sh OUT [PROGRAM]
#   OUT      a folder for the results: machine.txt, each part's table (.txt), records (.jsonl) and messages (.err),
#            parts.txt with each part's exit status and time, and page.html, which draws all of it
#   PROGRAM  a release build of the program with the features `published`, `workloads` and, for the peers of C++, `cpp-peers`;
#            without it, one is built here
#
# Without Rust on that machine, build elsewhere, strip the program and carry it over. The peers of C++ need libtbb,
# librte_* and libstdc++ beside it, with LD_LIBRARY_PATH. Nothing else may run meanwhile.
set -u
[ $# -ge 1 ] && [ $# -le 2 ] || { sed -n '2,13s/^# \{0,1\}//p' "$0"; exit 2; }
root=$(cd "$(dirname "$0")/.." && pwd)
out=$1
if [ $# -eq 2 ]; then
    program=$(readlink -f "$2")
else
    (cd "$root" && cargo build --release --features published,workloads) || exit
    program=$root/target/release/aqueduct
fi
"$program" --version >/dev/null || { echo "no program that runs: $program" >&2; exit 2; }
mkdir -p "$out" && cd "$out" || exit
lscpu >machine.txt 2>&1
: >parts.txt
cores=$(nproc)
# Most threads on one side beside one on the other, and as many on both sides.
most=$((cores > 1 ? cores - 1 : 1)) half=$((cores > 1 ? cores / 2 : 1))

# One to `most`, doubled each time: 1 2 4 8 15 on 16 cores.
sides() { local n; for ((n = 1; n < most; n *= 2)); do printf '%s ' "$n"; done; printf '%s' "$most"; }
# Puts each number into a text, in place of N: pattern Nx1 1 2 4 is 1x1,2x1,4x1.
pattern() { local text=$1 list='' n; shift; for n in "$@"; do list+=,${text//N/$n}; done; printf '%s' "${list#,}"; }
all=$(sides)
pairs=() singles=()
for n in $all; do ((n <= half)) && pairs+=("$n"); ((n > 1)) && singles+=("$n"); done

part() { # part NAME SECONDS ARGUMENTS...
    local name=$1 seconds=$2 begin=$SECONDS status
    shift 2
    timeout "$seconds" "$program" bench "$@" --json "$name.jsonl" >"$name.txt" 2>"$name.err"
    status=$?
    echo "$name: exit $status, $((SECONDS - begin)) s: bench $*" | tee -a parts.txt
}

both=$(pattern NxN "${pairs[@]}")
one='' many=''
[ ${#singles[@]} -eq 0 ] || { one=$(pattern 1xN "${singles[@]}") many=$(pattern Nx1 "${singles[@]}"); }
threads=$both${one:+,$one}${many:+,$many}
part throughput 110 mpmc throughput --threads "$threads" --batch 1,8,32 --rounds 3 --slice 30
part open-loop 60 mpmc open-loop --quick --threads "1x1,4x1,1x4,4x4" --loads 30,90 --capacity 1024
part latency 40 mpmc latency fairness --quick --threads "$both"
part drain 30 mpmc drain --quick --threads "1x1${one:+,$one}" --batch 1,8
part relaxed 40 cnq throughput --quick --threads "$both"
part order 60 cnq order --quick --no-peers --threads "$both" --k 100,1000
part lock-free 30 nblfq pairs --quick --threads "$(pattern N "${pairs[@]}")"
part records 30 records --quick
part drop-old 30 drop-old --quick --producers "$(pattern N $all)"
part tree 25 steal tree --rounds 5
part join 20 steal join hungry --quick
part pool 40 steal pool --quick --factors 0,10,100
part exchange 25 exchange --quick
part spsc 40 spsc throughput --payload embedded --rounds 7
"$program" report ./*.jsonl --html page.html >report.txt 2>&1 && echo "drawn in $out/page.html"
! grep -v ': exit 0,' parts.txt
