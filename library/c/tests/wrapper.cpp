// The guarantees of aqueduct.hpp, in C++17 and C++20.
#include <poll.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include "aqueduct.hpp"

using aqueduct::status;
using namespace std::chrono_literals;

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                                       \
            std::exit(1);                                                                                              \
        }                                                                                                              \
    } while (0)

template <class T>
constexpr bool is_move_only = !std::is_copy_constructible_v<T> && !std::is_copy_assignable_v<T> &&
                              std::is_nothrow_move_constructible_v<T> && std::is_nothrow_move_assignable_v<T>;

static_assert(is_move_only<aqueduct::region> && sizeof(aqueduct::region) == sizeof(void *));
static_assert(is_move_only<aqueduct::event>);
static_assert(is_move_only<aqueduct::record_producer> && is_move_only<aqueduct::record_consumer>);
static_assert(is_move_only<aqueduct::u64_producer> && is_move_only<aqueduct::u64_consumer>);
static_assert(is_move_only<aqueduct::mpmc_producer> && is_move_only<aqueduct::mpmc_consumer>);
static_assert(is_move_only<aqueduct::drop_old_producer> && is_move_only<aqueduct::drop_old_reader>);
static_assert(is_move_only<aqueduct::drop_old_record_producer> && is_move_only<aqueduct::drop_old_record_reader>);
static_assert(!std::is_convertible_v<const std::vector<std::uint64_t> &, aqueduct::span<std::uint64_t>>);
static_assert(!std::is_convertible_v<std::vector<std::byte> &&, aqueduct::span<std::byte>>);
static_assert(std::is_convertible_v<aqueduct::span<std::byte>, aqueduct::span<const std::byte>>);
#if __cplusplus >= 202002L
static_assert(std::is_same_v<aqueduct::span<int>, std::span<int>>);
#endif

// The code of the error that a call throws.
template <class Call>
static std::error_code error_of(Call call) {
    try {
        call();
    } catch (const std::system_error &error) {
        CHECK(std::strlen(error.what()) > 10);
        return error.code();
    }
    return {};
}

static void errors_are_codes_with_words() {
    const auto region = aqueduct::region::anonymous("wrapper", 1 << 16);
    aqueduct::record_producer producer(region, 1000, 3);
    CHECK(error_of([&] { aqueduct::record_producer second(region, 1000, 3); }) == status::held);
    CHECK(error_of([&] { aqueduct::record_consumer other(region, 1000, 4); }) == status::mismatch);
    CHECK(error_of([&] { aqueduct::u64_consumer other(region, 1000, 3); }) == status::mismatch);
    CHECK(error_of([&] { aqueduct::region::anonymous("small", 0); }) != std::error_code());
    const auto gone = error_of([] { aqueduct::region::unlink("/aqueduct-there-is-no-such-region"); });
    CHECK(gone == std::errc::no_such_file_or_directory);
    CHECK(error_of([] { aqueduct::region::from_fd(-1); }) == status::argument);
    const std::error_code why = status::full;
    CHECK(why.message() == aqueduct::text(status::full) && std::strcmp(why.category().name(), "aqueduct") == 0);
    CHECK(!std::error_code(status::ok));
}

static void handles_leave_their_side_when_they_end() {
    const auto region = aqueduct::region::anonymous("wrapper", 1 << 16);
    {
        aqueduct::u64_producer first(region, 100);
        aqueduct::u64_producer second = std::move(first);
        CHECK(second.push(1) == status::ok);
        // NOLINTNEXTLINE: the test uses a moved handle on purpose.
        CHECK(first.push(2) == status::argument && first.push_slice(std::array<std::uint64_t, 1>{2}) == 0);
        first = std::move(second);
        CHECK(first.push(2) == status::ok);
    }
    aqueduct::u64_producer third(region, 100);
    CHECK(third.push(3) == status::ok);
    aqueduct::u64_consumer consumer(aqueduct::region::from_fd(region.fd()), 100);
    for (std::uint64_t expected = 1; expected <= 3; expected++) {
        std::uint64_t number = 0;
        CHECK(consumer.pop(number) == status::ok && number == expected);
    }
    std::uint64_t number = 0;
    CHECK(consumer.pop_wait(number, 1ms) == status::timed_out);
    { const auto last = std::move(third); }
    CHECK(consumer.pop_wait(number, 60s) == status::left && consumer.pop_wait(number, 0s) == status::left);
    aqueduct::u64_producer next(region, 100);
    CHECK(consumer.pop_wait(number, 1ms) == status::timed_out);
    { const auto gone = std::move(consumer); }
    while (next.push(4) == status::ok) {
    }
    CHECK(next.push_wait(4, 60s) == status::left);
}

