// SPDX-License-Identifier: Apache-2.0
// Random messages through a port whose wire loops back to itself, with the faults of a wire: bits of data
// words and control words flip, and words are lost. Counts arrivals and checks that they are what was sent,
// in order.
#pragma once

#include <deque>
#include <limits>
#include <random>
#include <stdexcept>

#include "model/rtl/link/stepped_link.h"

namespace tahoma::tests {

class LinkTraffic {
 public:
  struct Settings {
    double errors = 0;  // of data words and control words
    std::uint64_t seed = 1;
    bool confuse = false;  // the bench expects messages in a wrong order, which it must detect
    unsigned idle = 20;    // cycles that a requester waits on average before the next request
    std::uint16_t frame_words = 16;
    std::uint16_t largest = 60;  // words of a message
    std::int64_t flight = 20;
    std::uint16_t timeout = 3000;
  };

  LinkTraffic(rtl::LinkPins& pins, const Settings& settings)
      : settings_(settings), random_(settings.seed), link_(pins, link_settings()) {}

  void run(std::uint64_t messages) {
    std::int64_t last = 0;
    while (delivered_ < messages) {
      ask(messages);
      for (; !freeing_.empty() && freeing_.front().when <= link_.cycle(); freeing_.pop_front())
        link_.free(freeing_.front().vc, freeing_.front().words);
      const rtl::SteppedLink::Step step = link_.step();
      if (step.grant) sent(step.grant->message);
      if (step.word) ++words_;
      if (step.arrival) {
        arrived(*step.arrival);
        last = link_.cycle();
      }
      if (link_.cycle() - last > 200'000) throw std::runtime_error("the link stands still");
    }
  }

  std::uint64_t delivered() const { return delivered_; }
  std::uint64_t mistakes() const { return mistakes_; }
  std::uint64_t damaged() const { return damaged_; }
  // words that were on the wire more than once
  std::uint64_t repeated() const { return words_ - expected_words_; }

 private:
  struct Freed {
    std::int64_t when;
    std::uint8_t vc;
    std::uint16_t words;
  };

  std::uint32_t below(std::uint64_t n) { return static_cast<std::uint32_t>(random_() % n); }
  bool error(double share) {
    return static_cast<double>(random_()) <
           share * static_cast<double>(std::numeric_limits<std::uint64_t>::max());
  }

  rtl::LinkSettings link_settings() {
    rtl::LinkSettings s;
    const std::uint16_t least = settings_.largest;
    s.room = {static_cast<std::uint16_t>(least + 240), static_cast<std::uint16_t>(least + 140), 0xFFFF,
              static_cast<std::uint16_t>(least + 80)};
    s.frame_words = settings_.frame_words;
    s.timeout = settings_.timeout;
    s.flight = settings_.flight;
    if (settings_.errors == 0) return s;
    s.on_wire = [this](rtl::LinkWire& w) {
      if (error(settings_.errors)) ++damaged_, w.word[below(w.word.size())] ^= 1U << below(32);
      if (error(settings_.errors / 4)) ++damaged_, w.valid = false;
    };
    s.on_control = [this](rtl::LinkControl& c) {
      if (error(settings_.errors)) ++damaged_, c.control[below(c.control.size())] ^= 1U << below(13);
      if (error(settings_.errors / 4)) ++damaged_, c.valid = false;
    };
    return s;
  }

  void ask(std::uint64_t messages) {
    for (unsigned r = 0; r < rtl::kLinkRequesters && asked_ < messages; ++r) {
      if (link_.asks(r) || below(settings_.idle) != 0) continue;
      rtl::LinkMessage m;
      m.number = asked_++;
      m.vc = static_cast<std::uint8_t>(below(rtl::kLinkVcs));
      m.words = static_cast<std::uint16_t>(1 + below(below(4) == 0 ? settings_.largest : 6));
      for (std::uint32_t& part : m.info) part = static_cast<std::uint32_t>(random_());
      link_.ask(r, m);
    }
  }

  void sent(const rtl::LinkMessage& m) {
    expected_words_ += m.words;
    expected_.push_back(m);
    if (settings_.confuse && expected_.size() > 1 && below(100) == 0) std::swap(expected_[0], expected_[1]);
  }

  void arrived(const rtl::LinkArrival& a) {
    const rtl::LinkMessage m = expected_.front();
    expected_.pop_front();
    ++delivered_;
    const bool same = a.header.info == m.info && a.header.vc == m.vc && a.words == m.words &&
                      a.digest == rtl::link_digest(m, settings_.frame_words);
    mistakes_ += same ? 0 : 1;
    freeing_.push_back({link_.cycle() + 30, m.vc, m.words});
  }

  Settings settings_;
  std::mt19937_64 random_;
  rtl::SteppedLink link_;
  std::deque<rtl::LinkMessage> expected_;
  std::deque<Freed> freeing_;
  std::uint64_t asked_ = 0, delivered_ = 0, mistakes_ = 0, damaged_ = 0, words_ = 0, expected_words_ = 0;
};

}  // namespace tahoma::tests
