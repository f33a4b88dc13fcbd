// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/sha256.h"

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <array>
#include <fstream>
#include <memory>

#include "model/base/error.h"

namespace tahoma::runtime {

namespace {

struct Free {
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};

void require(int done) { TAHOMA_INVARIANT(done == 1, "OpenSSL cannot compute SHA-256"); }

// Runs once per process. The host's openssl.cnf is not read, because it could refuse algorithms or load
// further modules.
void set_up_digest() {
  static const int done = OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, nullptr);
  require(done);
}

class Sha256 {
 public:
  Sha256() {
    set_up_digest();
    context_.reset(EVP_MD_CTX_new());
    require(context_ ? EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) : 0);
  }

  void add(std::string_view bytes) { require(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size())); }

  // Ends the message. Call it once.
  std::string hex() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned length = 0;
    require(EVP_DigestFinal_ex(context_.get(), digest.data(), &length));
    std::string text;
    for (unsigned i = 0; i < length; ++i) text += fmt::format("{:02x}", digest.at(i));
    return text;
  }

 private:
  std::unique_ptr<EVP_MD_CTX, Free> context_;
};

}  // namespace

std::string sha256_of(std::string_view bytes) {
  Sha256 hash;
  hash.add(bytes);
  return hash.hex();
}

std::string sha256_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return "";
  Sha256 hash;
  std::string chunk(1 << 16, '\0');
  while (file.read(chunk.data(), static_cast<std::streamsize>(chunk.size())), file.gcount() > 0)
    hash.add(std::string_view(chunk.data(), static_cast<std::size_t>(file.gcount())));
  return hash.hex();
}

}  // namespace tahoma::runtime
