#pragma once

extern __device__ int shared_counter;
extern __constant__ int scale;
extern __device__ int other_table[4];
__device__ int other_function(int x);
__device__ int doubled(int x);
__device__ int tripled(int x);
__device__ int apply_twice(int (*f)(int), int x);
__device__ const char* other_name();
void launch_other();
