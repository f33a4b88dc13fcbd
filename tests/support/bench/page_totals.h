// SPDX-License-Identifier: Apache-2.0
// Compares the data of a page with summary.json: sums over cores, stacks, links and windows of report.json
// against the totals. Only the rounding of report.json is tolerated.
#pragma once

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tahoma::tests {

class PageTotals {
 public:
  using Json = nlohmann::json;
  PageTotals(const Json& summary, const Json& detail) : summary_(summary), detail_(detail) {
    engines();
    series();
    memory();
    links();
    traffic();
  }
  // Descriptions of the differences.
  const std::vector<std::string>& differences() const { return differences_; }

 private:
  void near(const std::string& what, double page, double summary, double tolerance) {
    if (!(std::fabs(page - summary) <= tolerance))
      differences_.push_back(what + ": " + std::to_string(page) + " on the page, " + std::to_string(summary));
  }

  // Mean over the run of a value per window; the last window is shorter.
  double mean(const Json& windows) const {
    const double window = detail_.at("window_ns"), elapsed = summary_.at("simulated_time_ns");
    double sum = 0;
    for (std::size_t n = 0; n < windows.size(); ++n)
      sum += windows[n].get<double>() * std::min(window, elapsed - window * static_cast<double>(n));
    return elapsed > 0 ? sum / elapsed : 0;
  }

  void engines() {
    const Json& e = detail_.at("engines");
    for (std::size_t kind = 0; kind < e.at("kinds").size(); ++kind) {
      const std::string name = e["kinds"][kind];
      double instructions = 0, active = 0;
      std::vector<double> percent(e.at("cycles").size(), 0);
      for (std::size_t core = 0; core < e.at("cores").size(); ++core) {
        const double cores = e["cores"][core].at("active");
        instructions += e.at("instructions")[core][kind].get<double>();
        active += cores;
        for (std::size_t n = 0; n < percent.size(); ++n)
          percent[n] += cores * e.at("percent")[core][kind][n].get<double>();
      }
      const Json& whole = summary_.at("engines").at(name);
      near(name + " instructions", instructions, whole.at("instructions"), 0);
      for (std::size_t n = 0; n < percent.size(); ++n) {
        const std::string cycle = e["cycles"][n].at("name");
        near(name + " " + cycle, percent[n] / active, whole.at("time_percent").at(cycle), 0.006);
      }
    }
    near("active cores", static_cast<double>(e.at("cores").size()),
         e.at("grouped") ? static_cast<double>(e.at("cores").size())
                         : summary_.at("cores").at("active").get<double>(),
         0);
  }

  void series() {
    for (const auto& [kind, windows] : detail_.at("engines").at("series").items())
      near(kind + " over time", mean(windows.at("mean")),
           summary_.at("engines").at(kind).at("time_percent").at("busy"), 0.06);
  }

  void memory() {
    const double elapsed = summary_.at("simulated_time_ns");
    double read = 0, write = 0;
    for (const Json& stack : detail_.at("hbm").at("stacks")) {
      read += stack.at("read_bytes").get<double>();
      write += stack.at("write_bytes").get<double>();
      if (stack.at("peak").is_null()) continue;
      const double bytes = stack["read_bytes"].get<double>() + stack["write_bytes"].get<double>(),
                   most = stack["peak"].get<double>() * elapsed / 1e9;
      near(stack.at("name").get<std::string>() + " over time", mean(stack.at("busy")), 100 * bytes / most,
           0.2);
    }
    near("bytes read", read, summary_.at("hbm_read_bytes"), 0);
    near("bytes written", write, summary_.at("hbm_write_bytes"), 0);
  }

  void links() {
    double bytes = 0, saturated = 0;
    for (const Json& link : detail_.at("links").at("list")) {
      bytes += link.at("bytes").get<double>();
      saturated += link.at("saturated") > 0 ? 1 : 0;
      const std::string name = link.at("name");
      near(name + " over time", mean(link.at("windows")), link.at("busy_percent"), 0.06);
      double flows = 0;
      for (const Json& flow : link.at("flows")) flows += flow.at(2).get<double>();
      if (link.at("more_flows") == 0) near(name + " flows", flows, link.at("bytes"), 0);
    }
    near("links", detail_.at("links").at("total"), summary_.at("links").at("count"), 0);
    near("bytes over links", bytes, summary_.at("links").at("bytes"), 0);
    near("saturated links", saturated, summary_.at("links").at("saturated").at("count"), 0);
  }

  void traffic() {
    double bytes = 0;
    if (!detail_.at("traffic").is_null())
      for (const Json& row : detail_["traffic"].at("matrix"))
        for (const Json& cell : row) bytes += cell.get<double>();
    const Json& whole = summary_.at("links").at("traffic");
    near("traffic", bytes, whole.is_null() ? 0 : whole.at("bytes").get<double>(), 0);
  }

  const Json &summary_, &detail_;
  std::vector<std::string> differences_;
};

}  // namespace tahoma::tests
