/* Queues between processes, in shared memory: aqueduct-shm for C and C++.
 *
 * A function returns AQ_OK or says why not; `aq_status_text` has the words. Handles are opaque. A handle is used by one
 * thread at a time; different handles are independent. Link with -laqueduct (and -lpthread -ldl -lm if it is static).
 *
 * A queue of records or numbers has one producer and one consumer; the queues at the end have many. The process that
 * has a side, or a place among many, keeps it until it drops the handle or has ended, however it ended: then another
 * process can take it. No pushed item is lost, and none comes twice.
 *
 * A handle that is dropped leaves, and wakes the other side. Functions that push, pop or read and wait say AQ_LEFT, or
 * AQ_DIED, when there is nothing for them and all that were on the other side are gone; before the first one has come,
 * they wait. Others may come later: then they wait again, and `*_producer_wait`, `*_consumer_wait` and `*_reader_wait`
 * sleep until one of them does something. With 0 nanoseconds they tell it at once. A process that ends without the drop
 * of its handles died, and did not leave.
 */
#ifndef AQUEDUCT_H
#define AQUEDUCT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum aq_status {
    AQ_OK = 0,
    AQ_EMPTY = 1,     /* Nothing is in the queue. */
    AQ_FULL = 2,      /* There is no room now. */
    AQ_TOO_LONG = 3,  /* The record is longer than the longest, or than the buffer. */
    AQ_DAMAGED = 4,   /* Some process has overwritten the memory. */
    AQ_TIMED_OUT = 5, /* The other side did nothing in time. */
    AQ_DIED = 6,      /* Nobody is on the other side any more, a process there ended without a drop; nothing is left. */
    AQ_HELD = 7,      /* A process that has not ended has this side. It may be stopped. */
    AQ_MISMATCH = 8,  /* Another queue is in the region, or none that this library knows. */
    AQ_CAPACITY = 9,  /* There is no queue of that size, or it does not fit into the region. */
    AQ_SYSTEM = 10,   /* The system refuses: see errno. */
    AQ_ARGUMENT = 11, /* A pointer is NULL, a text is not UTF-8, or a name does not begin with its only '/'. */
    AQ_PANIC = 12,    /* An error of this library. */
    AQ_CONTENDED = 13, /* Others were faster each time. Try again. */
    AQ_READY = 14,     /* There is something to do already: no event is signalled for it. */
    AQ_LEFT = 15       /* Nobody is on the other side any more: each handle was dropped, and nothing is left. */
};

/* The words for a status. They live as long as the program. */
const char *aq_status_text(int status);

/* Memory that processes share. */
typedef struct aq_region aq_region;

/* Makes a region without a name. Its size is sealed. `label` is what the system shows of it. AQ_CAPACITY if the machine
 * has less memory. */
int aq_region_anonymous(const char *label, size_t bytes, aq_region **region);
/* Opens the region of this name, which begins with '/' and has no other one, or makes one of `bytes` bytes for those
 * that `mode` admits. There is room for all of them, or the region is left as it was. */
int aq_region_named(const char *name, size_t bytes, unsigned mode, aq_region **region);
/* Makes a region of an open file. It must be trusted not to become shorter. The caller keeps the file. */
int aq_region_from_fd(int file, aq_region **region);
/* The region's file, to be passed to other processes. The region keeps it. -1 if `region` is NULL. */
int aq_region_fd(const aq_region *region);
/* Takes a name away. Processes that have the region keep it. */
int aq_region_unlink(const char *name);
/* Drops this handle. Sides of queues in the region keep it mapped. NULL is ignored. */
void aq_region_drop(aq_region *region);

/* Records: bytes of any length. */
typedef struct aq_record_producer aq_record_producer;
typedef struct aq_record_consumer aq_record_consumer;

/* Takes a side of the region's queue, which is made if there is none, for at least `bytes` bytes; a record takes 8 more
 * than its own. `tag` is a number by which the queue's users know what its records mean. */
