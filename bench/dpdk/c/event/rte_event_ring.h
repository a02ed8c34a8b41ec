/* DPDK's ring of events, as its software event device calls it, over aqueduct's queue for one producer and one consumer.
 *
 * The device's sources include this file in place of DPDK's header of the same name. */

#ifndef AQUEDUCT_EVENT_RING
#define AQUEDUCT_EVENT_RING

#include <stddef.h>
#include <stdint.h>

#include <rte_eventdev.h>
#include <rte_ring.h>

struct rte_event_ring;

struct rte_event_ring *aq_events_new(unsigned int count);
void aq_events_free(struct rte_event_ring *ring);
unsigned int aq_events_push(struct rte_event_ring *ring, const struct rte_event *events, unsigned int count);
unsigned int aq_events_pop(struct rte_event_ring *ring, struct rte_event *events, unsigned int most);
unsigned int aq_events_count(const struct rte_event_ring *ring);
unsigned int aq_events_room(struct rte_event_ring *ring);

static inline struct rte_event_ring *rte_event_ring_create(const char *name, unsigned int count, int socket, unsigned int flags)
{
	(void)name, (void)socket;
	return flags & RING_F_SP_ENQ && flags & RING_F_SC_DEQ ? aq_events_new(count) : NULL;
}

/* A ring of an earlier configuration: the device frees what it finds. */
static inline struct rte_event_ring *rte_event_ring_lookup(const char *name)
{
	(void)name;
	return NULL;
}

static inline void rte_event_ring_free(struct rte_event_ring *ring)
{
	aq_events_free(ring);
}

static inline unsigned int rte_event_ring_enqueue_burst(struct rte_event_ring *ring, const struct rte_event *events,
							unsigned int count, uint16_t *room)
{
	unsigned int done = aq_events_push(ring, events, count);
	if (room != NULL)
		*room = aq_events_room(ring);
	return done;
}

static inline unsigned int rte_event_ring_dequeue_burst(struct rte_event_ring *ring, struct rte_event *events,
							unsigned int most, uint16_t *left)
{
	unsigned int done = aq_events_pop(ring, events, most);
	if (left != NULL)
		*left = aq_events_count(ring);
	return done;
}

static inline unsigned int rte_event_ring_count(const struct rte_event_ring *ring)
{
	return aq_events_count(ring);
}

static inline unsigned int rte_event_ring_free_count(const struct rte_event_ring *ring)
{
	return aq_events_room((struct rte_event_ring *)ring);
}

#endif