static void numbers_pass_in_slices() {
    const auto region = aqueduct::region::anonymous("wrapper", 1 << 16);
    aqueduct::u64_producer producer(region, 100);
    aqueduct::u64_consumer consumer(region, 100);
    std::vector<std::uint64_t> numbers(1000);
    for (std::size_t index = 0; index < numbers.size(); index++)
        numbers[index] = index;
    const std::size_t pushed = producer.push_slice(numbers);
    CHECK(pushed >= 100 && pushed < 1000 && producer.push(0) == status::full);
    CHECK(producer.push_wait(0, 1ms) == status::timed_out && producer.push_wait(0, -1ms) == status::timed_out);
    std::array<std::uint64_t, 1000> found{};
    CHECK(consumer.pop_slice(aqueduct::span<std::uint64_t>(found).first(7)) == 7 && found[7] == 0);
    CHECK(consumer.pop_slice(aqueduct::span<std::uint64_t>(found).subspan(7)) == pushed - 7);
    for (std::size_t index = 0; index < pushed; index++)
        CHECK(found[index] == index);
    std::uint64_t number = 5;
    CHECK(consumer.pop(number) == status::empty && consumer.pop_wait(number, 1ms) == status::timed_out && number == 5);
    CHECK(consumer.pop_slice({}) == 0 && producer.push_slice({}) == 0);
    CHECK(producer.push(7) == status::ok && consumer.peek(number) == status::ok && number == 7);
    CHECK(consumer.release() == status::ok && consumer.release() == status::empty);
}

static void records_pass_in_buffers_and_containers() {
    const auto region = aqueduct::region::anonymous("wrapper", 1 << 16);
    aqueduct::record_producer producer(region, 1000);
    aqueduct::record_consumer consumer(region, 1000);
    CHECK(producer.push("a record of text") == status::ok);
    std::array<std::byte, 10> small{};
    aqueduct::popped found = consumer.pop(small);
    CHECK(!found && found.why == status::too_long && found.len == 16);
    std::string text;
    CHECK(consumer.pop_into(text) == status::ok && text == "a record of text");
    CHECK(consumer.pop_into(text) == status::empty && text.empty());
    CHECK(producer.push("again") == status::ok && consumer.release() == status::empty);
    CHECK(consumer.peek(small).len == 5 && consumer.peek(small) && small[0] == std::byte{'a'});
    CHECK(consumer.release() == status::ok && consumer.peek(small).why == status::empty);
    CHECK(producer.push_wait("", 1s) == status::ok && consumer.pop_wait(small, 1s).why == status::ok);

    std::vector<std::byte> bytes(producer.max_len(), std::byte{7});
    std::size_t pushed = 0;
    for (; producer.push(bytes) == status::ok; pushed++) {
    }
    CHECK(pushed > 0 && producer.push(bytes) == status::full && producer.push_wait(bytes, 1ms) == status::timed_out);
    std::vector<unsigned char> copy;
    for (; pushed > 0; pushed--)
        CHECK(consumer.pop_wait_into(copy, 1s) == status::ok && copy.size() == bytes.size() && copy.back() == 7);
    bytes.push_back({});
    CHECK(producer.push(bytes) == status::too_long);

    const struct pair {
        int first;
        double second;
    } sent{4, 0.25};
    pair received{};
    CHECK(producer.push(aqueduct::bytes_of(sent)) == status::ok);
    found = consumer.pop(aqueduct::room_of(received));
    CHECK(found && found.len == sizeof sent && received.first == 4 && received.second == 0.25);
}

