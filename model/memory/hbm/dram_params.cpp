// SPDX-License-Identifier: Apache-2.0
#include "model/memory/hbm/dram_params.h"

#include "model/memory/dram/organisation.h"

namespace tahoma::model {

using namespace base::literals;
using base::assumed, base::documented;

void DramTimingParams::declare(base::ParamTree& t) {
  const base::Source burst =
      documented("JESD238: a burst of 8 on 32 pins takes two cycles of the command clock");
  const base::Source part =
      assumed("HBM3 at 6.4 Gb/s as established simulators have it; data sheets of HBM3e are not public");
  // Ranges: the smallest and the largest time of three published parts, HBM3 of Ramulator 2.1 and HBM2 of
  // DRAMsim3 and of DRAMSys 5 (workloads/micro/hbm), and at least 10 % to either side where those agree.
  const base::Range<base::Cycles> cycles{1_cyc, 64_cyc};
  const base::Range<base::Duration> ns{{0}, 10_us};
  t.add("ccd_short", ccd_short, 2_cyc, {2_cyc, 16_cyc}, "between column commands to different bank groups",
        burst);
  t.add("ccd_long", ccd_long, 4_cyc, {2_cyc, 64_cyc}, "between column commands to the same bank group",
        part.within(0.8, 1.2));
  t.add("ccd_stack", ccd_stack, 3_cyc, {2_cyc, 64_cyc}, "between reads from different stack IDs", part);
  t.add("ccd_stack_write", ccd_stack_write, 3_cyc, {2_cyc, 64_cyc}, "between writes to different stack IDs",
        assumed(
            "as between reads; range: down to ccd_short, because Ramulator 2.1 has tCCDR between reads only")
            .within(0.67, 1.1));
  t.add("ppd", ppd, 2_cyc, cycles, "between precharges of a pseudo-channel", part.within(0.8, 1.1));
  t.add("cl", cl, 12.5_ns, ns, "read command to data", part.within(0.9, 1.36));
  t.add("cwl", cwl, 6.25_ns, ns, "write command to data", part.within(0.64, 1.12));
  t.add("rcd_read", rcd_read, 19.375_ns, ns, "activate to read", part.within(0.62, 1.1));
  t.add("rcd_write", rcd_write, 9.375_ns, ns, "activate to write", part.within(0.64, 1.49));
  t.add("rp", rp, 16.25_ns, ns, "precharge to activate", part.within(0.86, 1.1));
  t.add("ras", ras, 28.125_ns, ns, "activate to precharge", part.within(0.9, 1.21));
  t.add("rc", rc, 45_ns, ns, "between activates of one bank", part.within(0.9, 1.1));
  t.add("wr", wr, 20.625_ns, ns, "end of write data to precharge", part.within(0.68, 1.1));
  t.add("rtp", rtp, 5.625_ns, ns, "read to precharge", part.within(0.89, 1.1));
  t.add("rrd_short", rrd_short, 2.5_ns, ns, "between activates in different bank groups",
        part.within(0.9, 1.6));
  t.add("rrd_long", rrd_long, 3.125_ns, ns, "between activates in the same bank group",
        part.within(0.9, 1.92));
  t.add("faw", faw, 15_ns, ns, "window of four activates in a pseudo-channel", part.within(0.9, 2));
  t.add("wtr_short", wtr_short, 4.375_ns, ns, "end of write data to read in another bank group",
        part.within(0.9, 1.37));
  t.add("wtr_long", wtr_long, 6.25_ns, ns, "end of write data to read in the same bank group",
        part.within(0.9, 1.44));
  t.add("rtw", rtw, 12.5_ns, ns, "read command to write command", part.within(0.9, 1.44));
  t.add("rfc_all", rfc_all, 350_ns, ns, "all-bank refresh of a stack ID",
        assumed(
            "HBM3 as established simulators have it: 260 ns up to 4 Gb a channel and stack ID, 350 up to 8, "
            "450 up to 16; 24 GiB are 6 Gb")
            .within(0.74, 1.29));
  t.add("rfc_bank", rfc_bank, 200_ns, ns, "refresh of one bank", part.within(0.48, 1.1));
  t.add("rrefd", rrefd, 5_ns, ns, "between refreshes of different banks, or a refresh and an activate",
        part.within(0.8, 1.6));
  t.add("refi", refi, 3900_ns, {100_ns, {1'000'000'000'000}}, "mean distance of refreshes of a row group",
        documented("JESD238: 3.9 us at normal temperature"));
}

void DramParams::declare(base::ParamTree& t) {
  const base::Source standard = documented("JESD238 (HBM3): 16 channels of two pseudo-channels of 32 pins");
  const base::Source banks_of = documented("JESD238 (HBM3): 4 bank groups of 4 banks in each stack ID");
  t.add("channels", channels, std::uint64_t{16}, {1, 64}, "channels of a stack", standard);
  t.add("pseudo_channels", pseudo_channels, std::uint64_t{2}, {1, dram::kMostPseudoChannels},
        "pseudo-channels of a channel", standard);
  t.add("stack_ids", stack_ids, std::uint64_t{2}, {1, 4}, "stack IDs: groups of dies that share the channels",
        assumed("24 GiB as 8 dies of 24 Gb, four to a stack ID"));
  t.add("bank_groups", bank_groups, std::uint64_t{4}, {1, 16}, "bank groups of a stack ID", banks_of);
  t.add("banks", banks, std::uint64_t{4}, {1, 16}, "banks of a bank group", banks_of);
  t.add("page", page, 1_KiB, {64_B, 8_KiB}, "bytes of a row in a pseudo-channel", standard);
  t.add("access", access, 32_B, {8_B, 256_B}, "bytes of one burst", standard);
  t.add("mapping", mapping,
        std::string("row sid bank group[1] channel pseudo group[0] column; channel ^= row[0+];"
                    " channel[0+] ^= group[1+]; channel[1+] ^= bank[0+]; channel[3+] ^= sid[0+];"
                    " pseudo ^= row[4+]; group ^= row[5+]; bank ^= row[7+]; sid ^= row[9+]"),
        {}, "address bits from the highest to the lowest above an access, then the XORs",
        assumed("unpublished; 4 KiB, two rows in two bank groups of each pseudo-channel, then the next "
                "channel; strides spread, and so are the shares of 32 KiB and more of DMA engines in step"));
  t.add("scheduler", scheduler, dram::Scheduler::kFrFcfsRowHit, dram::kSchedulers,
        "whether a miss may close a row that queued requests still want",
        assumed("unpublished; what memory controllers of this class do"));
  t.add("page_policy", page_policy, dram::PagePolicy::kOpen, dram::kPagePolicies,
        "when a row that no request waits for is closed", assumed("unpublished; open rows suit streams"));
  t.add("page_timeout", page_timeout, 100_ns, {{0}, 100_us},
        "timeout policy: idle time of a row before it is closed", assumed("about two row cycles"));
  t.add("refresh", refresh, dram::Refresh::kPerBank, dram::kRefreshes, "how rows are refreshed",
        assumed("unpublished; per bank is the cheaper of the two that JESD238 offers"));
  t.add("refresh_phase", refresh_phase, 0_ns, {{0}, {1'000'000'000'000}},
        "time by which refreshes are due earlier than in a machine that was switched on at time zero",
        assumed("free-running on silicon; tahoma run --repeat draws it"));
  t.add("column_bus", column_bus, dram::ColumnBus::kSlots, dram::kColumnBuses,
        "whether pseudo-channels have fixed slots of the column bus or one command of any of them goes each "
        "cycle",
        assumed("unpublished; slots waste no cycle of the pins of a stream"));
  t.add("queue_exit", queue_exit, dram::QueueExit::kLastCommand, dram::kQueueExits,
        "the command with which a request leaves its queue",
        assumed("unpublished; the reference simulations let it leave with the activate of its row"));
  const base::Source queues = assumed(
      "unpublished; four DMA packets of 4 KiB to choose from, and half of that held back: the reference "
      "simulations have 128 and 64 for requests of 32 B");
  t.add("read_queue", read_queue, std::uint64_t{512}, {1, 16384},
        "read accesses that a channel can choose from", queues);
  t.add("write_queue", write_queue, std::uint64_t{256}, {1, 16384},
        "write accesses that a channel holds back", queues);
  const base::Source marks = assumed("unpublished; the marks of the reference simulations");
  t.add("write_high", write_high_percent, std::uint64_t{80}, {1, 100},
        "percent of the write queue above which it is drained", marks);
  t.add("write_low", write_low_percent, std::uint64_t{20}, {0, 99},
        "percent of the write queue below which waiting reads are served again", marks);
  t.add("correction", correction, 100_ns, {{0}, 100_us},
        "additional latency of a read with a correctable error",
        assumed("unpublished; two row cycles of the controller's retry"));
  t.group("timing", timing);
}

}  // namespace tahoma::model
