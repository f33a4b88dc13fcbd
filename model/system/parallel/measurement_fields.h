// SPDX-License-Identifier: Apache-2.0
// Measurements as bytes (model/base/byte_stream.h): what a struct declares as statistics, and its other
// members, which are named here.
#pragma once

#include <concepts>

#include "model/base/byte_stream.h"
#include "model/base/measurements.h"
#include "model/link/link_counter.h"

namespace tahoma::base {

template <class T, class Measurement>
concept Is = std::same_as<std::remove_const_t<T>, Measurement>;

template <class Stream, Is<EngineMeasurement> T>
void fields(Stream& stream, T& m) {
  stream(m.path, m.kind, m.core, m.first_start, m.last_end);
  statistics_fields(stream, m);
}
template <class Stream, Is<DmaMeasurement> T>
void fields(Stream& stream, T& m) {
  stream(m.path, m.core);
  statistics_fields(stream, m);
}
template <class Stream, Is<Series> T>
void fields(Stream& stream, T& m) {
  stream(m.window, m.busy);
}
template <class Stream, Is<ChannelMeasurement> T>
void fields(Stream& stream, T& m) {
  stream(m.path, m.peak, m.failed);
  statistics_fields(stream, m);
}
template <class Stream, Is<HbmEvent> T>
void fields(Stream& stream, T& m) {
  stream(m.when, m.what);
}
template <class Stream, Is<HbmMeasurement> T>
void fields(Stream& stream, T& m) {
  stream(m.path, m.peak, m.series, m.first_events);
  statistics_fields(stream, m);
}
template <class Stream, Is<CrossingMeasurement> T>
void fields(Stream& stream, T& m) {
  stream(m.path, m.peak);
  statistics_fields(stream, m);
}
template <class Stream, Is<LinkMeasurement> T>
void fields(Stream& stream, T& m) {
  stream(m.path, m.from_chip, m.to_chip, m.axis, m.peak, m.series, m.flows);
  statistics_fields(stream, m);
}

}  // namespace tahoma::base

namespace tahoma::model {

template <class Stream, base::Is<MeasuredLink> T>
void fields(Stream& stream, T& m) {
  stream(m.port, m.link);
}

}  // namespace tahoma::model
