// Queues between processes, in shared memory: aqueduct.h for C++17.
//
// Handles own their side: they are moved and not copied, and leave the side when they are
// destroyed. A constructor throws std::system_error; an operation returns a status and throws
// nothing. A handle that was moved from returns status::argument. Link as for aqueduct.h.
//
//     aqueduct::region region = aqueduct::region::named("/prices", 1 << 16);
//     aqueduct::record_producer producer(region, 4000);
//     if (aqueduct::status why = producer.push("42"); why != aqueduct::status::ok)
//         std::cerr << aqueduct::text(why) << '\n';
#ifndef AQUEDUCT_HPP
#define AQUEDUCT_HPP

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <vector>
#if __has_include(<version>)
#include <version>
#endif
#ifdef __cpp_lib_span
#include <span>
#endif

#include "aqueduct.h"

namespace aqueduct {

#ifdef __cpp_lib_span
template <class T>
using span = std::span<T>;
#else
// A view of contiguous elements, without ownership: the part of C++20's std::span that is needed
// here.
template <class T>
class span {
    template <class C>
    using pointer_of = std::remove_pointer_t<decltype(std::data(std::declval<C &>()))>;

  public:
    using element_type = T;
    using value_type = std::remove_cv_t<T>;

    constexpr span() noexcept = default;
    constexpr span(T *first, std::size_t count) noexcept : first_(first), count_(count) {}
    // From an array, or from a container such as std::vector, std::array, or a span of elements
    // that are not const.
    template <class C, class = std::enable_if_t<std::is_convertible_v<pointer_of<C> (*)[], T (*)[]>>>
    constexpr span(C &elements) noexcept : first_(std::data(elements)), count_(std::size(elements)) {}
    // From a temporary, whose elements are only read.
    template <class C, class = std::enable_if_t<std::is_const_v<T> && !std::is_lvalue_reference_v<C> &&
                                                std::is_convertible_v<pointer_of<const C> (*)[], T (*)[]>>,
              class = void>
    constexpr span(C &&elements) noexcept : first_(std::data(elements)), count_(std::size(elements)) {}

    constexpr T *data() const noexcept { return first_; }
    constexpr std::size_t size() const noexcept { return count_; }
    constexpr bool empty() const noexcept { return count_ == 0; }
    constexpr T *begin() const noexcept { return first_; }
    constexpr T *end() const noexcept { return first_ + count_; }
    constexpr T &operator[](std::size_t index) const noexcept { return first_[index]; }
    // The first `count` elements. There must be that many.
    constexpr span first(std::size_t count) const noexcept { return {first_, count}; }
    // All elements but the first `offset`. There must be that many.
    constexpr span subspan(std::size_t offset) const noexcept { return {first_ + offset, count_ - offset}; }

  private:
    T *first_ = nullptr;
    std::size_t count_ = 0;
};
#endif

// The status of an operation. aqueduct.h describes each value.
enum class [[nodiscard]] status : int {
    ok = AQ_OK,
    empty = AQ_EMPTY,
    full = AQ_FULL,
    too_long = AQ_TOO_LONG,
    damaged = AQ_DAMAGED,
    timed_out = AQ_TIMED_OUT,
    died = AQ_DIED,
    held = AQ_HELD,
    mismatch = AQ_MISMATCH,
    capacity = AQ_CAPACITY,
    system = AQ_SYSTEM,
    argument = AQ_ARGUMENT,
    panic = AQ_PANIC,
    contended = AQ_CONTENDED,
    ready = AQ_READY,
    left = AQ_LEFT,
};

} // namespace aqueduct

template <>
struct std::is_error_code_enum<aqueduct::status> : std::true_type {};

