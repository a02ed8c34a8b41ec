/* Pushes and pops of numbers, each in a call of the C interface. */
#include <stdint.h>
#include <time.h>

#include "aqueduct.h"

uint64_t aqueduct_bench_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* A push and a pop of each of `count` numbers. Returns how many came out as they went in, and puts the time into
 * `nanoseconds`. */
#define PUSH_AND_POP(queue)                                                                                            \
    do {                                                                                                               \
        const uint64_t start = aqueduct_bench_now();                                                                   \
        for (uint64_t number = 0; number < count; number++) {                                                          \
            uint64_t found = 0;                                                                                        \
            if (aq_##queue##_push(producer, number) == AQ_OK && aq_##queue##_pop(consumer, &found) == AQ_OK)           \
                right += found == number;                                                                              \
        }                                                                                                              \
        *nanoseconds = aqueduct_bench_now() - start;                                                                   \
    } while (0)

uint64_t aqueduct_bench_c_call(uint64_t capacity, uint64_t count, uint64_t *nanoseconds) {
    aq_region *region = 0;
    aq_u64_producer *producer = 0;
    aq_u64_consumer *consumer = 0;
    uint64_t right = 0;
    if (aq_region_anonymous("aqueduct bench", 4096 + 64 * capacity, &region) == AQ_OK &&
        aq_u64_producer_take(region, capacity, 0, &producer) == AQ_OK &&
        aq_u64_consumer_take(region, capacity, 0, &consumer) == AQ_OK)
        PUSH_AND_POP(u64);
    aq_u64_consumer_drop(consumer);
    aq_u64_producer_drop(producer);
    aq_region_drop(region);
    return right;
}

uint64_t aqueduct_bench_c_call_mpmc(uint64_t capacity, uint64_t count, uint64_t *nanoseconds) {
    aq_region *region = 0;
    aq_mpmc_producer *producer = 0;
    aq_mpmc_consumer *consumer = 0;
    uint64_t right = 0;
    if (aq_region_anonymous("aqueduct bench", aq_mpmc_bytes(1, 1, capacity), &region) == AQ_OK &&
        aq_mpmc_producer_take(region, 1, 1, capacity, 0, &producer) == AQ_OK &&
        aq_mpmc_consumer_take(region, 1, 1, capacity, 0, &consumer) == AQ_OK)
        PUSH_AND_POP(mpmc);
    aq_mpmc_consumer_drop(consumer);
    aq_mpmc_producer_drop(producer);
    aq_region_drop(region);
    return right;
}
