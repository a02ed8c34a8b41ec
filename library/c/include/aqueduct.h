/* Queues between processes, in shared memory: aqueduct-shm for C and C++.
 *
 * A function returns AQ_OK, or the status with the reason; `aq_status_text` returns its text.
 * Handles are opaque. Only one thread at a time may use a handle; different handles are
 * independent. Link with -laqueduct (and -lpthread -ldl -lm if it is static).
 *
 * A queue of records or numbers has one producer and one consumer; the queues at the end have many.
 * The process that has a side, or a place among many, keeps it until it drops the handle, or has
 * ended for any reason. Then another process can take it. No pushed item is lost, and none is
 * popped twice.
 *
 * A handle that is dropped leaves, and wakes the other side. Functions that push, pop or read and
 * wait return AQ_LEFT, or AQ_DIED, when the queue has nothing for them and the other side has no
 * live handle any more. Before that side has its first handle, they wait. If another handle is
 * taken later, they wait again, and `*_producer_wait`, `*_consumer_wait` and `*_reader_wait` sleep
 * until that side makes progress. With 0 nanoseconds they return the status at once. A process that
 * ends without dropping its handles has died, and has not left.
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
    AQ_EMPTY = 1,     /* The queue is empty, or there is nothing to release. */
    AQ_FULL = 2,      /* There is no room now. */
    AQ_TOO_LONG = 3,  /* The record is longer than the longest, or than the buffer. */
    AQ_DAMAGED = 4,   /* Some process has overwritten the memory. */
    AQ_TIMED_OUT = 5, /* The other side did nothing before the timeout. */
    AQ_DIED = 6,      /* The other side is gone, a process there died, and nothing is left. */
    AQ_HELD = 7,      /* A live process has this side. It may be stopped. */
    AQ_MISMATCH = 8,  /* The region has another queue, or other contents. */
    AQ_CAPACITY = 9,  /* The size is not valid, or the queue does not fit into the region. */
    AQ_SYSTEM = 10,   /* The system refuses: see errno. */
    AQ_ARGUMENT = 11, /* A pointer is NULL, a text is not UTF-8, or a name is not valid. */
    AQ_PANIC = 12,    /* An error of this library. */
    AQ_CONTENDED = 13, /* Other handles overtook the call in each attempt. Try again. */
    AQ_READY = 14,     /* The queue is ready, so the event is not armed: pop, push or read first. */
    AQ_LEFT = 15       /* The other side is gone: each handle was dropped, and nothing is left. */
};

/* The text for a status. It lives as long as the program. */
const char *aq_status_text(int status);

/* Memory that processes share. */
typedef struct aq_region aq_region;

/* Makes a region without a name. Its size is sealed. /proc shows it under `label`. AQ_CAPACITY if
 * the machine has less memory. */
int aq_region_anonymous(const char *label, size_t bytes, aq_region **region);
/* Opens the region with this name, which starts with '/' and contains no further slash, or makes
 * one of `bytes` bytes with the permissions `mode`. Memory for all bytes is reserved, or the region
 * is left as it was. */
int aq_region_named(const char *name, size_t bytes, unsigned mode, aq_region **region);
/* Makes a region from an open file, which must be trusted not to be truncated. The caller keeps the
 * file. */
int aq_region_from_fd(int file, aq_region **region);
/* The region's file, to be passed to other processes. The region keeps it. -1 if `region` is
 * NULL. */
int aq_region_fd(const aq_region *region);
/* Removes a name. Processes that have the region keep it. */
int aq_region_unlink(const char *name);
/* Drops this handle. Sides of queues in the region keep it mapped. NULL is ignored. */
void aq_region_drop(aq_region *region);

/* Records: bytes of any length. */
typedef struct aq_record_producer aq_record_producer;
typedef struct aq_record_consumer aq_record_consumer;

/* Takes a side of the region's queue, which is made if there is none, for at least `bytes` bytes; a
 * record takes 8 bytes besides its own. `tag` identifies the meaning of the records: a process with
 * another tag gets AQ_MISMATCH. */
int aq_record_producer_take(const aq_region *region, size_t bytes, uint64_t tag, aq_record_producer **producer);
int aq_record_consumer_take(const aq_region *region, size_t bytes, uint64_t tag, aq_record_consumer **consumer);
/* The length of the longest record. 0 if `producer` is NULL. */
size_t aq_record_max_len(const aq_record_producer *producer);
int aq_record_push(aq_record_producer *producer, const void *record, size_t len);
/* Waits for room, and wakes the consumer. */
int aq_record_push_wait(aq_record_producer *producer, const void *record, size_t len, uint64_t nanoseconds);
/* Pops a record into the buffer, and stores its length in `len`. A record that is longer than the
 * buffer stays in the queue: the status is AQ_TOO_LONG, and its length is stored in `len`. */
