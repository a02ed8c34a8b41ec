/* Pushes and pops of numbers, each in a call of moodycamel's own C interface. Its queue is one of
 * threads, and grows. */
#include <stdint.h>

#include "c_api/concurrentqueue.h"

uint64_t aqueduct_bench_now(void);

/* Returns how many of `count` numbers came out as they went in, and puts the time into
 * `nanoseconds`. */
uint64_t aqueduct_bench_c_call_moodycamel(uint64_t capacity, uint64_t count, uint64_t *nanoseconds) {
    MoodycamelCQHandle queue = 0;
    uint64_t right = 0;
    (void)capacity;
    if (!moodycamel_cq_create(&queue))
        return 0;
    const uint64_t start = aqueduct_bench_now();
    for (uint64_t number = 0; number < count; number++) {
        MoodycamelValue found = 0;
        if (moodycamel_cq_enqueue(queue, (MoodycamelValue)(uintptr_t)number) && moodycamel_cq_try_dequeue(queue, &found))
            right += (uintptr_t)found == number;
    }
    *nanoseconds = aqueduct_bench_now() - start;
    moodycamel_cq_destroy(queue);
    return right;
}