int aq_record_producer_take(const aq_region *region, size_t bytes, uint64_t tag, aq_record_producer **producer);
int aq_record_consumer_take(const aq_region *region, size_t bytes, uint64_t tag, aq_record_consumer **consumer);
/* The length of the longest record. 0 if `producer` is NULL. */
size_t aq_record_max_len(const aq_record_producer *producer);
int aq_record_push(aq_record_producer *producer, const void *record, size_t len);
/* Waits for room, and wakes the consumer. */
int aq_record_push_wait(aq_record_producer *producer, const void *record, size_t len, uint64_t nanoseconds);
/* Pops a record into the buffer, and puts its length into `len`. A record that is longer than the buffer stays, and
 * AQ_TOO_LONG puts its length into `len`. */
int aq_record_pop(aq_record_consumer *consumer, void *buffer, size_t size, size_t *len);
/* Waits for a record, pops it as `aq_record_pop` does, and wakes the producer. */
int aq_record_pop_wait(aq_record_consumer *consumer, void *buffer, size_t size, uint64_t nanoseconds, size_t *len);
/* Copies the next record as `aq_record_pop` does, and leaves it in the queue until the release: if the process ends
 * before that, the next one in its place gets it. */
int aq_record_peek(aq_record_consumer *consumer, void *buffer, size_t size, size_t *len);
/* Takes away the record that was copied last, and wakes nobody. AQ_EMPTY if there is none. */
int aq_record_release(aq_record_consumer *consumer);
void aq_record_producer_drop(aq_record_producer *producer);
void aq_record_consumer_drop(aq_record_consumer *consumer);

/* Numbers of 64 bits. */
typedef struct aq_u64_producer aq_u64_producer;
typedef struct aq_u64_consumer aq_u64_consumer;

/* Takes a side of the region's queue, which is made if there is none, for at least `capacity` numbers. */
int aq_u64_producer_take(const aq_region *region, size_t capacity, uint64_t tag, aq_u64_producer **producer);
int aq_u64_consumer_take(const aq_region *region, size_t capacity, uint64_t tag, aq_u64_consumer **consumer);
int aq_u64_push(aq_u64_producer *producer, uint64_t number);
int aq_u64_push_wait(aq_u64_producer *producer, uint64_t number, uint64_t nanoseconds);
/* Pushes as many as there is room for, and returns how many. 0 if a pointer is NULL, or no
 * memory has `count` numbers. */
size_t aq_u64_push_slice(aq_u64_producer *producer, const uint64_t *numbers, size_t count);
int aq_u64_pop(aq_u64_consumer *consumer, uint64_t *number);
int aq_u64_pop_wait(aq_u64_consumer *consumer, uint64_t nanoseconds, uint64_t *number);
/* Pops as many as there are, and returns how many. 0 if a pointer is NULL, or no
 * memory has `count` numbers. */
size_t aq_u64_pop_slice(aq_u64_consumer *consumer, uint64_t *numbers, size_t count);
/* Copies the next number, which stays in the queue until the release: if the process ends before that, the next one in
 * its place gets it. */
int aq_u64_peek(aq_u64_consumer *consumer, uint64_t *number);
/* Takes away the number that was copied last, and wakes nobody. AQ_EMPTY if there is none. */
int aq_u64_release(aq_u64_consumer *consumer);
void aq_u64_producer_drop(aq_u64_producer *producer);
void aq_u64_consumer_drop(aq_u64_consumer *consumer);

/* Numbers of 64 bits from many producers to many consumers, each of which may be another process. Each number goes to
 * one consumer. A process that is stopped or killed in the middle of a call holds up nobody. */
typedef struct aq_mpmc_producer aq_mpmc_producer;
typedef struct aq_mpmc_consumer aq_mpmc_consumer;

/* How many bytes of a region such a queue needs. 0 if there is no such queue. */
size_t aq_mpmc_bytes(size_t producers, size_t consumers, size_t capacity);
/* Takes a place in the region's queue, which is made if there is none, for at most `producers` producers and
 * `consumers` consumers at a time, and at least `capacity` numbers. AQ_HELD if processes that have not ended have all
 * places. */
