// SPDX-License-Identifier: Apache-2.0
// A training job on a fleet of chips: what is trained, how it is divided, and by which times.
//
// Degrees count chips. A replica has tensor x context x pipeline chips; the number of replicas is what the
// fleet has room for. A pipeline stage has layers / (pipeline x virtual_stages) layers in each of its chunks;
// or, if layers + 2 is divisible instead, the first and the last chunk have one layer less, beside the
// embedding and the logits.
#pragma once

#include <cstdint>
#include <string>

#include "model/base/params.h"
#include "model/base/units.h"

namespace tahoma::runtime::cluster {

constexpr double number(std::uint64_t n) { return static_cast<double>(n); }

// Orders of forward and backward passes in a pipeline. Interleaved: each stage has several chunks of layers
// (Megatron-LM). Zero bubble: the backward pass is divided into that of activations and that of weights, and
// the latter fills the bubble (ZB-H1).
enum class Schedule : std::uint8_t { kGpipe, k1f1b, kInterleaved, kZeroBubble };
inline constexpr base::Named<Schedule> kSchedules[] = {{Schedule::kGpipe, "gpipe"},
                                                       {Schedule::k1f1b, "1f1b"},
                                                       {Schedule::kInterleaved, "interleaved"},
                                                       {Schedule::kZeroBubble, "zero_bubble"}};

// The replicas shard this instead of holding a copy each: ZeRO 0 to 3; `parameters` is FSDP.
enum class Sharding : std::uint8_t { kNone, kOptimizer, kGradients, kParameters };
inline constexpr base::Named<Sharding> kShardings[] = {{Sharding::kNone, "none"},
                                                       {Sharding::kOptimizer, "optimizer"},
                                                       {Sharding::kGradients, "gradients"},
                                                       {Sharding::kParameters, "parameters"}};

enum class Recompute : std::uint8_t { kNone, kLayer };
inline constexpr base::Named<Recompute> kRecomputes[] = {{Recompute::kNone, "none"},
                                                         {Recompute::kLayer, "layer"}};

// How the optimizer follows the reduction of gradients. `behind`: once all gradients of a stage are reduced,
// as a limit on their norm requires; then the new weights are gathered. `by_tensor`: each tensor has
// collectives of its own; it is updated as soon as its gradient is reduced, and its weights are gathered
// beside the updates of the next tensors.
enum class Update : std::uint8_t { kBehind, kByTensor };
inline constexpr base::Named<Update> kUpdates[] = {{Update::kBehind, "behind"},
                                                   {Update::kByTensor, "by_tensor"}};

struct JobParams {
  std::string model;  // config.json
  std::uint64_t sequence = 0, global_batch = 0, micro_batch = 0;
  double tokens = 0;  // of the whole training
  std::uint64_t tensor = 0, context = 0, pipeline = 0, expert = 0, virtual_stages = 0;
  Schedule schedule = Schedule::k1f1b;
  Sharding sharding = Sharding::kGradients;
  Recompute recompute = Recompute::kLayer;
  Update update = Update::kBehind;
  bool shared_queue = false;  // the chips' collectives take turns
  std::uint64_t collective_queues = 1;
  std::uint64_t gradient_bytes = 0;  // of an element that is reduced
  void declare(base::ParamTree& t);
};

// How the chips of a fleet reach each other. A group that crosses a level has its latency and its rate.
struct FleetParams {
  std::uint64_t chips = 0, spares = 0;
  std::uint64_t domain = 0, rack = 0,
                building = 0;  // chips of an UltraServer, behind a leaf switch, of a building
  base::Bandwidth domain_rate, efa_rate, building_rate;  // of a chip, one direction
  base::Duration domain_latency, rack_latency, spine_latency, building_latency;
  base::Duration fold;          // the last addition of a reduction
  base::Bandwidth fold_rate;    // of its bytes
  double oversubscription = 1;  // of the spine
  base::Power chip_power;       // at the wall, of a chip with its share of the server
  std::string prices;
  void declare(base::ParamTree& t);
};

// Where the times of a layer come from. `card`: the roofline of studies/cards. `executed`: training steps of
// one and of two layers that the emulator runs on the chips of a tensor group. `prefill`: prefills of one and
// of two layers, for models whose backward pass the emulator does not have; it is taken as `backward` times
// the forward one. `given`: the times below.
enum class TimeSource : std::uint8_t { kCard, kExecuted, kPrefill, kGiven };
inline constexpr base::Named<TimeSource> kTimeSources[] = {{TimeSource::kCard, "card"},
                                                           {TimeSource::kExecuted, "executed"},
                                                           {TimeSource::kPrefill, "prefill"},
                                                           {TimeSource::kGiven, "given"}};

struct TimeParams {
  TimeSource source = TimeSource::kCard;
  std::string card, machine, algorithm;
  std::uint64_t lnc = 2;
  double compute = 0;  // share of the card's peak; 0: that of the card
  double backward = 2;
  std::uint64_t of_tensor = 0, of_context = 0,
                of_micro_batch = 0;  // what the given times hold for; 0: not stated
  base::Duration layer_forward, layer_backward, ends_forward, ends_backward;
  base::Duration norm_backward;
  base::Duration layer_update, ends_update, norms_update, first_update;  // 0: by the HBM's bandwidth
  double straggler = 1;  // the slowest stage takes so many times longer
  // A fault of the machine (machine.instances.INSTANCE.PARAMETER = VALUE) whose effect on a layer is
  // executed; empty: none.
  std::string slow_instance, slow_parameter;
  double slow_value = 0;
  void declare(base::ParamTree& t);
};

struct CheckpointParams {
  double interval_minutes = 0;  // 0: the optimum of Daly
  base::Bandwidth rate;         // of the storage, for the whole job
  bool asynchronous = true;
  void declare(base::ParamTree& t);
};

}  // namespace tahoma::runtime::cluster
