// Col2Im: columns of blocks summed back into a picture.
// SPDX-License-Identifier: MIT
#include "kernels/image/sample.h"
#include "opdef/cases.h"
#include "ops/convert.h"
#include "ops/operands.h"

namespace tenon::ops {
namespace {

/// An attribute list of one number for each spatial dimension.
Result<Dims> spatial(const ir::Node& n, std::string_view attribute, size_t count, int64_t fallback, int64_t low) {
  if (!n.find(attribute)) return Dims(count, fallback);
  auto v = n.ints(attribute);
  if (v.size() != count) return invalid("Col2Im: ", attribute, " has ", v.size(), " numbers, ", count, " are needed");
  for (int64_t i : v)
    if (i < low || i > (int64_t{1} << 31)) return invalid("Col2Im: ", attribute, " ", list_text(v), " is out of range");
  return Dims(v);
}

Status col2im_shape(InferContext& c) {
  DType t = c.dtype(0);
  auto image = c.elements(1);
  auto block = c.integers(2);
  if (!image) {
    auto n = c.count(1);
    if (n && *n <= kMaxElements) set_rank(c, 0, t, static_cast<size_t>(*n) + 2);
    else c.set(0, t);
    return {};
  }
  if (block && block->size() != image->size())
    return invalid("Col2Im: image_shape has ", image->size(), " dimensions, block_shape ", block->size());
  for (Dim d : *image)
    if (d.is_const() && d.value() < 0)
      return invalid("Col2Im: image_shape ", ir::dims_text(*image), " has the dimension ", d);
  Dim batch = Dim::unknown(), channels = Dim::unknown();
  if (c.has_shape(0)) {
    if (c.rank(0) != 3) return invalid("Col2Im: the input has rank ", c.rank(0), ", [n, c * block, l] is needed");
    batch = c.shape(0)[0];
    if (block) {
      int64_t size = 1;
      for (int64_t b : *block)
        if (b < 1 || !checked_mul(size, b, &size))
          return invalid("Col2Im: block_shape ", list_text(*block), " is out of range");
      Dim d = c.shape(0)[1];
      if (d.is_const() && d.value() % size)
        return invalid("Col2Im: dimension 1 is ", d, ", no multiple of the block's ", size, " elements");
      channels = floor_div(d, Dim(size));
    }
  }
  DimVector dims{batch, channels};
  dims.append(image->data(), image->size());
  c.set(0, t, std::move(dims));
  return {};
}

Status run_col2im(KernelContext& c) {
  const TensorRef &x = c.in(0), &y = c.out(0);
  TENON_ASSIGN(Dims image, read_ints(c.in(1)));
  TENON_ASSIGN(Dims block, read_ints(c.in(2)));
  size_t n = image.size();
  TENON_ASSIGN(Dims strides, spatial(c.node(), "strides", n, 1, 1));
  TENON_ASSIGN(Dims dilations, spatial(c.node(), "dilations", n, 1, 1));
  TENON_ASSIGN(Dims pads, spatial(c.node(), "pads", 2 * n, 0, 0));
  auto run = [&](auto zero) -> Status {
    using T = decltype(zero);
    TENON_ASSIGN(const T* from, input_as<T>(c, 0));
    TENON_ASSIGN(auto to, OutputAs<T>::of(c, 0));
    auto s = kernels::col2im<T>(to.data(), from, x.dims[0], y.dims[1], image, block, strides, dilations, pads,
                                x.dims[2], c.team());
    if (!s.ok()) return std::move(s).prefix("Col2Im: ");
    to.finish();
    return {};
  };
  bool narrow = x.dtype == DType::kF32 || x.dtype == DType::kF16 || x.dtype == DType::kBF16 || bit_width(x.dtype) == 8;
  return narrow ? run(float{}) : run(double{});
}

constexpr TypeSet kSummed = kNumbers | kBools | kStrings | kComplex;

}  // namespace

TENON_OP(col2im){
    .name = "Col2Im",
    .since = {18},
    .in = {port("input", kSummed, "T"), port("image_shape", kI64Only), port("block_shape", kI64Only)},
    .out = {port("output", kSummed, "T")},
    .attributes = {{"dilations", 'I'}, {"pads", 'I'}, {"strides", 'I'}},
    .shape = col2im_shape,
};
TENON_CPU(col2im){
    {{{.name = "plain", .can = [](const KernelQuery& q) { return kNumbers.has(q.in_type(0)); }, .run = run_col2im}}}};

TENON_CASES(col2im) {
  cases.types(kFloats | kSignedInts);
  cases.add("apart")
      .in(values({1, 2, 2}, {1, 2, 3, 4}))
      .in(ints({1, 4}))
      .in(ints({1, 2}))
      .attr("strides", std::vector<int64_t>{1, 2})
      .out(values({1, 1, 1, 4}, {1, 3, 2, 4}));
  cases.add("overlapping")
      .in(values({1, 2, 2}, {1, 2, 3, 4}))
      .in(ints({3}))
      .in(ints({2}))
      .out(values({1, 1, 3}, {1, 5, 4}));
  cases.add("no multiple")
      .in(typed(DType::kF32, range({1, 3, 2}, 0, 1)))
      .in(ints({3}))
      .in(ints({2}))
      .fails("no multiple");
}

}  // namespace tenon::ops
