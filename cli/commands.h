// SPDX-License-Identifier: Apache-2.0
// The subcommands of `tahoma`, one file each. Each adds its options to `sub`, its entry in the command line,
// and, if the command line selects it, stores what to do in `action`.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/options/common_options.h"
#include "model/base/error.h"

namespace CLI {
class App;
}

namespace tahoma::runtime {

using Action = std::function<base::ExitStatus()>;

void add_run_command(CLI::App& sub, Action& action);
void add_nki_command(CLI::App& sub, Action& action);
void add_graph_command(CLI::App& sub, Action& action);
void add_model_command(CLI::App& sub, Action& action);
void add_cards_command(CLI::App& sub, Action& action);
void add_sweep_command(CLI::App& sub, Action& action);
void add_optimise_command(CLI::App& sub, Action& action);
void add_point_command(CLI::App& sub, Action& action);
void add_explain_command(CLI::App& sub, Action& action);
void add_cluster_command(CLI::App& sub, Action& action);
void add_chakra_command(CLI::App& sub, Action& action);
void add_check_command(CLI::App& sub, Action& action);
void add_serve_command(CLI::App& sub, Action& action);
void add_compare_command(CLI::App& sub, Action& action);
void add_sensitivity_command(CLI::App& sub, Action& action);
void add_report_command(CLI::App& sub, Action& action);
void add_stats_command(CLI::App& sub, Action& action);
void add_export_command(CLI::App& sub, Action& action);
void add_area_command(CLI::App& sub, Action& action);
void add_params_command(CLI::App& sub, Action& action);
void add_isa_command(CLI::App& sub, Action& action);
void add_asm_command(CLI::App& sub, Action& action);
void add_dis_command(CLI::App& sub, Action& action);
void add_validate_command(CLI::App& sub, Action& action);

// The arguments of this process's command line, for a manifest.
std::vector<std::string> own_command_line();

}  // namespace tahoma::runtime
