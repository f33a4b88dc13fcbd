// SPDX-License-Identifier: Apache-2.0
#include "workloads/training/case/job_params.h"

namespace tahoma::runtime::cluster {

using namespace base::literals;
using base::assumed, base::chosen, base::documented, base::derived;

namespace {
constexpr std::uint64_t kMostChips = 16'000'000, kMostDegree = 65536;
constexpr base::Duration kMostTime{4'000'000'000'000'000'000};  // about an hour
}  // namespace

void JobParams::declare(base::ParamTree& t) {
  t.add_files("model", model, "config.json of the model", chosen());
  t.add("sequence", sequence, std::uint64_t{8192}, {1, 16'777'216}, "tokens of a sequence", chosen());
  t.add("global_batch", global_batch, std::uint64_t{2048}, {1, 16'777'216},
        "sequences of a step, over all replicas", chosen());
  t.add("micro_batch", micro_batch, std::uint64_t{1}, {1, kMostDegree},
        "sequences that pass a stage together", chosen());
  t.add("tokens", tokens, 15.6e12, {1.0, 1e18}, "tokens of the whole training", chosen());
  t.add("tensor", tensor, std::uint64_t{8}, {1, kMostDegree}, "chips that share each layer", chosen());
  t.add("context", context, std::uint64_t{1}, {1, kMostDegree}, "chips that share a sequence", chosen());
  t.add("pipeline", pipeline, std::uint64_t{1}, {1, kMostDegree}, "stages of the pipeline", chosen());
  t.add("expert", expert, std::uint64_t{1}, {1, kMostDegree}, "replicas that share the experts of a mixture",
        chosen());
  t.add("virtual_stages", virtual_stages, std::uint64_t{1}, {1, 1024},
        "chunks of layers on each stage; interleaved only", chosen());
  t.add("schedule", schedule, Schedule::k1f1b, kSchedules, "order of the passes", chosen());
  t.add("sharding", sharding, Sharding::kGradients, kShardings, "what the replicas share", chosen());
  t.add("recompute", recompute, Recompute::kLayer, kRecomputes,
        "layer: only the inputs of layers are kept, and the backward pass begins with another forward pass",
        chosen());
  t.add("update", update, Update::kBehind, kUpdates,
        "behind: the optimizer follows when all gradients are reduced; by_tensor: each tensor is reduced, "
        "updated and "
        "gathered by itself",
        chosen());
  t.add("shared_queue", shared_queue, false,
        "collectives of a tensor group wait for the reductions that were started before them, as on one "
        "queue of "
        "collectives",
        chosen());
  t.add("collective_queues", collective_queues, std::uint64_t{1}, {1, 64},
        "queues of a chip that carry equal parts of a collective, for update: by_tensor", chosen());
  t.add("gradient_bytes", gradient_bytes, std::uint64_t{4}, {1, 8},
        "bytes of an element of a gradient that is reduced", chosen());
}

void FleetParams::declare(base::ParamTree& t) {
  t.add("chips", chips, std::uint64_t{64}, {1, kMostChips}, "chips that work", chosen());
  t.add("spares", spares, std::uint64_t{0}, {0, kMostChips}, "chips that wait to replace a failed one",
        chosen());
  t.add("domain", domain, std::uint64_t{64}, {1, kMostChips},
        "chips of an UltraServer, which NeuronLink connects", documented("trainium2.rst: 64 chips"));
  t.add("rack", rack, std::uint64_t{1024}, {1, kMostChips}, "chips that reach each other without the spine",
        assumed("the fabric of the racks is not published"));
  t.add("building", building, kMostChips, {1, kMostChips}, "chips of a building", chosen());
  t.add("domain_rate", domain_rate, 640_GBps, {1_GBps, 100'000_GBps}, "NeuronLink of a chip, one direction",
        documented("trainium2.rst: 1.28 TB/s in both directions"));
  t.add("efa_rate", efa_rate, 25_GBps, {base::Bandwidth{1'000'000, false}, 100'000_GBps},
        "EFA of a chip, one direction", documented("EFAv3, 3.2 Tb/s for an instance of 16 chips"));
  t.add("building_rate", building_rate, 25_GBps, {base::Bandwidth{1'000, false}, 100'000_GBps},
        "rate between buildings for each chip, one direction", assumed("not published; as EFA"));
  t.add("domain_latency", domain_latency, 2_us, {0_us, 1'000'000_us}, "a hop within an UltraServer",
        documented("intranode collectives: 1 to 2 us for a hop"));
  t.add("rack_latency", rack_latency, 15_us, {0_us, 1'000'000_us}, "a message between servers below one leaf",
        documented("internode collectives: about 15 us"));
  t.add("spine_latency", spine_latency, 20_us, {0_us, 1'000'000_us}, "a message that crosses the spine",
        assumed("two more switches than below one leaf"));
  t.add("building_latency", building_latency, 100_us, {0_us, 10'000'000_us}, "a message between buildings",
        assumed("10 km of fibre in both directions"));
  t.add("fold", fold, 0_us, {0_us, 1'000'000_us},
        "the last addition of a reduce_scatter, which no message carries",
        assumed("not published; part of the latencies"));
  t.add("fold_rate", fold_rate, {0, true}, {1_GBps, 100'000_GBps},
        "rate of that addition, in bytes of its result", assumed("not published; no limit of its own"));
  t.add("oversubscription", oversubscription, 1.0, {1.0, 1000.0}, "rates of the hosts over that of the spine",
        assumed("not published; a fabric without blocking"));
  t.add("chip_power", chip_power, 700_W, {0_W, 100'000_W},
        "at the wall, of a chip with its share of the server",
        derived("500 W of the chip, and the share of hosts, fans and conversion that machine.rack has"));
  t.add("prices", prices, "trn2", {}, "price list, as for tahoma run --prices", chosen());
}

void TimeParams::declare(base::ParamTree& t) {
  t.add("source", source, TimeSource::kCard, kTimeSources, "where the times of a layer come from", chosen());
  t.add("card", card, "trainium2", {}, "the card, for source: card", chosen());
  t.add("machine", machine, "trainium2_ultraserver", {},
        "a part of this machine runs the layers, for source: executed", chosen());
  t.add("algorithm", algorithm, "best", {},
        "algorithm of the collectives in those runs: auto, best, or a name", chosen());
  t.add("lnc", lnc, std::uint64_t{2}, {1, 2}, "physical cores of a logical core of that machine", chosen());
  t.add("compute", compute, 0.0, {0.0, 1.0},
        "share of the peak that products and attention reach; 0: that of the card", chosen());
  t.add("backward", backward, 2.0, {0.1, 10.0}, "time of the backward pass over that of the forward pass",
        derived("it has twice the products; for source: card and prefill"));
  t.add("of_tensor", of_tensor, std::uint64_t{0}, {0, kMostDegree},
        "job.tensor that the given times were taken with; 0: not stated", chosen());
  t.add("of_context", of_context, std::uint64_t{0}, {0, kMostDegree}, "the same of job.context", chosen());
  t.add("of_micro_batch", of_micro_batch, std::uint64_t{0}, {0, kMostDegree}, "the same of job.micro_batch",
        chosen());
  t.add("layer_forward", layer_forward, {0}, {{0}, kMostTime}, "forward pass of a layer and micro-batch",
        chosen());
  t.add("layer_backward", layer_backward, {0}, {{0}, kMostTime}, "its backward pass", chosen());
  t.add("ends_forward", ends_forward, {0}, {{0}, kMostTime}, "embedding, logits and loss of a micro-batch",
        chosen());
  t.add("ends_backward", ends_backward, {0}, {{0}, kMostTime}, "their backward pass", chosen());
  t.add("norm_backward", norm_backward, {0}, {{0}, kMostTime},
        "from the gradients of a layer's products to the end of its backward pass", chosen());
  t.add("layer_update", layer_update, {0}, {{0}, kMostTime},
        "optimizer of a layer on a chip, with job.update: by_tensor; 0: by the bandwidth of HBM", chosen());
  t.add("ends_update", ends_update, {0}, {{0}, kMostTime}, "that of the logits' matrix", chosen());
  t.add("norms_update", norms_update, {0}, {{0}, kMostTime}, "that of the gains of a stage's norms",
        chosen());
  t.add("first_update", first_update, {0}, {{0}, kMostTime}, "what the first update of a stage takes longer",
        chosen());
  t.add("straggler", straggler, 1.0, {1.0, 100.0}, "the slowest stage takes so many times longer", chosen());
  t.add("slow_instance", slow_instance, "", {},
        "a slow part of the machine, such as server0.chip00.link.xp; its layers are executed, too, for "
        "source: executed; "
        "empty: none",
        chosen());
  t.add("slow_parameter", slow_parameter, "rate", {},
        "the parameter of machine.instances that makes it slow: slow of a chip, rate of a link or stack",
        chosen());
  t.add("slow_value", slow_value, 0.5, {0.0, 1000.0}, "its value", chosen());
}

void CheckpointParams::declare(base::ParamTree& t) {
  t.add("interval_minutes", interval_minutes, 0.0, {0.0, 1e6},
        "between two checkpoints; 0: the optimum of Daly", chosen());
  t.add("rate", rate, 1000_GBps, {1_GBps, 10'000'000_GBps}, "of the storage, for the whole job",
        assumed("not published; 2 TB/s sustained, 7 TB/s at most in Llama 3's cluster"));
  t.add("asynchronous", asynchronous, true, "training goes on while a copy in host memory is written",
        chosen());
}

}  // namespace tahoma::runtime::cluster
