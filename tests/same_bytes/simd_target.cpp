// SPDX-License-Identifier: Apache-2.0
// A processor with fewer vector instructions, as a library to preload: of the targets that Highway finds on
// this host, from the best to the plainest, it reports those from number TAHOMA_SIMD_TARGET on (0: all).
// Beyond the last one it reports only the plainest.
#include <dlfcn.h>

#include <cstdint>
#include <cstdlib>

namespace hwy {

std::int64_t SupportedTargets() {
  static auto* const real =
      reinterpret_cast<std::int64_t (*)()>(dlsym(RTLD_NEXT, "_ZN3hwy16SupportedTargetsEv"));
  std::int64_t targets = real();
  const char* number = std::getenv("TAHOMA_SIMD_TARGET");
  // Better targets have lower bits.
  for (int left = number == nullptr ? 0 : std::atoi(number); left > 0 && (targets & (targets - 1)) != 0;
       --left)
    targets &= targets - 1;
  return targets;
}

}  // namespace hwy
