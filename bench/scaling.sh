#!/bin/bash
# How simulation time falls with host threads: bench/scaling.sh HEDDLE [THREADS...], on a quiet machine.
# Prints workload, design, threads, seconds (the better of two runs), speed-up over the first number of threads and the
# simulated cycles, which must not depend on the threads.
set -euo pipefail
heddle=${1:?usage: bench/scaling.sh HEDDLE [THREADS...]}
shift
threads=("$@")
[[ ${#threads[@]} -gt 0 ]] || threads=(1 2 4 8 16)

measure() { # workload size design
  local design=() first='' best cycles begin seconds
  [[ $3 = none ]] || design=(--design "$3")
  for t in "${threads[@]}"; do
    best=''
    for _ in 1 2; do
      begin=$(date +%s.%N)
      cycles=$("$heddle" run "$1" --size "$2" --gpu h200 "${design[@]}" --threads "$t" --no-db | awk '/^  cycles/ {print $2; exit}')
      seconds=$(awk -v b="$begin" -v e="$(date +%s.%N)" 'BEGIN {printf "%.2f", e - b}')
      [[ -n $best ]] && awk -v a="$best" -v b="$seconds" 'BEGIN {exit !(a <= b)}' || best=$seconds
    done
    first=${first:-$best}
    awk -v w="$1" -v d="$3" -v t="$t" -v s="$best" -v f="$first" -v c="$cycles" \
      'BEGIN {printf "%-10s %-9s %2d threads %7.2f s %5.2fx %s cycles\n", w, d, t, s, f / s, c}'
  done
}

measure sgemm 768 none
measure bfs 131072 none
measure vectoradd 4194304 none
measure sgemm 512 power-d3
measure vectoradd 1048576 power-d3
