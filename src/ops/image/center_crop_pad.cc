// CenterCropPad: the middle of the input cut out, or the input set into the middle of zeros, to a given size.
// SPDX-License-Identifier: MIT
#include "kernels/move/copy.h"
#include "opdef/cases.h"
#include "ops/bytes.h"
#include "ops/operands.h"

namespace tenon::ops {
namespace {

Result<Dims> crop_axes(const ir::Node& n, int64_t rank) {
  if (n.find("axes")) return normal_axes(n.ints("axes"), rank, "CenterCropPad");
  Dims all;
  for (int64_t i = 0; i < rank; ++i) all.push_back(i);
  return all;
}

Status center_crop_pad_shape(InferContext& c) {
  if (!c.has_shape(0)) {
    c.set(0, c.dtype(0));
    return {};
  }
  TENON_ASSIGN(Dims axes, crop_axes(c.node(), c.rank(0)));
  auto target = c.elements(1);
  if (target && target->size() != axes.size())
    return invalid("CenterCropPad: ", target->size(), " sizes for ", axes.size(), " axes");
  DimVector dims = c.shape(0);
  for (size_t i = 0; i < axes.size(); ++i) {
    Dim d = target ? (*target)[i] : Dim::unknown();
    if (d.is_const() && d.value() < 0)
      return invalid("CenterCropPad: the shape ", ir::dims_text(*target), " has the dimension ", d);
    dims[static_cast<size_t>(axes[i])] = d;
  }
  c.set(0, c.dtype(0), std::move(dims));
  return {};
}

Status run_center_crop_pad(KernelContext& c) {
  const TensorRef &x = c.in(0), &y = c.out(0);
  Dims before, after;
  for (int32_t i = 0; i < x.rank; ++i) {
    int64_t more = y.dims[i] - x.dims[i];
    before.push_back(more / 2);  // towards zero: the odd element is added or cut at the end
    after.push_back(more - more / 2);
  }
  StringRef nothing;
  uint64_t zero[2] = {0, 0};
  const void* value = x.dtype == DType::kString ? static_cast<const void*>(&nothing) : zero;
  return kernels::pad(y.data, x.data, x.shape(), before, after, kernels::PadMode::kConstant, value, byte_width(x.dtype),
                      c.team());
}

constexpr TypeSet kWhole = kNumbers | kBools | kStrings | kComplex;

}  // namespace

TENON_OP(center_crop_pad){
    .name = "CenterCropPad",
    .since = {18},
    .in = {port("input_data", kWhole, "T"), port("shape", kIndices)},
    .out = {port("output_data", kWhole, "T")},
    .attributes = {{"axes", 'I'}},
    .shape = center_crop_pad_shape,
};
TENON_CPU(center_crop_pad){{{{.name = "move", .run = run_center_crop_pad}}}};

TENON_CASES(center_crop_pad) {
  cases.types(kNumbers | kBools);
  cases.add("cut").in(values({5}, {1, 0, 1, 1, 0})).in(ints({2})).out(values({2}, {0, 1}));
  cases.add("padded").in(values({2}, {1, 1})).in(ints({5})).out(values({5}, {0, 1, 1, 0, 0}));
  cases.add("both").in(values({1, 3}, {1, 0, 1})).in(ints({2, 1})).out(values({2, 1}, {0, 0}));
  cases.add("one axis")
      .in(values({1, 3}, {1, 0, 1}))
      .in(ints({2}))
      .attr("axes", std::vector<int64_t>{-1})
      .out(values({1, 2}, {1, 0}));
  cases.add("wrong length").in(typed(DType::kF32, range({2, 2}, 0, 1))).in(ints({2})).fails("1 sizes for 2 axes");
}

}  // namespace tenon::ops
