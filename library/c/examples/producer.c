/* Produces records, which a process in another language consumes, and consumes numbers that this
 * process produces.
 *
 * producer NAME COUNT
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aqueduct.h"

#define SECOND 1000000000ull

static void check(int status, const char *what) {
    if (status != AQ_OK) {
        fprintf(stderr, "%s: %s\n", what, aq_status_text(status));
        exit(1);
    }
}

/* Checks that a status is the expected one. */
static void expect(int status, int expected, const char *what) {
    if (status != expected) {
        fprintf(stderr, "%s: %s, and not: %s\n", what, aq_status_text(status), aq_status_text(expected));
        exit(1);
    }
}

int main(int arguments, char **argument) {
    if (arguments != 3)
        return 2;
    char name[100];
    aq_region *region;
    snprintf(name, sizeof name, "%s-there", argument[1]);
    check(aq_region_named(name, 1 << 16, 0600, &region), name);
    aq_record_producer *producer, *second;
    check(aq_record_producer_take(region, 4000, 7, &producer), "producer");
    /* Each error has its text. */
    expect(aq_record_producer_take(region, 4000, 7, &second), AQ_HELD, "a second producer");
    expect(aq_record_producer_take(region, 4000, 8, &second), AQ_MISMATCH, "another tag");
    expect(aq_record_producer_take(region, 1 << 20, 7, &second), AQ_MISMATCH, "another capacity");
    expect(aq_record_producer_take(NULL, 4000, 7, &second), AQ_ARGUMENT, "no region");
    expect(aq_record_push(producer, name, aq_record_max_len(producer) + 1), AQ_TOO_LONG, "a long record");
    expect(aq_record_push(NULL, name, 1), AQ_ARGUMENT, "no producer");
    expect(aq_region_unlink("/there-is-no-such-region"), AQ_SYSTEM, "no region");

    snprintf(name, sizeof name, "%s-back", argument[1]);
    aq_region *back;
    check(aq_region_named(name, 1 << 16, 0600, &back), name);
    aq_u64_consumer *consumer;
    check(aq_u64_consumer_take(back, 100, 0, &consumer), "consumer");
    aq_region_drop(back);

    unsigned long count = strtoul(argument[2], NULL, 10);
    for (unsigned long number = 0; number < count; number++) {
        char record[40];
        int len = snprintf(record, sizeof record, "record %lu", number);
        check(aq_record_push_wait(producer, record, (size_t)len, 60 * SECOND), "push");
        uint64_t answer;
        check(aq_u64_pop_wait(consumer, 60 * SECOND, &answer), "pop");
        if (answer != number * number) {
            fprintf(stderr, "%llu is no answer to %lu\n", (unsigned long long)answer, number);
            return 1;
        }
    }
    uint64_t none[3];
    expect(aq_u64_pop(consumer, none), AQ_EMPTY, "an empty queue");
    if (aq_u64_pop_slice(consumer, none, 3) != 0)
        return 1;
    aq_u64_consumer_drop(consumer);
    aq_record_producer_drop(producer);
    aq_region_drop(region);
    printf("%lu records\n", count);
    return 0;
}
