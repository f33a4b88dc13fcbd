// SPDX-License-Identifier: Apache-2.0
// The tables that the families of a suite name: each is read once and records which
// family has taken which row.
//
// UserError in addition to those of the tables: E-ACC-006 an id that occurs in two tables; E-ACC-011 a row of
// no family or of two, or a family without rows; E-CFG-021 an unknown machine in a row of traffic.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "studies/validation/accuracy/tables/figures.h"

namespace tahoma::runtime {

class SuiteTables {
 public:
  explicit SuiteTables(std::filesystem::path folder) : folder_(std::move(folder)) {}

  struct Name {
    std::string file;  // next to the suite
    FigureKind kind = FigureKind::kProbe;
    std::string place;  // of the key in the suite
  };
  // The rows whose ids match the patterns: ids, or prefixes of ids with a '*'.
  std::vector<Figure> take(const Name& table, const std::vector<std::string>& patterns,
                           const std::string& family);
  // Refuses rows that no family has taken, which would otherwise be ignored silently.
  void require_all_taken() const;

 private:
  struct Opened {
    std::vector<Figure> figures;
    std::vector<std::string> owners;  // of each figure
  };
  Opened& open(const Name& table);

  std::filesystem::path folder_;
  std::map<std::pair<std::string, FigureKind>, Opened> opened_;
  std::map<std::string, std::string> ids_;  // id -> place
};

}  // namespace tahoma::runtime