int aq_mpmc_producer_take(const aq_region *region, size_t producers, size_t consumers, size_t capacity, uint64_t tag,
                          aq_mpmc_producer **producer);
int aq_mpmc_consumer_take(const aq_region *region, size_t producers, size_t consumers, size_t capacity, uint64_t tag,
                          aq_mpmc_consumer **consumer);
/* Takes the place of a consumer that has ended and left a number that it held: the first that the new one pops.
 * AQ_EMPTY if there is none. */
int aq_mpmc_abandoned_take(const aq_region *region, size_t producers, size_t consumers, size_t capacity, uint64_t tag,
                           aq_mpmc_consumer **consumer);
int aq_mpmc_push(aq_mpmc_producer *producer, uint64_t number);
/* Waits for room, and wakes the consumers. */
int aq_mpmc_push_wait(aq_mpmc_producer *producer, uint64_t number, uint64_t nanoseconds);
/* Pushes one by one as many as there is room for, and returns how many. 0 if a pointer is NULL, or no
 * memory has `count` numbers. */
size_t aq_mpmc_push_slice(aq_mpmc_producer *producer, const uint64_t *numbers, size_t count);
/* Pops a number, which comes at most once: if the process is killed in the call, the next one in its place gets it. */
int aq_mpmc_pop(aq_mpmc_consumer *consumer, uint64_t *number);
/* Waits for a number, and wakes the producers. */
int aq_mpmc_pop_wait(aq_mpmc_consumer *consumer, uint64_t nanoseconds, uint64_t *number);
/* Pops one by one as many as there are, and returns how many. 0 if a pointer is NULL, or no
 * memory has `count` numbers. */
size_t aq_mpmc_pop_slice(aq_mpmc_consumer *consumer, uint64_t *numbers, size_t count);
/* Takes a number, and holds it until the release: each call gives it again, and if the process ends before the release,
 * the next one in its place gets it. */
int aq_mpmc_peek(aq_mpmc_consumer *consumer, uint64_t *number);
/* Waits for a number, takes it as `aq_mpmc_peek` does, and wakes the producers. */
int aq_mpmc_peek_wait(aq_mpmc_consumer *consumer, uint64_t nanoseconds, uint64_t *number);
/* Gives up the number. AQ_EMPTY if the consumer holds none. */
int aq_mpmc_release(aq_mpmc_consumer *consumer);
void aq_mpmc_producer_drop(aq_mpmc_producer *producer);
void aq_mpmc_consumer_drop(aq_mpmc_consumer *consumer);

/* Numbers of 64 bits of which the oldest are overwritten: the queue is never full, and each reader gets each number, or
 * counts it as lost. There is any number of readers, which have no place and hold up nobody. */
typedef struct aq_drop_old_producer aq_drop_old_producer;
typedef struct aq_drop_old_reader aq_drop_old_reader;

/* How many bytes of a region such a queue needs. 0 if there is no such queue. */
size_t aq_drop_old_bytes(size_t producers, size_t capacity);
/* Takes a place in the region's queue, which is made if there is none, for at most `producers` producers at a time, and
 * the last `capacity` numbers at least. AQ_HELD if processes that have not ended have all places. */
int aq_drop_old_producer_take(const aq_region *region, size_t producers, size_t capacity, uint64_t tag,
                              aq_drop_old_producer **producer);
/* Makes a reader, which begins with the oldest number that is there. */
int aq_drop_old_reader_new(const aq_region *region, size_t producers, size_t capacity, uint64_t tag,
                           aq_drop_old_reader **reader);
int aq_drop_old_push(aq_drop_old_producer *producer, uint64_t number);
/* Wakes the readers that wait. */
int aq_drop_old_wake(aq_drop_old_producer *producer);
/* Reads the next number, or the oldest one that is left. */
int aq_drop_old_read(aq_drop_old_reader *reader, uint64_t *number);
/* Waits for a number, and reads it. */
int aq_drop_old_read_wait(aq_drop_old_reader *reader, uint64_t nanoseconds, uint64_t *number);
/* How many numbers were overwritten before the reader came to them. 0 if `reader` is NULL. */
uint64_t aq_drop_old_lost(const aq_drop_old_reader *reader);
void aq_drop_old_producer_drop(aq_drop_old_producer *producer);
void aq_drop_old_reader_drop(aq_drop_old_reader *reader);