int aq_record_pop(aq_record_consumer *consumer, void *buffer, size_t size, size_t *len);
/* Waits for a record, pops it as `aq_record_pop` does, and wakes the producer. */
int aq_record_pop_wait(aq_record_consumer *consumer, void *buffer, size_t size, uint64_t nanoseconds, size_t *len);
/* Copies the next record as `aq_record_pop` does, and leaves it in the queue until the release. If
 * the process ends before that, its successor gets the record. */
int aq_record_peek(aq_record_consumer *consumer, void *buffer, size_t size, size_t *len);
/* Removes the record that was copied last, without a wake. AQ_EMPTY if there is none. */
int aq_record_release(aq_record_consumer *consumer);
void aq_record_producer_drop(aq_record_producer *producer);
void aq_record_consumer_drop(aq_record_consumer *consumer);

/* Numbers of 64 bits. */
typedef struct aq_u64_producer aq_u64_producer;
typedef struct aq_u64_consumer aq_u64_consumer;

/* Takes a side of the region's queue, which is made if there is none, for at least `capacity`
 * numbers. */
int aq_u64_producer_take(const aq_region *region, size_t capacity, uint64_t tag, aq_u64_producer **producer);
int aq_u64_consumer_take(const aq_region *region, size_t capacity, uint64_t tag, aq_u64_consumer **consumer);
int aq_u64_push(aq_u64_producer *producer, uint64_t number);
int aq_u64_push_wait(aq_u64_producer *producer, uint64_t number, uint64_t nanoseconds);
/* Pushes as many as fit, and returns how many. 0 if a pointer is NULL, or `count` numbers exceed
 * the address space. */
size_t aq_u64_push_slice(aq_u64_producer *producer, const uint64_t *numbers, size_t count);
int aq_u64_pop(aq_u64_consumer *consumer, uint64_t *number);
int aq_u64_pop_wait(aq_u64_consumer *consumer, uint64_t nanoseconds, uint64_t *number);
/* Pops as many as there are, and returns how many. 0 if a pointer is NULL, or `count` numbers
 * exceed the address space. */
size_t aq_u64_pop_slice(aq_u64_consumer *consumer, uint64_t *numbers, size_t count);
/* Copies the next number, which stays in the queue until the release. If the process ends before
 * that, its successor gets the number. */
int aq_u64_peek(aq_u64_consumer *consumer, uint64_t *number);
/* Removes the number that was copied last, without a wake. AQ_EMPTY if there is none. */
int aq_u64_release(aq_u64_consumer *consumer);
void aq_u64_producer_drop(aq_u64_producer *producer);
void aq_u64_consumer_drop(aq_u64_consumer *consumer);

/* Numbers of 64 bits from many producers to many consumers, all in any process. Each number goes to
 * one consumer. A process that is stopped or killed in the middle of a call delays no other one. */
typedef struct aq_mpmc_producer aq_mpmc_producer;
typedef struct aq_mpmc_consumer aq_mpmc_consumer;

/* The number of bytes of a region that such a queue needs. 0 if the sizes are not valid. */
size_t aq_mpmc_bytes(size_t producers, size_t consumers, size_t capacity);
/* Takes a place in the region's queue, which is made if there is none, for at most `producers`
 * producers and `consumers` consumers at a time, and at least `capacity` numbers. AQ_HELD if live
 * processes have all places. */
int aq_mpmc_producer_take(const aq_region *region, size_t producers, size_t consumers, size_t capacity, uint64_t tag,
                          aq_mpmc_producer **producer);
int aq_mpmc_consumer_take(const aq_region *region, size_t producers, size_t consumers, size_t capacity, uint64_t tag,
                          aq_mpmc_consumer **consumer);
/* Takes the place of a dead or dropped consumer that held a number, which the new consumer pops
 * first. AQ_EMPTY if there is none. */
int aq_mpmc_abandoned_take(const aq_region *region, size_t producers, size_t consumers, size_t capacity, uint64_t tag,
                           aq_mpmc_consumer **consumer);
