// SPDX-License-Identifier: Apache-2.0
#include "cli/command_table.h"

#include "built_modules.h"

namespace tahoma::runtime {

namespace {

// A command that every program has.
base::Part<void, CLI::App&, Action&> always(void (*add)(CLI::App&, Action&)) { return {"", add}; }

const CommandRow kCommands[] = {
    {"run", "Run a workload on a machine, check its results and write a report", always(add_run_command)},
    {"nki", "Run a kernel written in NKI (Python): trace it, check its results and write a report",
     TAHOMA_MODULE_PART(nki, add_nki_command)},
    {"graph", "Run an ONNX model: plan its nodes, run them, check each of them and write a report",
     TAHOMA_MODULE_PART(nki, add_graph_command)},
    {"model",
     "Run a model from its Hugging Face config.json: time to first token, time per token, tokens a second, "
     "joules and dollars",
     TAHOMA_MODULE_PART(studies, add_model_command)},
    {"cards", "List other accelerators by their published figures, or test claims about Trainium2",
     TAHOMA_MODULE_PART(studies, add_cards_command)},
    {"sweep", "Run workloads over many machines and sizes: every point of a sweep",
     TAHOMA_MODULE_PART(studies, add_sweep_command)},
    {"optimise",
     "Search a sweep's space for its best points or Pareto front, under limits of area, power and cost",
     TAHOMA_MODULE_PART(nki, add_optimise_command)},
    {"point", "Run one point of a sweep once; `tahoma sweep` starts it for each point",
     TAHOMA_MODULE_PART(studies, add_point_command)},
    {"serve",
     "Simulate an inference server: requests, continuous batching and KV cache, from executed step times",
     TAHOMA_MODULE_PART(studies, add_serve_command)},
    {"cluster",
     "Compose a training job on many UltraServers: step time, goodput under faults, dollars and megawatts",
     TAHOMA_MODULE_PART(studies, add_cluster_command)},
    {"chakra", "Replay Chakra execution traces (MLCommons, ASTRA-sim 2) on the machine's fabric",
     TAHOMA_MODULE_PART(studies, add_chakra_command)},
    {"check",
     "Run the cases of a file of checks: compare regression cases with their goldens, or the model's figures "
     "with those of silicon and of other simulators",
     TAHOMA_MODULE_PART(studies, add_check_command)},
    {"compare", "Compare two runs by subsystem, or two sweeps by point, largest relative change first",
     TAHOMA_MODULE_PART(studies, add_compare_command)},
    {"explain",
     "Repeat a finished run, idealising one resource at a time, to find its bottleneck; adds explain.json "
     "and the verdict to DIR",
     always(add_explain_command)},
    {"sensitivity",
     "Repeat a run with uncertain parameters at the ends of their ranges: what its time rests on",
     TAHOMA_MODULE_PART(studies, add_sensitivity_command)},
    {"report", "Write the page of a finished run or sweep again, or a page that compares two runs",
     TAHOMA_MODULE_PART(studies, add_report_command)},
    {"stats",
     "Print the statistics of a run; without its folder, explain them and the columns of tables: path, unit, "
     "direction and description",
     always(add_stats_command)},
    {"export", "Write files of a finished run that its folder holds in stats.db: statistics, tables, series",
     always(add_export_command)},
    {"area", "Estimate the area of a machine's chip by part, its yield, and what it costs to make",
     always(add_area_command)},
    {"params", "List parameters: default, legal range, meaning and source of the value",
     always(add_params_command)},
    {"isa", "List the instructions, or describe one", always(add_isa_command)},
    {"asm", "Assemble text into the binary container and print its name", always(add_asm_command)},
    {"dis", "Disassemble a binary container into text that assembles to it again", always(add_dis_command)},
    {"validate", "Check a program against the instruction table and a machine", always(add_validate_command)},
};

}  // namespace

std::span<const CommandRow> command_table() { return kCommands; }

}  // namespace tahoma::runtime
