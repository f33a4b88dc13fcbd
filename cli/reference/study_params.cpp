// SPDX-License-Identifier: Apache-2.0
#include "cli/reference/study_params.h"

#include "studies/cards/card.h"
#include "studies/cluster/input/cluster_case.h"
#include "studies/serving/serving_case.h"

namespace tahoma::runtime {

// The parameters are declared and read once; the values behind them do not outlive this and are never read.
std::vector<ParamSection> study_sections() {
  std::vector<ParamSection> sections;
  serving::ServingCase server;
  server.params.declare(server.tree);
  sections.push_back({"inference server of tahoma serve", "", server.tree.params()});
  cluster::ClusterCase job;
  job.declare();
  sections.push_back({"training job of tahoma cluster", "", job.tree.params()});
  Card card;
  base::ParamTree cards("card");
  card.declare(cards);
  sections.push_back({"card of an accelerator, a file of its own", "", cards.params()});
  return sections;
}

}  // namespace tahoma::runtime