int aq_mpmc_push(aq_mpmc_producer *producer, uint64_t number);
/* Waits for room, and wakes the consumers. */
int aq_mpmc_push_wait(aq_mpmc_producer *producer, uint64_t number, uint64_t nanoseconds);
/* Pushes one by one as many as fit, and returns how many. 0 if a pointer is NULL, or `count`
 * numbers exceed the address space. */
size_t aq_mpmc_push_slice(aq_mpmc_producer *producer, const uint64_t *numbers, size_t count);
/* Pops a number, which is delivered at most once. If the process is killed in the call, its
 * successor may get the number. */
int aq_mpmc_pop(aq_mpmc_consumer *consumer, uint64_t *number);
/* Waits for a number, and wakes the producers. */
int aq_mpmc_pop_wait(aq_mpmc_consumer *consumer, uint64_t nanoseconds, uint64_t *number);
/* Pops one by one as many as there are, and returns how many. 0 if a pointer is NULL, or `count`
 * numbers exceed the address space. */
size_t aq_mpmc_pop_slice(aq_mpmc_consumer *consumer, uint64_t *numbers, size_t count);
/* Takes a number, and holds it until the release. Each further call returns it again. If the
 * process ends before the release, its successor gets it. */
int aq_mpmc_peek(aq_mpmc_consumer *consumer, uint64_t *number);
/* Waits for a number, takes it as `aq_mpmc_peek` does, and wakes the producers. */
int aq_mpmc_peek_wait(aq_mpmc_consumer *consumer, uint64_t nanoseconds, uint64_t *number);
/* Releases the held number. AQ_EMPTY if the consumer holds none. */
int aq_mpmc_release(aq_mpmc_consumer *consumer);
void aq_mpmc_producer_drop(aq_mpmc_producer *producer);
void aq_mpmc_consumer_drop(aq_mpmc_consumer *consumer);

/* Broadcast of 64-bit numbers: a push overwrites the oldest one, so the queue is never full, and
 * each reader gets each number, or counts it as lost. There can be any number of readers. They have
 * no places, and delay no other process. */
typedef struct aq_drop_old_producer aq_drop_old_producer;
typedef struct aq_drop_old_reader aq_drop_old_reader;

/* The number of bytes of a region that such a queue needs. 0 if the sizes are not valid. */
size_t aq_drop_old_bytes(size_t producers, size_t capacity);
/* Takes a place in the region's queue, which is made if there is none, for at most `producers`
 * producers at a time, and at least the last `capacity` numbers. AQ_HELD if live processes have all
 * places. */
int aq_drop_old_producer_take(const aq_region *region, size_t producers, size_t capacity, uint64_t tag,
                              aq_drop_old_producer **producer);
/* Makes a reader, which starts with the oldest number in the queue. */
int aq_drop_old_reader_new(const aq_region *region, size_t producers, size_t capacity, uint64_t tag,
                           aq_drop_old_reader **reader);
int aq_drop_old_push(aq_drop_old_producer *producer, uint64_t number);
/* Wakes the readers that wait. */
int aq_drop_old_wake(aq_drop_old_producer *producer);
/* Reads the next number, or the oldest one that is left. */
int aq_drop_old_read(aq_drop_old_reader *reader, uint64_t *number);
/* Waits for a number, and reads it. */
int aq_drop_old_read_wait(aq_drop_old_reader *reader, uint64_t nanoseconds, uint64_t *number);
/* The number of numbers that were overwritten before the reader read them. 0 if `reader` is
 * NULL. */
uint64_t aq_drop_old_lost(const aq_drop_old_reader *reader);
void aq_drop_old_producer_drop(aq_drop_old_producer *producer);
void aq_drop_old_reader_drop(aq_drop_old_reader *reader);

/* Broadcast of records: a push overwrites the oldest ones. There is one producer, which never
 * waits, and any number of readers, which have no places and delay no other process. Each reader
 * gets each record, or counts it as lost; the newest one can always be read. */
typedef struct aq_drop_old_record_producer aq_drop_old_record_producer;
typedef struct aq_drop_old_record_reader aq_drop_old_record_reader;

/* The number of bytes of a region that such a queue needs. 0 if the sizes are not valid. */
size_t aq_drop_old_record_bytes(size_t bytes);
/* Takes the producer's side of the region's queue, which is made if there is none. It keeps at
 * least the last `bytes` bytes; a record takes 16 bytes besides its own. */
int aq_drop_old_record_producer_take(const aq_region *region, size_t bytes, uint64_t tag,
                                     aq_drop_old_record_producer **producer);
