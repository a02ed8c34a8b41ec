// Work-stealing queues of C++ as functions that Rust can call. Their sizes are compiled into them,
// so each is there in all powers of two; `aqueduct_NAME_deque` answers with the functions of the
// smallest that fits. Each call is one call of a function through a pointer.

#if !__has_include(<xenium/chase_work_stealing_deque.hpp>)
#error "the feature `cpp-peers` needs the Debian package libxenium-dev"
#elif !__has_include(<unsupported/Eigen/CXX11/ThreadPool>)
#error "the feature `cpp-peers` needs the Debian package libeigen3-dev"
#else

#include <unsupported/Eigen/CXX11/ThreadPool>
#include <xenium/chase_work_stealing_deque.hpp>

#include "shim.hpp"

namespace {

// Chase and Lev's deque, as xenium has it. Its array is one of a fixed size: one that grows costs a
// search for its part at each access, and has room for as many items as any other queue here when
// it begins. It takes pointers.
template <unsigned SLOTS>
class alignas(128) ChaseLev {
public:
    bool push(Item item) { return deque.try_push(reinterpret_cast<Task *>(item)); }
    bool pop(Item &item) {
        Task *task;
        return deque.try_pop(task) && is(task, item);
    }
    bool steal(Item &item) {
        Task *task;
        return deque.try_steal(task) && is(task, item);
    }
    // While the owner takes the last item, it looks as if there were one less than none.
    std::size_t size() {
        const auto size = static_cast<std::ptrdiff_t>(deque.size());
        return size < 0 ? 0 : static_cast<std::size_t>(size);
    }

private:
    // Never dereferenced.
    struct Task;

    static bool is(Task *task, Item &item) {
        item = reinterpret_cast<Item>(task);
        return true;
    }

    using Slots = xenium::detail::fixed_size_circular_array<Task, SLOTS>;
    xenium::chase_work_stealing_deque<Task, xenium::policy::container<Slots>> deque;
};

// The queue of Eigen's pool, used as the pool does: the owner at the front, thieves at the back.
// Work that is 0 is none. Half of all items can be taken at once, but not up to a number, so that
// is not offered.
template <unsigned SLOTS>
class alignas(128) RunQueue {
public:
    ~RunQueue() { queue.Flush(); }
    bool push(Item item) { return queue.PushFront(item) == 0; }
    bool pop(Item &item) {
        item = queue.PopFront();
        return item != 0;
    }
    bool steal(Item &item) {
        item = queue.PopBack();
        return item != 0;
    }
    std::size_t size() { return queue.Size(); }

private:
    Eigen::RunQueue<Item, SLOTS> queue;
};

// The functions that Rust calls. `src/cpp_peers.rs` has equal fields in an equal order.
struct Functions {
    void *(*open)() noexcept;
    void (*close)(void *) noexcept;
    bool (*push)(void *, Item) noexcept;
    bool (*pop)(void *, Item *) noexcept;
    bool (*steal)(void *, Item *) noexcept;
    std::size_t (*size)(void *) noexcept;
};

template <class Queue>
constexpr Functions FUNCTIONS = {
    []() noexcept { return or_null([] { return new Queue(); }); },
    [](void *queue) noexcept { delete static_cast<Queue *>(queue); },
    [](void *queue, Item item) noexcept { return static_cast<Queue *>(queue)->push(item); },
    [](void *queue, Item *item) noexcept { return static_cast<Queue *>(queue)->pop(*item); },
    [](void *queue, Item *item) noexcept { return static_cast<Queue *>(queue)->steal(*item); },
    [](void *queue) noexcept { return static_cast<Queue *>(queue)->size(); },
};

// The functions of the smallest queue for `capacity` items, or null.
template <template <unsigned> class Queue, unsigned SLOTS = 16>
const Functions *smallest(std::size_t capacity) noexcept {
    if (capacity <= SLOTS) {
        return &FUNCTIONS<Queue<SLOTS>>;
    }
    // Eigen's queue has no larger size.
    if constexpr (SLOTS < 65536) {
        return smallest<Queue, 2 * SLOTS>(capacity);
    } else {
        return nullptr;
    }
}

} // namespace

extern "C" {
const Functions *aqueduct_chase_lev_deque(std::size_t capacity) noexcept { return smallest<ChaseLev>(capacity); }
const Functions *aqueduct_run_queue_deque(std::size_t capacity) noexcept { return smallest<RunQueue>(capacity); }
}

#endif