static void many_producers_and_consumers_share_numbers() {
    const aqueduct::mpmc_sizes sizes{2, 2, 4};
    const auto region = aqueduct::region::anonymous("wrapper", sizes.bytes());
    const aqueduct::mpmc_sizes none{0, 1, 1};
    CHECK(sizes.bytes() > 0 && none.bytes() == 0);
    aqueduct::mpmc_producer first(region, sizes), second(region, sizes);
    aqueduct::mpmc_consumer third(region, sizes);
    CHECK(error_of([&] { aqueduct::mpmc_producer other(region, sizes); }) == status::held);
    const aqueduct::mpmc_sizes others{2, 1, 4};
    CHECK(error_of([&] { aqueduct::mpmc_producer other(region, others); }) == status::mismatch);
    CHECK(error_of([&] { aqueduct::u64_consumer other(region, 4); }) == status::mismatch);
    CHECK(error_of([&] { aqueduct::mpmc_producer other(region, none); }) == status::capacity);
    CHECK(first.push(1) == status::ok && second.push_wait(2, 1s) == status::ok);
    const std::array<std::uint64_t, 4> more{3, 4, 5, 6};
    CHECK(first.push_slice(more) == 2);
    CHECK(second.push(5) == status::full && second.push_wait(5, 1ms) == status::timed_out);
    std::uint64_t number = 0;
    {
        aqueduct::mpmc_consumer fourth(region, sizes);
        CHECK(third.pop(number) == status::ok && number == 1);
        CHECK(fourth.peek(number) == status::ok && number == 2 && fourth.peek_wait(number, 1s) == status::ok);
        CHECK(number == 2 && third.pop_wait(number, 1s) == status::ok && number == 3);
        CHECK(error_of([&] { aqueduct::mpmc_consumer::abandoned(region, sizes); }) == status::empty);
    }
    auto fourth = aqueduct::mpmc_consumer::abandoned(region, sizes);
    CHECK(fourth.release() == status::ok && fourth.release() == status::empty);
    std::array<std::uint64_t, 3> found{};
    CHECK(fourth.pop_slice(found) == 1 && found[0] == 4 && third.pop(number) == status::empty && number == 3);
    const auto moved = std::move(fourth);
    // NOLINTNEXTLINE: the test uses a moved handle on purpose.
    CHECK(fourth.pop(number) == status::argument && fourth.release() == status::argument);
}

static void readers_get_the_last_numbers() {
    const aqueduct::drop_old_sizes sizes{1, 4};
    const auto region = aqueduct::region::anonymous("wrapper", sizes.bytes());
    aqueduct::drop_old_reader early(region, sizes);
    aqueduct::drop_old_producer producer(region, sizes);
    CHECK(error_of([&] { aqueduct::drop_old_producer other(region, sizes); }) == status::held);
    const aqueduct::drop_old_sizes others{1, 5};
    CHECK(error_of([&] { aqueduct::drop_old_reader other(region, others); }) == status::mismatch);
    std::uint64_t number = 9;
    CHECK(early.read(number) == status::empty && early.read_wait(number, 1ms) == status::timed_out && number == 9);
    for (std::uint64_t next = 0; next < 6; next++)
        CHECK(producer.push(next) == status::ok);
    CHECK(producer.wake() == status::ok);
    aqueduct::drop_old_reader late(region, sizes);
    for (std::uint64_t next = 2; next < 6; next++) {
        CHECK(early.read(number) == status::ok && number == next);
        CHECK(late.read_wait(number, 1s) == status::ok && number == next);
    }
    CHECK(early.lost() == 2 && late.lost() == 0 && late.read(number) == status::empty);
}