/* Makes a reader, which starts with the oldest record in the queue. */
int aq_drop_old_record_reader_new(const aq_region *region, size_t bytes, uint64_t tag,
                                  aq_drop_old_record_reader **reader);
/* The length of the longest record. 0 if `producer` is NULL. */
size_t aq_drop_old_record_max_len(const aq_drop_old_record_producer *producer);
int aq_drop_old_record_push(aq_drop_old_record_producer *producer, const void *record, size_t len);
/* Reserves room in the queue for a record of at most `len` bytes, which is then written piece by
 * piece. No reader sees it before the commit. A push, or another `reserve`, discards it. The oldest
 * records may be gone. */
int aq_drop_old_record_reserve(aq_drop_old_record_producer *producer, size_t len);
/* Appends bytes to the record. AQ_TOO_LONG, without appending any, if they do not fit; AQ_EMPTY if
 * no record is reserved. */
int aq_drop_old_record_write(aq_drop_old_record_producer *producer, const void *bytes, size_t len);
/* Pushes the record, which has the bytes written so far. AQ_EMPTY if no record is reserved. */
int aq_drop_old_record_commit(aq_drop_old_record_producer *producer);
/* Discards the record: no reader sees it. AQ_EMPTY if no record is reserved. */
int aq_drop_old_record_abandon(aq_drop_old_record_producer *producer);
/* Wakes the readers that wait. */
int aq_drop_old_record_wake(aq_drop_old_record_producer *producer);
/* Reads the next record, or the oldest one that is left, into the buffer, and stores its length in
 * `len`. The rest of the buffer has arbitrary contents then. A record that is longer than the
 * buffer stays the next one until it is overwritten: the status is AQ_TOO_LONG, and its length is
 * stored in `len`. */
int aq_drop_old_record_read(aq_drop_old_record_reader *reader, void *buffer, size_t size, size_t *len);
/* Waits for a record, and reads it as `aq_drop_old_record_read` does. */
int aq_drop_old_record_read_wait(aq_drop_old_record_reader *reader, void *buffer, size_t size, uint64_t nanoseconds,
                                 size_t *len);
/* The number of records that were overwritten before the reader read them, as of its last read. 0
 * if `reader` is NULL. */
uint64_t aq_drop_old_record_lost(const aq_drop_old_record_reader *reader);
void aq_drop_old_record_producer_drop(aq_drop_old_record_producer *producer);
void aq_drop_old_record_reader_drop(aq_drop_old_record_reader *reader);

/* Waiting without a push or a pop: asleep (on a futex), or in a reactor (poll, epoll) for an event,
 * a file that is readable while it is signalled. A queue of drop_old has events of readers only.
 *
 * The functions `*_push` and `*_pop` do not wake the other side: call `*_wake` afterwards. The
 * functions that end in `_wait` do wake it. In a reactor, the waiting side makes an event and
 * passes it to the other side. Then, in this order: pop until AQ_EMPTY (or push until AQ_FULL),
 * `aq_event_clear`, `*_arm`; after AQ_OK wait for the event's file, and after AQ_READY start again.
 * A side that leaves signals the event: after AQ_OK, a `*_pop_wait` with 0 nanoseconds returns
 * AQ_LEFT if it had left before. A process that is killed signals nothing: wait with a timeout.
 * Where a side has many handles, each waiting handle has an event of its own, and each handle of
 * the other side gets all of them. */
typedef struct aq_event aq_event;

/* Makes an event (eventfd) that is not signalled. */
int aq_event_new(aq_event **event);
/* Makes an event from an open file, such as one that another process has passed. The caller keeps
 * the file. AQ_ARGUMENT if it is not an eventfd in non-blocking mode (EFD_NONBLOCK). */
int aq_event_from_fd(int file, aq_event **event);
/* The event's file, to wait for, or to be passed to the other side. The event keeps it. -1 if
 * `event` is NULL. */
int aq_event_fd(const aq_event *event);
/* Clears the event: takes all its signals. AQ_EMPTY if there were none. */
int aq_event_clear(const aq_event *event);
/* Drops this handle. Handles of queues keep their events. NULL is ignored. */
void aq_event_drop(aq_event *event);

/* Each `*_wait` sleeps until the other side wakes this one, or until the timeout, unless the queue
 * is ready. It returns AQ_OK, also after the timeout, and may return earlier. Each `*_set_events`
 * replaces earlier events. */
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
