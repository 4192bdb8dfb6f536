cd "$(dirname "$0")/programs"; mkdir -p ../bin
N="cooperative_groups half_precision bit_intrinsics huge_grid sticky_reset copy_kinds queries inline_assembly divergence vector_types random_numbers thrust_algorithms many_arguments"
echo $N | tr ' ' '\n' | xargs -P 13 -I{} nvcc -std=c++17 -arch=compute_75 -o ../bin/{} {}.cu 2>&1 | grep -i error
for n in $N; do timeout 60 ../bin/$n > /tmp/o 2>/dev/null; r=$?; echo "=== $n"; cat /tmp/o; echo "exit $r"; done