/* Records of which the oldest are overwritten: one producer, which never waits, and any number of readers, which have no
 * place and hold up nobody. Each reader gets each record, or counts it as lost; the newest one is always there. */
typedef struct aq_drop_old_record_producer aq_drop_old_record_producer;
typedef struct aq_drop_old_record_reader aq_drop_old_record_reader;

/* How many bytes of a region such a queue needs. 0 if there is no such queue. */
size_t aq_drop_old_record_bytes(size_t bytes);
/* Takes the producer's side of the region's queue, which is made if there is none. It keeps the last `bytes` bytes at
 * least; a record takes 16 more than its own. */
int aq_drop_old_record_producer_take(const aq_region *region, size_t bytes, uint64_t tag,
                                     aq_drop_old_record_producer **producer);
/* Makes a reader, which begins with the oldest record that is there. */
int aq_drop_old_record_reader_new(const aq_region *region, size_t bytes, uint64_t tag,
                                  aq_drop_old_record_reader **reader);
/* The length of the longest record. 0 if `producer` is NULL. */
size_t aq_drop_old_record_max_len(const aq_drop_old_record_producer *producer);
int aq_drop_old_record_push(aq_drop_old_record_producer *producer, const void *record, size_t len);
/* Makes room in the queue for a record of at most `len` bytes, which are then written there piece by piece. No reader
 * sees it before the commit. A push, or another `reserve`, takes its room; the oldest records may be gone. */
int aq_drop_old_record_reserve(aq_drop_old_record_producer *producer, size_t len);
/* Appends bytes to the record. AQ_TOO_LONG, and none is appended, if there is not so much room; AQ_EMPTY if there is
 * none for a record. */
int aq_drop_old_record_write(aq_drop_old_record_producer *producer, const void *bytes, size_t len);
/* Pushes the record of the bytes that were written. AQ_EMPTY if there is no room for one. */
int aq_drop_old_record_commit(aq_drop_old_record_producer *producer);
/* Gives up the record: no reader sees it. AQ_EMPTY if there is no room for one. */
int aq_drop_old_record_abandon(aq_drop_old_record_producer *producer);
/* Wakes the readers that wait. */
int aq_drop_old_record_wake(aq_drop_old_record_producer *producer);
/* Reads the next record, or the oldest one that is left, into the buffer, and puts its length into `len`; then the
 * rest of the buffer has any bytes. A record that is longer than the buffer is the next one still, until it is
 * overwritten, and AQ_TOO_LONG puts its length into `len`. */
int aq_drop_old_record_read(aq_drop_old_record_reader *reader, void *buffer, size_t size, size_t *len);
/* Waits for a record, and reads it as `aq_drop_old_record_read` does. */
int aq_drop_old_record_read_wait(aq_drop_old_record_reader *reader, void *buffer, size_t size, uint64_t nanoseconds,
                                 size_t *len);
/* How many records were overwritten before the reader came to them: as of its last read. 0 if `reader` is NULL. */
uint64_t aq_drop_old_record_lost(const aq_drop_old_record_reader *reader);
void aq_drop_old_record_producer_drop(aq_drop_old_record_producer *producer);
void aq_drop_old_record_reader_drop(aq_drop_old_record_reader *reader);

/* Waiting without a push or a pop: asleep, or in a reactor (poll, epoll) for an event, a file that can be read while it
 * is signalled. A queue of drop_old has events of readers only.
 *
 * The functions `*_push` and `*_pop` wake nobody; `*_wake` does so afterwards, as those do that end in `_wait`. In a
 * reactor, the side that waits makes an event, and the other side is given it. Then, in this order: pop until AQ_EMPTY
 * (or push until AQ_FULL), `aq_event_clear`, `*_arm`; after AQ_OK wait for the event's file, and after AQ_READY begin
 * again. A side that leaves signals the event: after AQ_OK, a `*_pop_wait` with 0 nanoseconds says AQ_LEFT if it had
 * left before. A process that is killed signals nothing: wait with a time limit. Where a side has many handles, each
 * that waits has an event of its own, and each handle of the other side is given all of them. */
