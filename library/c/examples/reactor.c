/* A process waits for two queues at a time, in `poll`: one has records, and the other one numbers.
 * The producers are other processes.
 *
 * reactor COUNT
 */
#define _POSIX_C_SOURCE 200809L
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "aqueduct.h"

#define SECOND 1000000000ull
#define BYTES 4096
#define CAPACITY 100
#define QUEUES 2

static void check(int status, const char *what) {
    if (status != AQ_OK) {
        fprintf(stderr, "%s: %s\n", what, aq_status_text(status));
        exit(1);
    }
}

static struct {
    aq_region *records, *numbers;
    aq_event *events[QUEUES];
} shared;

/* Pushes `count` records. A push that does not wait does not wake either: one wake follows for
 * several records. */
static void send_records(unsigned long count) {
    aq_record_producer *producer;
    const aq_event *event = shared.events[0];
    check(aq_record_producer_take(shared.records, BYTES, 0, &producer), "the records' producer");
    check(aq_record_producer_set_events(producer, &event, 1), "the records' event");
    for (unsigned long number = 0; number < count;) {
        const int status = aq_record_push(producer, &number, sizeof number);
        if (status == AQ_OK)
            number++;
        else if (status != AQ_FULL)
            check(status, "a record");
        if (status == AQ_FULL || number % 8 == 0 || number == count)
            check(aq_record_producer_wake(producer), "the wake");
        if (status == AQ_FULL)
            /* Sleep until there is room: the consumer wakes this side after its pops. */
            check(aq_record_producer_wait(producer, SECOND), "room");
    }
    aq_record_producer_drop(producer);
    _exit(0);
}

/* Pushes `count` numbers. The call that waits for room wakes the consumer, too. */
static void send_numbers(unsigned long count) {
    aq_u64_producer *producer;
    const aq_event *event = shared.events[1];
    check(aq_u64_producer_take(shared.numbers, CAPACITY, 0, &producer), "the numbers' producer");
    check(aq_u64_producer_set_events(producer, &event, 1), "the numbers' event");
    for (unsigned long number = 0; number < count; number++)
        check(aq_u64_push_wait(producer, number, 60 * SECOND), "a number");
    aq_u64_producer_drop(producer);
    _exit(0);
}

static pid_t start(void (*run)(unsigned long), unsigned long count) {
    const pid_t child = fork();
    if (child == 0)
        run(count);
    if (child < 0)
        exit(1);
    return child;
}

int main(int arguments, char **argument) {
    if (arguments != 2)
        return 2;
    const unsigned long count = strtoul(argument[1], NULL, 10);
    check(aq_region_anonymous("records", 1 << 16, &shared.records), "a region");
    check(aq_region_anonymous("numbers", 1 << 16, &shared.numbers), "a region");
    for (int queue = 0; queue < QUEUES; queue++)
        check(aq_event_new(&shared.events[queue]), "an event");
    /* Children of a fork inherit the events. Others receive the files and call aq_event_from_fd. */
    const pid_t children[QUEUES] = {start(send_records, count), start(send_numbers, count)};

    aq_record_consumer *records;
    aq_u64_consumer *numbers;
    check(aq_record_consumer_take(shared.records, BYTES, 0, &records), "the records' consumer");
    check(aq_u64_consumer_take(shared.numbers, CAPACITY, 0, &numbers), "the numbers' consumer");
    struct pollfd files[QUEUES];
    for (int queue = 0; queue < QUEUES; queue++)
        files[queue] = (struct pollfd){.fd = aq_event_fd(shared.events[queue]), .events = POLLIN};
    unsigned long long next[QUEUES] = {0, 0}, sleeps = 0;
    while (next[0] < count || next[1] < count) {
        /* Pop all items of both queues. */
        unsigned long record;
        size_t len;
        while (aq_record_pop(records, &record, sizeof record, &len) == AQ_OK)
            if (len != sizeof record || record != next[0]++)
                return 1;
        check(aq_record_consumer_wake(records), "the wake");
        uint64_t number;
        while (aq_u64_pop(numbers, &number) == AQ_OK)
            if (number != next[1]++)
                return 1;
        check(aq_u64_consumer_wake(numbers), "the wake");
        if (next[0] == count && next[1] == count)
            break;
        /* In this order, a signal between the two calls is not lost. */
        for (int queue = 0; queue < QUEUES; queue++)
            aq_event_clear(shared.events[queue]);
        if (aq_record_consumer_arm(records) == AQ_OK && aq_u64_consumer_arm(numbers) == AQ_OK) {
            if (poll(files, QUEUES, 60000) == 0) {
                fprintf(stderr, "nothing came in time\n");
                return 1;
            }
            sleeps++;
        }
    }
    for (int queue = 0; queue < QUEUES; queue++) {
        int status;
        waitpid(children[queue], &status, 0);
        if (status != 0)
            return 1;
        aq_event_drop(shared.events[queue]);
    }
    printf("%llu records and %llu numbers came\n", next[0], next[1]);
    fprintf(stderr, "after %llu sleeps\n", sleeps);
    aq_record_consumer_drop(records);
    aq_u64_consumer_drop(numbers);
    aq_region_drop(shared.records);
    aq_region_drop(shared.numbers);
    return 0;
}
