// The common parts of the shims.

#pragma once

#include <cstddef>
#include <cstdint>

using Item = std::uint64_t;

// Returns the result of `make`, or null where it throws.
template <class Make>
void *or_null(Make make) noexcept {
    try {
        return make();
    } catch (...) {
        return nullptr;
    }
}