typedef struct aq_event aq_event;

/* Makes an event (eventfd) that is not signalled. */
int aq_event_new(aq_event **event);
/* Makes an event of an open file, such as one that another process has passed. The caller keeps the file. AQ_ARGUMENT
 * if it is no eventfd in the mode in which no call waits (EFD_NONBLOCK). */
int aq_event_from_fd(int file, aq_event **event);
/* The event's file, to wait for, or to be passed to the other side. The event keeps it. -1 if `event` is NULL. */
int aq_event_fd(const aq_event *event);
/* Takes the signals that have come. AQ_EMPTY if there were none. */
int aq_event_clear(const aq_event *event);
/* Drops this handle. Handles of queues keep what they were given. NULL is ignored. */
void aq_event_drop(aq_event *event);

/* Each `*_wait` sleeps until the other side wakes this one, at most that long, unless there is something to do. It may
 * return AQ_OK earlier, and does so when the time is up. Each `*_set_events` takes the place of earlier events. */
int aq_record_producer_wait(aq_record_producer *producer, uint64_t nanoseconds);
int aq_record_producer_arm(aq_record_producer *producer);
int aq_record_producer_wake(aq_record_producer *producer);
int aq_record_producer_set_events(aq_record_producer *producer, const aq_event **events, size_t count);
int aq_record_consumer_wait(aq_record_consumer *consumer, uint64_t nanoseconds);
int aq_record_consumer_arm(aq_record_consumer *consumer);
int aq_record_consumer_wake(aq_record_consumer *consumer);
int aq_record_consumer_set_events(aq_record_consumer *consumer, const aq_event **events, size_t count);
int aq_u64_producer_wait(aq_u64_producer *producer, uint64_t nanoseconds);
int aq_u64_producer_arm(aq_u64_producer *producer);
int aq_u64_producer_wake(aq_u64_producer *producer);
int aq_u64_producer_set_events(aq_u64_producer *producer, const aq_event **events, size_t count);
int aq_u64_consumer_wait(aq_u64_consumer *consumer, uint64_t nanoseconds);
int aq_u64_consumer_arm(aq_u64_consumer *consumer);
int aq_u64_consumer_wake(aq_u64_consumer *consumer);
int aq_u64_consumer_set_events(aq_u64_consumer *consumer, const aq_event **events, size_t count);
int aq_mpmc_producer_wait(aq_mpmc_producer *producer, uint64_t nanoseconds);
int aq_mpmc_producer_arm(aq_mpmc_producer *producer);
int aq_mpmc_producer_wake(aq_mpmc_producer *producer);
int aq_mpmc_producer_set_events(aq_mpmc_producer *producer, const aq_event **events, size_t count);
int aq_mpmc_consumer_wait(aq_mpmc_consumer *consumer, uint64_t nanoseconds);
int aq_mpmc_consumer_arm(aq_mpmc_consumer *consumer);
int aq_mpmc_consumer_wake(aq_mpmc_consumer *consumer);
int aq_mpmc_consumer_set_events(aq_mpmc_consumer *consumer, const aq_event **events, size_t count);
int aq_drop_old_producer_set_events(aq_drop_old_producer *producer, const aq_event **events, size_t count);
int aq_drop_old_reader_wait(aq_drop_old_reader *reader, uint64_t nanoseconds);
int aq_drop_old_reader_arm(aq_drop_old_reader *reader);
int aq_drop_old_record_producer_set_events(aq_drop_old_record_producer *producer, const aq_event **events,
                                           size_t count);
int aq_drop_old_record_reader_wait(aq_drop_old_record_reader *reader, uint64_t nanoseconds);
int aq_drop_old_record_reader_arm(aq_drop_old_record_reader *reader);

#ifdef __cplusplus
}
#endif

#endif