namespace aqueduct {

// The text for a status. It lives as long as the program.
inline const char *text(status why) noexcept { return aq_status_text(static_cast<int>(why)); }

// The category of statuses in std::error_code.
inline const std::error_category &category() noexcept {
    struct words final : std::error_category {
        const char *name() const noexcept override { return "aqueduct"; }
        std::string message(int why) const override { return aq_status_text(why); }
    };
    static const words of_statuses;
    return of_statuses;
}

inline std::error_code make_error_code(status why) noexcept { return {static_cast<int>(why), category()}; }

namespace detail {

// Throws unless the status is ok. If the system refused, the error's code is the system's.
inline void check(int why, const char *what) {
    if (why == AQ_SYSTEM)
        throw std::system_error(errno, std::generic_category(), what);
    if (why != AQ_OK)
        throw std::system_error(why, category(), what);
}

template <class T, void (*drop)(T *)>
struct dropper {
    void operator()(T *handle) const noexcept { drop(handle); }
};

template <class T, void (*drop)(T *)>
using owner = std::unique_ptr<T, dropper<T, drop>>;

inline std::uint64_t count(std::chrono::nanoseconds timeout) noexcept {
    return timeout.count() < 0 ? 0 : static_cast<std::uint64_t>(timeout.count());
}

} // namespace detail

// The bytes of a trivially copyable value, as a record.
template <class T>
span<const std::byte> bytes_of(const T &value) noexcept {
    static_assert(std::is_trivially_copyable_v<T>, "a record has bytes, and nothing that another process does not have");
    return {reinterpret_cast<const std::byte *>(&value), sizeof value};
}

// The bytes of such a value, as a buffer for a record.
template <class T>
span<std::byte> room_of(T &value) noexcept {
    static_assert(std::is_trivially_copyable_v<T>, "any bytes of a record must be a value");
    return {reinterpret_cast<std::byte *>(&value), sizeof value};
}

// Memory that processes share.
class region {
  public:
    // Makes a region without a name. Its size is sealed. /proc shows it under `label`.
    static region anonymous(const std::string &label, std::size_t bytes) {
        aq_region *made = nullptr;
        detail::check(aq_region_anonymous(label.c_str(), bytes, &made), "a region without a name");
        return region(made);
    }

    // Opens the region with this name, which starts with '/', or makes it with the permissions
    // `mode`.
    static region named(const std::string &name, std::size_t bytes, unsigned mode = 0600) {
        aq_region *made = nullptr;
        detail::check(aq_region_named(name.c_str(), bytes, mode, &made), name.c_str());
        return region(made);
    }

    // Makes a region from an open file, which must be trusted not to be truncated. The caller keeps
    // the file.
    static region from_fd(int file) {
        aq_region *made = nullptr;
        detail::check(aq_region_from_fd(file, &made), "a region of a file");
        return region(made);
    }

    // Removes a name. Processes that have the region keep it.
    static void unlink(const std::string &name) { detail::check(aq_region_unlink(name.c_str()), name.c_str()); }

    // The region's file, to be passed to other processes. The region keeps it.
    int fd() const noexcept { return aq_region_fd(handle_.get()); }

    const aq_region *get() const noexcept { return handle_.get(); }

  private:
    explicit region(aq_region *made) noexcept : handle_(made) {}

    detail::owner<aq_region, aq_region_drop> handle_;
};

// An event of the system: its file is readable while it is signalled.
class event {
  public:
    // Makes an event that is not signalled.
    event() {
        aq_event *made = nullptr;
        detail::check(aq_event_new(&made), "an event");
        handle_.reset(made);
    }

    // Makes an event from an open file, such as one that another process has passed. The caller
    // keeps the file.
    static event from_fd(int file) {
        aq_event *made = nullptr;
        detail::check(aq_event_from_fd(file, &made), "an event of a file");
        return event(made);
    }

    // The event's file, to wait for, or to be passed to the other side. The event keeps it.
    int fd() const noexcept { return aq_event_fd(handle_.get()); }

    // Clears the event: takes all its signals. status::empty if there were none.
    status clear() const noexcept { return status{aq_event_clear(handle_.get())}; }

    const aq_event *get() const noexcept { return handle_.get(); }

  private:
    explicit event(aq_event *made) noexcept : handle_(made) {}

    detail::owner<aq_event, aq_event_drop> handle_;
};

namespace detail {

// A handle of a queue.
template <class T, void (*drop)(T *)>
class held {
  protected:
    owner<T, drop> handle_;
};

// A handle of a side that can wake the other side.
template <class Held, auto wake_others, auto give>
class signals : public Held {
  public:
    // Wakes the other side, and signals its events if they are armed. push and pop do not do so;
    // the operations that wait do.
    status wake() noexcept { return status{wake_others(this->handle_.get())}; }

