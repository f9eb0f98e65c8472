// Files of numpy: .npy and .npz.
// SPDX-License-Identifier: MIT
#pragma once
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "array.h"

namespace tenon::cli {

std::vector<uint8_t> read_file(const std::string& path);
void write_file(const std::string& path, const std::vector<uint8_t>& bytes);

/// The array of a .npy file; types that numpy cannot name (raw bits) come as type UNDEFINED. Faults of kInput.
Array parse_npy(const std::vector<uint8_t>& bytes, const std::string& what);
/// Types that numpy lacks are written as unsigned integers of their bits (two or four elements to a byte stay packed).
std::vector<uint8_t> make_npy(const Array& array);

/// Arrays of a .npz file by name, in the order of the file.
std::vector<std::pair<std::string, Array>> parse_npz(const std::vector<uint8_t>& bytes, const std::string& what);
std::vector<uint8_t> make_npz(const std::vector<std::pair<std::string, Array>>& arrays);

}  // namespace tenon::cli
