// Status: context lines and how a whole fault is written.
// SPDX-License-Identifier: MIT
#include "base/status.h"

namespace tenon {

bool Status::has_context(std::string_view label) const {
  if (!rep_) return false;
  for (auto& [name, text] : rep_->context)
    if (name == label) return true;
  return false;
}

std::string_view Status::context(std::string_view label) const {
  if (!rep_) return {};
  for (auto& [name, text] : rep_->context)
    if (name == label) return text;
  return {};
}

void Status::add_context(std::string_view label, std::string text) {
  if (rep_ && !has_context(label)) rep_->context.emplace_back(label, std::move(text));
}

Status&& Status::with(std::string_view label, std::string text) && {
  add_context(label, std::move(text));
  return std::move(*this);
}

Status&& Status::prefix(std::string_view text) && {
  if (rep_) rep_->message.insert(0, text);
  return std::move(*this);
}

std::string Status::to_string() const {
  if (!rep_) return "ok";
  std::string out = rep_->message;
  for (auto& [label, text] : rep_->context) {
    out += "\n  ";
    out += label;
    out.append(label.size() < 8 ? 8 - label.size() : 1, ' ');
    out += text;
  }
  return out;
}

}  // namespace tenon
