/* Processes share tasks, answer them, and report; one of them is killed in the middle of its task,
 * which is not lost.
 *
 * workers COUNT
 */
#define _POSIX_C_SOURCE 200809L
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "aqueduct.h"

#define SECOND 1000000000ull
#define WORKERS 3
#define CAPACITY 64
/* Only the last reports matter. */
#define REPORTS 8
/* A task that ends a worker. */
#define END 0

static void check(int status, const char *what) {
    if (status != AQ_OK) {
        fprintf(stderr, "%s: %s\n", what, aq_status_text(status));
        exit(1);
    }
}

/* A region for `bytes` bytes. */
static aq_region *make(const char *label, size_t bytes) {
    aq_region *region;
    check(aq_region_anonymous(label, bytes, &region), label);
    return region;
}

static struct {
    aq_region *tasks, *answers, *reports;
} memory;

/* Answers tasks with their squares. The worker to be killed stops with its first task, which it has
 * reported. */
static void work(int is_to_be_killed) {
    aq_mpmc_consumer *tasks;
    aq_mpmc_producer *answers;
    aq_drop_old_producer *reports;
    check(aq_mpmc_consumer_take(memory.tasks, 1, WORKERS, CAPACITY, 0, &tasks), "tasks");
    check(aq_mpmc_producer_take(memory.answers, WORKERS, 1, CAPACITY, 0, &answers), "answers");
    check(aq_drop_old_producer_take(memory.reports, WORKERS, REPORTS, 0, &reports), "reports");
    for (;;) {
        uint64_t task;
        int status;
        /* The process that pushed the first task leaves, and returns: this worker sleeps until then. */
        while ((status = aq_mpmc_peek_wait(tasks, 60 * SECOND, &task)) == AQ_LEFT)
            check(aq_mpmc_consumer_wait(tasks, SECOND), "the sleep");
        check(status, "a task");
        if (task == END)
            break;
        check(aq_drop_old_push(reports, task), "a report");
        check(aq_drop_old_wake(reports), "a report");
        while (is_to_be_killed)
            pause();
        check(aq_mpmc_push_wait(answers, task * task, 60 * SECOND), "an answer");
        check(aq_mpmc_release(tasks), "the task");
    }
    check(aq_mpmc_release(tasks), "the end");
    aq_mpmc_consumer_drop(tasks);
    aq_mpmc_producer_drop(answers);
    aq_drop_old_producer_drop(reports);
    _exit(0);
}

static pid_t start(int is_to_be_killed) {
    const pid_t child = fork();
    if (child == 0)
        work(is_to_be_killed);
    if (child < 0)
        exit(1);
    return child;
}

int main(int arguments, char **argument) {
    if (arguments != 2)
        return 2;
    const uint64_t count = strtoull(argument[1], NULL, 10);
    memory.tasks = make("tasks", aq_mpmc_bytes(1, WORKERS, CAPACITY));
    memory.answers = make("answers", aq_mpmc_bytes(WORKERS, 1, CAPACITY));
    memory.reports = make("reports", aq_drop_old_bytes(WORKERS, REPORTS));
    /* Children are made before this process takes places: otherwise they would share its locks. */
    const pid_t victim = start(1);
    pid_t worker[WORKERS - 1];
    aq_drop_old_reader *reports;
    check(aq_drop_old_reader_new(memory.reports, WORKERS, REPORTS, 0, &reports), "reports");

    /* The first task goes to the victim: there is no other worker yet. */
    aq_mpmc_producer *tasks;
    check(aq_mpmc_producer_take(memory.tasks, 1, WORKERS, CAPACITY, 0, &tasks), "tasks");
    check(aq_mpmc_push_wait(tasks, 1, SECOND), "the first task");
    aq_mpmc_producer_drop(tasks);
    uint64_t task, sum = 0, answered = 0, reported = 0;
    check(aq_drop_old_read_wait(reports, 60 * SECOND, &task), "the first report");
    reported++;
    kill(victim, SIGKILL);
    waitpid(victim, NULL, 0);
    for (int number = 0; number < WORKERS - 1; number++)
        worker[number] = start(0);

    aq_mpmc_consumer *answers, *abandoned;
    check(aq_mpmc_producer_take(memory.tasks, 1, WORKERS, CAPACITY, 0, &tasks), "tasks");
    check(aq_mpmc_consumer_take(memory.answers, WORKERS, 1, CAPACITY, 0, &answers), "answers");
    /* This process gets the task that the victim held, unless a worker has taken its place: then
     * that worker answers it. */
    if (aq_mpmc_abandoned_take(memory.tasks, 1, WORKERS, CAPACITY, 0, &abandoned) == AQ_OK) {
        check(aq_mpmc_pop(abandoned, &task), "the victim's task");
        aq_mpmc_consumer_drop(abandoned);
        sum += task * task;
        answered++;
    }
    for (uint64_t next = 2; answered < count;) {
        if (next <= count && aq_mpmc_push_wait(tasks, next, 0) == AQ_OK)
            next++;
        uint64_t answer;
        if (aq_mpmc_pop_wait(answers, next <= count ? 0 : SECOND, &answer) == AQ_OK) {
            sum += answer;
            answered++;
        }
        if (aq_drop_old_read(reports, &task) == AQ_OK)
            reported++;
    }
    for (int number = 0; number < WORKERS - 1; number++)
        check(aq_mpmc_push_wait(tasks, END, SECOND), "the end");
    for (int number = 0; number < WORKERS - 1; number++) {
        int status;
        waitpid(worker[number], &status, 0);
        if (status != 0)
            return 1;
    }
    while (aq_drop_old_read(reports, &task) == AQ_OK)
        reported++;
    printf("%llu tasks, the sum of their answers is %llu; ", (unsigned long long)count, (unsigned long long)sum);
    printf("%llu reports were read, and %llu lost\n", (unsigned long long)reported,
           (unsigned long long)aq_drop_old_lost(reports));
    aq_mpmc_producer_drop(tasks);
    aq_mpmc_consumer_drop(answers);
    aq_drop_old_reader_drop(reports);
    aq_region_drop(memory.tasks);
    aq_region_drop(memory.answers);
    aq_region_drop(memory.reports);
    return 0;
}
