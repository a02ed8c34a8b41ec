// Queues of C and C++ as functions that Rust can call. Every peer is a class with a handle for each
// side, so that those that want a token for each thread have a place for it; the others' handles
// hold nothing but the queue's address. It is made for a number of items and an order k, which
// means something to the k-FIFO queue alone.

#if !__has_include(<boost/lockfree/queue.hpp>)
#error "the feature `cpp-peers` needs the Debian package libboost-dev"
#elif !__has_include(<concurrentqueue/concurrentqueue.h>)
#error "the feature `cpp-peers` needs the Debian package libconcurrentqueue-dev"
#elif !__has_include(<rte_config.h>) || !__has_include(<rte_ring.h>)
#error "the feature `cpp-peers` needs the Debian package libdpdk-dev"
#elif !__has_include(<tbb/concurrent_queue.h>)
#error "the feature `cpp-peers` needs the Debian package libtbb-dev"
#elif !__has_include(<xenium/kirsch_bounded_kfifo_queue.hpp>)
#error "the feature `cpp-peers` needs the Debian package libxenium-dev"
#else

#include <algorithm>
#include <cstdlib>
#include <new>

#include <boost/lockfree/queue.hpp>
#include <boost/lockfree/spsc_queue.hpp>
#include <concurrentqueue/concurrentqueue.h>
// DPDK wants it before its other headers.
#include <rte_config.h>
#include <rte_ring.h>
#include <tbb/concurrent_queue.h>
#include <xenium/kirsch_bounded_kfifo_queue.hpp>

#include "shim.hpp"

namespace {

// DPDK's ring. The flags say how its sides synchronise.
template <unsigned FLAGS>
class RteRing {
public:
    RteRing(std::size_t capacity, std::size_t) {
        const unsigned slots = rte_align32pow2(static_cast<std::uint32_t>(capacity) + 1);
        ring = static_cast<rte_ring *>(std::aligned_alloc(RTE_CACHE_LINE_SIZE, rte_ring_get_memsize(slots)));
        if (ring == nullptr || rte_ring_init(ring, "aqueduct", capacity, FLAGS | RING_F_EXACT_SZ) != 0) {
            std::free(ring);
            throw std::bad_alloc();
        }
    }
    ~RteRing() { std::free(ring); }
    RteRing(const RteRing &) = delete;
    RteRing &operator=(const RteRing &) = delete;

    class Sender {
    public:
        explicit Sender(RteRing &queue) : ring(queue.ring) {}
        bool push(Item item) { return rte_ring_enqueue_elem(ring, &item, sizeof item) == 0; }
        std::size_t push_slice(const Item *items, std::size_t count) {
            return rte_ring_enqueue_burst_elem(ring, items, sizeof *items, count, nullptr);
        }

    private:
        rte_ring *ring;
    };

    class Receiver {
    public:
        explicit Receiver(RteRing &queue) : ring(queue.ring) {}
        bool pop(Item *item) { return rte_ring_dequeue_elem(ring, item, sizeof *item) == 0; }
        std::size_t pop_slice(Item *items, std::size_t count) {
            return rte_ring_dequeue_burst_elem(ring, items, sizeof *items, count, nullptr);
        }

    private:
        rte_ring *ring;
    };

private:
    rte_ring *ring;
};

// A queue with calls for one item, through its address alone.
template <class Queue>
class Singly {
public:
    explicit Singly(Queue &queue) : queue(queue) {}
    bool push(Item item) { return queue.push(item); }
    bool pop(Item *item) { return queue.pop(*item); }
    std::size_t push_slice(const Item *, std::size_t) { return 0; }
    std::size_t pop_slice(Item *, std::size_t) { return 0; }

private:
    Queue &queue;
};

class BoostQueue {
public:
    BoostQueue(std::size_t capacity, std::size_t) : queue(capacity) {}
    bool push(Item item) { return queue.bounded_push(item); }
    bool pop(Item &item) { return queue.pop(item); }
    using Sender = Singly<BoostQueue>;
    using Receiver = Singly<BoostQueue>;

private:
    boost::lockfree::queue<Item, boost::lockfree::fixed_sized<true>> queue;
};

class TbbQueue {
public:
    TbbQueue(std::size_t capacity, std::size_t) { queue.set_capacity(static_cast<std::ptrdiff_t>(capacity)); }
    bool push(Item item) { return queue.try_push(item); }
    bool pop(Item &item) { return queue.try_pop(item); }
    using Sender = Singly<TbbQueue>;
    using Receiver = Singly<TbbQueue>;

private:
    tbb::concurrent_bounded_queue<Item> queue;
};

class BoostSpsc {
public:
    BoostSpsc(std::size_t capacity, std::size_t) : queue(capacity) {}

    class End {
    public:
        explicit End(BoostSpsc &queue) : queue(queue.queue) {}
        bool push(Item item) { return queue.push(item); }
        bool pop(Item *item) { return queue.pop(*item); }
        std::size_t push_slice(const Item *items, std::size_t count) { return queue.push(items, count); }
        std::size_t pop_slice(Item *items, std::size_t count) { return queue.pop(items, count); }

    private:
        boost::lockfree::spsc_queue<Item> &queue;
    };
    using Sender = End;
    using Receiver = End;

private:
    boost::lockfree::spsc_queue<Item> queue;
};

// moodycamel's queue with a token for each thread. How many items of one producer it may hold is
// compiled into it, so it is there in some sizes; what is asked for is rounded up to one of them.
template <std::size_t MOST>
struct AtMost : moodycamel::ConcurrentQueueDefaultTraits {
    static const std::size_t MAX_SUBQUEUE_SIZE = MOST;
};

class Moodycamel {
public:
    Moodycamel(std::size_t capacity, std::size_t) : size(capacity <= 64 ? 0 : capacity <= 4096 ? 1 : 2) {
        if (capacity > 65536) {
            throw std::bad_alloc();
        }
    }

