#!/bin/sh
# Registers per thread of every bundled kernel: ours against the vendor's assembler, where that is installed.
#
#   bench/registers.sh [BUILD_FOLDER] [SM_ARCHITECTURE]        PTXAS=/path/to/ptxas to name the assembler
#
# Prints a line per kernel and ends with 1 if any needs more than 1.3 times as many.
set -eu
build=${1:-build}
arch=${2:-sm_80}
ptxas=${PTXAS:-$(command -v ptxas || echo /usr/local/cuda/bin/ptxas)}
if [ ! -x "$ptxas" ]; then
  echo "ptxas is not installed: nothing to compare with"
  exit 0
fi
object=$(mktemp)
trap 'rm -f "$object"' EXIT
for ptx in "$build"/workloads/*.ptx; do
  "$ptxas" -v -arch="$arch" "$ptx" -o "$object" 2>&1 |
    awk '/Compiling entry function/ { split($0, part, "\047"); kernel = part[2] }
         /Used [0-9]+ registers/ { match($0, /Used [0-9]+/); print "theirs", kernel, substr($0, RSTART + 5, RLENGTH - 5) }'
  "$build"/bin/heddle disasm "$ptx" | awk '/^kernel / { sub(":", "", $2); print "ours", $2, $3 }'
done | awk '
  $1 == "theirs" { theirs[$2] = $3; order[++count] = $2 }
  $1 == "ours" { ours[$2] = $3 }
  END {
    printf "%-32s %6s %6s %6s\n", "kernel", "ours", "ptxas", "ratio"
    for (i = 1; i <= count; ++i) {
      kernel = order[i]
      ratio = ours[kernel] / theirs[kernel]
      if (ratio > worst) worst = ratio
      printf "%-32s %6d %6d %6.2f%s\n", kernel, ours[kernel], theirs[kernel], ratio, (ratio > 1.3 ? "  too many" : "")
    }
    printf "worst ratio %.2f\n", worst
    exit (worst > 1.3)
  }'
