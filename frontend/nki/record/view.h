// SPDX-License-Identifier: Apache-2.0
// Tensors of an NKI kernel and views of them, with the semantics of nki.language.NkiTensor. A view never
// copies: it is a place in a tensor's storage, and a stride and a count for each dimension.
//
// On chip, dimension 0 is the partition: its stride counts partitions, and the other dimensions and the
// offset count elements inside a partition. In HBM all of them count elements of the tensor.
//
// Errors: UserError E-NKI-001 (shape or storage), 002 (index), 003 (a method that the view does not allow),
// 004 (an access pattern). The text says what was given and what is allowed; the caller adds the line.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/nki/record/element.h"

namespace tahoma::runtime::nki {

enum class Buffer : std::uint8_t { kSbuf, kPsum, kPrivateHbm, kSharedHbm };
std::string_view name_of(Buffer buffer);  // "sbuf", "psum", "private_hbm", "shared_hbm"

[[noreturn]] void refuse(const char* code, const std::string& text);  // throws UserError, without a place

// The kernel places a tensor here by hand.
struct Place {
  std::uint32_t partition = 0, byte = 0;
  friend bool operator==(const Place&, const Place&) = default;
};

struct Storage {
  enum class Role : std::uint8_t { kLocal, kInput, kOutput, kConstant };
  std::uint32_t id = 0;  // in order of declaration
  std::string name;      // the kernel's, that of the variable (Trace::name_variables), or "tensor" and the id
  bool named = false;    // by the kernel or after a variable
  std::string declared_at;  // "file:line" of a tensor without such a name
  Buffer buffer = Buffer::kSbuf;
  const Element* element = nullptr;
  std::vector<std::int64_t> shape;
  std::optional<Place> place;
  Role role = Role::kLocal;
  bool implicit =
      false;  // made by the front end (identities, converted columns): placed in the compiler's area
  std::uint32_t declared = 0;       // number of entries before its declaration
  std::uint32_t line = 0xffffffff;  // where it was declared: index into Trace::lines
  std::vector<std::byte> values;    // of a constant

  bool on_chip() const { return buffer == Buffer::kSbuf || buffer == Buffer::kPsum; }
  std::int64_t elements() const;
  std::int64_t row_elements() const;  // in a partition on chip; all of them in HBM
  std::int64_t row_bytes() const { return row_elements() * element->bytes; }
  std::string label() const;  // in messages: "'x'", or "the tensor of kernel.py:12" without a name
  std::string text() const;   // "'x' float32[128, 512] in sbuf"
};

struct Dim {
  std::int64_t stride = 0, count = 1;
  friend bool operator==(const Dim&, const Dim&) = default;
};

struct View;

// The part of an address that is known only while the kernel runs: index * stride elements are added.
struct Dynamic {
  enum class Kind : std::uint8_t { kNone, kRegister, kScalar, kVector, kColumns };
  Kind kind = Kind::kNone;
  std::uint32_t reg = 0;              // kRegister: number of a virtual register
  std::shared_ptr<const View> index;  // kScalar: [1, 1]; kVector: [P, k], one index for each partition
  std::shared_ptr<const View> base;   // kColumns (listed_columns.h): what the index lists columns of
  std::int64_t stride = 0;            // elements of the view's dtype
  std::int64_t bound = 0;             // legal indices are below
};

struct View {
  std::shared_ptr<const Storage> storage;
  const Element* element = nullptr;
  std::int64_t partition = 0;  // first partition, on chip
  std::int64_t offset = 0;     // elements of `element`
  std::vector<Dim> dims;
  Dynamic dynamic;

  bool on_chip() const { return storage->on_chip(); }
  std::vector<std::int64_t> shape() const;
  std::int64_t elements() const;
  std::int64_t bytes() const { return elements() * element->bytes; }
  // Elements of `element` from one partition to the next, as access patterns write it.
  std::int64_t partition_stride() const { return storage->row_bytes() / element->bytes; }
  bool is_contiguous() const;        // of each partition, on chip
  std::vector<Dim> pattern() const;  // [[stride, count], ...] as `ap` takes it
  std::string text() const;          // "'x' float32[128, 512] in sbuf"
};

View whole(std::shared_ptr<const Storage> storage);

// One index of t[...]: a number, a slice, or a slice of which a register gives the start.
struct Index {
  enum class Kind : std::uint8_t { kNumber, kSlice, kRegister, kScalar };
  Kind kind = Kind::kSlice;
  std::optional<std::int64_t> start, stop, step;  // kNumber: start
  std::uint32_t reg = 0;                          // kRegister
  std::shared_ptr<const View> index;              // kScalar
  std::int64_t size = 0;  // kRegister, kScalar: elements from the start; 0: one, and the dimension goes
};
View indexed(const View& view, const std::vector<Index>& indices);

// The pattern replaces the view's shape and strides; `offset` is added to its start. Numbers are in elements
// of `element`.
View access_pattern(const View& view, const std::vector<Dim>& pattern, std::optional<std::int64_t> offset,
                    const Element& element);
// index * stride of `dim` of the view's shape is added to the address of `to`.
Dynamic dynamic_part(const View& view, std::int64_t dim);

View reshape(const View& view, std::vector<std::int64_t> shape);  // one entry may be -1
View reshape_dim(const View& view, std::int64_t dim, const std::vector<std::int64_t>& shape);
View flatten_dims(const View& view, std::int64_t first, std::int64_t last);
View permute(const View& view, const std::vector<std::int64_t>& dims);
View broadcast(const View& view, std::int64_t dim, std::int64_t size);
View expand_dim(const View& view, std::int64_t dim);
View squeeze_dim(const View& view, std::int64_t dim);
View slice(const View& view, std::int64_t dim, std::int64_t start, std::int64_t end, std::int64_t step);
View select(const View& view, std::int64_t dim, std::int64_t index);
View reinterpret(const View& view, const Element& element);

// The free dimensions (on chip), or all of them (HBM), with neighbours joined and those of one element left
// out: the same elements in the same order.
std::vector<Dim> merged(const View& view);

}  // namespace tahoma::runtime::nki
