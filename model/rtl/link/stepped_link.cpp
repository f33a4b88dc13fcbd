// SPDX-License-Identifier: Apache-2.0
#include "model/rtl/link/stepped_link.h"

#include <algorithm>

#include "isa/core/mixing.h"

namespace tahoma::rtl {
namespace {

std::uint64_t digest_of(std::uint64_t before, const LinkWord& word) {
  for (const std::uint32_t part : word) before = isa::mixed(before + isa::kMixingStep + part);
  return before;
}

}  // namespace

LinkWord link_data(std::uint64_t number, std::uint32_t index) {
  LinkWord word;
  for (std::uint32_t n = 0; n < word.size(); ++n)
    word[n] = static_cast<std::uint32_t>(isa::mixed(number * isa::kMixingStep + index * word.size() + n));
  return word;
}

// A frame has one word more than its data.
std::uint64_t link_digest(const LinkMessage& message, std::uint16_t frame_words) {
  const std::uint32_t frames = (message.words + frame_words) / (frame_words + 1U);
  std::uint64_t digest = 0;
  for (std::uint32_t n = 0; n < message.words - frames; ++n)
    digest = digest_of(digest, link_data(message.number, n));
  return digest;
}

SteppedLink::SteppedLink(LinkPins& pins, const LinkSettings& settings) : pins_(pins), settings_(settings) {
  wire_.resize(static_cast<std::size_t>(settings.flight));
  control_.resize(static_cast<std::size_t>(settings.flight));
  reset();
}

void SteppedLink::reset() {
  pins_.in = LinkInputs{};
  pins_.in.rst = true;
  pins_.in.cfg_room = settings_.room;
  pins_.in.cfg_frame_words = settings_.frame_words;
  pins_.in.cfg_timeout = settings_.timeout;
  for (int n = 0; n < 2; ++n) {
    pins_.settle();
    pins_.clock();
  }
  pins_.in.rst = false;
}

void SteppedLink::ask(unsigned requester, const LinkMessage& message) {
  asking_[requester] = message;
  pins_.in.ask |= 1U << requester;
  still_ = 0;
  pins_.in.ask_vc[requester] = message.vc;
  pins_.in.ask_words[requester] = message.words;
}

void SteppedLink::free(unsigned vc, std::uint16_t words) {
  pins_.in.free[vc] = static_cast<std::uint16_t>(pins_.in.free[vc] + words);
  still_ = 0;
}

void SteppedLink::serve_data() {
  pins_.in.info = sending_.info;
  if (pins_.out.pull) pins_.in.data = link_data(sending_.number, sent_++);
}

SteppedLink::Step SteppedLink::step() {
  Step step;
  pins_.set_time(cycle_);
  serve_data();
  pins_.in.in = wire_.front();
  pins_.in.heard = control_.front();
  under_way_ -= (wire_.front().valid ? 1U : 0U) + (control_.front().valid ? 1U : 0U);
  wire_.pop_front();
  control_.pop_front();
  pins_.settle();
  wire_.push_back(pins_.out.out);
  control_.push_back(pins_.out.told);
  if (settings_.on_wire && wire_.back().valid) settings_.on_wire(wire_.back());
  if (settings_.on_control && control_.back().valid) settings_.on_control(control_.back());
  under_way_ += (wire_.back().valid ? 1U : 0U) + (control_.back().valid ? 1U : 0U);
  step.word = pins_.out.out.valid;
  receive(step);
  if (pins_.out.grant_valid) {
    const unsigned by = pins_.out.grant;
    step.grant = Grant{by, asking_[by], pins_.out.room};
  }
  const bool moves = pins_.out.grant_valid || pins_.in.in.valid || pins_.in.heard.valid || under_way_ > 0 ||
                     pins_.in.free != LinkRooms{};
  still_ = moves ? 0 : still_ + 1;
  pins_.clock();
  pins_.in.free = {};
  if (step.grant) {
    sending_ = step.grant->message;
    sent_ = 0;
    pins_.in.ask &= ~(1U << step.grant->requester);
  }
  ++cycle_;
  return step;
}

// A message has arrived when all its frames have arrived intact. A damaged frame is retransmitted, and the
// header of the damaged copy is ignored.
void SteppedLink::receive(Step& step) {
  if (pins_.out.begins) {
    frame_ = pins_.out.header;
    frame_open_ = true;
    frame_digest_ = frame_.first ? 0 : arriving_.digest;
  }
  if (pins_.out.data_valid && frame_open_) frame_digest_ = digest_of(frame_digest_, pins_.out.arrived);
  if (!pins_.out.ends) return;
  frame_open_ = false;
  if (!pins_.out.sound) return;
  const std::uint32_t before = frame_.first ? 0 : arriving_.words;
  arriving_ = {frame_, before + frame_.words + 1U, frame_digest_, cycle_};
  if (frame_.last) step.arrival = arriving_;
}

}  // namespace tahoma::rtl
