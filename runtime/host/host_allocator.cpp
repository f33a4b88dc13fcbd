// SPDX-License-Identifier: Apache-2.0
// The settings of jemalloc, the allocator of every program that simulates a machine (not of a library or a
// test). A machine of 512 cores is hundreds of megabytes that are touched in the order of simulated time, a
// few lines here and there: with pages of 4 KiB the host spends a quarter of its time on their addresses.
// The kernel grants large pages where /sys/kernel/mm/transparent_hugepage/enabled is not `never`.
extern "C" {
// jemalloc looks for this name; MALLOC_CONF in the environment overrides it.
extern const char* const malloc_conf;
const char* const malloc_conf = "thp:always,metadata_thp:always";
}