    // Sets the event that the other side waits for. It replaces earlier ones.
    status set_event(const event &of) noexcept {
        const aq_event *one = of.get();
        return status{give(this->handle_.get(), &one, 1)};
    }

    // Sets the events that the handles of the other side wait for. They replace earlier ones.
    template <class Events>
    status set_events(const Events &of) {
        std::vector<const aq_event *> all;
        for (const event &one : of)
            all.push_back(one.get());
        return status{give(this->handle_.get(), all.data(), all.size())};
    }
};

// A handle of a side that waits for the other one.
template <class Held, auto wait_for, auto arm_for>
class waits : public Held {
  public:
    // Sleeps until the other side wakes this one, and not for longer than that, unless the queue is
    // ready. It may return earlier.
    status wait(std::chrono::nanoseconds timeout) noexcept {
        return status{wait_for(this->handle_.get(), count(timeout))};
    }

    // Arms this side's event: the other side signals it at its next wake. status::ready if the
    // queue is ready, so that the event is not armed.
    status arm() noexcept { return status{arm_for(this->handle_.get())}; }
};

template <class T, void (*drop)(T *), auto wait_for, auto arm_for, auto wake_others, auto give>
using side = waits<signals<held<T, drop>, wake_others, give>, wait_for, arm_for>;

} // namespace detail

// The producer's side of a queue of records: bytes of any length.
class record_producer
    : public detail::side<aq_record_producer, aq_record_producer_drop, aq_record_producer_wait,
                          aq_record_producer_arm, aq_record_producer_wake, aq_record_producer_set_events> {
  public:
    // Takes the side in the region's queue, which is made if there is none, for at least `bytes`
    // bytes.
    record_producer(const region &in, std::size_t bytes, std::uint64_t tag = 0) {
        aq_record_producer *taken = nullptr;
        detail::check(aq_record_producer_take(in.get(), bytes, tag, &taken), "the producer's side");
        handle_.reset(taken);
    }

    // The length of the longest record.
    std::size_t max_len() const noexcept { return aq_record_max_len(handle_.get()); }

    status push(span<const std::byte> record) noexcept {
        return status{aq_record_push(handle_.get(), record.data(), record.size())};
    }

    status push(std::string_view record) noexcept {
        return status{aq_record_push(handle_.get(), record.data(), record.size())};
    }

    // Waits for room, and wakes the consumer.
    status push_wait(span<const std::byte> record, std::chrono::nanoseconds timeout) noexcept {
        return status{aq_record_push_wait(handle_.get(), record.data(), record.size(), detail::count(timeout))};
    }

    status push_wait(std::string_view record, std::chrono::nanoseconds timeout) noexcept {
        return status{aq_record_push_wait(handle_.get(), record.data(), record.size(), detail::count(timeout))};
    }
};

// Result of an operation of a consumer of records.
struct [[nodiscard]] popped {
    status why;
    // The record's length, also if it is too long for the buffer and stays in the queue.
    std::size_t len;

