// A process produces prices, and another one consumes them.
//
//     prices COUNT
#include <cstdio>
#include <cstdlib>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

#include "aqueduct.hpp"

using namespace std::chrono_literals;

struct price {
    std::uint64_t instrument;
    double value;
};

constexpr std::size_t BYTES = 4000;
// The tag identifies the meaning of a record: both processes must use the same one.
constexpr std::uint64_t TAG = 1;

static int produce(const std::string &name, std::uint64_t count) {
    const auto region = aqueduct::region::named(name, 1 << 16);
    aqueduct::record_producer producer(region, BYTES, TAG);
    for (std::uint64_t number = 0; number < count; number++) {
        const price next{number % 10, 0.5 * static_cast<double>(number)};
        if (const auto why = producer.push_wait(aqueduct::bytes_of(next), 60s); why != aqueduct::status::ok) {
            std::fprintf(stderr, "push: %s\n", aqueduct::text(why));
            return 1;
        }
    }
    return 0;
}

static int consume(const std::string &name, std::uint64_t count) {
    const auto region = aqueduct::region::named(name, 1 << 16);
    aqueduct::record_consumer consumer(region, BYTES, TAG);
    try {
        aqueduct::record_consumer second(region, BYTES, TAG);
        return 1;
    } catch (const std::system_error &error) {
        // Only one process at a time has a side.
        if (error.code() != aqueduct::status::held)
            throw;
    }
    double sum = 0;
    for (std::uint64_t number = 0; number < count;) {
        price next{};
        const auto found = consumer.pop_wait(aqueduct::room_of(next), 60s);
        if (!found) {
            std::fprintf(stderr, "pop: %s\n", aqueduct::text(found.why));
            return 1;
        }
        if (found.len != sizeof next || next.instrument != number % 10) {
            std::fprintf(stderr, "record %llu is another one\n", static_cast<unsigned long long>(number));
            return 1;
        }
        sum += next.value;
        number++;
    }
    std::printf("%llu prices, their sum is %.1f\n", static_cast<unsigned long long>(count), sum);
    return 0;
}

int main(int arguments, char **argument) {
    if (arguments != 2)
        return 2;
    const std::uint64_t count = std::strtoull(argument[1], nullptr, 10);
    const std::string name = "/aqueduct-prices-" + std::to_string(getpid());
    // The child is made before this process takes a place: otherwise it would share the locks.
    const pid_t child = fork();
    if (child == -1)
        return 1;
    try {
        if (child == 0)
            return produce(name, count);
        const int result = consume(name, count);
        int status = 0;
        waitpid(child, &status, 0);
        aqueduct::region::unlink(name);
        return result != 0 ? result : WEXITSTATUS(status);
    } catch (const std::system_error &error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
