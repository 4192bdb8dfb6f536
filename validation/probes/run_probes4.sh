#!/bin/bash
# Runs micro4 and looks with Nsight Compute into the kernels that are farthest off. On the machine with the GPU:
#
#   run_probes4.sh FOLDER OUT
#
# FOLDER holds record_workloads, the compiled programs atomics, recursion and grid_sync, and libraries that are missing
# there.
set -uo pipefail
folder=$1 out=$2
here=$(dirname "$0")
mkdir -p "$out"
exec > >(tee "$out/log.txt") 2>&1
export LD_LIBRARY_PATH=${LD_LIBRARY_PATH:-}:/usr/local/cuda/lib64
"$folder/record_workloads" > /dev/null 2>&1
[ $? = 127 ] && export LD_LIBRARY_PATH=$folder:${LD_LIBRARY_PATH:-}
nvidia-smi --query-gpu=name,driver_version,clocks.max.sm,clocks.max.mem --format=csv
nvcc -O3 -std=c++20 -arch=sm_90 -o /tmp/micro4 "$here/micro4.cu" || exit 1
work=/tmp/probes4
mkdir -p $work
profile() {  # NAME METRICS_OR_SECTION COMMAND...
  local name=$1 what=$2
  shift 2
  echo "== $name: $what"
  # shellcheck disable=SC2086
  timeout 60 ncu -f -o "$work/$name" --clock-control none --cache-control none $what "$@" > "$work/$name.log" 2>&1
  tail -n 2 "$work/$name.log"
  echo "== $name" >> "$out/ncu_raw.csv"
  ncu --import "$work/$name.ncu-rep" --csv --page raw --print-units base >> "$out/ncu_raw.csv" 2>&1
}
declare -A command=(
  [hybridsort]="-k hybridsort_scatter $folder/record_workloads hybridsort:50000"
  [recursion]="$folder/recursion" [atomics]="$folder/atomics" [grid_sync]="$folder/grid_sync")
lsu=l1tex__t_sectors_pipe_lsu_mem
first=gpc__cycles_elapsed.max,smsp__inst_executed.sum,smsp__thread_inst_executed.sum,lts__t_sectors_srcunit_tex.sum
first+=,lts__t_sectors_srcunit_tex_op_read.sum,lts__t_sectors_srcunit_tex_op_write.sum,lts__t_requests_srcunit_tex.sum
second=${lsu}_global_op_ld.sum,${lsu}_global_op_ld_lookup_hit.sum,${lsu}_global_op_st.sum,${lsu}_local_op_ld.sum
second+=,${lsu}_local_op_ld_lookup_hit.sum,${lsu}_local_op_st.sum,l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum
second+=,l1tex__t_requests_pipe_lsu_mem_global_op_st.sum,l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum
third=lts__t_sectors_srcunit_tex_op_atom.sum,lts__t_sectors_srcunit_tex_op_red.sum,lts__t_sectors_srcunit_ltcfabric.sum
third+=,lts__t_sectors_srcunit_tex_lookup_hit.sum,lts__t_sectors_srcunit_tex_lookup_miss.sum,lts__t_sectors.sum
fourth=launch__shared_mem_config_size,launch__registers_per_thread,l1tex__m_xbar2l1tex_read_sectors.sum
fourth+=,l1tex__m_l1tex2xbar_write_sectors.sum,l1tex__lsu_writeback_active.sum
for name in hybridsort recursion atomics grid_sync; do
  for metrics in $first $second $third $fourth; do
    # shellcheck disable=SC2086
    profile "$name" "--metrics $metrics" ${command[$name]}
  done
  # shellcheck disable=SC2086
  profile "$name" "--section SourceCounters --section WarpStateStats" ${command[$name]}
  echo "== $name" >> "$out/ncu_source.csv"
  for view in "--print-source sass" ""; do
    # shellcheck disable=SC2086
    ncu --import "$work/$name.ncu-rep" --csv --page source $view >> "$out/ncu_source.csv" 2>&1
  done
done
for name in recursion atomics grid_sync; do
  cuobjdump -sass "$folder/$name"
done | gzip > "$out/programs_sass.gz"
for name in micro micro2 micro3; do
  nvcc -O3 -std=c++17 -arch=sm_90 -cubin -o "$work/$name.cubin" "$here/$name.cu" && cuobjdump -sass "$work/$name.cubin"
done | gzip > "$out/probes_sass.gz"
cuobjdump -sass /tmp/micro4 | gzip > "$out/micro4_sass.gz"
gzip -f "$out/ncu_source.csv"
timeout 120 /tmp/micro4 "$out/micro4_lists.csv" > "$out/micro4.txt" 2>&1
echo "micro4: $?"
gzip -f "$out/micro4_lists.csv"