    explicit operator bool() const noexcept { return why == status::ok; }
};

namespace detail {

// Gets a record of any length by `pop`, which is called again with a buffer of the length that it
// found.
template <class Bytes, class Pop>
status into(Bytes &record, Pop pop) {
    static_assert(sizeof(*record.data()) == 1 && std::is_trivially_copyable_v<typename Bytes::value_type>);
    const auto buffer = [&record] {
        return span<std::byte>(reinterpret_cast<std::byte *>(record.data()), record.size());
    };
    record.resize(record.capacity());
    popped found = pop(buffer());
    while (found.why == status::too_long) {
        record.resize(found.len);
        found = pop(buffer());
    }
    record.resize(found ? found.len : 0);
    return found.why;
}

} // namespace detail

// The consumer's side of a queue of records.
class record_consumer
    : public detail::side<aq_record_consumer, aq_record_consumer_drop, aq_record_consumer_wait,
                          aq_record_consumer_arm, aq_record_consumer_wake, aq_record_consumer_set_events> {
  public:
    // Takes the side in the region's queue, which is made if there is none, for at least `bytes`
    // bytes.
    record_consumer(const region &in, std::size_t bytes, std::uint64_t tag = 0) {
        aq_record_consumer *taken = nullptr;
        detail::check(aq_record_consumer_take(in.get(), bytes, tag, &taken), "the consumer's side");
        handle_.reset(taken);
    }

    // Pops a record to the start of the buffer.
    popped pop(span<std::byte> buffer) noexcept {
        std::size_t len = 0;
        const int why = aq_record_pop(handle_.get(), buffer.data(), buffer.size(), &len);
        return {status{why}, len};
    }

    // Waits for a record, pops it to the start of the buffer, and wakes the producer.
    popped pop_wait(span<std::byte> buffer, std::chrono::nanoseconds timeout) noexcept {
        std::size_t len = 0;
        const auto ns = detail::count(timeout);
        const int why = aq_record_pop_wait(handle_.get(), buffer.data(), buffer.size(), ns, &len);
        return {status{why}, len};
    }

    // Copies the next record to the start of the buffer. It stays in the queue until the release.
    // If the process ends before that, its successor gets the record.
    popped peek(span<std::byte> buffer) noexcept {
        std::size_t len = 0;
        const int why = aq_record_peek(handle_.get(), buffer.data(), buffer.size(), &len);
        return {status{why}, len};
    }

    // Removes the record that was copied last, without a wake. status::empty if there is none.
    status release() noexcept { return status{aq_record_release(handle_.get())}; }

    // Pops a record of any length into a std::string or std::vector of bytes, which gets the
    // record's length, or becomes empty. It allocates, and throws the exceptions of the allocation.
    // The record stays in the queue then.
    template <class Bytes>
    status pop_into(Bytes &record) {
        return detail::into(record, [this](span<std::byte> buffer) { return pop(buffer); });
    }

    // Waits for a record, and pops it as pop_into does.
    template <class Bytes>
    status pop_wait_into(Bytes &record, std::chrono::nanoseconds timeout) {
        return detail::into(record, [this, timeout](span<std::byte> buffer) { return pop_wait(buffer, timeout); });
    }
};

// The producer's side of a queue of 64-bit numbers.
class u64_producer
    : public detail::side<aq_u64_producer, aq_u64_producer_drop, aq_u64_producer_wait,
                          aq_u64_producer_arm, aq_u64_producer_wake, aq_u64_producer_set_events> {
  public:
    // Takes the side in the region's queue, which is made if there is none, for at least `capacity`
    // numbers.
    u64_producer(const region &in, std::size_t capacity, std::uint64_t tag = 0) {
        aq_u64_producer *taken = nullptr;
        detail::check(aq_u64_producer_take(in.get(), capacity, tag, &taken), "the producer's side");
        handle_.reset(taken);
    }

    status push(std::uint64_t number) noexcept { return status{aq_u64_push(handle_.get(), number)}; }

    // Waits for room, and wakes the consumer.
    status push_wait(std::uint64_t number, std::chrono::nanoseconds timeout) noexcept {
        return status{aq_u64_push_wait(handle_.get(), number, detail::count(timeout))};
    }

    // Pushes as many as fit, and returns how many.
    std::size_t push_slice(span<const std::uint64_t> numbers) noexcept {
        return aq_u64_push_slice(handle_.get(), numbers.data(), numbers.size());
    }
};

// The consumer's side of a queue of 64-bit numbers.
class u64_consumer
    : public detail::side<aq_u64_consumer, aq_u64_consumer_drop, aq_u64_consumer_wait,
                          aq_u64_consumer_arm, aq_u64_consumer_wake, aq_u64_consumer_set_events> {
  public:
    // Takes the side in the region's queue, which is made if there is none, for at least `capacity`
    // numbers.
    u64_consumer(const region &in, std::size_t capacity, std::uint64_t tag = 0) {
        aq_u64_consumer *taken = nullptr;
        detail::check(aq_u64_consumer_take(in.get(), capacity, tag, &taken), "the consumer's side");
        handle_.reset(taken);
    }

    // Pops into `number`, which is unchanged if there is none.
    status pop(std::uint64_t &number) noexcept { return status{aq_u64_pop(handle_.get(), &number)}; }

    // Waits for a number, and wakes the producer.
    status pop_wait(std::uint64_t &number, std::chrono::nanoseconds timeout) noexcept {
        return status{aq_u64_pop_wait(handle_.get(), detail::count(timeout), &number)};
    }

    // Pops as many as there are, and returns how many.
    std::size_t pop_slice(span<std::uint64_t> numbers) noexcept {
        return aq_u64_pop_slice(handle_.get(), numbers.data(), numbers.size());
    }

    // Copies the next number, which stays in the queue until the release. If the process ends
    // before that, its successor gets the number.
    status peek(std::uint64_t &number) noexcept { return status{aq_u64_peek(handle_.get(), &number)}; }

    // Removes the number that was copied last, without a wake. status::empty if there is none.
    status release() noexcept { return status{aq_u64_release(handle_.get())}; }
};

// The sizes of a queue of 64-bit numbers with many producers and consumers. All its users must give
// equal sizes.
struct mpmc_sizes {
    // The greatest numbers at a time.
    std::size_t producers;
    std::size_t consumers;
    std::size_t capacity;
    std::uint64_t tag = 0;