static void readers_get_the_last_records() {
    const std::size_t bytes = 64;
    const auto region =
        aqueduct::region::anonymous("wrapper", aqueduct::drop_old_record_producer::region_bytes(bytes));
    aqueduct::drop_old_record_reader early(region, bytes);
    aqueduct::drop_old_record_producer producer(region, bytes);
    CHECK(error_of([&] { aqueduct::drop_old_record_producer other(region, bytes); }) == status::held);
    CHECK(error_of([&] { aqueduct::drop_old_record_reader other(region, bytes + 1); }) == status::mismatch);
    std::string text = "left";
    CHECK(early.read_into(text) == status::empty && text.empty());
    CHECK(early.read_wait_into(text, 1ms) == status::timed_out);
    CHECK(producer.push(std::string(producer.max_len() + 1, 'x')) == status::too_long);
    for (int next = 0; next < 10; next++)
        CHECK(producer.push(std::string(12, static_cast<char>('0' + next))) == status::ok);
    CHECK(producer.wake() == status::ok);
    aqueduct::drop_old_record_reader late(region, bytes);
    std::array<std::byte, 20> buffer{};
    const auto short_one = late.read(aqueduct::span<std::byte>(buffer.data(), 5));
    CHECK(short_one.why == status::too_long && short_one.len == 12);
    std::uint64_t count = 0;
    for (std::string last; last != std::string(12, '9'); count++) {
        CHECK(early.read_wait_into(text, 1s) == status::ok && late.read(buffer).len == 12);
        CHECK(text[0] == static_cast<char>(buffer[0]) && text == std::string(12, text[0]));
        last = text;
    }
    CHECK(early.lost() + count == 10 && early.lost() > 0 && late.lost() == 0);
    CHECK(late.read_wait(buffer, 1ms).why == status::timed_out);
}

static void records_are_written_in_place() {
    const auto region =
        aqueduct::region::anonymous("wrapper", aqueduct::drop_old_record_producer::region_bytes(64));
    aqueduct::drop_old_record_producer producer(region, 64);
    aqueduct::drop_old_record_reader reader(region, 64);
    CHECK(producer.write("a") == status::empty && producer.commit() == status::empty);
    CHECK(producer.reserve(producer.max_len() + 1) == status::too_long);
    const std::array<std::byte, 2> bytes{std::byte{'b'}, std::byte{'c'}};
    CHECK(producer.reserve(5) == status::ok && producer.write("aa") == status::ok);
    CHECK(producer.write(bytes) == status::ok && producer.write("dd") == status::too_long);
    CHECK(producer.write("d") == status::ok);
    std::string text;
    CHECK(reader.read_into(text) == status::empty && producer.commit() == status::ok);
    CHECK(reader.read_into(text) == status::ok && text == "aabcd");
    CHECK(producer.reserve(5) == status::ok && producer.abandon() == status::ok && producer.abandon() == status::empty);
    CHECK(reader.read_into(text) == status::empty);
    const auto moved = std::move(producer);
    // NOLINTNEXTLINE: the test uses a moved handle on purpose.
    CHECK(producer.reserve(1) == status::argument && producer.commit() == status::argument);
}

// Whether the event's file can be read now.
static bool is_signalled(const aqueduct::event &event) {
    pollfd file{event.fd(), POLLIN, 0};
    return poll(&file, 1, 0) == 1;
}

// One side waits, and the other one pushes: its wake signals the event if the side was armed, and not otherwise.
template <class Waits, class Signals, class Push, class Pop>
static void is_signalled_once(Waits &waits, Signals &signals, Push push, Pop pop) {
    const aqueduct::event event;
    CHECK(signals.set_event(event) == status::ok && event.clear() == status::empty);
    push();
    CHECK(signals.wake() == status::ok && !is_signalled(event));
    CHECK(waits.arm() == status::ready);
    pop();
    // The earlier arm is undone, or leads to one more signal.
    CHECK(signals.wake() == status::ok);
    (void)event.clear();
    CHECK(waits.arm() == status::ok && waits.wait(1ms) == status::ok && !is_signalled(event));
    // A side that has slept has to be armed again.
    CHECK(waits.arm() == status::ok);
    push();
    CHECK(!is_signalled(event) && signals.wake() == status::ok && is_signalled(event));
    CHECK(event.clear() == status::ok && event.clear() == status::empty && !is_signalled(event));
    CHECK(signals.wake() == status::ok && !is_signalled(event));
    CHECK(waits.wait(60s) == status::ok);
    pop();
}

