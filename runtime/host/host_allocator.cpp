// SPDX-License-Identifier: Apache-2.0
// Settings of jemalloc, the allocator of every program that simulates a machine (not of a library or a test).
// A machine of 512 cores uses hundreds of megabytes, which are accessed in the order of simulated time, a few
// cache lines at a time: with 4 KiB pages the host spends a quarter of its time on address translation. The
// kernel grants large pages where /sys/kernel/mm/transparent_hugepage/enabled is not `never`.
extern "C" {
// jemalloc looks for this name; MALLOC_CONF in the environment overrides it.
extern const char* const malloc_conf;
const char* const malloc_conf = "thp:always,metadata_thp:always";
}
