"""SparseTensor: values with their places, in coordinate, compressed row or block form."""
# SPDX-License-Identifier: MIT
from __future__ import annotations

import numpy as np

from tenon import _engine
from tenon.value import OrtValue

_COO, _CSR_INNER, _CSR_OUTER, _BLOCKS = range(4)


class _View:
    def __init__(self, value):
        self._value = value

    def _indices(self, which: int) -> np.ndarray:
        return _engine.sparse_indices(self._value, which)


class SparseCooView(_View):
    def indices(self) -> np.ndarray:
        return self._indices(_COO)


class SparseCsrView(_View):
    def inner(self) -> np.ndarray:
        return self._indices(_CSR_INNER)

    def outer(self) -> np.ndarray:
        return self._indices(_CSR_OUTER)


class SparseBlockSparseView(_View):
    def indices(self) -> np.ndarray:
        return self._indices(_BLOCKS)


class SparseTensor:
    def __init__(self, sparse_tensor):
        if not isinstance(sparse_tensor, _engine.OrtValue) or not sparse_tensor.is_sparse_tensor():
            raise ValueError("SparseTensor is made with sparse_coo_from_numpy and its relatives")
        self._ortvalue = sparse_tensor

    @staticmethod
    def sparse_coo_from_numpy(dense_shape, values, coo_indices, ort_device=None) -> SparseTensor:
        """Values at the places of `coo_indices`: linear ones [n], or one row for each value [n, rank]. Arrays are borrowed."""
        return SparseTensor(_engine.sparse_coo([int(d) for d in dense_shape], values, coo_indices))

    @staticmethod
    def sparse_csr_from_numpy(dense_shape, values, inner_indices, outer_indices, ort_device=None) -> SparseTensor:
        """A matrix by rows: columns of the values, and where each row begins."""
        return SparseTensor(_engine.sparse_csr([int(d) for d in dense_shape], values, inner_indices, outer_indices))

    @staticmethod
    def blocksparse_from_numpy(dense_shape, values, indices, ort_device=None) -> SparseTensor:
        return SparseTensor(_engine.sparse_blocks([int(d) for d in dense_shape], values, indices))

    def values(self) -> np.ndarray:
        return _engine.sparse_values(self._ortvalue)

    def as_coo_view(self) -> SparseCooView:
        return SparseCooView(self._ortvalue)

    def as_csrc_view(self) -> SparseCsrView:
        return SparseCsrView(self._ortvalue)

    def as_blocksparse_view(self) -> SparseBlockSparseView:
        return SparseBlockSparseView(self._ortvalue)

    def format(self):
        return _engine.sparse_format(self._ortvalue)

    def dense_shape(self) -> np.ndarray:
        return np.array(_engine.sparse_dense_shape(self._ortvalue), np.int64)

    def data_type(self) -> str:
        return self._ortvalue.data_type()

    def device_name(self) -> str:
        return "cpu"

    def to_cuda(self, ort_device):
        raise RuntimeError("this build has no memory on 'cuda'")


def as_sparse_tensor(self) -> SparseTensor:
    """The value as a SparseTensor that shares it."""
    return SparseTensor(self._ortvalue)


OrtValue.as_sparse_tensor = as_sparse_tensor
