#!/usr/bin/env bash
# Compares the checker with GenMC on the programs of checker/model/examples/genmc: complete executions, blocked
# ones, and seconds of one core until all are explored (the median of three runs). GenMC comes first.
#
#   scripts/genmc.sh GENMC [PROGRAM]..
#
# GENMC is the executable of GenMC 0.11 (https://github.com/MPI-SWS/genmc), which needs the clang that it was built
# with; OPTIONS has its options. `start` is a program of one addition: the time that GenMC needs for any program.
set -euo pipefail
cd "$(dirname "$0")/.."

genmc=${1:?usage: scripts/genmc.sh GENMC [PROGRAM]..}
shift
log=$(mktemp)
trap 'rm -f "$log"' EXIT
folder=checker/model/examples/genmc

declare -A macros=(
    [start]="-DCOUNTER=1 -DROUNDS=1" [counter52]="-DCOUNTER=5 -DROUNDS=2" [counter81]="-DCOUNTER=8 -DROUNDS=1"
    [counter91]="-DCOUNTER=9 -DROUNDS=1"
    [ticket]="-DTICKET=7" [ring]="-DRING=10" [sparse]="-DSPARSE=3 -DROUNDS=3"
    [readers]="-DWRITERS=5 -DREADERS=2 -DROUNDS=2" [fences]="-DFENCES=6" [deque2]="-DDEQUE=2" [deque3]="-DDEQUE=3"
    [stack22]="-DSTACK=2 -DROUNDS=2" [stack31]="-DSTACK=3 -DROUNDS=1" [stack23]="-DSTACK=2 -DROUNDS=3"
    [queue2]="-DQUEUE=2" [queue3]="-DQUEUE=3"
)
programs=("$@")
if [ $# -eq 0 ]; then
    programs=(start counter52 counter81 counter91 ticket ring sparse readers fences deque2 deque3 stack22 stack31
        stack23 queue2 queue3)
fi

TIMEFORMAT=%U
for program in "${programs[@]}"; do
    times=()
    for _ in 1 2 3; do
        # shellcheck disable=SC2086 # Options and macros are lists of words.
        times+=("$({ time "$genmc" ${OPTIONS:-} -- ${macros[$program]} "$folder/programs.c" >"$log" 2>&1; } 2>&1)")
    done
    seconds=$(printf '%s\n' "${times[@]}" | sort -g | sed -n 2p)
    complete=$(sed -n 's/^Number of complete executions explored: *//p' "$log")
    blocked=$(sed -n 's/^Number of blocked executions seen: *//p' "$log")
    printf '%-12s %8s executions %8s blocked %9s s\n' "$program" "${complete:-failed}" "${blocked:-0}" "$seconds"
done
cargo run --quiet --release -p aqueduct-model --example genmc -- "$@"
