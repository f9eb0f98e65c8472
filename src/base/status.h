// Status and Result<T>: how every fault is reported. One pointer wide; null is success.
// SPDX-License-Identifier: MIT
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/text.h"

namespace tenon {

/// Numbers are those of OrtErrorCode, so that the C table only copies them.
enum class Code : int {
  kOk = 0,
  kFail = 1,
  kInvalidArgument = 2,
  kNoSuchFile = 3,
  kNoModel = 4,
  kEngineError = 5,
  kRuntimeException = 6,
  kInvalidProtobuf = 7,
  kModelLoaded = 8,
  kNotImplemented = 9,
  kInvalidGraph = 10,
  kProviderFail = 11,
};

/// Success, or a code with a message and lines of context ("node", "inputs", "model") that the layers above add.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Code code, std::string message) : rep_(new Rep{code, std::move(message), {}}) {}
  Status(Status&&) = default;
  Status& operator=(Status&&) = default;
  Status(const Status& o) : rep_(o.rep_ ? new Rep(*o.rep_) : nullptr) {}
  Status& operator=(const Status& o) { return *this = Status(o); }

  bool ok() const { return rep_ == nullptr; }
  Code code() const { return rep_ ? rep_->code : Code::kOk; }
  /// What is wrong, without context.
  std::string_view message() const { return rep_ ? std::string_view(rep_->message) : std::string_view(); }
  /// True when a context line of this label was added already.
  bool has_context(std::string_view label) const;
  /// The text of the context line of this label; empty when there is none.
  std::string_view context(std::string_view label) const;
  /// Adds a line of context; does nothing on success or when the label is there already (the innermost place wins).
  Status&& with(std::string_view label, std::string text) &&;
  void add_context(std::string_view label, std::string text);
  /// Puts text before the message.
  Status&& prefix(std::string_view text) &&;
  /// Message and context, one line each.
  std::string to_string() const;

 private:
  struct Rep {
    Code code;
    std::string message;
    std::vector<std::pair<std::string, std::string>> context;
  };
  std::unique_ptr<Rep> rep_;
};

/// error(Code::kFail, "Concat: input ", i, ...) makes a failing status.
template <class... Args>
[[gnu::cold, gnu::noinline]] Status error(Code code, const Args&... args) {
  return Status(code, cat(args...));
}
template <class... Args>
[[gnu::cold, gnu::noinline]] Status invalid(const Args&... args) {
  return Status(Code::kInvalidArgument, cat(args...));
}

/// A value or the status that says why there is none.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}           // NOLINT(google-explicit-constructor)
  Result(Status status) : status_(std::move(status)) {}   // NOLINT(google-explicit-constructor)
  template <class U>
    requires(std::is_convertible_v<U, T> && !std::is_same_v<std::decay_t<U>, T> &&
             !std::is_same_v<std::decay_t<U>, Status> && !std::is_same_v<std::decay_t<U>, Result>)
  Result(U&& value) : value_(std::forward<U>(value)) {}   // NOLINT(google-explicit-constructor)

  bool ok() const { return value_.has_value(); }
  const Status& status() const& { return status_; }
  Status&& status() && { return std::move(status_); }
  T& value() & { return *value_; }
  const T& value() const& { return *value_; }
  T&& value() && { return std::move(*value_); }
  T* operator->() { return &*value_; }
  const T* operator->() const { return &*value_; }
  T& operator*() { return *value_; }
  const T& operator*() const { return *value_; }

 private:
  std::optional<T> value_;
  Status status_;
};

#define TENON_CONCAT_(a, b) a##b
#define TENON_CONCAT(a, b) TENON_CONCAT_(a, b)
/// Returns from the enclosing function when the status is a failure.
#define TENON_TRY(expression)                                   \
  do {                                                          \
    if (::tenon::Status status_of_try = (expression); !status_of_try.ok()) [[unlikely]] return status_of_try; \
  } while (0)
/// TENON_ASSIGN(auto x, f()): x becomes the value of the result, or the enclosing function returns its status.
#define TENON_ASSIGN(target, expression) TENON_ASSIGN_(TENON_CONCAT(result_, __LINE__), target, expression)
#define TENON_ASSIGN_(name, target, expression)          \
  auto name = (expression);                              \
  if (!name.ok()) [[unlikely]] return std::move(name).status(); \
  target = std::move(name).value()

}  // namespace tenon