static void sides_wait_for_events() {
    std::uint64_t number = 0;
    const auto numbers = aqueduct::region::anonymous("wrapper", 1 << 16);
    aqueduct::u64_producer producer(numbers, 1);
    aqueduct::u64_consumer consumer(numbers, 1);
    is_signalled_once(
        consumer, producer, [&] { CHECK(producer.push(1) == status::ok); },
        [&] { CHECK(consumer.pop(number) == status::ok); });
    while (producer.push(2) == status::ok) {
    }
    const aqueduct::event room;
    CHECK(consumer.set_event(room) == status::ok && producer.arm() == status::ok);
    while (consumer.pop(number) == status::ok) {
    }
    CHECK(consumer.wake() == status::ok && is_signalled(room) && producer.wait(60s) == status::ok);

    const auto texts = aqueduct::region::anonymous("wrapper", 1 << 16);
    aqueduct::record_producer writer(texts, 100);
    aqueduct::record_consumer reader(texts, 100);
    std::string text;
    is_signalled_once(
        reader, writer, [&] { CHECK(writer.push("text") == status::ok); },
        [&] { CHECK(reader.pop_into(text) == status::ok); });

    const aqueduct::mpmc_sizes many{1, 2, 4};
    const auto shared = aqueduct::region::anonymous("wrapper", many.bytes());
    aqueduct::mpmc_producer of_many(shared, many);
    aqueduct::mpmc_consumer first(shared, many), second(shared, many);
    is_signalled_once(
        first, of_many, [&] { CHECK(of_many.push(1) == status::ok); },
        [&] { CHECK(first.pop(number) == status::ok); });
    const std::array<aqueduct::event, 2> events;
    CHECK(of_many.set_events(events) == status::ok && second.arm() == status::ok && of_many.push(1) == status::ok);
    CHECK(of_many.wake() == status::ok && is_signalled(events[0]) && is_signalled(events[1]));

    const aqueduct::drop_old_sizes last{1, 4};
    const auto kept = aqueduct::region::anonymous("wrapper", last.bytes());
    aqueduct::drop_old_producer overwrites(kept, last);
    aqueduct::drop_old_reader reads(kept, last);
    is_signalled_once(
        reads, overwrites, [&] { CHECK(overwrites.push(1) == status::ok); },
        [&] { CHECK(reads.read(number) == status::ok); });

    const auto records = aqueduct::region::anonymous("wrapper", 1 << 16);
    aqueduct::drop_old_record_producer news(records, 100);
    aqueduct::drop_old_record_reader follows(records, 100);
    is_signalled_once(
        follows, news, [&] { CHECK(news.push("text") == status::ok); },
        [&] { CHECK(follows.read_into(text) == status::ok); });

    const auto again = aqueduct::event::from_fd(events[0].fd());
    CHECK(is_signalled(again) && again.clear() == status::ok && !is_signalled(events[0]));
    CHECK(error_of([&] { aqueduct::event::from_fd(numbers.fd()); }) == status::argument);
    CHECK(error_of([] { aqueduct::event::from_fd(-1); }) == status::argument);
    auto moved = aqueduct::event();
    const auto to = std::move(moved);
    // NOLINTNEXTLINE: the test uses a moved handle on purpose.
    CHECK(moved.clear() == status::argument && producer.set_event(moved) == status::argument && moved.fd() == -1);
    CHECK(producer.set_events(std::array<aqueduct::event, 0>{}) == status::ok && to.fd() > 0);
}

int main() {
    errors_are_codes_with_words();
    handles_leave_their_side_when_they_end();
    numbers_pass_in_slices();
    records_pass_in_buffers_and_containers();
    many_producers_and_consumers_share_numbers();
    readers_get_the_last_numbers();
    readers_get_the_last_records();
    records_are_written_in_place();
    sides_wait_for_events();
    std::puts("sound");
    return 0;
}
