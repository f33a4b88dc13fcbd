// SPDX-License-Identifier: Apache-2.0
#include "model/base/topology/link_list.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <numeric>

#include "model/base/error.h"
#include "model/base/quantity.h"

namespace tahoma::base {

namespace {

constexpr std::uint32_t kMostSwitches = 4096;
constexpr const char* kHeader = "from,to,rate";
constexpr const char* kSwitch = "switch";

struct RateName {
  const char* name;
  LinkRate rate;
};
constexpr std::array kRates{RateName{"x", LinkRate::kX},         RateName{"y", LinkRate::kY},
                            RateName{"z", LinkRate::kZ},         RateName{"switched", LinkRate::kSwitched},
                            RateName{"spine", LinkRate::kSpine}, RateName{"efa", LinkRate::kEfa}};

std::string without_blanks(std::string text) {
  std::erase_if(text, [](char c) { return c == ' ' || c == '\t' || c == '\r'; });
  return text;
}

// The file's lines as links.
class LinkReader {
 public:
  LinkReader(const std::string& path, std::uint32_t chips) : path_(path), chips_(chips) {}

  LinkList read() {
    std::ifstream file(path_);
    if (!file)
      throw UserError("E-CFG-037", path_, "cannot be read; expected a CSV file with the links of the fabric");
    bool headed = false;
    for (std::string text; std::getline(file, text);) {
      ++line_;
      if (line_ == 1 && text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
      text = without_blanks(std::move(text));
      if (text.empty() || text.front() == '#') continue;
      if (!headed) {
        if (text != kHeader) refuse(fmt::format("expected the header '{}', got '{}'", kHeader, text));
        headed = true;
      } else {
        add(text);
      }
    }
    if (!headed) refuse(fmt::format("expected the header '{}' and a row for each link", kHeader));
    require_switches();
    require_connected();
    return list_;
  }

 private:
  [[noreturn]] void refuse(const std::string& text) const {
    throw UserError("E-CFG-037", fmt::format("{}:{}", path_, line_), text);
  }

  void add(const std::string& text) {
    const std::vector<std::string_view> fields = split(text, ",");
    if (fields.size() != 3) refuse(fmt::format("expected {}, got {} fields", kHeader, fields.size()));
    const ListedLink link{node(std::string(fields[0])), node(std::string(fields[1])),
                          rate(std::string(fields[2]))};
    if (link.from == link.to) refuse(fmt::format("'{}' is linked to itself", fields[0]));
    list_.links.push_back(link);
  }

  std::uint32_t node(const std::string& text) {
    const bool is_switch = text.starts_with(kSwitch);
    const std::string digits = is_switch ? text.substr(std::string(kSwitch).size()) : text;
    const bool number =
        !digits.empty() && digits.size() < 10 &&
        std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (!number && !(is_switch && digits.empty()))
      refuse(fmt::format("expected the number of a chip, or switch0 and so on, got '{}'", text));
    const auto n = digits.empty() ? 0 : static_cast<std::uint32_t>(std::stoul(digits));
    if (!is_switch) {
      if (n >= chips_) refuse(fmt::format("the machine has chips 0 to {}, got {}", chips_ - 1, n));
      return n;
    }
    if (n >= kMostSwitches)
      refuse(fmt::format("expected at most {} switches, got switch{}", kMostSwitches, n));
    list_.switches = std::max(list_.switches, n + 1);
    return chips_ + n;
  }

  LinkRate rate(const std::string& text) const {
    std::vector<std::string> names;
    for (const RateName& row : kRates) {
      if (text == row.name) return row.rate;
      names.emplace_back(row.name);
    }
    refuse(fmt::format("expected the rate {}, got '{}'{}", fmt::join(names, ", "), text,
                       did_you_mean(text, names)));
  }

  void require_switches() const {
    std::vector<bool> linked(chips_ + list_.switches, false);
    for (const ListedLink& link : list_.links) linked[link.from] = linked[link.to] = true;
    for (std::uint32_t n = 0; n < list_.switches; ++n)
      if (!linked[chips_ + n])
        refuse(fmt::format("switch{} has no links, though there is a switch{}", n, list_.switches - 1));
  }

  void require_connected() const {
    std::vector<std::uint32_t> group(chips_ + list_.switches);
    std::iota(group.begin(), group.end(), 0);
    const auto root = [&](std::uint32_t n) {
      while (group[n] != n) n = group[n] = group[group[n]];
      return n;
    };
    for (const ListedLink& link : list_.links) group[root(link.from)] = root(link.to);
    for (std::uint32_t chip = 1; chip < chips_; ++chip)
      if (root(chip) != root(0)) refuse(fmt::format("no path leads from chip 0 to chip {}", chip));
  }

  const std::string& path_;
  std::uint32_t chips_, line_ = 0;
  LinkList list_;
};

}  // namespace

LinkList read_links(const std::string& path, std::uint32_t chips) { return LinkReader(path, chips).read(); }

}  // namespace tahoma::base