    // The number of bytes of a region that the queue needs. 0 if the sizes are not valid.
    std::size_t bytes() const noexcept { return aq_mpmc_bytes(producers, consumers, capacity); }
};

// A producer of a queue with many.
class mpmc_producer
    : public detail::side<aq_mpmc_producer, aq_mpmc_producer_drop, aq_mpmc_producer_wait,
                          aq_mpmc_producer_arm, aq_mpmc_producer_wake, aq_mpmc_producer_set_events> {
  public:
    // Takes a place in the region's queue, which is made if there is none.
    mpmc_producer(const region &in, const mpmc_sizes &of) {
        aq_mpmc_producer *taken = nullptr;
        detail::check(aq_mpmc_producer_take(in.get(), of.producers, of.consumers, of.capacity, of.tag, &taken),
                      "a producer's place");
        handle_.reset(taken);
    }

    status push(std::uint64_t number) noexcept { return status{aq_mpmc_push(handle_.get(), number)}; }

    // Waits for room, and wakes the consumers.
    status push_wait(std::uint64_t number, std::chrono::nanoseconds timeout) noexcept {
        return status{aq_mpmc_push_wait(handle_.get(), number, detail::count(timeout))};
    }

    // Pushes one by one as many as fit, and returns how many.
    std::size_t push_slice(span<const std::uint64_t> numbers) noexcept {
        return aq_mpmc_push_slice(handle_.get(), numbers.data(), numbers.size());
    }
};

// A consumer of a queue with many.
class mpmc_consumer
    : public detail::side<aq_mpmc_consumer, aq_mpmc_consumer_drop, aq_mpmc_consumer_wait,
                          aq_mpmc_consumer_arm, aq_mpmc_consumer_wake, aq_mpmc_consumer_set_events> {
  public:
    // Takes a place in the region's queue, which is made if there is none. It holds a number if a
    // dead consumer in its place held one.
    mpmc_consumer(const region &in, const mpmc_sizes &of) {
        aq_mpmc_consumer *taken = nullptr;
        detail::check(aq_mpmc_consumer_take(in.get(), of.producers, of.consumers, of.capacity, of.tag, &taken),
                      "a consumer's place");
        handle_.reset(taken);
    }

    // Takes the place of a dead or dropped consumer that held a number. Throws status::empty if
    // there is none.
    static mpmc_consumer abandoned(const region &in, const mpmc_sizes &of) {
        aq_mpmc_consumer *taken = nullptr;
        detail::check(aq_mpmc_abandoned_take(in.get(), of.producers, of.consumers, of.capacity, of.tag, &taken),
                      "the place of a dead consumer");
        return mpmc_consumer(taken);
    }

    // Pops into `number`, which is unchanged if there is none.
    status pop(std::uint64_t &number) noexcept { return status{aq_mpmc_pop(handle_.get(), &number)}; }

    // Waits for a number, and wakes the producers.
    status pop_wait(std::uint64_t &number, std::chrono::nanoseconds timeout) noexcept {
        return status{aq_mpmc_pop_wait(handle_.get(), detail::count(timeout), &number)};
    }

    // Pops one by one as many as there are, and returns how many.
    std::size_t pop_slice(span<std::uint64_t> numbers) noexcept {
        return aq_mpmc_pop_slice(handle_.get(), numbers.data(), numbers.size());
    }

    // Takes a number, and holds it until the release. If the process ends before that, its
    // successor gets the number.
    status peek(std::uint64_t &number) noexcept { return status{aq_mpmc_peek(handle_.get(), &number)}; }

    // Waits for a number, takes it as peek does, and wakes the producers.
    status peek_wait(std::uint64_t &number, std::chrono::nanoseconds timeout) noexcept {
        return status{aq_mpmc_peek_wait(handle_.get(), detail::count(timeout), &number)};
    }

    // Releases the held number. status::empty if this consumer holds none.
    status release() noexcept { return status{aq_mpmc_release(handle_.get())}; }

  private:
    explicit mpmc_consumer(aq_mpmc_consumer *taken) noexcept { handle_.reset(taken); }
};

// The sizes of a broadcast queue of 64-bit numbers, which overwrites the oldest ones. All its users
// must give equal sizes.
struct drop_old_sizes {
    // The greatest numbers at a time.
    std::size_t producers;
    std::size_t capacity;
    std::uint64_t tag = 0;