    template <class Call>
    auto with(Call call) {
        switch (size) {
        case 0:
            return call(small);
        case 1:
            return call(middle);
        default:
            return call(large);
        }
    }

    class Sender {
    public:
        explicit Sender(Moodycamel &queue)
            : queue(queue), token(queue.with([](auto &of) { return moodycamel::ProducerToken(of); })) {}
        bool push(Item item) {
            return queue.with([&](auto &of) { return of.enqueue(token, item); });
        }
        std::size_t push_slice(const Item *items, std::size_t count) {
            return queue.with([&](auto &of) { return of.enqueue_bulk(token, items, count); }) ? count : 0;
        }

    private:
        Moodycamel &queue;
        moodycamel::ProducerToken token;
    };

    class Receiver {
    public:
        explicit Receiver(Moodycamel &queue)
            : queue(queue), token(queue.with([](auto &of) { return moodycamel::ConsumerToken(of); })) {}
        bool pop(Item *item) {
            return queue.with([&](auto &of) { return of.try_dequeue(token, *item); });
        }
        std::size_t pop_slice(Item *items, std::size_t count) {
            return queue.with([&](auto &of) { return of.try_dequeue_bulk(token, items, count); });
        }

    private:
        Moodycamel &queue;
        moodycamel::ConsumerToken token;
    };

private:
    const int size;
    moodycamel::ConcurrentQueue<Item, AtMost<64>> small{64};
    moodycamel::ConcurrentQueue<Item, AtMost<4096>> middle{64};
    moodycamel::ConcurrentQueue<Item, AtMost<65536>> large{64};
};

// xenium's queue of segments of k slots; an item may overtake k - 1 others. It takes pointers, of
// which it uses the upper 16 bits itself, so items are numbers below 2^48. Places in it are numbers
// below 2^16, and all segments are whole, so the largest ones hold up to k items less than they
// should. Slots are padded by as much as xenium does by itself.
class KFifo {
public:
    KFifo(std::size_t capacity, std::size_t k) : queue(k, segments(capacity, k)) {}
    bool push(Item item) { return queue.try_push(reinterpret_cast<Slot *>(item)); }
    bool pop(Item &item) {
        Slot *found;
        const bool popped = queue.try_pop(found);
        if (popped) {
            item = reinterpret_cast<Item>(found);
        }
        return popped;
    }
    using Sender = Singly<KFifo>;
    using Receiver = Singly<KFifo>;

private:
    // Never dereferenced.
    struct Slot;

    static std::uint64_t segments(std::size_t capacity, std::size_t k) {
        constexpr std::size_t PLACES = 1 << 16;
        if (k == 0 || k > PLACES / 2 || capacity > PLACES) {
            throw std::bad_alloc();
        }
        return std::clamp<std::size_t>((capacity + k - 1) / k, 2, PLACES / k);
    }

    xenium::kirsch_bounded_kfifo_queue<Slot *> queue;
};

using RteDefault = RteRing<0>;
using RteRelaxedTail = RteRing<RING_F_MP_RTS_ENQ | RING_F_MC_RTS_DEQ>;
using RteHeadTail = RteRing<RING_F_MP_HTS_ENQ | RING_F_MC_HTS_DEQ>;
using RteSingle = RteRing<RING_F_SP_ENQ | RING_F_SC_DEQ>;

} // namespace

#define PEER(name, Queue)                                                                                                   \
    extern "C" {                                                                                                            \
    void *aqueduct_##name##_open(std::size_t capacity, std::size_t order) noexcept {                                        \
        return or_null([=] { return new Queue(capacity, order); });                                                         \
    }                                                                                                                       \
    void aqueduct_##name##_close(void *queue) noexcept { delete static_cast<Queue *>(queue); }                              \
    void *aqueduct_##name##_sender(void *queue) noexcept {                                                                  \
        return or_null([=] { return new Queue::Sender(*static_cast<Queue *>(queue)); });                                    \
    }                                                                                                                       \
    void *aqueduct_##name##_receiver(void *queue) noexcept {                                                                \
        return or_null([=] { return new Queue::Receiver(*static_cast<Queue *>(queue)); });                                  \
    }                                                                                                                       \
    void aqueduct_##name##_drop_sender(void *end) noexcept { delete static_cast<Queue::Sender *>(end); }                    \
    void aqueduct_##name##_drop_receiver(void *end) noexcept { delete static_cast<Queue::Receiver *>(end); }                \
    bool aqueduct_##name##_push(void *end, Item item) noexcept { return static_cast<Queue::Sender *>(end)->push(item); }    \
    bool aqueduct_##name##_pop(void *end, Item *item) noexcept { return static_cast<Queue::Receiver *>(end)->pop(item); }   \
    std::size_t aqueduct_##name##_push_slice(void *end, const Item *items, std::size_t count) noexcept {                    \
        return static_cast<Queue::Sender *>(end)->push_slice(items, count);                                                 \
    }                                                                                                                       \
    std::size_t aqueduct_##name##_pop_slice(void *end, Item *items, std::size_t count) noexcept {                           \
        return static_cast<Queue::Receiver *>(end)->pop_slice(items, count);                                                \
    }                                                                                                                       \
    }

PEER(rte_mp_mc, RteDefault)
PEER(rte_rts, RteRelaxedTail)
PEER(rte_hts, RteHeadTail)
PEER(rte_sp_sc, RteSingle)
PEER(boost_queue, BoostQueue)
PEER(boost_spsc, BoostSpsc)
PEER(moodycamel, Moodycamel)
PEER(tbb, TbbQueue)
PEER(kfifo, KFifo)

#endif
