// What the shims have in common.

#pragma once

#include <cstddef>
#include <cstdint>

using Item = std::uint64_t;

// What `make` returns, or null where it throws.
template <class Make>
void *or_null(Make make) noexcept {
    try {
        return make();
    } catch (...) {
        return nullptr;
    }
}