    // The number of bytes of a region that the queue needs. 0 if the sizes are not valid.
    std::size_t bytes() const noexcept { return aq_drop_old_bytes(producers, capacity); }
};

// A producer of a queue that is never full.
class drop_old_producer : public detail::signals<detail::held<aq_drop_old_producer, aq_drop_old_producer_drop>,
                                                 aq_drop_old_wake, aq_drop_old_producer_set_events> {
  public:
    // Takes a place in the region's queue, which is made if there is none.
    drop_old_producer(const region &in, const drop_old_sizes &of) {
        aq_drop_old_producer *taken = nullptr;
        detail::check(aq_drop_old_producer_take(in.get(), of.producers, of.capacity, of.tag, &taken),
                      "a producer's place");
        handle_.reset(taken);
    }

    status push(std::uint64_t number) noexcept { return status{aq_drop_old_push(handle_.get(), number)}; }
};

// A reader of such a queue: it gets each number, or counts it as lost.
class drop_old_reader : public detail::waits<detail::held<aq_drop_old_reader, aq_drop_old_reader_drop>,
                                             aq_drop_old_reader_wait, aq_drop_old_reader_arm> {
  public:
    // Makes a reader that starts with the oldest number in the region's queue, which is made if
    // there is none.
    drop_old_reader(const region &in, const drop_old_sizes &of) {
        aq_drop_old_reader *made = nullptr;
        detail::check(aq_drop_old_reader_new(in.get(), of.producers, of.capacity, of.tag, &made), "a reader");
        handle_.reset(made);
    }

    // Reads into `number`, which is unchanged if there is none.
    status read(std::uint64_t &number) noexcept { return status{aq_drop_old_read(handle_.get(), &number)}; }

    // Waits for a number.
    status read_wait(std::uint64_t &number, std::chrono::nanoseconds timeout) noexcept {
        return status{aq_drop_old_read_wait(handle_.get(), detail::count(timeout), &number)};
    }

    // The number of numbers that were overwritten before this reader read them.
    std::uint64_t lost() const noexcept { return aq_drop_old_lost(handle_.get()); }
};

// The producer of a queue of records that is never full.
class drop_old_record_producer
    : public detail::signals<detail::held<aq_drop_old_record_producer, aq_drop_old_record_producer_drop>,
                             aq_drop_old_record_wake, aq_drop_old_record_producer_set_events> {
  public:
    // The number of bytes of a region for a queue that keeps the last `bytes` bytes. 0 if the size
    // is not valid.
    static std::size_t region_bytes(std::size_t bytes) noexcept { return aq_drop_old_record_bytes(bytes); }

    // Takes the side in the region's queue, which is made if there is none, and keeps at least the
    // last `bytes` bytes.
    drop_old_record_producer(const region &in, std::size_t bytes, std::uint64_t tag = 0) {
        aq_drop_old_record_producer *taken = nullptr;
        detail::check(aq_drop_old_record_producer_take(in.get(), bytes, tag, &taken), "the producer's side");
        handle_.reset(taken);
    }

    // The length of the longest record.
    std::size_t max_len() const noexcept { return aq_drop_old_record_max_len(handle_.get()); }

    status push(span<const std::byte> record) noexcept {
        return status{aq_drop_old_record_push(handle_.get(), record.data(), record.size())};
    }

    status push(std::string_view record) noexcept {
        return status{aq_drop_old_record_push(handle_.get(), record.data(), record.size())};
    }

    // Reserves room for a record of at most `len` bytes, which is then written in place. No reader
    // sees it before the commit. A push, or another reserve, discards it. The oldest records may be
    // gone.
    status reserve(std::size_t len) noexcept { return status{aq_drop_old_record_reserve(handle_.get(), len)}; }

    // Appends bytes to the record. status::too_long, without appending any, if they do not fit;
    // status::empty if no record is reserved.
    status write(span<const std::byte> bytes) noexcept {
        return status{aq_drop_old_record_write(handle_.get(), bytes.data(), bytes.size())};
    }

    status write(std::string_view bytes) noexcept {
        return status{aq_drop_old_record_write(handle_.get(), bytes.data(), bytes.size())};
    }

    // Pushes the record, which has the bytes written so far. status::empty if no record is
    // reserved.
    status commit() noexcept { return status{aq_drop_old_record_commit(handle_.get())}; }

    // Discards the record: no reader sees it. status::empty if no record is reserved.
    status abandon() noexcept { return status{aq_drop_old_record_abandon(handle_.get())}; }
};

// A reader of such a queue: it gets each record, or counts it as lost.
class drop_old_record_reader
    : public detail::waits<detail::held<aq_drop_old_record_reader, aq_drop_old_record_reader_drop>,
                           aq_drop_old_record_reader_wait, aq_drop_old_record_reader_arm> {
  public:
    // Makes a reader that starts with the oldest record in the region's queue, which is made if
    // there is none.
    drop_old_record_reader(const region &in, std::size_t bytes, std::uint64_t tag = 0) {
        aq_drop_old_record_reader *made = nullptr;
        detail::check(aq_drop_old_record_reader_new(in.get(), bytes, tag, &made), "a reader");
        handle_.reset(made);
    }

    // Reads a record to the start of the buffer.
    popped read(span<std::byte> buffer) noexcept {
        std::size_t len = 0;
        const int why = aq_drop_old_record_read(handle_.get(), buffer.data(), buffer.size(), &len);
        return {status{why}, len};
    }

    // Waits for a record, and reads it to the start of the buffer.
    popped read_wait(span<std::byte> buffer, std::chrono::nanoseconds timeout) noexcept {
        std::size_t len = 0;
        const auto ns = detail::count(timeout);
        const int why = aq_drop_old_record_read_wait(handle_.get(), buffer.data(), buffer.size(), ns, &len);
        return {status{why}, len};
    }

    // Reads a record of any length into a std::string or std::vector of bytes, as
    // record_consumer::pop_into does.
    template <class Bytes>
    status read_into(Bytes &record) {
        return detail::into(record, [this](span<std::byte> buffer) { return read(buffer); });
    }

    // Waits for a record, and reads it as read_into does.
    template <class Bytes>
    status read_wait_into(Bytes &record, std::chrono::nanoseconds timeout) {
        return detail::into(record, [this, timeout](span<std::byte> buffer) { return read_wait(buffer, timeout); });
    }

    // The number of records that were overwritten before this reader read them, as of its last
    // read.
    std::uint64_t lost() const noexcept { return aq_drop_old_record_lost(handle_.get()); }
};

} // namespace aqueduct

#endif
